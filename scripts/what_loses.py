#!/usr/bin/env python
"""Finds the move by which each game was lost: the first one after which the solver, who sees all cards, cannot win.

    python scripts/what_loses.py ppo:d3 heuristic planner

The agents play the validation suite. What is found is kept in docs/results/learning/lost-AGENT.json, and
scripts/learning_page.py writes of it. Some such moves are no mistakes: a player does not see all cards.
"""

from __future__ import annotations

import sys
from bisect import bisect_left
from collections import Counter
from pathlib import Path
from typing import Annotated, Any, Final

import orjson
import typer
from tqdm import tqdm

from canfield_env.evaluation.runner import evaluate
from canfield_env.evaluation.suites import Suite
from canfield_env.files import write_whole
from canfield_env.game import Game
from canfield_env.records import Record
from canfield_env.solver import Solver
from scripts.command import run_script

KEPT: Final = Path(__file__).parent.parent / "docs" / "results" / "learning"
#: States that the solver may look at for a position; undecided positions count as not lost.
MOST_STATES: Final = 100_000

#: What became of a deal, other than that a move lost it.
WON, NEVER_WINNABLE, NOT_LOST = "won", "not winnable from the start", "given up, though perhaps still winnable"
TURNED_UP: Final = "a move that turned up a card of the reserve"
STOCK_UP: Final = "a card of the stock to its foundation"
STOCK_DOWN: Final = "a card of the stock to a column"
OTHER: Final = "another move of cards that are known"
LOSING: Final = (STOCK_DOWN, STOCK_UP, TURNED_UP, OTHER)
ENDS: Final = (WON, *LOSING, NOT_LOST, NEVER_WINNABLE)

app = typer.Typer(add_completion=False, help=__doc__)


@app.command()
def measure(
    agents: Annotated[list[str], typer.Argument(help="The agents.")],
    suite: Annotated[str, typer.Option(help="The suite that they play.")] = "d3-validation",
) -> None:
    """Lets agents play a suite, and finds what their games are lost by."""
    solver = Solver()
    for agent in agents:
        records = evaluate([agent], Suite.load(suite), progress=True).records
        found = [what_lost(record, solver) for record in tqdm(records, unit="game", disable=None)]
        table = {"agent": agent, "suite": suite, "max_states": MOST_STATES, "games": found}
        KEPT.mkdir(parents=True, exist_ok=True)
        write_whole(KEPT / f"lost-{agent.replace(':', '-')}.json", orjson.dumps(table) + b"\n")
        typer.echo(f"{agent}: {Counter(what for what, _ in found)}")


def what_lost(record: Record, solver: Solver) -> tuple[str, int]:
    """What a game came to, or what kind of move lost it; and how many cards the reserve then had.

    What is lost stays lost, so the move is found by bisection.
    """
    if record.outcome == "won":
        return WON, 0
    games = [Game(record.deal, record.rules)]
    for move in record.moves:
        games.append(games[-1].copy())
        games[-1].push(move)
    place = bisect_left(games, True, key=lambda game: is_lost(game, solver))
    if place == 0:
        return NEVER_WINNABLE, len(games[0].reserve)
    if place == len(games):
        return NOT_LOST, len(games[-1].reserve)
    before, after, move = games[place - 1], games[place], record.moves[place - 1]
    if len(after.reserve) < len(before.reserve):
        return TURNED_UP, len(before.reserve)
    if move.source == "W":
        return (STOCK_UP if move.target == "F" else STOCK_DOWN), len(before.reserve)
    return OTHER, len(before.reserve)


def is_lost(game: Game, solver: Solver) -> bool:
    """Whether the solver proves that a game cannot be won any more."""
    return solver.solve(game, game.rules, max_seconds=None, max_states=MOST_STATES).verdict == "unwinnable"


def kept() -> list[dict[str, Any]]:
    """What has been found of each agent, by the number of games won."""
    tables = [orjson.loads(path.read_bytes()) for path in sorted(KEPT.glob("lost-*.json"))]
    return sorted(tables, key=lambda table: [what for what, _ in table["games"]].count(WON))


if __name__ == "__main__":
    sys.exit(run_script(app))
