"""What ``solve`` and ``solve_many`` take, give and refuse."""

from __future__ import annotations

import os
import signal
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import orjson
import pytest

from canfield_env import ConfigError, Deal, DealError, Game, Rules
from canfield_env.files import sole_use
from canfield_env.solver import Solver, api, many, solve, solve_many
from canfield_env.solver.many import read_verdicts
from tests.solver.exhaustive import random_moves

EASY = Deal.from_number(1)
HOPELESS = Deal.from_number(3)
HARD = Deal.from_number(2_000_049)  # some 400,000 states


def play(deal: Deal, moves, rules="app") -> Game:
    return Game(deal, rules).push_all(moves)


def test_a_win_is_given_with_moves_that_win():
    verdict = solve(EASY)
    assert verdict.verdict == "winnable"
    assert verdict.moves is not None
    assert play(EASY, verdict.moves).is_won
    assert verdict.states > 0
    assert verdict.limit is None


def test_a_loss_is_given_without_moves():
    verdict = solve(HOPELESS)
    assert (verdict.verdict, verdict.moves, verdict.limit) == ("unwinnable", None, None)


@pytest.mark.parametrize("rules", ["app", "hoyle"])
@pytest.mark.parametrize("draw", [1, 3])
def test_a_game_is_solved_from_where_it_stands(rules, draw):
    for number in range(6):
        game = random_moves(Game(Deal.from_number(number, draw), rules), Random(number), 25)
        before = game.position()
        verdict = solve(game, max_seconds=None, max_states=20_000)
        assert game.position() == before
        if verdict.moves is not None:
            assert game.push_all(verdict.moves).is_won


def test_a_game_from_a_position_is_solved():
    won = play(EASY, solve(EASY).moves or [])
    assert solve(won).moves == []
    game = play(EASY, (solve(EASY).moves or [])[:-5])
    verdict = solve(Game.from_position(game.position(), "app", 3))
    assert verdict.moves is not None
    assert len(verdict.moves) <= 8


def test_taking_back_can_be_switched_off():
    for number in range(12):
        verdict = solve(Deal.from_number(number), take_back=False)
        assert verdict.verdict != "undecided"
        if verdict.moves is not None:
            assert not any(str(move).startswith("F") for move in verdict.moves)
            play(Deal.from_number(number), verdict.moves, Rules(take_back=False))
            assert solve(Deal.from_number(number)).verdict == "winnable"


def test_limits_leave_a_game_undecided():
    for limits, name in (({"max_states": 50}, "states"), ({"max_seconds": 1e-9}, "seconds")):
        verdict = solve(HARD, **limits)
        assert (verdict.verdict, verdict.moves, verdict.limit) == ("undecided", None, name)
    assert solve(HARD, max_states=50).states == 50


def test_too_little_memory_leaves_a_game_undecided():
    verdict = Solver(2**21).solve(HARD, max_seconds=None)
    assert (verdict.verdict, verdict.limit) == ("undecided", "memory")


def test_memory_used_again_changes_nothing():
    solver = Solver(2**26)
    first = [solver.solve(Deal.from_number(n), max_states=5_000) for n in range(8)]
    again = [Solver(2**26).solve(Deal.from_number(n), max_states=5_000) for n in range(8)]
    assert [(v.verdict, v.moves, v.states) for v in first] == [(v.verdict, v.moves, v.states) for v in again]


def test_progress_is_reported_and_can_interrupt():
    seen: list[int] = []

    def interrupt(states: int, seconds: float) -> None:
        seen.append(states)
        if len(seen) == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        solve(HARD, progress=interrupt)
    assert 0 == seen[0] < seen[1]
    assert solve(EASY).verdict == "winnable"


@pytest.mark.parametrize(
    "limits",
    [
        {"max_seconds": 0},
        {"max_seconds": -1.0},
        {"max_seconds": float("nan")},
        {"max_seconds": "5"},
        {"max_seconds": True},
        {"max_states": 0},
        {"max_states": "5"},
        {"max_states": 5.5},
        {"max_states": True},
        {"max_memory": 1000},
        {"max_memory": "5"},
        {"max_memory": 2.0**26},
    ],
)
def test_limits_must_be_positive_numbers(limits):
    with pytest.raises(ConfigError, match=f"{next(iter(limits))} must be"):
        solve(EASY, **limits)
    with pytest.raises(ConfigError, match=f"{next(iter(limits))} must be"):
        solve_many([EASY], **limits)


def test_limits_may_be_numbers_of_numpy(tmp_path):
    limits: dict[str, Any] = {"max_seconds": np.float32(60), "max_states": np.int32(50), "max_memory": np.int64(2**26)}
    assert solve(HARD, **limits).states == 50
    results = tmp_path / "verdicts.jsonl"
    assert dict(solve_many([HARD], **limits | {"jobs": np.int64(1)}, results=results))[HARD].states == 50


@pytest.mark.parametrize("thing", [None, "CF1-D3-AAAAACL", 2, EASY.deck])
def test_only_deals_and_games_are_solved(thing):
    with pytest.raises(ConfigError, match="solves a Deal or a Game, not"):
        solve(thing)
    with pytest.raises(ConfigError, match="solves a Deal or a Game, not"):
        list(solve_many([thing]))


def test_memory_that_the_system_cannot_provide_is_told(monkeypatch):
    def fail(max_nodes: int) -> None:
        raise MemoryError

    monkeypatch.setattr(api, "new_space", fail)
    for make in (Solver, lambda memory: solve_many([EASY], max_memory=memory, jobs=2)):
        with pytest.raises(ConfigError, match="cannot provide 67108864 bytes"):
            make(2**26)


def test_rules_the_solver_does_not_cover_are_refused():
    with pytest.raises(ConfigError, match="unlimited redeals"):
        solve(EASY, Rules(redeals=2))
    assert solve(EASY, Rules(redeals=40)).verdict == "winnable"
    with pytest.raises(DealError):
        solve(EASY, Rules(ranks=5, reserve=3))


def outcomes(solved) -> dict[str, tuple[str, int]]:
    return {deal.code: (verdict.verdict, verdict.states) for deal, verdict in solved}


def test_many_deals_are_solved_alike_on_one_core_and_on_two():
    deals = [Deal.from_number(n) for n in range(30)]
    alone = outcomes(solve_many(deals, max_seconds=None, max_states=3_000))
    assert list(alone) == [deal.code for deal in deals]
    assert outcomes(solve_many(deals, max_seconds=None, max_states=3_000, max_memory=2**26, jobs=2)) == alone


def test_a_stopped_run_goes_on(tmp_path):
    file = tmp_path / "out" / "verdicts.jsonl"
    deals = [Deal.from_number(n) for n in range(8)]
    options = {"max_seconds": None, "max_states": 1_000, "results": file}
    run = solve_many(deals, **options)
    first = [next(run) for _ in range(3)]
    del run
    file.write_bytes(file.read_bytes() + b'{"deal": "cut o')
    rest = list(solve_many(deals, **options))
    assert rest[:3] == first
    assert [deal for deal, _ in rest] == deals
    assert list(read_verdicts(file)) == rest
    with pytest.raises(ConfigError, match="other rules or limits"):
        list(solve_many(deals, **options | {"max_states": 7}))


def test_a_bad_file_of_results_is_refused(tmp_path):
    file = tmp_path / "verdicts.jsonl"
    list(solve_many([EASY], max_states=10, results=file))
    file.write_bytes(file.read_bytes() + b'{"deal": "CF1-D3-AAAAAAA"}\n')
    before = file.read_bytes()
    with pytest.raises(ConfigError, match="line 3"):
        list(solve_many([EASY], max_states=10, results=file))
    assert file.read_bytes() == before
    jobs: Any
    for jobs in (0, 1.5, "2"):
        with pytest.raises(ConfigError, match="jobs"):
            solve_many([EASY], jobs=jobs)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"my only copy of notes, one line", "holds no verdicts"),
        (b"notes\nof two lines", "line 1: no rules and limits of verdicts"),
        (b'{"deal": "CF1-D3-AAAAACL", "rules": "app"', "holds no verdicts"),
        (b'{"deal": "CF1-D3-AAAAACL", "rules": "app"}\n', "line 1: no rules and limits of verdicts"),
        (b'{"rules": {}}\n', "other rules or limits"),
    ],
)
def test_somebody_elses_file_is_left_as_it_is(tmp_path: Path, content: bytes, message: str):
    file = tmp_path / "notes.txt"
    file.write_bytes(content)
    with pytest.raises(ConfigError, match=message):
        list(solve_many([EASY], max_states=1, results=file))
    assert file.read_bytes() == content
    assert list(tmp_path.iterdir()) == [file]


def test_results_go_into_a_file_and_nothing_else(tmp_path: Path):
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path, tmp_path / "pipe"):
        with pytest.raises(ConfigError, match="not a file"):
            list(solve_many([EASY], max_states=1, results=path))
    assert [path.name for path in tmp_path.iterdir()] == ["pipe"]
    (tmp_path / "empty").touch()
    list(solve_many([EASY], max_states=1, results=tmp_path / "empty"))
    assert len(list(read_verdicts(tmp_path / "empty"))) == 1


@pytest.mark.parametrize("change", [{"moves": 5}, {"states": ...}, {"draw": 1}, {"deal": ["x"]}])
def test_a_line_that_is_no_verdict_is_refused(tmp_path: Path, change: dict[str, Any]):
    file = tmp_path / "verdicts.jsonl"
    list(solve_many([EASY], max_states=10, results=file))
    header, line = file.read_bytes().splitlines(keepends=True)
    table = {key: value for key, value in (orjson.loads(line) | change).items() if value is not ...}
    file.write_bytes(header + orjson.dumps(table) + b"\n")
    with pytest.raises(ConfigError, match="line 2: no verdict"):
        list(read_verdicts(file))


def test_a_file_of_results_is_written_by_one_process_at_a_time(tmp_path: Path):
    file = tmp_path / "verdicts.jsonl"
    run: Any = solve_many([EASY, HOPELESS], max_states=1, results=file)
    next(run)
    with pytest.raises(ConfigError, match="in use by another process"), sole_use(file):
        pass
    run.close()
    with sole_use(file), pytest.raises(ConfigError, match="in use by another process"):
        list(solve_many([EASY], max_states=1, results=file))
    assert len(list(solve_many([EASY, HOPELESS], max_states=1, results=file))) == 2


def test_a_worker_that_dies_is_told(monkeypatch):
    monkeypatch.setattr(many, "_solve_batch", die)
    with pytest.raises(OSError, match="a worker process died"):
        list(solve_many([EASY], max_states=1, max_memory=2**26, jobs=2))


def die(deals: list[Deal]) -> None:
    """What a worker runs as it runs out of memory."""
    os.kill(os.getpid(), signal.SIGKILL)
