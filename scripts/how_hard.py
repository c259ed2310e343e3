#!/usr/bin/env python
"""Writes docs/how_hard_is_canfield.md: what the leaderboard's records say to what is claimed about the game.

    python -m scripts.how_hard

It reads docs/results/leaderboard/, planner-tuning.json and the atlas there, and plays nothing.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

import orjson

from canfield_env.evaluation.metrics import Estimate, Summary, share
from scripts.command import run_script
from scripts.leaderboard import Board

ROOT: Final = Path(__file__).parent.parent
PAGE: Final = ROOT / "docs" / "how_hard_is_canfield.md"
TUNING: Final = ROOT / "docs" / "results" / "planner-tuning.json"
ATLAS: Final = ROOT / "docs" / "results" / "atlas" / "app-d3.json"
#: The players of the page: their agents, and how they are told of.
PLAYERS: Final = {
    "random": "any legal move",
    "greedy": "the first move in a fixed order, foundations first",
    "ppo:d3-small": "a small trained network, one look at the table a move",
    "ppo:d3-direct": "a larger one",
    "heuristic": "a strategy written by hand that looks ahead",
    "ppo:d3": "the larger one, which has learned to look where its likely moves lead",
    "planner:fast": "search over the orders of the hidden cards, short",
    "planner": "the same, longer",
    "planner:learned": "the same, and a trained network judges where its plans end",
    "planner:strong": "the same, long",
}


def markdown() -> str:
    """The text of the page."""
    board = Board.read("d3-test")
    return "\n".join([*_players(board), *_claims(board), *_hidden()]) + "\n"


def _players(board: Board) -> Iterator[str]:
    yield "# How hard is Canfield?"
    yield ""
    yield f"Measured on the suite `{board.suite.name}`: {board.suite.description} Written by `scripts/how_hard.py` from"
    yield "result files. Intervals are at 95 %. All players but the last see only what a player sees."
    yield ""
    yield "| player | games | won | cards up | gained a deck, $50 | gained a deck, $52 |"
    yield "|---|---|---|---|---|---|"
    for summary in board.summaries:
        yield (
            f"| {PLAYERS[summary.agent]} (`{summary.agent}`) | {summary.games} | {summary.win_rate.percent()} "
            f"| {summary.cards_up.amount()} | {summary.casino_fifty.amount()} | {summary.casino_fifty_two.amount()} |"
        )
    if board.winnable is not None:
        known = share(len(board.winnable), len(board.suite.deals)).percent()
        yield f"| one who sees all cards (the solver) | {len(board.suite.deals)} | {known} | | | |"
    atlas = orjson.loads(ATLAS.read_bytes())
    known = Estimate(atlas["winnable"] / atlas["deals"], atlas["low"], atlas["high"]).percent()
    yield (
        f"| the same, on the [atlas](results/solver-winnability.md) of evaluation deals "
        f"| {atlas['deals']} | {known} | | | |"
    )
    yield ""
    yield "A deck is bought for $50, and the house pays $5 a card on the foundations or $500 for all of them; in the"
    yield "other telling it costs $52 and nothing is paid but the $5 a card. What the player loses, the casino earns."


def _claims(board: Board) -> Iterator[str]:
    found = {summary.agent: summary for summary in board.summaries}
    yield ""
    yield "## What is claimed"
    yield ""
    yield "| claim | measured |"
    yield "|---|---|"
    if "greedy" in found:
        yield f"| one game in thirty is won | careless play: {_won(found, 'greedy')} |"
        yield f"| five or six cards come up on average | careless play: {found['greedy'].cards_up.amount()} |"
    if "planner" in found:
        yield f"| skilled players win 35 % | careful search with the same knowledge: {_won(found, 'planner')} |"
    yield ""
    yield "![Cards up at the end](leaderboard-d3-test-cards-up.svg)"
    yield ""
    yield "![Deals won against CPU seconds a game](leaderboard-d3-test-wins.svg)"


def _won(found: Mapping[str, Summary], agent: str) -> str:
    return found[agent].win_rate.percent()


def _hidden() -> Iterator[str]:
    """What the hidden cards cost: the planner told their order, against the planner as it is, on the same deals."""
    entries: list[dict[str, Any]] = orjson.loads(TUNING.read_bytes())
    pairs = [
        (told, entry)
        for told in entries
        for entry in entries
        if told["told"] and not entry["told"] and _same_play(told, entry)
    ]
    if not pairs:
        return
    yield ""
    yield "## What the hidden cards cost"
    yield ""
    yield "The same agent on the same training deals, as it is and told the order of the reserve:"
    yield ""
    yield "| agent | rules | games | won | won when told |"
    yield "|---|---|---|---|---|"
    for told, entry in pairs:
        name = f"planner:{entry['argument']}" if entry["argument"] else "planner"
        won, won_told = (share(e["won"].count("1"), len(e["won"])).percent() for e in (entry, told))
        yield f"| `{name}` | {entry['rules']}, draw {entry['draw']} | {len(entry['won'])} | {won} | {won_told} |"


def _same_play(first: Mapping[str, Any], second: Mapping[str, Any]) -> bool:
    same = all(first[key] == second[key] for key in ("rules", "draw", "first", "argument"))
    return same and len(first["won"]) == len(second["won"])


def main() -> None:
    """Write the page."""
    PAGE.write_text(markdown(), encoding="utf-8")


if __name__ == "__main__":
    sys.exit(run_script(main))
