#!/usr/bin/env python
"""Makes datasets to learn from, and checks them: ``scripts/make_dataset.py make --help``. See docs/imitation.md."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer
from pydantic import ValidationError

from canfield_env.configs import first_fault
from canfield_env.errors import ConfigError
from canfield_env.rules import Rules
from canfield_env.training.dataset import Dataset, Plan
from scripts.command import run_script

app = typer.Typer(add_completion=False)


@app.command()
def make(
    out: Annotated[Path, typer.Option(metavar="FOLDER", help="Where it goes; what is there already is gone on with.")],
    games: Annotated[int, typer.Option(help="How many games.")],
    teacher: Annotated[str, typer.Option(metavar="AGENT", help="Who is asked at every step.")] = "planner:fast",
    rules: Annotated[str, typer.Option(metavar="NAME|FILE", help="The rule set.")] = "app",
    draw: Annotated[int, typer.Option(help="Cards a turn of the stock brings, 1 or 3.")] = 3,
    seed: Annotated[int, typer.Option(help="What the deals and all that is random come from.")] = 0,
    student: Annotated[Path | None, typer.Option(metavar="MODEL.zip", help="A model that plays too.")] = None,
    mix: Annotated[float, typer.Option(help="The share of the moves that the student plays, 0 to 1.")] = 0.0,
    chance: Annotated[float, typer.Option(help="The share of the moves that are random, 0 to 1.")] = 0.0,
    orders: Annotated[int, typer.Option(help="Orders of the hidden cards that moves are judged by; 0: none.")] = 8,
    states: Annotated[int, typer.Option(help="States that the solver searches for each order.")] = 250,
    shard: Annotated[int, typer.Option(help="Games in a file, played side by side.")] = 200,
    jobs: Annotated[int, typer.Option(min=1, help="Worker processes; what is made does not depend on it.")] = 1,
) -> None:
    """Make a dataset. Ctrl-C stops it; the same command goes on with it."""
    from agents.dataset_maker import make_dataset
    from agents.lessons import identify_student

    if (student is None) != (mix == 0):
        raise ConfigError("--student and --mix go together")
    try:
        plan = Plan.model_validate(
            {
                "teacher": teacher,
                "rules": Rules.of(rules).to_dict(),
                "draw": draw,
                "games": games,
                "shard": shard,
                "seed": seed,
                "student": None if student is None else identify_student(student),
                "mix": mix,
                "chance": chance,
                "orders": orders,
                "states": states,
            }
        )
    except ValidationError as error:
        fault = first_fault(error)
        raise ConfigError(f"--{fault.text}" if fault.place else fault.text) from None
    summary = make_dataset(out, plan, jobs=jobs, progress=True)
    print(f"{out}: {summary['games']} games, {summary['won']} of them won, {summary['lines']} lines")


@app.command()
def check(folder: Annotated[Path, typer.Argument(help="The dataset's folder.")]) -> None:
    """Play every line and every record of a dataset again."""
    print(f"{folder}: {Dataset(folder).check()} games replay")


if __name__ == "__main__":
    sys.exit(run_script(app, stopped="stopped; the same command goes on"))
