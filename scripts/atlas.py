#!/usr/bin/env python
"""Makes an atlas: the verdicts of the first evaluation deals under one rule set.

    python scripts/atlas.py app 3 --count 100000 --jobs 2

Verdicts are kept in runs/atlas/ as they come, so that the script can be stopped and started again, with a larger count
too. Results: docs/results/atlas/RULES-dDRAW.npz and .json. Without a limit of seconds they are the same everywhere.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import orjson
import typer
from tqdm import tqdm

from canfield_env import Deal, Rules
from canfield_env.deals import FIRST_TRAINING_DEAL
from canfield_env.evaluation.survey import Survey, write_atlas
from canfield_env.solver import solve_many
from scripts.command import run_script

ROOT = Path(__file__).parent.parent
KEPT = ROOT / "runs" / "atlas"
RESULTS = ROOT / "docs" / "results" / "atlas"


def main(
    rules: Annotated[str, typer.Argument(help="app or hoyle.")],
    draw: Annotated[int, typer.Argument(help="1 or 3.")],
    count: Annotated[int, typer.Option(min=1, max=FIRST_TRAINING_DEAL)] = 100_000,
    max_states: Annotated[int, typer.Option(help="Limit for each deal.")] = 5_000_000,
    jobs: Annotated[int, typer.Option(min=1)] = 1,
) -> None:
    """Solves the deals that are not yet solved, and writes the atlas."""
    rule_set, name = Rules.named(rules), f"{rules}-d{draw}"
    deals = [Deal.from_number(number, draw) for number in range(count)]
    run = solve_many(
        deals, rule_set, max_seconds=None, max_states=max_states, jobs=jobs, results=KEPT / f"{name}.jsonl"
    )
    found = dict(tqdm(run, total=count, desc=name, unit="deal"))
    verdicts = [found[deal] for deal in deals]
    write_atlas(RESULTS / f"{name}.npz", rule_set, draw, max_states, verdicts)
    survey = {"rules": rules, "draw": draw, "max_states": max_states, **Survey.of_verdicts(verdicts).to_dict()}
    options = orjson.OPT_INDENT_2 | orjson.OPT_NON_STR_KEYS
    (RESULTS / f"{name}.json").write_bytes(orjson.dumps(survey, option=options))
    print(orjson.dumps(survey, option=options).decode())


if __name__ == "__main__":
    sys.exit(run_script(main))
