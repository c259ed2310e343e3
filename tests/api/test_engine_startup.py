"""Compiling on first use: said in one line, cached on disk, and no error where that cannot be."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import numba
import pytest

from canfield_env.engine.jit import announced, digest_of_kernels

SOURCE = "from canfield_env.engine.jit import jit\n\n@jit\ndef double(x):\n    return 2 * x\n"
SCRIPT = "import canfield_env, gymnasium; env = gymnasium.make('Canfield-v0'); env.reset(seed=0); print(env.step(0)[1])"


@pytest.fixture
def load(tmp_path, monkeypatch):
    """Loads a module with one kernel, as a new process would, with a cache folder."""
    path = tmp_path / "kernel_of_a_test.py"
    path.write_text(SOURCE)

    def load_with(folder: Path):
        monkeypatch.setattr(numba.config, "CACHE_DIR", str(folder))
        spec = importlib.util.spec_from_file_location(path.stem, path)
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        monkeypatch.setitem(sys.modules, path.stem, module)
        spec.loader.exec_module(module)
        return module.double

    return load_with


def test_first_use_says_so_in_one_line_and_the_second_nothing(load, tmp_path, capsys):
    for expected in (True, False):
        double = load(tmp_path / "cache")
        with announced():
            assert double(3) == 6
            assert double(4) == 8
        said = capsys.readouterr().err
        assert bool(said) == expected
        if expected:
            assert said.startswith("canfield_env: compiling for this machine ... ")
            assert said.endswith(" s\n")
            assert said.count("\n") == 1


def test_what_is_cached_is_made_anew_once_any_kernel_has_changed(load, tmp_path, capsys, monkeypatch):
    for digest, compiles in (("one", True), ("one", False), ("other", True), ("other", False)):
        monkeypatch.setattr("canfield_env.engine.jit.digest_of_kernels", lambda root, digest=digest: digest)
        double = load(tmp_path / "cache")
        with announced():
            assert double(3) == 6
        assert bool(capsys.readouterr().err) == compiles


def test_sources_that_cannot_be_read_are_no_error(load, tmp_path, capsys, monkeypatch):
    def refuse(root):
        raise PermissionError(root)

    monkeypatch.setattr("canfield_env.engine.jit.digest_of_kernels", refuse)
    for _ in range(2):  # it is compiled each time, as nothing would tell what is out of date
        double = load(tmp_path / "cache")
        with announced():
            assert double(3) == 6
        assert capsys.readouterr().err


@pytest.mark.parametrize(
    ("changed", "counts"),
    [
        ("canfield_env/engine/layout.py", True),
        ("canfield_env/solver/moves.py", True),
        ("agents/planner/values.py", True),
        ("canfield_env/cli.py", False),
    ],
)
def test_the_kernels_are_those_of_all_packages(tmp_path, changed, counts):
    for folder in ("engine", "solver"):
        (tmp_path / "canfield_env" / folder).mkdir(parents=True)
    (tmp_path / "agents/planner").mkdir(parents=True)
    kernel = "from canfield_env.engine.jit import jit\n"
    texts = {"engine/layout.py": "ACTIONS = 261\n", "solver/moves.py": kernel, "cli.py": "import typer\n"}
    for name, text in texts.items():
        (tmp_path / "canfield_env" / name).write_text(text)
    (tmp_path / "agents/planner/values.py").write_text(kernel)
    before = digest_of_kernels.__wrapped__(tmp_path)
    with (tmp_path / changed).open("a") as file:
        file.write("# changed\n")
    assert (digest_of_kernels.__wrapped__(tmp_path) != before) == counts


@pytest.mark.parametrize("pattern", ["*.nbi", "*.nbc"])
@pytest.mark.parametrize("damage", [b"", b"nonsense", b"\x80\x04N."])
def test_damaged_cache_files_are_made_anew(load, tmp_path, capsys, pattern, damage):
    cache = tmp_path / "cache"
    assert load(cache)(3) == 6
    for path in cache.rglob(pattern):
        path.write_bytes(damage)
    for compiles in (True, False):
        double = load(cache)
        with announced():
            assert double(3) == 6
        assert bool(capsys.readouterr().err) == compiles


def test_no_folder_to_cache_in(load, tmp_path, monkeypatch):
    """A file stands where the folders should be: those asked for, beside the source, and in the user's home."""
    blocked = tmp_path / "file"
    blocked.write_text("")
    (tmp_path / "__pycache__").write_text("")
    for name in ("HOME", "XDG_CACHE_HOME", "LOCALAPPDATA"):
        monkeypatch.setenv(name, str(blocked / "below"))
    double = load(blocked / "below")
    assert double(3) == 6
    assert double.stats.cache_path is None


def test_files_that_cannot_be_written(load, tmp_path):
    cache = tmp_path / "cache"
    double = load(cache)
    folder = Path(double.stats.cache_path)
    folder.rmdir()
    folder.write_text("")
    assert double(3) == 6


@pytest.mark.slow
def test_a_whole_start(tmp_path):
    """One line on the first start, none on the second."""
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}
    said = [
        subprocess.run(
            [sys.executable, "-c", SCRIPT], env=environment, capture_output=True, text=True, check=True
        ).stderr
        for _ in range(2)
    ]
    assert said[0].startswith("canfield_env: compiling for this machine ... ")
    assert said[0].count("\n") == 1
    assert said[1] == ""
