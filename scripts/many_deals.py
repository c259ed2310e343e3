#!/usr/bin/env python
"""Plays agents on more deals than a suite has, to tell apart agents that a suite's thousand deals cannot.

    python scripts/many_deals.py heuristic ppo:d3-direct ppo:d3 --jobs 2
    python scripts/many_deals.py heuristic ppo:d1 --draw 1 --games 2000

The deals are training deals that no suite holds and by which nothing was chosen; training may have met a few of them by
chance. Which of them each agent has won goes
to docs/results/learning/, part by part: stopped, the same command goes on, and with more agents or games it adds these.
scripts/learning_page.py tells of it: each agent is compared with the first one that has played.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any, Final

import orjson
import typer
from tqdm import tqdm

from agents.ppo import PpoAgent
from canfield_env.deals import FIRST_TRAINING_DEAL, Deal
from canfield_env.evaluation.metrics import mcnemar, mean, share
from canfield_env.evaluation.protocol import Agent, Trained
from canfield_env.evaluation.runner import evaluate
from canfield_env.evaluation.specs import load_agent
from canfield_env.evaluation.suites import Suite
from canfield_env.files import write_whole
from canfield_env.training.config import EnvSection
from canfield_env.training.play import play_deals
from scripts.command import run_script

ROOT: Final = Path(__file__).parent.parent
KEPT: Final = ROOT / "docs" / "results" / "learning"
#: The first of the deals, counted from number 2^20.
FIRST: Final = 1_000_000
#: Deals that an agent plays between two writings of the results.
PART: Final = 500


def main(
    agents: list[str],
    draw: int = 3,
    games: Annotated[int, typer.Option(min=1, max=1_000_000)] = 5_000,
    jobs: Annotated[int, typer.Option(min=1, help="Processes, for agents that play one game at a time.")] = 1,
    kept: Annotated[Path, typer.Option(help="Where the results go.")] = KEPT,
) -> None:
    """Plays the deals with every agent, and keeps which ones they have won."""
    path = kept / f"many-deals-d{draw}.json"
    result = orjson.loads(path.read_bytes()) if path.exists() else {"draw": draw, "agents": []}
    for spec, agent in [(spec, load_agent(spec)) for spec in agents]:
        entry = _entry(result, spec, agent.fingerprint if isinstance(agent, Trained) else None)
        parts = range(len(entry["won"]), games, PART)
        for first in tqdm(parts, desc=spec, unit=f" parts of {PART} games", disable=None):
            numbers = range(first, min(first + PART, games))
            deals = [Deal.from_number(FIRST_TRAINING_DEAL + FIRST + number, draw) for number in numbers]
            entry["won"] += "".join(str(int(won)) for won in _play(spec, agent, deals, jobs))
            kept.mkdir(parents=True, exist_ok=True)
            write_whole(path, orjson.dumps(result, option=orjson.OPT_INDENT_2) + b"\n")
    print("\n".join(table(result)))


def _entry(result: dict[str, Any], spec: str, model: str | None) -> dict[str, Any]:
    """What an agent has won so far: nothing, if it has another model by now."""
    entry: dict[str, Any] | None = next((entry for entry in result["agents"] if entry["agent"] == spec), None)
    if entry is None:
        entry = {"agent": spec, "model": model, "won": ""}
        result["agents"].append(entry)
    elif entry["model"] != model:
        entry |= {"model": model, "won": ""}
    return entry


def _play(spec: str, agent: Agent, deals: list[Deal], jobs: int) -> list[bool]:
    """Which of the deals the agent wins."""
    suite = Suite.of_deals(deals)
    if not isinstance(agent, PpoAgent):
        return [record.outcome == "won" for record in evaluate([spec], suite, jobs=jobs).records]
    agent.check_game(suite.rules, deals[0].draw)
    # The same games as one at a time, in a fraction of the time.
    won: list[bool] = play_deals(agent.network, EnvSection(stock=agent.stock), deals).won.tolist()
    return won


def table(result: dict[str, Any]) -> Iterator[str]:
    """What a kept file says, as a table in Markdown."""
    first, *others = result["agents"]
    yield f"| agent, draw {result['draw']} | deals | won | more than `{first['agent']}` | p |"
    yield "|---|---|---|---|---|"
    yield f"| {_won(first)} | | |"
    for other in others:
        pairs = zip(other["won"], first["won"], strict=False)
        differences = [int(ours) - int(theirs) for ours, theirs in pairs]
        p_value = mcnemar(differences.count(1), differences.count(-1))
        yield f"| {_won(other)} | {mean(differences).percent()} | {p_value:.2g} |"


def _won(entry: dict[str, Any]) -> str:
    count = len(entry["won"])
    return f"`{entry['agent']}` | {count:,} | {share(entry['won'].count('1'), count).percent()}"


if __name__ == "__main__":
    sys.exit(run_script(main))
