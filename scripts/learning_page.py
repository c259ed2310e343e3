#!/usr/bin/env python
"""What learning brings: keeps the curves of training runs, and writes docs/learning.md from all that is kept.

python scripts/learning_page.py keep runs/ppo-d3      # what a run came to, to docs/results/learning/
python scripts/learning_page.py page                  # the page and its plots, from docs/results/ alone
"""

from __future__ import annotations

import lzma
import sys
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from pathlib import Path
from typing import Annotated, Any, Final, Literal

import numpy as np
import orjson
import typer

from agents.shipped import find_model, shipped_models
from canfield_env.configs import read_toml
from canfield_env.deals import Deal
from canfield_env.env.vector import CanfieldVectorEnv
from canfield_env.evaluation.metrics import mcnemar, share
from canfield_env.files import write_whole
from canfield_env.training.config import EnvSection, TrainingConfig
from canfield_env.training.model_file import fingerprint, load_model, read_header
from canfield_env.training.network import Network
from canfield_env.training.play import Player, play_deals
from canfield_env.training.running import fast_products
from scripts import many_deals, what_loses
from scripts.command import run_script
from scripts.machine import machine
from scripts.pages import name_beside, new_figure, save_figure
from scripts.tune_planner import RESULTS as MEASUREMENTS
from scripts.tune_planner import read as read_measurements

ROOT: Final = Path(__file__).parent.parent
KEPT: Final = ROOT / "docs" / "results" / "learning"
PAGE: Final = ROOT / "docs" / "learning.md"
#: The first of the training deals on which the planners are compared, counted from 2^20.
PLANNER_DEALS: Final = 60_000
#: Random training deals by which no model of a run is chosen, and what they are drawn from.
FRESH_DEALS, FRESH_SEED = 3_000, 77
#: With so many cards in the reserve a game has only begun.
EARLY: Final = 9

app = typer.Typer(add_completion=False, help=__doc__)


@dataclass(frozen=True)
class Curve:
    """The evaluations of a training run.

    Attributes:
        name: what was trained; runs that differ in nothing but the seed have the same name.
        config: the run's configuration.
        points: one dictionary for each evaluation, in order: ``steps``, ``cpu_seconds``, ``won``, ``cards_up``.
        note: what else there is to say of the run.
        fresh: how the best model, or the last one, plays deals that it was not chosen by, see ``play_fresh``; after how
            many steps of the run it was saved, and which ``model`` it is, if not the best; None if it has not played.
    """

    name: str
    config: dict[str, Any]
    points: list[dict[str, float]]
    note: str = ""
    fresh: dict[str, Any] | None = None

    @property
    def seed(self) -> int:
        """What the run was drawn from."""
        return int(self.config["run"]["seed"])

    @property
    def deals(self) -> int:
        """How many deals an evaluation plays."""
        return int(self.config["evaluation"]["deals"])

    @property
    def best(self) -> dict[str, float]:
        """The evaluation of the best model, or of the one that has played other deals, of which its file tells."""
        chosen = (self.fresh or {}).get("steps")
        points = [point for point in self.points if point["steps"] == chosen] or self.points
        return max(points, key=lambda point: (point["won"], point["cards_up"]))

    @classmethod
    def of_run(cls, folder: Path, note: str = "") -> Curve:
        """Reads a run's folder."""
        config = read_toml(folder / "config.toml")
        lines = [orjson.loads(line) for line in (folder / "metrics.jsonl").read_bytes().splitlines()]
        points = [
            {
                "steps": line["steps"],
                "cpu_seconds": line["time/cpu_seconds"],
                "won": line["evaluation/won"],
                "cards_up": line["evaluation/cards_up"],
            }
            for line in lines
            if "evaluation/won" in line
        ]
        return cls(folder.name.removesuffix(f"-seed{config['run']['seed']}"), config, points, note)

    @classmethod
    def read(cls, path: Path) -> Curve:
        """Reads a kept file."""
        head, *points = (orjson.loads(line) for line in lzma.decompress(path.read_bytes()).splitlines())
        return cls(head["name"], head["config"], points, head["note"], head["fresh"])

    def write(self, folder: Path) -> None:
        """Writes the file that ``read`` reads: a line for the run, then one for each evaluation."""
        head = {"name": self.name, "config": self.config, "note": self.note, "fresh": self.fresh}
        lines = [head, *self.points]
        content = b"".join(orjson.dumps(line) + b"\n" for line in lines)
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"curves-{self.name}-seed{self.seed}.jsonl.xz").write_bytes(lzma.compress(content))


@app.command()
def keep(
    runs: Annotated[list[Path], typer.Argument(help="Folders of runs.")],
    note: Annotated[str, typer.Option(help="What else there is to say of them.")] = "",
    model: Annotated[Literal["best", "last"], typer.Option(help="Which model plays other deals.")] = "best",
) -> None:
    """Keeps the evaluations of runs, and how their best models play other deals, or their last ones."""
    for run in runs:
        env, file = TrainingConfig.load(run / "config.toml").env, run / f"{model}.zip"
        fresh = play_fresh(file, env) | {"steps": read_header(file).origin["steps"], "model": model}
        replace(Curve.of_run(run, note), fresh=fresh).write(KEPT)


def play_fresh(model: Path, env: EnvSection) -> dict[str, Any]:
    """How a model plays deals that it was not chosen by: ``deals`` and ``wins``, and the mean of the ``cards_up``."""
    import torch

    torch.set_num_threads(1)
    rng = np.random.default_rng(FRESH_SEED)
    deals = [Deal.random(rng, env.draw) for _ in range(FRESH_DEALS)]
    with fast_products():
        result = play_deals(load_model(model)[1], env, deals)
    return {"deals": FRESH_DEALS, "wins": int(result.won.sum()), "cards_up": result.score[1]}


@app.command("time")
def time_decisions() -> None:
    """Measures how long decisions of the shipped models take on one core, many games at a time and one."""
    import torch

    torch.set_num_threads(1)
    found = []
    for name in shipped_models("playing"):
        model = find_model(name, "playing")
        network = load_model(model)[1]
        draw = read_header(model).draw
        seconds = {str(size): decision_seconds(network, size, draw) for size in (1024, 1)}
        found.append({"model": name, "fingerprint": fingerprint(model), "cpu_seconds": seconds})
    KEPT.mkdir(parents=True, exist_ok=True)
    result = {"machine": machine(), "models": found}
    write_whole(KEPT / "decisions.json", orjson.dumps(result, option=orjson.OPT_INDENT_2) + b"\n")


def decision_seconds(network: Network, size: int, draw: int, steps: int = 60) -> float:
    """CPU seconds for a decision in that many games played side by side, the games' own time left out."""
    games = CanfieldVectorEnv(size, draw=draw, stock="auto", observation="tokens")
    tokens, info = games.reset(seed=0)
    player, spent = Player(network, size), 0.0
    for step in range(steps):
        begun = time.process_time()
        actions = player.choose(tokens.view(np.uint8), info["action_mask"])
        spent += (time.process_time() - begun) * (step >= 10)  # the first ones are slow
        tokens, _, _, _, info = games.step(actions)
    return spent / ((steps - 10) * size)


@app.command()
def page() -> None:
    """Writes docs/learning.md and its plots."""
    PAGE.write_text(markdown(), encoding="utf-8")
    plot(curves(), ROOT / "docs" / "learning-curves.svg")


def curves() -> list[Curve]:
    """All that are kept, by name and seed."""
    return sorted((Curve.read(path) for path in KEPT.glob("curves-*.jsonl.xz")), key=lambda c: (c.name, c.seed))


def results(pattern: str) -> list[dict[str, Any]]:
    """The kept results of that pattern, by file name."""
    return [orjson.loads(path.read_bytes()) for path in sorted(KEPT.glob(pattern))]


def markdown() -> str:
    """The text of the page."""
    lines = [
        "# What learning brings",
        "",
        "Written by `scripts/learning_page.py page` from the files in `docs/results/learning/`. Where nothing else is",
        "said, it is measured on validation suites, greedily and without search; how agents play the test suites is in",
        "[leaderboard.md](leaderboard.md). Intervals are Wilson's at 95 %; CPU seconds are those of one core. What the",
        "settings mean is in [training.md](training.md). They go back to a search by short runs,",
        "[results/training-search.md](results/training-search.md); for longer ones the learning rate and the clipping",
        "range of its best trials were made a little smaller.",
    ]
    for section in (
        _steps(),
        _many_deals(),
        _beside_the_heuristic(),
        _what_loses(),
        _decisions(),
        _ablations(),
        _planner(),
        _learning_curves(curves()),
    ):
        lines += ["", *section]
    return "\n".join(lines) + "\n"


def _steps() -> Iterator[str]:
    yield "## The steps"
    yield ""
    yield f"| what | suite | deals | won | won of {FRESH_DEALS:,} other deals | CPU seconds |"
    yield "|---|---|---|---|---|---|"
    for row in results("imitation-*.json"):
        yield _row(
            row["what"], row["suite"], row["wins"], row["deals"], row["fresh_training_deals"], row["cpu_seconds"]
        )
    for curve in curves():
        best, seconds = curve.best, curve.points[-1]["cpu_seconds"]
        which = (curve.fresh or {}).get("model", "best")
        what = f"`{curve.name}`, seed {curve.seed}: the {which} model, after {best['steps']:,} steps"
        wins = round(best["won"] * curve.deals)
        yield _row(what, curve.config["evaluation"]["suite"], wins, curve.deals, curve.fresh, seconds)
    yield ""
    yield "The best model of a run is chosen on the suite, so what it wins there is a little too much. The other deals"
    yield "are random training deals, the same for all, by which no model of a run is chosen unless a note says so."


def _many_deals() -> Iterator[str]:
    yield "## Learned and written by hand"
    yield ""
    yield "A suite's thousand deals do not tell apart agents that are within two points of each other. So these have"
    yield "also played training deals that no suite holds and by which nothing was chosen (`scripts/many_deals.py`);"
    yield "training may have met a few of them by chance. Each is compared with the first, deal by deal, by McNemar's"
    yield "exact test:"
    for result in results("many-deals-*.json"):
        yield ""
        yield from many_deals.table(result)


def _beside_the_heuristic() -> Iterator[str]:
    """What playing by foresight brings, to set what a network does in one pass beside it."""
    variants = orjson.loads((KEPT.parent / "heuristic.json").read_bytes())["variants"]
    yield "## Beside a search"
    yield ""
    yield "A network looks at one position a move, with `afterstates` also at next ones, and has to foresee what a move"
    yield "leads to. What looking is worth the [heuristic](heuristic.md) shows, on the same deals:"
    yield ""
    yield "| positions that it looks at | won |"
    yield "|---|---|"
    for name, positions in {"at_30": 30, "at_100": 100, "at_300": 300, "at_1000": 1000, "whole": 5000}.items():
        summary = variants[name]["summary"]
        yield f"| {positions:,} | {share(summary['wins'], summary['games']).percent()} |"


def _what_loses() -> Iterator[str]:
    """By what kinds of moves games are lost."""
    tables = what_loses.kept()
    counts = [Counter(what for what, _ in table["games"]) for table in tables]
    yield "## What games are lost by"
    yield ""
    yield "`scripts/what_loses.py` looks for the move after which the solver, who sees all cards, cannot win any more."
    yield "Some such moves are no mistakes, as the player does not see all cards. Of the suite's deals were"
    yield ""
    names = [f"`{table['agent']}`" for table in tables]
    yield f"| | {' | '.join(names)} |"
    yield f"|---|{'---|' * len(tables)}"
    for what in what_loses.ENDS:
        label = f"lost by {what}" if what in what_loses.LOSING else what
        yield f"| {label} | {' | '.join(str(found[what]) for found in counts)} |"
    lost = [[cards for what, cards in table["games"] if what in what_loses.LOSING] for table in tables]
    early = " | ".join(str(sum(count >= EARLY for count in counts)) for counts in lost)
    yield f"| lost while the reserve had {EARLY} cards or more | {early} |"


def _decisions() -> Iterator[str]:
    yield "## What a decision takes"
    yield ""
    timed = orjson.loads((KEPT / "decisions.json").read_bytes())
    yield f"Microseconds on one core ({timed['machine']['processor']}, {timed['machine']['kind']}):"
    yield ""
    yield "| model | with 1,024 games side by side | with one |"
    yield "|---|---|---|"
    for found in timed["models"]:
        many, one = (1e6 * found["cpu_seconds"][size] for size in ("1024", "1"))
        yield f"| `ppo:{found['model']}` | {many:.0f} | {one:,.0f} |"


def _row(what: str, suite: str, wins: int, deals: int, fresh: Mapping[str, Any] | None, seconds: float) -> str:
    others = "" if fresh is None else share(fresh["wins"], fresh["deals"]).percent()
    return f"| {what} | {suite} | {deals} | {share(wins, deals).percent()} | {others} | {seconds:,.0f} |"


def _ablations() -> Iterator[str]:
    yield "## What each part brings"
    for table in results("ablation-*.json"):
        plan = table["plan"]
        yield ""
        yield f"`{plan['base']}` with `{' '.join(plan['settings'])}`; the last model, one run each."
        yield ""
        yield "| what | deals | won | cards up | CPU seconds |"
        yield "|---|---|---|---|---|"
        for row in table["trials"]:
            won = share(row["wins"], row["deals"]).percent()
            yield f"| {row['what']} | {row['deals']} | {won} | {row['cards_up']:.1f} | {row['cpu_seconds']:,.0f} |"


def _planner() -> Iterator[str]:
    yield "## What a learned value brings to the planner"
    yield ""
    yield "`planner` searches and has learned nothing; `planner:learned` also asks a network what its plans are worth"
    yield "([planner.md](planner.md)). On training deals that neither was made with:"
    yield ""
    measured = [entry for entry in read_measurements(MEASUREMENTS) if entry["first"] == PLANNER_DEALS]
    measured = [entry for entry in measured if (entry["rules"], entry["draw"], entry["told"]) == ("app", 3, False)]
    played = {entry["argument"]: entry for entry in measured}
    usual, learned = played[""]["won"], played["learned"]["won"]
    yield "| agent | deals | won |"
    yield "|---|---|---|"
    for name, won in {"planner": usual, "planner:learned": learned}.items():
        yield f"| `{name}` | {len(won)} | {share(won.count('1'), len(won)).percent()} |"
    yield ""
    more, fewer = (list(zip(learned, usual, strict=False)).count(pair) for pair in (("1", "0"), ("0", "1")))
    yield f"{more} deals are won by `planner:learned` alone, {fewer} by `planner` alone; McNemar's exact test"
    yield f"p = {mcnemar(more, fewer):.2g}."


def _learning_curves(kept: Sequence[Curve]) -> Iterator[str]:
    yield "## Learning curves"
    yield ""
    yield "![Deals won by steps of training](learning-curves.svg)"
    yield ""
    yield "The line is the mean of the seeds, the band from the lowest to the highest of them."
    yield ""
    yield "| what | seed | steps | CPU seconds | won at the end |"
    yield "|---|---|---|---|---|"
    for curve in kept:
        last = curve.points[-1]
        won = share(round(last["won"] * curve.deals), curve.deals).percent()
        yield f"| `{curve.name}` | {curve.seed} | {last['steps']:,} | {last['cpu_seconds']:,.0f} | {won} |"
    for curve in kept:
        if curve.note:
            yield ""
            yield f"`{curve.name}`, seed {curve.seed}: {curve.note}"


def plot(kept: Sequence[Curve], path: Path) -> None:
    """Draws the share of deals won by steps, one line for each name."""
    figure, axes = new_figure()
    for name, group in groupby(kept, key=lambda curve: curve.name):
        seeds = list(group)
        steps = [point["steps"] for point in seeds[0].points]
        won = [[100 * curve.points[i]["won"] for curve in seeds] for i in range(min(len(c.points) for c in seeds))]
        axes.plot(steps[: len(won)], [sum(row) / len(row) for row in won], label=name)
        axes.fill_between(steps[: len(won)], [min(row) for row in won], [max(row) for row in won], alpha=0.25)
    axes.set(xscale="log", xlabel="steps of training", ylabel="validation deals won, %", ylim=(0, None))
    name_beside(figure)
    save_figure(figure, path)


if __name__ == "__main__":
    sys.exit(run_script(app))
