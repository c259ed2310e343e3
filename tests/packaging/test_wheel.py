"""The wheel: what is in it, and that it works on its own, away from the checkout."""

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

import canfield_env
from canfield_env import Deal, Rules

ROOT = Path(__file__).parents[2]


def run(*command: str | Path, cwd: Path = ROOT, env: dict[str, str] | None = None) -> str:
    """What a run of Python prints."""
    return subprocess.run([sys.executable, *command], check=True, text=True, stdout=-1, cwd=cwd, env=env).stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    folder = tmp_path_factory.mktemp("wheel")
    run("-m", "pip", "wheel", "-q", "--no-deps", "--no-index", "--no-build-isolation", "-w", folder, ROOT)
    (path,) = folder.iterdir()
    return path


@pytest.fixture(scope="module")
def installed(wheel, tmp_path_factory):
    """Runs Python away from the checkout, with the wheel before the checkout on the path; returns what it prints."""
    folder = tmp_path_factory.mktemp("installed")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder)
    environment = os.environ | {"PYTHONPATH": str(folder)}
    where = run("-c", "import canfield_env; print(canfield_env.__file__)", cwd=folder, env=environment)
    assert Path(where.strip()).is_relative_to(folder)
    return lambda *command: run(*command, cwd=folder, env=environment)


def test_wheel_holds_the_package_and_its_configuration_and_no_more(wheel):
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
    here = {path.relative_to(ROOT).as_posix() for path in (ROOT / "canfield_env").rglob("*.py")}
    for folder in ("rules", "suites"):
        here |= {f"canfield_env/_configs/{folder}/{path.name}" for path in (ROOT / "configs" / folder).iterdir()}
    assert here <= names
    assert "canfield_env/py.typed" in names
    folders = {name.split("/")[0] for name in names}
    assert folders == {"canfield_env", f"canfield_env-{canfield_env.__version__}.dist-info"}
    assert not [name for name in names if "__pycache__" in name]


def test_installed_command_shows_the_same_deal(installed):
    deck = installed("-m", "canfield_env", "deal", "CF1-D3-AAAAACL", "--json")
    assert " ".join(Deal.from_code("CF1-D3-AAAAACL").deck) in deck


def test_installed_package_has_the_named_rules(installed):
    printed = installed("-c", "from canfield_env import Rules; print(Rules.named('hoyle'))")
    assert printed.strip() == str(Rules.named("hoyle"))
