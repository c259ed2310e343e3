"""``canfield solve``."""

from __future__ import annotations

import json

import pytest

from canfield_env import Deal, Game
from canfield_env.cli import main


def run(capsys, *args: str) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as exit_:
        main(["solve", *args])
    out, err = capsys.readouterr()
    return int(exit_.value.code or 0), out, err


def test_a_line_of_json_for_each_code(capsys):
    codes = [Deal.from_number(n).code or "" for n in (1, 3)]
    status, out, _ = run(capsys, *codes, "--json")
    rows = [json.loads(line) for line in out.splitlines()]
    assert status == 0
    assert [row["deal"] for row in rows] == codes
    assert [row["verdict"] for row in rows] == ["winnable", "unwinnable"]
    assert set(rows[0]) >= {"deal", "verdict", "moves", "states", "seconds"}
    assert Game(Deal.from_code(codes[0])).push_all(rows[0]["moves"]).is_won
    assert rows[1]["moves"] is None


def test_a_deck_a_suite_and_limits(capsys, tmp_path):
    file = tmp_path / "deck.txt"
    file.write_text(" ".join(Deal.from_number(1).deck))
    _, out, _ = run(capsys, "--deck", str(file), "--draw", "1", "--no-take-back", "--json")
    assert json.loads(out)["draw"] == 1
    assert json.loads(out)["verdict"] == "winnable"
    kept = tmp_path / "verdicts.jsonl"
    for _ in range(2):
        status, out, _ = run(capsys, "--suite", "smoke", "--limit-states", "1", "--out", str(kept))
        assert status == 0
        assert out.count("undecided (states), 1 states") >= 15
    assert len(kept.read_text().splitlines()) == 1 + out.count("\n")


def test_text_tells_the_moves(capsys):
    _, out, _ = run(capsys, Deal.from_number(1).code or "")
    head, *moves = out.splitlines()
    assert head.startswith(str(Deal.from_number(1).code))
    assert "winnable in" in head
    assert Game(Deal.from_number(1)).push_all(" ".join(moves)).is_won


@pytest.mark.parametrize(
    ("args", "reason"),
    [
        ([], "give one of"),
        (["CF1-D3-AAAAAAA", "--suite", "smoke"], "give one of"),
        (["CF1-D3-AAAAAAB"], "mistyped"),
        (["--suite", "nowhere"], "no suite is called 'nowhere'"),
        (["--suite", "smoke", "--draw", "3"], "--draw"),
        (["--suite", "smoke", "--limit-seconds", "0"], "must be positive"),
        (["--suite", "smoke", "--limit-states", "-1"], "must be positive"),
        (["--suite", "smoke", "--limit-memory", "0"], "max_memory"),
        (["--suite", "smoke", "--jobs", "0"], "--jobs"),
    ],
)
def test_bad_input_is_one_line(capsys, args, reason):
    status, out, err = run(capsys, *args)
    assert (status, out) == (2, "")
    assert reason in err
    assert err.count("\n") == 1
