"""Measures settings of the planner on training deals, which no suite holds, and keeps what it finds.

    python scripts/tune_planner.py play --first 40000 --games 300 fast "" strong
    python scripts/tune_planner.py play --first 40000 --games 300 --told ""
    python scripts/tune_planner.py page                                   # the table of docs/planner.md, anew

Each argument is what stands after ``planner:``. With ``--told`` the planner is told the order of the hidden cards: what
it wins more then is what not knowing them costs. The results go to ``docs/results/planner-tuning.json``, deal by deal,
so that any two settings that played the same deals can be compared. Measuring one again goes on from the deals that it
has played.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, Final

import numpy as np
import orjson
import typer
from numpy.typing import NDArray
from tqdm import tqdm

from agents.planner.agent import PlannerAgent, from_argument
from canfield_env import Deal
from canfield_env.deals import FIRST_TRAINING_DEAL
from canfield_env.env.single import CanfieldEnv
from canfield_env.evaluation.episode import make_env, play_episode
from canfield_env.evaluation.metrics import mcnemar, share
from canfield_env.rules import Rules
from canfield_env.view import PlayerView
from scripts.command import run_script
from scripts.pages import with_tables

ROOT: Final = Path(__file__).parents[1]
RESULTS: Final = ROOT / "docs" / "results" / "planner-tuning.json"
PAGE: Final = ROOT / "docs" / "planner.md"
#: Games between two writings of the results.
PART: Final = 10
#: What tells two measurements apart.
KEY: Final = ("rules", "draw", "first", "argument", "told")

Entry = dict[str, Any]

app = typer.Typer(add_completion=False, help=__doc__)


@app.command()
def play(
    arguments: list[str],
    first: Annotated[int, typer.Option(min=0, help="The first deal, counted from number 2^20.")] = 0,
    games: Annotated[int, typer.Option(min=1)] = 100,
    rules: str = "app",
    draw: int = 3,
    told: bool = False,
    results: Path = RESULTS,
) -> None:
    """Plays the same deals with each of the settings."""
    for argument in arguments:
        entry = {"rules": rules, "draw": draw, "first": first, "argument": argument, "told": told}
        for part in _play(_kept(entry, results), games):
            _keep(part, results)
        typer.echo(_row(_kept(entry, results)))


@app.command(name="page")
def write_page() -> None:
    """Writes the table of ``docs/planner.md`` anew."""
    PAGE.write_text(page(PAGE.read_text(encoding="utf-8"), read(RESULTS)), encoding="utf-8")


def read(path: Path) -> list[Entry]:
    """The measurements so far.

    Each has the fields of ``KEY``; ``won``, a digit a deal; ``cards_up``, a number a deal; and ``seconds``, the CPU
    seconds of all games together.
    """
    entries: list[Entry] = orjson.loads(path.read_bytes()) if path.exists() else []
    return entries


def page(text: str, entries: list[Entry]) -> str:
    """The page's text with its table made anew."""
    return with_tables(text, {"games": lambda: "\n".join(_table(entries))})


def _table(entries: list[Entry]) -> Iterator[str]:
    """All measurements, each compared with that of ``planner`` on the same deals."""
    yield "| agent | rules | deals | won | cards up | CPU seconds a game | against `planner`: more won, fewer, p |"
    yield "| --- | --- | --- | --- | --- | --- | --- |"
    for entry in entries:
        usual = {**entry, "argument": "", "told": False}
        others = [other for other in entries if other is not entry and _is_same(other, usual)]
        yield f"{_row(entry)} {' '.join(_compare(entry, other) for other in others)} |"


def _row(entry: Entry) -> str:
    games, wins = len(entry["won"]), entry["won"].count("1")
    won = share(wins, games)
    name = f"planner:{entry['argument']}" if entry["argument"] else "planner"
    cells = [
        f"`{name}`{', told the order' if entry['told'] else ''}",
        f"{entry['rules']}, draw {entry['draw']}",
        f"2^20 + {entry['first']:,} and on: {games}",
        f"{won.value:.1%} ({won.low:.1%} to {won.high:.1%})",
        f"{sum(entry['cards_up']) / games:.1f}",
        f"{entry['seconds'] / games:.2f}",
    ]
    return f"| {' | '.join(cells)} |"


def _compare(entry: Entry, other: Entry) -> str:
    """The deals that only one of the two has won, of those that both have played, with McNemar's exact test."""
    pairs = list(zip(entry["won"], other["won"], strict=False))
    more, fewer = pairs.count(("1", "0")), pairs.count(("0", "1"))
    return f"{more}, {fewer}, {mcnemar(more, fewer):.2g}"


def _play(entry: Entry, games: int) -> Iterator[Entry]:
    """Plays what is left of the games, and yields the entry now and then."""
    agent = from_argument(entry["argument"])
    env = make_env(agent, Rules.of(entry["rules"]))
    if entry["told"]:
        agent = _Told(agent, env)
    for k in tqdm(range(len(entry["won"]), games), desc=agent.name, disable=None):
        record = play_episode(agent, env, Deal.from_number(FIRST_TRAINING_DEAL + entry["first"] + k, entry["draw"]))
        entry["won"] += str(int(record.outcome == "won"))
        entry["cards_up"].append(record.cards_up)
        entry["seconds"] = round(entry["seconds"] + record.seconds, 4)
        if (k + 1) % PART == 0 or k + 1 == games:
            yield entry


class _Told(PlannerAgent):
    """The planner as a cheat that looks at the hidden cards."""

    def __init__(self, agent: PlannerAgent, env: CanfieldEnv) -> None:
        self.__dict__.update(agent.__dict__)
        self._env = env

    def act(self, observation: NDArray[Any], mask: NDArray[np.int8], view: PlayerView | None) -> int:
        assert view is not None
        return super().act(observation, mask, replace(view, position=self._env.game.full_position()))


def _is_same(entry: Entry, other: Entry) -> bool:
    return all(entry[name] == other[name] for name in KEY)


def _kept(entry: Entry, path: Path) -> Entry:
    """The measurement as far as it has got."""
    fresh = {**entry, "won": "", "cards_up": [], "seconds": 0.0}
    return next((other for other in read(path) if _is_same(entry, other)), fresh)


def _keep(entry: Entry, path: Path) -> None:
    entries = read(path)
    place = next((k for k, other in enumerate(entries) if _is_same(entry, other)), len(entries))
    entries[place : place + 1] = [entry]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"[\n" + b",\n".join(orjson.dumps(entry) for entry in entries) + b"\n]\n")


if __name__ == "__main__":
    sys.exit(run_script(app))
