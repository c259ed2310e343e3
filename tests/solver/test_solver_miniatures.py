"""Miniature games: the verdict is that of trying everything, with all dominances, with none, and with each left out."""

from __future__ import annotations

from random import Random

import pytest

from canfield_env import Game, Rules
from canfield_env.solver import Solver
from canfield_env.solver.moves import ALL_DOMINANCES, PASSES, RELAXED, REVERSIBLE, SAFE, TAILS
from tests.solver.exhaustive import is_winnable, miniature

DOMINANCES = (PASSES, SAFE, REVERSIBLE, TAILS, RELAXED)
CHOICES = (ALL_DOMINANCES, 0, *DOMINANCES, *(ALL_DOMINANCES & ~one for one in DOMINANCES))


@pytest.fixture(scope="module")
def solver() -> Solver:
    return Solver(2**27)


def check(solver: Solver, game: Game, truth: str, choices: tuple[int, ...] = CHOICES) -> None:
    for dominances in choices:
        verdict = solver.solve(game, max_seconds=None, dominances=dominances)
        assert verdict.verdict == truth, f"{dominances} {game.rules} draw {game.draw} {game.position()}"
        assert (verdict.moves is None) == (truth == "unwinnable")
        if verdict.moves is not None:
            assert game.copy().push_all(verdict.moves).is_won


def compare_with_trying_everything(solver: Solver, seeds: range, most: int) -> dict[str, int]:
    counts = {"winnable": 0, "unwinnable": 0}
    for seed in seeds:
        rng = Random(seed)
        game = miniature(rng, rng.choice([2, 3, 3, 4]))
        winnable = True if game.is_won else is_winnable(game, most)
        if winnable is not None:
            truth = "winnable" if winnable else "unwinnable"
            counts[truth] += 1
            check(solver, game, truth)
    return counts


def compare_with_no_dominance(solver: Solver, seeds: range, most: int) -> dict[str, int]:
    counts = {"winnable": 0, "unwinnable": 0, "undecided": 0}
    for seed in seeds:
        rng = Random(seed)
        game = miniature(rng, rng.choice([4, 5, 5, 6, 7]))
        truth = solver.solve(game, max_seconds=None, max_states=most, dominances=0).verdict
        counts[truth] += 1
        if truth != "undecided":
            check(solver, game, truth)
    return counts


def test_verdicts_are_those_of_trying_everything(solver):
    counts = compare_with_trying_everything(solver, range(450), 400)
    assert counts["winnable"] > 20
    assert counts["unwinnable"] > 20


def test_no_dominance_changes_a_verdict(solver):
    counts = compare_with_no_dominance(solver, range(250), 20_000)
    assert counts["winnable"] > 50
    assert counts["unwinnable"] > 20


@pytest.mark.slow
def test_verdicts_are_those_of_trying_everything_at_length(solver):
    counts = compare_with_trying_everything(solver, range(1000, 2500), 3_000)
    assert min(counts.values()) > 100


@pytest.mark.slow
def test_no_dominance_changes_a_verdict_at_length(solver):
    counts = compare_with_no_dominance(solver, range(10_000, 16_000), 300_000)
    assert min(counts["winnable"], counts["unwinnable"]) > 500


@pytest.mark.parametrize(
    ("rules", "draw", "position"),
    [
        (Rules(ranks=4, columns=3, reserve=11), 1, "A:A--- 3d4hAd3h3s2c3cAh4s - 4c 2d/2hAs4d/2s 0 4"),
        (
            Rules(spaces="waste", ranks=5, columns=2, reserve=10),
            3,
            "4:-4-- 5hAd5cAh3d4hAc 2d 3c2h3s2s5s As5d4c/4s3h2c 0 8",
        ),
        (
            Rules(spaces="waste", ranks=4, columns=3, reserve=10),
            3,
            "3:3--- AcAh4h4d2d3s2h3h - Ad4c As/4s3d2s/2c 0 3",
        ),
    ],
)
def test_wins_for_which_a_tail_goes_over_to_a_card_taken_back(solver, rules, draw, position):
    check(solver, Game.from_position(position, rules, draw), "winnable")
