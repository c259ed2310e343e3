#!/usr/bin/env python
"""Trains with each of the settings in configs/trials/ppo-d3.toml, and writes how they compare.

Trials whose runs are there already are not run again. Results: docs/results/training-trials.json and .md.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Any

import orjson
import typer

from canfield_env.configs import read_toml
from canfield_env.evaluation.metrics import share
from canfield_env.training.config import TrainingConfig
from canfield_env.training.folder import RunFolder
from canfield_env.training.trainer import Trainer

ROOT = Path(__file__).parent.parent


def run_trial(settings: list[str], folder: Path) -> dict[str, Any]:
    """Trains, or goes on with training, and returns the last evaluation and what it cost."""
    config = TrainingConfig.load("ppo-d3", settings)
    trainer = Trainer(config, RunFolder(folder, config, resume=True), progress=True)
    if not trainer.run():
        raise typer.Exit(130)
    lines = [orjson.loads(line) for line in (folder / "metrics.jsonl").read_bytes().splitlines()]
    last = next(line for line in reversed(lines) if "evaluation/won" in line)
    return {
        "steps": last["steps"],
        "cpu_seconds": last["time/cpu_seconds"],
        "deals": config.evaluation.deals,
        "won": last["evaluation/won"],
        "cards_up": last["evaluation/cards_up"],
    }


def table(base: list[str], results: dict[str, dict[str, Any]]) -> str:
    """The results in Markdown, the best first."""
    lines = [
        "# Training settings compared",
        "",
        "By `scripts/training_trials.py`. One run each; the last model, greedy, on deals of the validation suite.",
        f"All: `ppo-d3` with `{' '.join(base)}`.",
        "",
        "| trial | settings | steps | CPU seconds | won | 95 % | cards up |",
        "|---|---|---|---|---|---|---|",
    ]
    for name, row in sorted(results.items(), key=lambda item: -item[1]["won"]):
        won = share(round(row["won"] * row["deals"]), row["deals"])
        lines.append(
            f"| {name} | {', '.join(row['settings'])} | {row['steps']:,} | {row['cpu_seconds']:.0f} "
            f"| {won.value:.1%} | {won.low:.1%} to {won.high:.1%} | {row['cards_up']:.1f} |"
        )
    return "\n".join(lines) + "\n"


def main(
    runs: Annotated[Path, typer.Option(help="Where the runs are kept.")] = Path("runs/trials"),
    out: Annotated[Path, typer.Option(help="Where the results go.")] = ROOT / "docs" / "results",
) -> None:
    """Compare training settings."""
    plan = read_toml(ROOT / "configs" / "trials" / "ppo-d3.toml")
    base = plan["base"]["settings"]
    results = {}
    for name, settings in plan["trials"].items():
        print(name, file=sys.stderr)
        results[name] = {"settings": settings, **run_trial(base + settings, runs / name)}
    out.mkdir(parents=True, exist_ok=True)
    (out / "training-trials.json").write_bytes(
        orjson.dumps({"base": base, "trials": results}, option=orjson.OPT_INDENT_2) + b"\n"
    )
    text = table(base, results)
    (out / "training-trials.md").write_text(text)
    print(text)


if __name__ == "__main__":
    typer.run(main)
