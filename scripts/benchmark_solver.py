#!/usr/bin/env python
"""Measures the solver on the reference deals, one core, CPU time, and compares it with the reference's.

The reference is Solvitaire's verdicts, and where it ran under exactly these rules its CPU seconds on a machine of this
kind (``tests/data/solver_reference.jsonl``). Results: docs/results/solver-benchmark.json and .md.
"""

from __future__ import annotations

import platform
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import orjson
import typer

from canfield_env import Deal, Rules
from canfield_env.solver import Solver
from scripts.command import run_script

ROOT = Path(__file__).parent.parent
REFERENCE = ROOT / "tests" / "data" / "solver_reference.jsonl"
RESULTS = ROOT / "docs" / "results" / "solver-benchmark"


def measure(solver: Solver, row: dict[str, Any], max_seconds: float) -> dict[str, Any]:
    """Solves one deal of the reference."""
    rules = Rules(take_back=row["take_back"], build_on_base=row["build_on_base"])
    deal = Deal.from_deck(row["deck"], row["draw"])
    start = time.process_time()
    verdict = solver.solve(deal, rules, max_seconds=max_seconds)
    seconds = time.process_time() - start
    return {
        "verdict": verdict.verdict,
        "reference": row["verdict"],
        "seconds": seconds,
        "reference_seconds": row.get("cpu_seconds"),
        "states": verdict.states,
    }


def distribution(values: Sequence[float]) -> dict[str, float]:
    """Sum, mean, median, 95th and 99th percentile, and maximum."""
    p50, p95, p99 = np.percentile(values, [50, 95, 99])
    total = float(np.sum(values))
    return {
        "total": total,
        "mean": total / len(values),
        "median": float(p50),
        "p95": float(p95),
        "p99": float(p99),
        "max": float(np.max(values)),
    }


def summarise(found: list[dict[str, Any]]) -> dict[str, Any]:
    """What the deals of one kind say."""
    verdicts = [row["verdict"] for row in found]
    timed = [row for row in found if row["reference_seconds"] is not None]
    both = [(row["verdict"], row["reference"]) for row in found]
    total = sum(row["seconds"] for row in found)
    return {
        "deals": len(found),
        **{name: verdicts.count(name) for name in ("winnable", "unwinnable", "undecided")},
        "reference_undecided": sum(reference == "undecided" for _, reference in both),
        "disagreements": sum(a != b and "undecided" not in (a, b) for a, b in both),
        "seconds": distribution([row["seconds"] for row in found]),
        "states": distribution([row["states"] for row in found]),
        "states_per_second": sum(row["states"] for row in found) / total,
        "timed_deals": len(timed),
        "timed_seconds": distribution([row["seconds"] for row in timed]),
        "reference_seconds": distribution([row["reference_seconds"] for row in timed]),
    }


def table(groups: dict[str, Any], about: str) -> str:
    """The results as a page."""
    lines = [
        "# The solver on the reference deals",
        "",
        "By `scripts/benchmark_solver.py`. CPU seconds on one core, replaying the wins in the plain game included.",
        "Solvitaire's are those of the deals that it ran under exactly these rules, with a limit of 100 or 120 s; the",
        "solver's figures beside them are for the same deals.",
        about,
        "",
        "| rules | deals | winnable | unwinnable | open | against | states/s | mean | median | 95 % | 99 % | max |",
        "|---|---|---|---|---|---|---|---|---|---|---|---|",
    ]
    for name, group in groups.items():
        seconds = group["seconds"]
        counts = " | ".join(
            str(group[key]) for key in ("deals", "winnable", "unwinnable", "undecided", "disagreements")
        )
        times = " | ".join(f"{seconds[key]:.4f}" for key in ("mean", "median", "p95", "p99", "max"))
        lines.append(f"| {name} | {counts} | {group['states_per_second']:,.0f} | {times} |")
    lines += [
        "",
        "| rules | deals timed | total | Solvitaire's | ratio | median | Solvitaire's |",
        "|---|---|---|---|---|---|---|",
    ]
    for name, group in groups.items():
        ours, theirs = group["timed_seconds"], group["reference_seconds"]
        lines.append(
            f"| {name} | {group['timed_deals']} | {ours['total']:.2f} | {theirs['total']:.2f} "
            f"| {ours['total'] / theirs['total']:.3f} | {ours['median']:.4f} | {theirs['median']:.4f} |"
        )
    return "\n".join(lines) + "\n"


def main(
    max_seconds: Annotated[float, typer.Option(help="Limit for each deal, in seconds of the clock.")] = 120,
) -> None:
    """Measures, writes the results and prints the page."""
    rows = [orjson.loads(line) for line in REFERENCE.read_bytes().splitlines()]
    solver = Solver()
    measure(solver, rows[0], max_seconds)
    kinds: dict[str, list[dict[str, Any]]] = {}
    for row in rows:
        name = f"draw {row['draw']}, {'' if row['take_back'] else 'no '}taking back"
        name += "" if row["build_on_base"] else ", nothing on base cards"
        kinds.setdefault(name, []).append(measure(solver, row, max_seconds))
    groups = {name: summarise(kinds[name]) for name in sorted(kinds)}
    machine = f"{platform.machine()}, Python {platform.python_version()}"
    RESULTS.parent.mkdir(parents=True, exist_ok=True)
    RESULTS.with_suffix(".json").write_bytes(
        orjson.dumps({"machine": machine, "groups": groups}, option=orjson.OPT_INDENT_2)
    )
    page = table(groups, f"Machine: {machine}.")
    RESULTS.with_suffix(".md").write_text(page)
    print(page)


if __name__ == "__main__":
    sys.exit(run_script(main))
