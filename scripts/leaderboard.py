#!/usr/bin/env python
"""The leaderboard: plays the agents on the test suites, and writes docs/leaderboard.md from the records.

    python scripts/leaderboard.py play                 # all agents on all suites; can be stopped and started again
    python scripts/leaderboard.py play --suite d3-test --agent planner --games 300
    python scripts/leaderboard.py page                 # the page and its plots, from docs/results/leaderboard/ alone

Episodes are played in parts of 100 deals. Those of a part on its way are in runs/leaderboard/; the records of finished
parts are kept, compressed, in docs/results/leaderboard/SUITE/AGENT.jsonl.xz.
"""

from __future__ import annotations

import lzma
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import Annotated, Final

import typer

from canfield_env.errors import ConfigError
from canfield_env.evaluation.certificates import read_certificate
from canfield_env.evaluation.metrics import Comparison, Estimate, Summary, compare, share, summarise
from canfield_env.evaluation.runner import evaluate
from canfield_env.evaluation.suites import Suite
from canfield_env.records import Record
from scripts.command import run_script
from scripts.pages import amount, new_figure, percent, save_figure

ROOT: Final = Path(__file__).parent.parent
KEPT: Final = ROOT / "docs" / "results" / "leaderboard"
#: The suites, and who plays on each, from weak to strong.
SUITES: Final = {
    "d3-test": ("random", "greedy", "ppo:d3", "heuristic", "planner:fast", "planner", "planner:strong"),
    "d1-test": ("random", "greedy", "ppo:d1", "heuristic", "planner:fast", "planner", "planner:strong"),
    "hoyle-test": ("random", "greedy", "heuristic", "planner:fast", "planner", "planner:strong"),
}
#: How many deals of a suite an agent plays, where that is not all of them.
MOST_GAMES: Final = {"planner:strong": 200}
PART: Final = 100

app = typer.Typer(add_completion=False, help=__doc__)


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
    path = KEPT / suite.name / f"{spec.replace(':', '-')}.jsonl.xz"
    records = read_kept(path) if path.exists() else []
    deals = suite.deals[:games]
    for first in range(len(records), len(deals), PART):
        part = replace(suite, deals=deals[first : first + PART])
        folder = ROOT / "runs" / "leaderboard" / suite.name / spec.replace(":", "-") / f"{first:04}-{len(part.deals)}"
        report = evaluate([spec], part, out=folder, jobs=jobs, resume=folder.exists(), progress=True)
        records += report.records
        path.parent.mkdir(parents=True, exist_ok=True)
        scratch = path.with_suffix(".part")
        scratch.write_bytes(lzma.compress(b"".join(record.to_json() + b"\n" for record in records)))
        scratch.replace(path)
        wins = sum(record.outcome == "won" for record in records)
        print(f"{suite.name} {spec}: {wins} of {len(records)} won", flush=True)


def read_kept(path: Path) -> list[Record]:
    """The records of a compressed file."""
    return [Record.from_json(line) for line in lzma.decompress(path.read_bytes()).splitlines()]


# ---------------------------------------------------------------------- the page


@dataclass(frozen=True)
class Board:
    """What the agents have achieved on a suite.

    Attributes:
        suite: the suite.
        records: the records of each agent, in the order of ``SUITES``.
        verdicts: which deals can be won, by their codes; None where that has not been found out.
    """

    suite: Suite
    records: dict[str, list[Record]]
    verdicts: Mapping[str, str] | None

    @classmethod
    def read(cls, name: str) -> Board:
        """Reads what is kept about a suite."""
        suite = Suite.load(name)
        certificate = read_certificate(suite)
        paths = {spec: KEPT / name / f"{spec.replace(':', '-')}.jsonl.xz" for spec in SUITES[name]}
        records = {spec: read_kept(path) for spec, path in paths.items() if path.exists()}
        verdicts = None if certificate is None else {code: found.verdict for code, found in certificate.items()}
        return cls(suite, records, verdicts)

    @property
    def summaries(self) -> list[Summary]:
        """One for each agent."""
        return [summarise(records) for records in self.records.values()]

    @property
    def comparisons(self) -> list[Comparison]:
        """Each agent against the one before it."""
        return [compare(later, earlier) for earlier, later in pairwise(self.records.values())]

    @property
    def bound(self) -> float | None:
        """The share of the suite's deals that one who sees all cards can win, the undecided ones left out."""
        if self.verdicts is None:
            return None
        return list(self.verdicts.values()).count("winnable") / len(self.verdicts)

    def of_winnable(self, agent: str) -> Estimate | None:
        """The share of the deals that can be won which an agent has won."""
        if self.verdicts is None:
            return None
        codes = self.verdicts
        played = [record for record in self.records[agent] if codes[str(record.deal)] == "winnable"]
        return share(sum(record.outcome == "won" for record in played), len(played)) if played else None


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
        "for means. Seconds are CPU seconds on one core. The casino's bet is told in two ways (H4): $50 a deck, $5 a",
        "card and $500 for all of them; or $52 a deck and nothing but the $5 a card.",
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
    if board.verdicts is not None and board.bound is not None:
        undecided = list(board.verdicts.values()).count("undecided")
        unsure = f", and {undecided} are undecided" if undecided else ""
        yield f"One who sees all cards can win {100 * board.bound:.1f} % of its deals{unsure}."
    yield ""
    yield "| agent | games | won | of the winnable | cards up | casino, $50 | casino, $52 | seconds a game |"
    yield "|---|---|---|---|---|---|---|---|"
    for summary in board.summaries:
        of_winnable = board.of_winnable(summary.agent)
        cells = [
            summary.agent,
            str(summary.games),
            percent(summary.win_rate),
            percent(of_winnable) if of_winnable else "",
            amount(summary.cards_up),
            amount(summary.casino_fifty),
            amount(summary.casino_fifty_two),
            f"{summary.seconds:.3f}",
        ]
        yield f"| {' | '.join(cells)} |"
    yield ""
    yield "On the deals that both have played:"
    yield ""
    for c in board.comparisons:
        yield (
            f"- {c.first} against {c.second}, {c.games} deals: {percent(c.win_rate)} more won, "
            f"{amount(c.cards_up)} more cards up; McNemar's exact test p = {c.p_value:.2g}"
        )
    yield ""
    yield f"![Deals won against CPU seconds a game](leaderboard-{name}-wins.svg)"
    yield ""
    yield f"![Cards up at the end](leaderboard-{name}-cards-up.svg)"


def plot_wins(board: Board, path: Path) -> None:
    """Draws the share of deals won against CPU seconds a game, with the bound as a line."""
    figure, axes = new_figure()
    for summary in board.summaries:
        rate, seconds = summary.win_rate, max(summary.seconds, 1e-4)
        assert rate.low is not None
        assert rate.high is not None
        errors = [[100 * (rate.value - rate.low)], [100 * (rate.high - rate.value)]]
        axes.errorbar(seconds, 100 * rate.value, yerr=errors, fmt="o", capsize=3)
        axes.annotate(summary.agent, (seconds, 100 * rate.value), xytext=(6, 4), textcoords="offset points")
    if board.bound is not None:
        axes.axhline(100 * board.bound, linestyle="--", color="grey")
        axes.annotate("all cards known", (1e-4, 100 * board.bound), xytext=(0, 4), textcoords="offset points")
    axes.set(xscale="log", xlabel="CPU seconds a game", ylabel="deals won, %", ylim=(0, 100), title=board.suite.name)
    axes.margins(x=0.15)
    save_figure(figure, path)


def plot_cards_up(board: Board, path: Path) -> None:
    """Draws for every number of cards the share of games that ended with at least so many up."""
    figure, axes = new_figure()
    for agent, records in board.records.items():
        ends = [record.cards_up for record in records]
        share_of = [100 * sum(end >= cards for end in ends) / len(ends) for cards in range(1, 53)]
        axes.step(range(1, 53), share_of, where="mid", label=agent)
    axes.set(xlabel="cards up at the end, at least", ylabel="games, %", ylim=(0, 100), title=board.suite.name)
    axes.legend()
    save_figure(figure, path)


if __name__ == "__main__":
    sys.exit(run_script(app))
