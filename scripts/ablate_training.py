#!/usr/bin/env python
"""Leaves parts of the training out, one at a time, as configs/trials/ablation-d3.toml says, and keeps what that costs.

Runs are kept in runs/ablation/, and those that are there are not made again; results go to
docs/results/learning/ablation-d3.json, from which scripts/learning_page.py writes its table.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Any, Final

import orjson
import typer

from canfield_env.configs import read_toml
from canfield_env.training.config import TrainingConfig
from canfield_env.training.folder import RunFolder
from canfield_env.training.model_file import load_model
from canfield_env.training.play import Result, play_deals
from canfield_env.training.trainer import Trainer
from scripts.command import run_script

ROOT: Final = Path(__file__).parent.parent
PLAN: Final = ROOT / "configs" / "trials" / "ablation-d3.toml"


def train(config: TrainingConfig, folder: Path) -> float:
    """Trains, or goes on with training, and returns the CPU seconds that it took."""
    trainer = Trainer(config, RunFolder(folder, config, resume=True), progress=True)
    if not trainer.run():
        raise typer.Exit(130)
    return trainer.seconds


def row(what: str, config: TrainingConfig, result: Result, seconds: float) -> dict[str, Any]:
    """What is kept of a trial."""
    _, cards_up = result.score
    return {
        "what": what,
        "suite": config.evaluation.suite,
        "deals": len(result.won),
        "wins": int(result.won.sum()),
        "cards_up": cards_up,
        "steps": config.run.steps,
        "cpu_seconds": round(seconds, 1),
    }


def main(
    runs: Annotated[Path, typer.Option(help="Where the runs are kept.")] = ROOT / "runs" / "ablation",
    out: Annotated[Path, typer.Option(help="Where the results go.")] = ROOT / "docs" / "results" / "learning",
) -> None:
    """Leave parts of the training out."""
    plan = read_toml(PLAN)
    found = []
    for name, trial in plan["trials"].items():
        print(name, file=sys.stderr)
        config = TrainingConfig.load(plan["base"], plan["settings"] + trial["settings"])
        seconds = train(config, runs / name)
        network = load_model(runs / name / "last.zip")[1]
        deals = config.evaluation.load().deals
        found.append({"name": name, **row(trial["what"], config, play_deals(network, config.env, deals), seconds)})
        if name == "all":
            result = play_deals(network, config.env, deals, narrow=False)
            what = "without narrowing against repetition, in play"
            found.append({"name": "repetition", **row(what, config, result, seconds)})
        out.mkdir(parents=True, exist_ok=True)
        content = orjson.dumps({"plan": plan, "trials": found}, option=orjson.OPT_INDENT_2)
        (out / "ablation-d3.json").write_bytes(content + b"\n")


if __name__ == "__main__":
    sys.exit(run_script(main))
