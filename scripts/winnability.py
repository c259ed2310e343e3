#!/usr/bin/env python
"""Estimates which share of random deals can be won under rule sets for which figures are published, and the like.

Deals are the training deals from number 2^20 on. Verdicts are kept in runs/winnability/ as they come, so that the
script can be stopped and started again. Results: docs/results/solver-winnability.json, and .md, in which the atlases
(scripts/atlas.py) stand beside them.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Any

import orjson
import typer
from tqdm import tqdm

from canfield_env import Deal, Rules
from canfield_env.deals import FIRST_TRAINING_DEAL
from canfield_env.evaluation.survey import Survey
from canfield_env.solver import solve_many
from scripts.command import run_script

ROOT = Path(__file__).parent.parent
KEPT = ROOT / "runs" / "winnability"
RESULTS = ROOT / "docs" / "results" / "solver-winnability"
ATLASES = ROOT / "docs" / "results" / "atlas"
#: Rule sets with their draw count and the published share in per cent (Blake and Gent, JAIR 85:21, 2026).
RULE_SETS: dict[str, tuple[Rules, int, str]] = {
    "published-any": (Rules(take_back=False, build_on_base=False), 3, "71.245 +- 0.031"),
    "published-whole": (Rules(take_back=False, build_on_base=False, runs="whole"), 3, "67.562 +- 0.034"),
    "app-d3-no-take-back": (Rules(take_back=False), 3, ""),
}


def estimate(name: str, count: int, max_states: int, jobs: int) -> dict[str, Any]:
    """Solves the deals that are not yet solved under one rule set, and surveys the verdicts."""
    rules, draw, published = RULE_SETS[name]
    deals = [Deal.from_number(FIRST_TRAINING_DEAL + k, draw) for k in range(count)]
    run = solve_many(deals, rules, max_seconds=None, max_states=max_states, jobs=jobs, results=KEPT / f"{name}.jsonl")
    verdicts = [verdict for _, verdict in tqdm(run, total=count, desc=name, unit="deal")]
    about = {"rules": rules.to_dict(), "draw": draw, "max_states": max_states, "published": published}
    return about | Survey.of_verdicts(verdicts).to_dict()


def table(surveys: dict[str, Any]) -> str:
    """The results as a page."""
    lines = [
        "# How many deals can be won",
        "",
        "By `scripts/winnability.py` over random training deals, and by `scripts/atlas.py` over the first evaluation",
        "deals (`app` and `hoyle`). The interval is the 95 % one (Wilson), the undecided counted as losses for its low",
        "end and as wins for its high end. Published: Blake and Gent, JAIR 85:21, 2026.",
        "",
        "| rules | deals | winnable | undecided | 95 % interval | published | median states | 99 % | moves |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for name, survey in surveys.items():
        deals, states = survey["deals"], {int(p): value for p, value in survey["states"].items()}
        moves = {int(p): value for p, value in survey["moves"].items()}
        lines.append(
            f"| {name} | {deals:,} | {100 * survey['winnable'] / deals:.2f} % | {survey['undecided']} "
            f"| {100 * survey['low']:.2f} to {100 * survey['high']:.2f} % | {survey.get('published', '')} "
            f"| {states[50]:,.0f} | {states[99]:,.0f} | {moves[50]:.0f} |"
        )
    return "\n".join(lines) + "\n"


def main(
    names: Annotated[list[str] | None, typer.Argument(help="Rule sets; all if none is given.")] = None,
    count: Annotated[int, typer.Option(min=1)] = 20_000,
    max_states: Annotated[int, typer.Option(help="Limit for each deal.")] = 3_000_000,
    jobs: Annotated[int, typer.Option(min=1)] = 1,
) -> None:
    """Estimates, and writes what there is of all rule sets."""
    json = RESULTS.with_suffix(".json")
    surveys = orjson.loads(json.read_bytes()) if json.exists() else {}
    for name in names or RULE_SETS:
        if name not in RULE_SETS:
            raise typer.BadParameter(f"{name!r}: there are {', '.join(RULE_SETS)}")
        surveys[name] = estimate(name, count, max_states, jobs)
        surveys = {name: surveys[name] for name in RULE_SETS if name in surveys}
        json.parent.mkdir(parents=True, exist_ok=True)
        json.write_bytes(orjson.dumps(surveys, option=orjson.OPT_INDENT_2 | orjson.OPT_NON_STR_KEYS))
        surveys = orjson.loads(json.read_bytes())
    atlases = {path.stem: orjson.loads(path.read_bytes()) for path in sorted(ATLASES.glob("*.json"))}
    page = table(surveys | atlases)
    RESULTS.with_suffix(".md").write_text(page)
    print(page)


if __name__ == "__main__":
    sys.exit(run_script(main))
