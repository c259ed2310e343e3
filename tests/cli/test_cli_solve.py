"""``canfield solve``."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from canfield_env import ConfigError, Deal, Game
from canfield_env.cli import main
from canfield_env.files import sole_use
from canfield_env.solver import api


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
        (["--suite", "smoke", "--limit-seconds", "0"], "max_seconds must be a positive number"),
        (["--suite", "smoke", "--limit-states", "-1"], "max_states must be a positive whole number"),
        (["--suite", "smoke", "--limit-memory", "0"], "max_memory"),
        (["--suite", "smoke", "--limit-memory", "0", "--jobs", "2"], "max_memory"),
        (["--suite", "smoke", "--jobs", "0"], "--jobs"),
    ],
)
def test_bad_input_is_one_line(capsys, args, reason):
    status, out, err = run(capsys, *args)
    assert (status, out) == (2, "")
    assert reason in err
    assert err.count("\n") == 1


def test_memory_that_is_not_there_is_one_line(capsys, monkeypatch):
    def fail(max_nodes: int) -> None:
        raise MemoryError

    monkeypatch.setattr(api, "new_space", fail)
    for jobs in ("1", "2"):
        status, out, err = run(capsys, "--suite", "smoke", "--limit-memory", "100000000", "--jobs", jobs)
        assert (status, out) == (2, "")
        assert err == "canfield: solver: the system cannot provide 104857600000000 bytes of memory\n"


def test_a_file_that_holds_no_verdicts_is_left_as_it_is(capsys, tmp_path: Path):
    notes = tmp_path / "notes.txt"
    for content in ("my only copy of notes, one line", "notes\nof two lines\n"):
        notes.write_text(content)
        status, out, err = run(capsys, "CF1-D3-AAAAACL", "--limit-states", "1", "--out", str(notes))
        assert (status, out, err.count("\n")) == (2, "", 1)
        assert str(notes) in err
        assert notes.read_text() == content


def test_a_file_in_use_is_refused(capsys, tmp_path: Path):
    kept = tmp_path / "verdicts.jsonl"
    with sole_use(kept):
        status, out, err = run(capsys, "CF1-D3-AAAAACL", "--limit-states", "1", "--out", str(kept))
    assert (status, out, err) == (2, "", f"canfield: {kept} is in use by another process\n")
    assert not kept.exists()


def test_the_rules_say_whether_cards_are_taken_back_unless_the_call_does(capsys, monkeypatch):
    asked: list[tuple[bool, bool | None]] = []

    def solve_many(deals, rules, *, take_back, **_):
        asked.append((rules.take_back, take_back))
        raise ConfigError("seen enough")

    monkeypatch.setattr("canfield_env.solver.solve_many", solve_many)
    for args in ([], ["--take-back"], ["--no-take-back"]):
        run(capsys, "CF1-D3-AAAAACL", "--rules", "hoyle", *args)
    assert asked == [(False, None), (False, True), (False, False)]


def test_a_deal_may_be_asked_for_twice_and_a_suite_under_other_rules(capsys):
    _, out, _ = run(capsys, "CF1-D3-AAAAACL", "CF1-D3-AAAAACL", "--limit-states", "1")
    assert out.count("CF1-D3-AAAAACL") == 2
    _, out, _ = run(capsys, "--suite", "smoke", "--rules", "hoyle", "--limit-states", "1", "--json")
    assert len(out.splitlines()) == 20
