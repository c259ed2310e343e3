#!/usr/bin/env python
"""Fits a network to a dataset: ``scripts/imitate.py --config d3 --data FOLDER``. See docs/imitation.md."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from canfield_env.training.imitation_config import ImitationConfig
from scripts.command import run_script

app = typer.Typer(add_completion=False)


@app.command()
def imitate(
    config: Annotated[str, typer.Option(metavar="FILE|NAME", help="A file, or the name of one in configs/imitate/.")],
    data: Annotated[list[Path], typer.Option(metavar="FOLDER", help="A dataset; may be repeated.")],
    settings: Annotated[
        list[str] | None, typer.Option("--set", metavar="SECTION.KEY=VALUE", help="Override a value; may be repeated.")
    ] = None,
    out: Annotated[
        Path | None, typer.Option(metavar="FOLDER", help="The run's folder; runs/imitate-CONFIG if left out.")
    ] = None,
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on with the run in the folder, if there is one.")
    ] = False,
    init: Annotated[
        str | None, typer.Option(metavar="MODEL.zip", help="A model whose weights a new run starts from.")
    ] = None,
) -> None:
    """Fit a network to datasets. Ctrl-C stops it after the step under way, with everything saved for --resume."""
    checked = ImitationConfig.load(config, settings or ())
    from canfield_env.training.dataset import Dataset
    from canfield_env.training.folder import RunFolder
    from canfield_env.training.imitation import Imitator

    folder = RunFolder(out or Path("runs") / f"imitate-{Path(config).stem}", checked, resume=resume)
    imitator = Imitator(checked, folder, [Dataset(path) for path in data], init=init, progress=True)
    finished = imitator.run()
    print(f"{'finished' if finished else 'stopped'} after {imitator.steps} lines: {folder.path}")
    if not finished:
        raise typer.Exit(130)


if __name__ == "__main__":
    sys.exit(run_script(app))
