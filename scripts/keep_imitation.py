#!/usr/bin/env python
"""Keeps what a run of imitate.py came to, for docs/learning.md: a file in docs/results/learning/.

python scripts/keep_imitation.py runs/imitate-d3 d3-1 --what "..." --data-seconds 290
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import orjson
import typer

from canfield_env.configs import read_toml
from canfield_env.evaluation.metrics import share
from canfield_env.training.dataset import read_plan
from canfield_env.training.imitation_config import ImitationConfig
from canfield_env.training.model_file import load_model
from scripts.command import run_script
from scripts.learning_page import KEPT, play_fresh


def main(
    run: Annotated[Path, typer.Argument(help="The run's folder.")],
    name: Annotated[str, typer.Argument(help="Names the file.")],
    what: Annotated[str, typer.Option(help="What was done, in words.")],
    data_seconds: Annotated[float, typer.Option(help="CPU seconds that making its datasets took.")],
) -> None:
    """Keeps the best model's evaluation, the configuration and the datasets."""
    config = read_toml(run / "config.toml")
    lines = [orjson.loads(line) for line in (run / "metrics.jsonl").read_bytes().splitlines()]
    evaluations = [line for line in lines if "evaluation/won" in line]
    best = max(evaluations, key=lambda line: (line["evaluation/won"], line["evaluation/cards_up"]))
    deals = config["evaluation"]["deals"]
    wins = round(best["evaluation/won"] * deals)
    won = share(wins, deals)
    fresh = play_fresh(run / "best.zip", ImitationConfig.load(run / "config.toml").env)
    datasets = []
    for dataset in load_model(run / "best.zip")[0].origin["datasets"]:
        plan, summary = read_plan(Path(dataset["folder"]))
        datasets.append({"sha256": dataset["sha256"], "plan": plan.model_dump(), "summary": summary})
    result = {
        "what": what,
        "suite": config["evaluation"]["suite"],
        "deals": deals,
        "wins": wins,
        "interval": [won.low, won.high],
        "cards_up": best["evaluation/cards_up"],
        "fresh_training_deals": fresh,
        "held_out": {key.removeprefix("held_out/"): best[key] for key in best if key.startswith("held_out/")},
        "lines": best["steps"],
        "cpu_seconds": round(data_seconds + lines[-1]["time/cpu_seconds"], 1),
        "cpu_seconds_of_data": data_seconds,
        "init": orjson.loads((run / "run.json").read_bytes())["init"],
        "config": config,
        "datasets": datasets,
    }
    KEPT.mkdir(parents=True, exist_ok=True)
    (KEPT / f"imitation-{name}.json").write_bytes(orjson.dumps(result, option=orjson.OPT_INDENT_2) + b"\n")


if __name__ == "__main__":
    sys.exit(run_script(main))
