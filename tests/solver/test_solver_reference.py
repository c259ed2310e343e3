"""Verdicts that another solver, written independently, gave under the same rules: no disagreement."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from canfield_env import Deal, Game, Rules
from canfield_env.solver import Solver
from canfield_env.solver.moves import ALL_DOMINANCES, PASSES, RELAXED, REVERSIBLE, SAFE, TAILS

REFERENCE = Path(__file__).parents[1] / "data" / "solver_reference.jsonl"
ROWS = [json.loads(line) for line in REFERENCE.read_text().splitlines()]
KINDS = sorted({(row["draw"], row["take_back"], row["build_on_base"]) for row in ROWS})


@pytest.fixture(scope="module")
def solver() -> Solver:
    return Solver(2**29)


def rows_of(kind: tuple[int, bool, bool]) -> list[dict[str, Any]]:
    return [row for row in ROWS if (row["draw"], row["take_back"], row["build_on_base"]) == kind]


def check(solver: Solver, row: dict[str, Any], max_states: int | None, dominances: int = ALL_DOMINANCES) -> str:
    """Solves a deal of the reference, and checks the verdict and the moves; returns the verdict."""
    rules = Rules(take_back=row["take_back"], build_on_base=row["build_on_base"])
    deal = Deal.from_deck(row["deck"], row["draw"])
    verdict = solver.solve(deal, rules, max_seconds=None, max_states=max_states, dominances=dominances)
    assert "undecided" in (row["verdict"], verdict.verdict) or verdict.verdict == row["verdict"], row
    if verdict.moves is not None:
        assert Game(deal, rules).push_all(verdict.moves).is_won
    return verdict.verdict


@pytest.mark.parametrize("kind", KINDS)
def test_no_disagreement_on_the_first_deals(solver, kind):
    verdicts = [check(solver, row, 100_000) for row in rows_of(kind)[:25]]
    assert verdicts.count("undecided") <= 3


@pytest.mark.parametrize("left_out", [PASSES, SAFE, REVERSIBLE, TAILS, RELAXED])
def test_no_disagreement_without_a_dominance(solver, left_out):
    verdicts: Counter[str] = Counter()
    for kind in KINDS:
        for row in rows_of(kind)[25:35]:
            verdicts[check(solver, row, 20_000, ALL_DOMINANCES & ~left_out)] += 1
    assert verdicts["winnable"] > 25


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_no_disagreement_on_any_deal(solver, kind):
    verdicts = [check(solver, row, 10_000_000) for row in rows_of(kind)]
    assert verdicts.count("undecided") == 0


@pytest.mark.slow
@pytest.mark.parametrize("left_out", [PASSES, SAFE, REVERSIBLE, TAILS, RELAXED])
def test_no_disagreement_on_any_deal_without_a_dominance(solver, left_out):
    for row in ROWS:
        check(solver, row, 200_000, ALL_DOMINANCES & ~left_out)
