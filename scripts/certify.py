#!/usr/bin/env python
"""Solves the deals of suites and writes beside each suite which of them can be won: configs/suites/NAME.verdicts.json.

Verdicts are kept in runs/certify/ as they come, so that the script can be stopped and started again.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer
from tqdm import tqdm

from canfield_env.configs import config_names
from canfield_env.evaluation.certificates import write_certificate
from canfield_env.evaluation.suites import Suite
from canfield_env.solver import solve_many
from scripts.command import run_script

ROOT = Path(__file__).parent.parent


def main(
    names: Annotated[list[str] | None, typer.Argument(help="Suites; all if none is given.")] = None,
    max_states: Annotated[int, typer.Option(help="Limit for each deal.")] = 15_000_000,
    jobs: Annotated[int, typer.Option(min=1)] = 1,
) -> None:
    """Solves the deals that are not yet solved, and writes the certificates."""
    for name in names or config_names("suites"):
        suite = Suite.load(name)
        kept = ROOT / "runs" / "certify" / f"{name}.jsonl"
        run = solve_many(suite.deals, suite.rules, max_seconds=None, max_states=max_states, jobs=jobs, results=kept)
        found = dict(tqdm(run, total=len(suite.deals), desc=name, unit="deal"))
        path = write_certificate(suite, max_states, [found[deal] for deal in suite.deals])
        counts = [verdict.verdict for verdict in found.values()]
        print(path, *(f"{counts.count(kind)} {kind}" for kind in ("winnable", "unwinnable", "undecided")))


if __name__ == "__main__":
    sys.exit(run_script(main))
