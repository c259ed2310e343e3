#!/usr/bin/env python
"""Plays agents on more deals than a suite has, to tell apart agents that a suite's thousand deals cannot.

    python scripts/many_deals.py heuristic ppo:d3-direct ppo:d3 --jobs 2
    python scripts/many_deals.py heuristic ppo:d1 --draw 1 --games 2000

The deals are training deals that no suite holds and by which nothing was chosen. Games are kept in runs/many-deals/ as
they come: stopped, the same command goes on. Which deals each agent has won goes to docs/results/learning/, from where
scripts/learning_page.py tells of it: each agent is compared with the first one.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any, Final

import orjson
import typer

from canfield_env.deals import FIRST_TRAINING_DEAL, Deal
from canfield_env.evaluation.metrics import mcnemar, mean, share
from canfield_env.evaluation.protocol import Trained
from canfield_env.evaluation.runner import evaluate
from canfield_env.evaluation.specs import load_agent
from canfield_env.evaluation.suites import Suite
from scripts.command import run_script

ROOT: Final = Path(__file__).parent.parent
KEPT: Final = ROOT / "docs" / "results" / "learning"
#: The first of the deals, counted from number 2^20.
FIRST: Final = 1_000_000


def main(
    agents: Annotated[list[str], typer.Argument(help="The one that the others are compared with comes first.")],
    draw: Annotated[int, typer.Option(min=1, max=3)] = 3,
    games: Annotated[int, typer.Option(min=1)] = 5_000,
    jobs: Annotated[int, typer.Option(min=1)] = 1,
    runs: Annotated[Path, typer.Option(help="Where games are kept as they come.")] = ROOT / "runs" / "many-deals",
    kept: Annotated[Path, typer.Option(help="Where the results go.")] = KEPT,
) -> None:
    """Plays the deals with every agent, and keeps which ones they have won."""
    suite = Suite.of_deals([Deal.from_number(FIRST_TRAINING_DEAL + FIRST + k, draw) for k in range(games)])
    folder = runs / f"d{draw}"
    records = evaluate(agents, suite, out=folder, jobs=jobs, resume=folder.exists(), progress=True).records
    found = []
    for spec in agents:
        agent = load_agent(spec)
        won = "".join(str(int(record.outcome == "won")) for record in records if record.agent == agent.name)
        model = agent.fingerprint if isinstance(agent, Trained) else None
        found.append({"agent": spec, "model": model, "won": won})
    kept.mkdir(parents=True, exist_ok=True)
    result = {"draw": draw, "first": FIRST, "agents": found}
    (kept / f"many-deals-d{draw}.json").write_bytes(orjson.dumps(result, option=orjson.OPT_INDENT_2) + b"\n")
    print("\n".join(table(result)))


def table(result: dict[str, Any]) -> Iterator[str]:
    """What a kept file says, as a table in Markdown."""
    first, *others = result["agents"]
    yield f"| agent | won of {len(first['won']):,} deals, draw {result['draw']} | more than `{first['agent']}` | p |"
    yield "|---|---|---|---|"
    yield f"| `{first['agent']}` | {share(first['won'].count('1'), len(first['won'])).percent()} | | |"
    for other in others:
        more, p_value = _compare(other["won"], first["won"])
        won = share(other["won"].count("1"), len(other["won"])).percent()
        yield f"| `{other['agent']}` | {won} | {more} | {p_value:.2g} |"


def _compare(won: str, usual: str) -> tuple[str, float]:
    """The difference of two win rates with its interval, and the p-value of McNemar's exact test."""
    differences = [int(ours) - int(theirs) for ours, theirs in zip(won, usual, strict=True)]
    return mean(differences).percent(), mcnemar(differences.count(1), differences.count(-1))


if __name__ == "__main__":
    sys.exit(run_script(main))
