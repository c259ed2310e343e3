#!/usr/bin/env python
"""Trains an agent: ``scripts/train.py --config ppo-d3``. See docs/training.md."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from canfield_env.training.config import TrainingConfig
from scripts.command import run_script

app = typer.Typer(add_completion=False)


@app.command()
def train(
    config: Annotated[str, typer.Option(metavar="FILE|NAME", help="A file, or the name of one in configs/train/.")],
    settings: Annotated[
        list[str] | None, typer.Option("--set", metavar="SECTION.KEY=VALUE", help="Override a value; may be repeated.")
    ] = None,
    out: Annotated[
        Path | None, typer.Option(metavar="FOLDER", help="The run's folder; runs/CONFIG if left out.")
    ] = None,
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on with the run in the folder, if there is one.")
    ] = False,
    init: Annotated[
        str | None, typer.Option(metavar="MODEL.zip", help="A model whose weights a new run starts from.")
    ] = None,
) -> None:
    """Train an agent with PPO. Ctrl-C stops it after the update under way, with everything saved for --resume."""
    checked = TrainingConfig.load(config, settings or ())
    from canfield_env.training.folder import RunFolder
    from canfield_env.training.trainer import Trainer

    folder = RunFolder(out or Path("runs") / Path(config).stem, checked, resume=resume)
    trainer = Trainer(checked, folder, init=init, progress=True)
    finished = trainer.run()
    print(f"{'finished' if finished else 'stopped'} after {trainer.steps} steps: {folder.path}")
    if not finished:
        raise typer.Exit(130)


if __name__ == "__main__":
    sys.exit(run_script(app))
