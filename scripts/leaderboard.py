#!/usr/bin/env python
"""The leaderboard: plays the agents on the test suites, and writes docs/leaderboard.md from the records.

    python scripts/leaderboard.py play                 # all agents on all suites; can be stopped and started again
    python scripts/leaderboard.py play --suite d3-test --agent planner --games 300
    python scripts/leaderboard.py time                 # what the agents' games take, all in one run, on idle cores
    python scripts/leaderboard.py page                 # the page and its plots, from docs/results/leaderboard/ alone

Episodes are played in parts of 100 deals. Those of a part on its way are in runs/leaderboard/; the records of finished
parts are kept, compressed, in docs/results/leaderboard/SUITE/AGENT.jsonl.xz, and beside them, in models.json, the
fingerprints of the models that played. An agent that has another model by now has to be played anew. Records hold
seconds as well, but they have been made on different machines; only seconds of the same run are compared.
"""

from __future__ import annotations

import lzma
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import Annotated, Any, Final

import orjson
import typer
from tqdm import tqdm

from canfield_env.deals import Deal
from canfield_env.errors import ConfigError
from canfield_env.evaluation.certificates import Certified, read_certificate, winnable_deals
from canfield_env.evaluation.metrics import Comparison, Estimate, Summary, compare, mean, summarise
from canfield_env.evaluation.protocol import Trained
from canfield_env.evaluation.runner import evaluate
from canfield_env.evaluation.specs import load_agent
from canfield_env.evaluation.suites import Suite
from canfield_env.files import write_whole
from canfield_env.records import Record
from scripts.command import run_script
from scripts.machine import machine
from scripts.pages import name_beside, new_figure, save_figure

ROOT: Final = Path(__file__).parent.parent
KEPT: Final = ROOT / "docs" / "results" / "leaderboard"
#: The file beside the records that tells which models played.
MODELS: Final = "models.json"
#: The suites, and who plays on each, from weak to strong.
SUITES: Final = {
    "d3-test": (
        "random",
        "greedy",
        "ppo:d3-small",
        "ppo:d3-direct",
        "heuristic",
        "ppo:d3",
        "planner:fast",
        "planner",
        "planner:learned",
        "planner:strong",
    ),
    "d1-test": (
        "random",
        "greedy",
        "ppo:d1-small",
        "heuristic",
        "ppo:d1-direct",
        "ppo:d1",
        "planner:fast",
        "planner",
        "planner:strong",
    ),
    "hoyle-test": ("random", "greedy", "heuristic", "planner:fast", "planner", "planner:strong"),
}
#: The file beside the suites with the CPU seconds of the agents' games, measured in one run.
SECONDS: Final = "seconds.json"
#: How many deals of a suite an agent plays, where that is not all of them.
MOST_GAMES: Final = {"planner:strong": 200}
PART: Final = 100

app = typer.Typer(add_completion=False, help=__doc__)


@dataclass(frozen=True)
class Timed:
    """What the games of an agent took.

    Attributes:
        model: the fingerprint of its model; None if it has none.
        seconds: the CPU seconds of each game.
    """

    model: str | None
    seconds: list[float]


@app.command()
def play(
    suite: Annotated[list[str] | None, typer.Option(help="Suites; all if none is given.")] = None,
    agent: Annotated[list[str] | None, typer.Option(help="Agents; all if none is given.")] = None,
    games: Annotated[int | None, typer.Option(min=1, help="Deals of each suite; all if it is not given.")] = None,
    jobs: Annotated[int, typer.Option(min=1)] = 1,
) -> None:
    """Plays what has not been played yet, and keeps the records."""
    for name in suite or SUITES:
        if name not in SUITES:
            raise ConfigError(f"the leaderboard has no suite {name!r}: there are {', '.join(SUITES)}")
        for spec in agent or SUITES[name]:
            _play(Suite.load(name), spec, games or MOST_GAMES.get(spec), jobs)


def _play(suite: Suite, spec: str, games: int | None, jobs: int) -> None:
    path = _kept_file(suite.name, spec)
    records = read_kept(path) if path.exists() else []
    _note_model(suite.name, spec, is_played=bool(records))
    deals = suite.deals[:games]
    for first in range(len(records), len(deals), PART):
        part = replace(suite, deals=deals[first : first + PART])
        folder = ROOT / "runs" / "leaderboard" / suite.name / spec.replace(":", "-") / f"{first:04}-{len(part.deals)}"
        report = evaluate([spec], part, out=folder, jobs=jobs, resume=folder.exists(), progress=True)
        records += report.records
        write_whole(path, lzma.compress(b"".join(record.to_json() + b"\n" for record in records)))
        wins = sum(record.outcome == "won" for record in records)
        print(f"{suite.name} {spec}: {wins} of {len(records)} won", flush=True)


def _note_model(suite: str, spec: str, is_played: bool) -> None:
    """Notes which model an agent plays by.

    Raises:
        ConfigError: it has played already, by another one.
    """
    agent, models, path = load_agent(spec), read_models(suite), _kept_file(suite, spec)
    model = agent.fingerprint if isinstance(agent, Trained) else None
    if models.get(spec) == model:
        return
    if is_played:
        raise ConfigError(f"{path}: played by another model than {spec} has now; move the file away to play anew")
    models = {name: known for name, known in (models | {spec: model}).items() if known is not None}
    path.parent.mkdir(parents=True, exist_ok=True)
    write_whole(path.with_name(MODELS), orjson.dumps(models, option=orjson.OPT_INDENT_2 | orjson.OPT_SORT_KEYS))


def _kept_file(suite: str, spec: str) -> Path:
    return KEPT / suite / f"{spec.replace(':', '-')}.jsonl.xz"


def read_kept(path: Path) -> list[Record]:
    """The records of a compressed file.

    Raises:
        ConfigError: the file cannot be read or is damaged.
    """
    try:
        return [Record.from_json(line) for line in lzma.decompress(path.read_bytes()).splitlines()]
    except (OSError, EOFError, lzma.LZMAError, ValueError) as error:
        raise ConfigError(f"{path}: no kept records, or damaged ones: {error}") from error


def read_models(suite: str) -> dict[str, str]:
    """The fingerprints of the models that have played on a suite, by their agents.

    Raises:
        ConfigError: they cannot be read.
    """
    return _read_table(KEPT / suite / MODELS)


def read_seconds() -> dict[str, dict[str, Timed]]:
    """What ``time_games`` has measured, by suite and agent.

    Raises:
        ConfigError: it cannot be read.
    """
    return {
        suite: {spec: Timed(**timed) for spec, timed in agents.items()}
        for suite, agents in _read_table(KEPT / SECONDS).get("suites", {}).items()
    }


def _read_table(path: Path) -> dict[str, Any]:
    """A kept file, or nothing if there is none."""
    if not path.exists():
        return {}
    try:
        return dict(orjson.loads(path.read_bytes()))
    except (OSError, ValueError, TypeError) as error:
        raise ConfigError(f"{path}: cannot be read: {error}") from error


@app.command("time")
def time_games(
    games: Annotated[int, typer.Option(min=1, help="Deals of each suite, its first ones.")] = 20,
) -> None:
    """Measures what games take. All agents play a deal before any plays the next, so a slow time is so for all."""
    found: dict[str, dict[str, Timed]] = {}
    for name, specs in SUITES.items():
        suite = Suite.load(name)
        first = evaluate(specs, replace(suite, deals=suite.deals[:1]))  # loads and compiles, and is not counted
        found[name] = {spec: Timed(first.plan.models.get(spec), []) for spec in specs}
        for deal in tqdm(suite.deals[:games], desc=name, disable=None):
            for record in evaluate(specs, replace(suite, deals=(deal,))).records:
                found[name][record.agent].seconds.append(record.seconds)
    KEPT.mkdir(parents=True, exist_ok=True)
    write_whole(KEPT / SECONDS, orjson.dumps({"machine": machine(), "suites": found}) + b"\n")


# ---------------------------------------------------------------------- the page


@dataclass(frozen=True)
class Board:
    """What the agents have achieved on a suite.

    Attributes:
        suite: the suite.
        records: the records of each agent, in the order of ``SUITES``.
        certificate: the verdicts of the deals, by their codes; None where there are none.
        models: the fingerprints of the models that played, by their agents.
        timed: what games of the agents took, measured in one run, by agent.
    """

    suite: Suite
    records: dict[str, list[Record]]
    certificate: Mapping[str, Certified] | None
    models: Mapping[str, str]
    timed: Mapping[str, Timed]

    @classmethod
    def read(cls, name: str) -> Board:
        """Reads what is kept about a suite."""
        suite = Suite.load(name)
        paths = {spec: _kept_file(name, spec) for spec in SUITES[name]}
        records = {spec: read_kept(path) for spec, path in paths.items() if path.exists()}
        return cls(suite, records, read_certificate(suite), read_models(name), read_seconds().get(name, {}))

    @cached_property
    def winnable(self) -> frozenset[Deal] | None:
        """The deals that are proven winnable; None where there are no verdicts."""
        return winnable_deals(self.suite, self.certificate)

    @cached_property
    def summaries(self) -> list[Summary]:
        """One for each agent."""
        return [summarise(records, self.winnable) for records in self.records.values()]

    @cached_property
    def seconds(self) -> dict[str, Estimate]:
        """The mean CPU seconds of a game, by agent."""
        return {spec: mean(timed.seconds) for spec, timed in self.timed.items()}

    @property
    def comparisons(self) -> list[Comparison]:
        """Each agent against the one before it."""
        return [compare(later, earlier) for earlier, later in pairwise(self.records.values())]

    @property
    def bound(self) -> float | None:
        """The share of the suite's deals that one who sees all cards can win, the undecided ones left out."""
        return None if self.winnable is None else len(self.winnable) / len(self.suite.deals)


@app.command()
def page() -> None:
    """Writes docs/leaderboard.md and its plots."""
    boards = [Board.read(name) for name in SUITES]
    (ROOT / "docs" / "leaderboard.md").write_text(markdown(boards))
    for board in boards:
        if board.records:
            plot_wins(board, ROOT / "docs" / f"leaderboard-{board.suite.name}-wins.svg")
            plot_cards_up(board, ROOT / "docs" / f"leaderboard-{board.suite.name}-cards-up.svg")


def markdown(boards: Sequence[Board]) -> str:
    """The text of the page."""
    lines = [
        "# Leaderboard",
        "",
        "Written by `scripts/leaderboard.py page` from the records in `docs/results/leaderboard/`; every one of them",
        "can be replayed. Agents have a player's knowledge only. Intervals are at 95 %: Wilson's for shares, bootstrap",
        "for means. The casino's bet is told in two ways (H4): $50 a deck, $5 a card and $500 for all of them; or $52",
        "a deck and nothing but the $5 a card. Seconds are CPU seconds on one core, one game at a time, of the suite's",
        "first deals, which all agents have played in one run (`scripts/leaderboard.py time`): they say how much",
        "longer one agent takes than another.",
    ]
    for board in boards:
        if board.records:
            lines += ["", *_section(board)]
    return "\n".join(lines) + "\n"


def _section(board: Board) -> Iterator[str]:
    name = board.suite.name
    yield f"## {name}"
    yield ""
    yield board.suite.description
    if board.certificate is not None and board.bound is not None:
        undecided = [found.verdict for found in board.certificate.values()].count("undecided")
        unsure = f", and {undecided} are undecided" if undecided else ""
        yield f"One who sees all cards can win {100 * board.bound:.1f} % of its deals{unsure}."
    yield ""
    yield "| agent | games | won | of the winnable | cards up | casino, $50 | casino, $52 | seconds a game |"
    yield "|---|---|---|---|---|---|---|---|"
    for summary in board.summaries:
        cells = [
            summary.agent,
            str(summary.games),
            summary.win_rate.percent(),
            summary.winnable_rate.percent() if summary.winnable_rate else "",
            summary.cards_up.amount(),
            summary.casino_fifty.amount(),
            summary.casino_fifty_two.amount(),
            board.seconds[summary.agent].amount(3) if summary.agent in board.seconds else "",
        ]
        yield f"| {' | '.join(cells)} |"
    yield ""
    yield "On the deals that both have played:"
    yield ""
    for c in board.comparisons:
        yield (
            f"- {c.first} against {c.second}, {c.games} deals: {c.win_rate.percent()} more won, "
            f"{c.cards_up.amount()} more cards up; McNemar's exact test p = {c.p_value:.2g}"
        )
    yield ""
    yield f"![Deals won against CPU seconds a game](leaderboard-{name}-wins.svg)"
    yield ""
    yield f"![Cards up at the end](leaderboard-{name}-cards-up.svg)"


def plot_wins(board: Board, path: Path) -> None:
    """Draws the share of deals won against CPU seconds a game, with the bound as a line."""
    figure, axes = new_figure()
    for summary in board.summaries:
        if summary.agent not in board.seconds:
            continue
        rate, seconds = summary.win_rate, max(board.seconds[summary.agent].value, 1e-4)
        assert rate.low is not None
        assert rate.high is not None
        errors = [[100 * (rate.value - rate.low)], [100 * (rate.high - rate.value)]]
        axes.errorbar(seconds, 100 * rate.value, yerr=errors, fmt="o", capsize=3, label=summary.agent)
    if board.bound is not None:
        axes.axhline(100 * board.bound, linestyle="--", color="grey", label="all cards known")
    axes.set(xscale="log", xlabel="CPU seconds a game", ylabel="deals won, %", ylim=(0, 100), title=board.suite.name)
    name_beside(figure)
    save_figure(figure, path)


def plot_cards_up(board: Board, path: Path) -> None:
    """Draws for every number of cards the share of games that ended with at least so many up."""
    figure, axes = new_figure()
    for agent, records in board.records.items():
        ends = [record.cards_up for record in records]
        share_of = [100 * sum(end >= cards for end in ends) / len(ends) for cards in range(1, 53)]
        axes.step(range(1, 53), share_of, where="mid", label=agent)
    axes.set(xlabel="cards up at the end, at least", ylabel="games, %", ylim=(0, 100), title=board.suite.name)
    name_beside(figure)
    save_figure(figure, path)


if __name__ == "__main__":
    sys.exit(run_script(app))
