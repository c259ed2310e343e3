"""The scripts tell of bad input in one line, and end with status 2."""

import subprocess
import sys
from pathlib import Path

import pytest

from scripts.pages import with_tables

SCRIPTS = Path(__file__).parents[2] / "scripts"


@pytest.mark.parametrize(
    ("arguments", "fault"),
    [
        ("leaderboard.py play --suite nope", "the leaderboard has no suite 'nope'"),
        ("leaderboard.py play --suite d3-test --agent nope", "no agent is called 'nope'"),
        ("certify.py nope", "no suite is called 'nope'"),
        ("atlas.py nope 3", "no rule set is called 'nope'"),
        ("tune_planner.py play nope", "planner: there is no 'nope'"),
        ("ship_model.py ship d3 nope.zip", "nope.zip: cannot be read"),
        ("certify.py --nope", "No such option: --nope"),
        ("ablate_heuristic.py --nope", "No such option: --nope"),
        ("how_hard.py --nope", "No such option: --nope"),
        ("make_golden.py --nope", "No such option: --nope"),
        ("make_perft.py --nope", "No such option: --nope"),
        ("make_readme.py --nope", "No such option: --nope"),
        ("make_suites.py --nope", "No such option: --nope"),
    ],
)
def test_bad_input_is_one_line(tmp_path, arguments, fault):
    script, *rest = arguments.split()
    command = [sys.executable, str(SCRIPTS / script), *rest]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.startswith(f"{script}: {fault}")
    assert done.stderr.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


def test_a_table_without_a_place_in_the_page_is_an_error():
    page = "<!-- begin a -->\nold\n<!-- end a -->\n"
    assert with_tables(page, {"a": lambda: "new"}) == "<!-- begin a -->\nnew\n<!-- end a -->\n"
    with pytest.raises(ValueError, match="no place for the table 'b'"):
        with_tables(page, {"b": str})
