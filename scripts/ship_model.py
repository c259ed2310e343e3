#!/usr/bin/env python
"""Ships a trained model: what ``ppo:NAME`` or ``planner:learned`` plays with, and the page that tells of it.

    python -m scripts.ship_model ship d3 runs/NAME/best.zip                # copies it, and notes how it came about
    python -m scripts.ship_model ship plan-d3 runs/plan-value/best.zip
    python -m scripts.ship_model page                                      # agents/models/README.md

A run that started from another model is told of together with the run which that model is of, and so on. What the
notes of a shipped model tell of a run is taken from there where nothing is left of the run but the model.
"""

from __future__ import annotations

import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any, Final

import orjson
import tomli_w
import typer

from agents.shipped import MODELS
from canfield_env.errors import ConfigError
from canfield_env.evaluation.metrics import summarise
from canfield_env.files import write_whole
from canfield_env.training.model_file import fingerprint, load_model, read_header, save_model
from scripts.command import run_script
from scripts.leaderboard import Board

ROOT: Final = Path(__file__).parent.parent
RUNS: Final = ROOT / "runs"
PAGE: Final = MODELS / "README.md"

app = typer.Typer(add_completion=False, help=__doc__)


@app.command()
def ship(
    name: Annotated[str, typer.Argument(help="The model's name, such as d3.")],
    model: Annotated[Path, typer.Argument(help="The model file, of a run in runs/.")],
) -> None:
    """Copies a model, without what training would go on from, notes how it came about, and writes the page."""
    notes, purpose = _notes(model), read_header(model).purpose
    MODELS.mkdir(exist_ok=True)
    save_model(MODELS / f"{name}.zip", *load_model(model, purpose))
    write_whole(MODELS / f"{name}.json", orjson.dumps(notes, option=orjson.OPT_INDENT_2))
    page()


@app.command()
def page() -> None:
    """Writes agents/models/README.md."""
    PAGE.write_text(markdown())


def _notes(model: Path) -> list[dict[str, Any]]:
    """The runs that a model comes from, the first one first."""
    header = read_header(model)
    origin = header.origin
    if header.purpose == "judging plans":
        return [{"origin": origin}]
    if "run" not in origin:
        raise ConfigError(f"{model}: the model does not say which run it is of")
    run = RUNS / origin["run"]
    if not (run / "run.json").exists():
        return _told_before(model, origin)
    about = orjson.loads((run / "run.json").read_bytes())
    lines = [orjson.loads(line) for line in (run / "metrics.jsonl").read_bytes().splitlines()]
    steps = origin["steps"] if "steps" in origin else origin["lines learned from"]
    note = {
        "run": run.name,
        "config": tomllib.loads((run / "config.toml").read_text()),
        "about": about,
        "steps": steps,
        "cpu_seconds": max(line["time/cpu_seconds"] for line in lines if line["steps"] <= steps),
        "origin": origin,
    }
    return [*(_notes(Path(about["init"])) if about["init"] else []), note]


def _told_before(model: Path, origin: dict[str, Any]) -> list[dict[str, Any]]:
    """The notes of a shipped model, up to the run that this model is of."""
    for path in sorted(MODELS.glob("*.json")):
        notes: list[dict[str, Any]] = orjson.loads(path.read_bytes())
        for place, note in enumerate(notes):
            if note["origin"] == origin:
                return notes[: place + 1]
    raise ConfigError(f"{model}: the run {origin['run']} has no run.json in {RUNS}, and is not told of in {MODELS}")


def markdown() -> str:
    """The text of the page."""
    return "\n".join(_lines()) + "\n"


def _lines() -> Iterator[str]:
    yield "# Shipped models"
    yield ""
    yield "Written by `scripts/ship_model.py`. What the files hold, and how models are trained, is told in"
    yield "[docs/training.md](../../docs/training.md); what the parts of the training bring, in"
    yield "[docs/learning.md](../../docs/learning.md)."
    yield ""
    yield "The models of `ppo` play by one forward pass a move. In it those that have `afterstates` look also at the"
    yield "positions that their likely moves lead to, and no further; the others look at the position alone. The other"
    yield "agents, `heuristic` and `planner`, search. The model of `planner:learned` does not play, but judges what the"
    yield "planner compares. All of them know what a player knows. They are for the rules and the draw that they were"
    yield "trained for, and are refused elsewhere. They were trained on deals that no suite holds; the best model of a"
    yield "run was chosen on a validation suite, or its last one kept."
    for path in sorted(MODELS.glob("*.json")):
        yield ""
        yield from _section(path)


def _section(path: Path) -> Iterator[str]:
    name, notes = path.stem, orjson.loads(path.read_bytes())
    model = path.with_suffix(".zip")
    header, digest = read_header(model), fingerprint(model)
    network = load_model(model, header.purpose)[1]
    weights = sum(parameter.numel() for parameter in network.parameters())
    agent = f"ppo:{name}" if header.purpose == "playing" else "planner:learned"
    yield f"## `{agent}`"
    yield ""
    yield f"Draw {header.draw}; {weights:,} weights, {model.stat().st_size:,} bytes; SHA-256"
    yield f"`{digest}`."
    yield ""
    suite = f"d{header.draw}-test"
    board = Board.read(suite)
    if agent in board.records and board.models.get(agent) == digest:
        summary = summarise(board.records[agent])
        yield f"On `{suite}`, {summary.games} deals: {summary.win_rate.percent()} won,"
        yield f"{summary.cards_up.amount()} cards up."
        yield ""
    if header.purpose == "playing":
        base, told = _told_of_before(notes)
        start = f"goes on from `ppo:{base}` and " if base else ""
        yield f"It {start}was trained in these runs, each from the model of the one before:"
        for note in notes[told:]:
            yield ""
            yield from _run(note)
    else:
        yield from _plan_value(notes[0]["origin"])


def _told_of_before(notes: list[dict[str, Any]]) -> tuple[str, int]:
    """The shipped model that a model goes on from, and how many of its runs are told of with that one."""
    others = {path.stem: orjson.loads(path.read_bytes()) for path in sorted(MODELS.glob("*.json"))}
    told = {name: len(other) for name, other in others.items() if other == notes[: len(other)] and other != notes}
    return max(told.items(), key=lambda found: found[1], default=("", 0))


def _run(note: dict[str, Any]) -> Iterator[str]:
    origin = note["origin"]
    won, cards_up = origin["won, cards up"]
    yield f"### {note['run']}"
    yield ""
    yield f"{note['steps']:,} steps, {note['cpu_seconds']:,.0f} CPU seconds, seed {origin['seed']}; commit"
    yield f"{_revision(note['about']['git'])}. The run's best model won {100 * won:.1f} %, with {cards_up:.1f} cards"
    yield f"up, of {origin['deals']} deals of `{origin['suite']}`."
    for data in origin.get("datasets", []):
        yield f"Learned from `{data['folder']}`, SHA-256 `{data['sha256']}`."
    yield ""
    yield from _toml(note["config"])


def _plan_value(origin: dict[str, Any]) -> Iterator[str]:
    """How a model that judges plans came about."""
    yield "`scripts/train_plan_value.py` fitted it to where the plans of a quick planner ended, and to what its games"
    yield f"came to; [docs/planner.md](../../docs/planner.md) tells how. {origin['ends']:,} ends of {origin['games']:,}"
    yield f"games, SHA-256 `{origin['sha256']}`;"
    yield f"seed {origin['seed']}; commit {_revision(origin['git'])}."
    yield ""
    yield "How well it foretells games that it was not fitted to:"
    yield ""
    yield "| by | cross-entropy, nats |"
    yield "|---|---|"
    for name, value in origin["held out"].items():
        yield f"| {name} | {value:.4f} |"
    yield ""
    yield from _toml(origin["config"])


def _revision(git: dict[str, Any]) -> str:
    return f"`{git['commit'][:12]}`{', with changes that were not committed' if git['dirty'] else ''}"


def _toml(config: dict[str, Any]) -> Iterator[str]:
    yield "```toml"
    yield tomli_w.dumps(config).strip()
    yield "```"


if __name__ == "__main__":
    sys.exit(run_script(app))
