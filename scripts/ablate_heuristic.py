"""Measures what each part of the heuristic brings, and writes the tables of ``docs/heuristic.md``.

Every variant plays the deals of the validation suites, in a folder of its own under ``--out``, so the script can be
stopped and started again. The figures go to ``docs/results/heuristic.json``, and from there to the page. With
``--tables`` nothing is played, and the page is made anew from the figures that are there.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Final

import numpy as np
import orjson
import typer
from numpy.typing import NDArray

from agents.heuristic import POSITIONS, WEIGHTS, HeuristicAgent
from agents.judgement import Weights
from canfield_env.evaluation.metrics import Estimate, compare, summarise
from canfield_env.evaluation.runner import evaluate
from canfield_env.evaluation.suites import Suite
from canfield_env.records import Record
from canfield_env.view import PlayerView
from scripts.command import run_script
from scripts.pages import with_tables

ROOT: Final = Path(__file__).parent.parent
RESULTS: Final = ROOT / "docs" / "results" / "heuristic.json"
PAGE: Final = ROOT / "docs" / "heuristic.md"


class Forgetful(HeuristicAgent):
    """Does not know where it has been."""

    def act(self, observation: NDArray[Any], mask: NDArray[np.int8], view: PlayerView | None) -> int:
        self._been.clear()
        return super().act(observation, mask, view)


class Restless(HeuristicAgent):
    """Looks again before every move."""

    def act(self, observation: NDArray[Any], mask: NDArray[np.int8], view: PlayerView | None) -> int:
        self._plan.clear()
        return super().act(observation, mask, view)


@dataclass(frozen=True, slots=True)
class Variant:
    """The heuristic with one thing changed.

    Attributes:
        change: what is changed, in words.
        make: makes the agent.
    """

    change: str
    make: Callable[[], HeuristicAgent]


def _without(*names: str) -> Callable[[], HeuristicAgent]:
    return lambda: HeuristicAgent(weights=WEIGHTS._replace(**dict.fromkeys(names, 0.0)))


def _looking_at(positions: int) -> Callable[[], HeuristicAgent]:
    return lambda: HeuristicAgent(positions)


VARIANTS: Final = {
    "whole": Variant("nothing", HeuristicAgent),
    "no_reserve": Variant("cards in the reserve do not count", _without("reserve")),
    "no_covered": Variant("cards on top of a wanted one do not count", _without("covered")),
    "no_welcome": Variant("the chance that the next unseen card fits does not count", _without("welcome")),
    "only_up": Variant("only cards up count", _without(*(set(Weights._fields) - {"up"}))),
    "not_beyond": Variant("no line of play goes on past an unseen card", lambda: HeuristicAgent(beyond=False)),
    "forgetful": Variant("it does not know where it has been", Forgetful),
    "restless": Variant("it looks again before every move", Restless),
    **{
        f"at_{n}": Variant(f"it looks at {n:,} positions, not {POSITIONS:,}", _looking_at(n))
        for n in (30, 100, 300, 1_000, 20_000)
    },
}

#: The games that the agents are compared on, by what they are called on the page.
GAMES: Final[dict[str, Callable[[], Suite]]] = {
    "app, draw 3": lambda: Suite.load("d3-validation"),
    "app, draw 1": lambda: Suite.load("d1-validation"),
    "hoyle": lambda: Suite.load("d3-validation").under("hoyle"),
}
AGENTS: Final = ("random", "greedy", "heuristic")


def __getattr__(name: str) -> Callable[[], HeuristicAgent]:
    """The variants as factories, so that ``canfield_env.evaluation`` finds them by ``module:factory``."""
    if name not in VARIANTS:
        raise AttributeError(f"no variant is called {name!r}")

    def make() -> HeuristicAgent:
        agent = VARIANTS[name].make()
        agent.name = name
        return agent

    return make


def measure(out: Path, jobs: int) -> dict[str, Any]:
    """Plays what has not been played yet, and returns the figures."""

    def play(spec: str, suite: Suite, folder: str) -> list[Record]:
        print(f"{folder}: {spec}")
        report = evaluate([spec], suite, out=out / folder, jobs=jobs, resume=True, progress=True)
        return list(report.records)

    suite = Suite.load("d3-validation")
    variants = {name: play(f"scripts.ablate_heuristic:{name}", suite, name) for name in VARIANTS}
    return {
        "suite": suite.name,
        "weights": WEIGHTS._asdict(),
        "positions": POSITIONS,
        "variants": {
            name: {"summary": asdict(summarise(records)), "against_whole": asdict(compare(records, variants["whole"]))}
            for name, records in variants.items()
        },
        "games": {
            game: {agent: asdict(summarise(play(agent, load(), f"{game}-{agent}"))) for agent in AGENTS}
            for game, load in GAMES.items()
        },
    }


# ------------------------------------------------------------------ the page


def weight_table(results: dict[str, Any]) -> str:
    """The weights, in the words of the docstring of ``Weights``."""
    meanings = dict(re.findall(r"(?m)^        (\w+): (.+)$", Weights.__doc__ or ""))
    return _table(["what counts", "weight"], [[meanings[k], f"{v:g}"] for k, v in results["weights"].items()])


def variant_table(results: dict[str, Any]) -> str:
    """What each change costs."""
    rows = []
    for name, figures in results["variants"].items():
        summary, difference = figures["summary"], figures["against_whole"]
        rows.append(
            [
                VARIANTS[name].change,
                _percent(summary["win_rate"]),
                _percent(difference["win_rate"]) if name != "whole" else "",
                f"{summary['cards_up']['value']:.1f}",
                f"{1000 * summary['seconds']:.0f}",
            ]
        )
    return _table(["what is changed", "won", "difference", "cards up", "CPU ms per game"], rows)


def game_table(results: dict[str, Any]) -> str:
    """The agents beside each other."""
    rows = [[game, *(_percent(by_agent[a]["win_rate"]) for a in AGENTS)] for game, by_agent in results["games"].items()]
    return _table(["won", *AGENTS], rows)


TABLES: Final = {"weights": weight_table, "variants": variant_table, "games": game_table}


def page(text: str, results: dict[str, Any]) -> str:
    """The page's text with its tables made anew."""
    return with_tables(text, {name: partial(table, results) for name, table in TABLES.items()})


def _percent(estimate: dict[str, Any]) -> str:
    return Estimate(**estimate).percent()


def _table(header: list[str], rows: list[list[str]]) -> str:
    return "\n".join(f"| {' | '.join(row)} |" for row in (header, ["---"] * len(header), *rows))


def main(
    out: Annotated[Path, typer.Option(help="Where the records are kept.")] = ROOT / "runs" / "heuristic",
    jobs: Annotated[int, typer.Option(min=1, help="Worker processes.")] = 1,
    tables: Annotated[
        bool, typer.Option("--tables", help="Play nothing: the page from the figures there are.")
    ] = False,
) -> None:
    """Measure what each part of the heuristic brings, and write its page."""
    if not tables:
        RESULTS.write_bytes(orjson.dumps(measure(out, jobs), option=orjson.OPT_INDENT_2))
    PAGE.write_text(page(PAGE.read_text(encoding="utf-8"), orjson.loads(RESULTS.read_bytes())), encoding="utf-8")


if __name__ == "__main__":
    sys.exit(run_script(main))
