"""The README: what it shows is what the code does, its examples run, and its links lead somewhere."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from scripts import make_readme

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "README.md").read_text(encoding="utf-8")
#: The blocks of code as (language, code). One that takes long, or needs what is not there, stands under this comment.
NOT_RUN = "<!-- not run by the tests -->\n"
BLOCKS = re.findall(rf"(?m)(?<!{NOT_RUN})^```(\w+)\n((?:.*\n)*?)```$", TEXT)
FILES = {match[1]: code for _, code in BLOCKS if (match := re.match(r"# (\w+\.py)\n", code))}
PYTHON = [code for language, code in BLOCKS if language == "python"]
SHELL = [code for language, code in BLOCKS if language == "sh" and "canfield " in code]


def first_line(code: str) -> str:
    return code.partition("\n")[0]


def test_generated_parts_are_up_to_date():
    fresh = make_readme.refreshed(TEXT) == TEXT
    drawn = make_readme.picture() == make_readme.PICTURE.read_text(encoding="utf-8")
    assert fresh, "run scripts/make_readme.py"
    assert drawn, "run scripts/make_readme.py"


def test_examples_are_found():
    assert len(PYTHON) > 1
    assert SHELL


@pytest.mark.parametrize("code", PYTHON, ids=first_line)
def test_python_example_runs(code, tmp_path, monkeypatch):
    """The comment after a print call is what it prints."""
    monkeypatch.chdir(tmp_path)
    printed = subprocess.run(
        [sys.executable, "-W", "error", "-c", code], check=True, capture_output=True, text=True
    ).stdout
    for expected in re.findall(r"(?m)^ *print\(.+\)  +# (.+)$", code):
        assert expected in printed.splitlines()


@pytest.mark.parametrize("commands", SHELL, ids=first_line)
def test_commands_run(commands, tmp_path):
    """In a folder that holds the files shown: the Python blocks that begin with a comment that names them."""
    for name, code in FILES.items():
        (tmp_path / name).write_text(code, encoding="utf-8")
    environment = os.environ | {"PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
    subprocess.run(["bash", "-ec", commands], check=True, capture_output=True, cwd=tmp_path, env=environment)


@pytest.mark.parametrize("page", [ROOT / "README.md", *(ROOT / "docs").glob("*.md")], ids=lambda page: page.name)
def test_links_lead_to_files(page):
    for target in re.findall(r"\]\(([^)#\s]+)", page.read_text(encoding="utf-8")):
        assert target.startswith("https://") or (page.parent / target).exists(), target


def test_paths_in_the_text_exist():
    """What is named like `scripts/train.py` or `configs/suites/` is there."""
    for path in re.findall(r"`((?:agents|canfield_env|configs|docs|scripts|tests)/[a-z0-9_./-]*)`", TEXT):
        assert (ROOT / path).exists(), path
