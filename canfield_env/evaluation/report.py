"""The report of an evaluation: as a table on a terminal, as JSON and as Markdown."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from itertools import combinations
from typing import Any, Final, TypeAlias

import orjson
from rich.console import Console
from rich.table import Table
from rich.text import Text

import canfield_env
from canfield_env.evaluation.folder import Plan
from canfield_env.evaluation.metrics import Comparison, Estimate, Summary, compare, summarise
from canfield_env.records import Record

#: A table: rows of cells, the header first.
Rows: TypeAlias = list[list[str]]


@dataclass(frozen=True)
class Report:
    """What an evaluation found.

    Attributes:
        plan: what was played.
        records: the episodes, in the plan's order.
    """

    plan: Plan
    records: Sequence[Record]

    @cached_property
    def summaries(self) -> list[Summary]:
        """One for each agent, in the plan's order."""
        return [summarise(records) for records in self._by_agent().values()]

    @cached_property
    def comparisons(self) -> list[Comparison]:
        """One for each pair of agents: the later one against the earlier one."""
        return [compare(later, earlier) for earlier, later in combinations(self._by_agent().values(), 2)]

    def _by_agent(self) -> dict[str, list[Record]]:
        return {name: [record for record in self.records if record.agent == name] for name in self.plan.names}

    @property
    def title(self) -> str:
        """What was played, in a line."""
        suite = self.plan.suite
        draws = sorted({deal.draw for deal in suite.deals})
        name = f"{suite.name} (version {suite.version})" if suite.name else "given deals"
        games = f"{len(suite.deals)} {'deal' if len(suite.deals) == 1 else 'deals'}"
        rules = suite.rules.name or "own"
        return f"{name}: {games}, {rules} rules, draw {' and '.join(map(str, draws))}, seed {self.plan.seed}"

    def to_dict(self) -> dict[str, Any]:
        """The report as JSON has it: the plan, a summary per agent, a comparison per pair of agents."""
        return {
            "version": canfield_env.__version__,
            **self.plan.to_dict(),
            "summaries": [asdict(summary) for summary in self.summaries],
            "comparisons": [asdict(comparison) for comparison in self.comparisons],
        }

    def to_markdown(self) -> str:
        """The report as a Markdown document."""
        parts = [f"# {self.title}", *map(_markdown, self._tables()), _NOTE]
        return "\n\n".join(parts) + "\n"

    def print(self, console: Console) -> None:
        """Prints the report as tables."""
        console.print(self.title, style="bold", highlight=False, markup=False)
        for table in self._tables():
            console.print(_rich(table))
        console.print(_NOTE, highlight=False, markup=False)

    def files(self) -> list[tuple[str, bytes]]:
        """The files that hold the report, by name and content."""
        return [
            ("report.json", orjson.dumps(self.to_dict(), option=orjson.OPT_INDENT_2)),
            ("report.md", self.to_markdown().encode()),
        ]

    def _tables(self) -> list[Rows]:
        """The summaries, agents across, and where there are several agents the comparisons, one a row."""
        summaries = [["", *(s.agent for s in self.summaries)]]
        summaries += [[label, *(cell(s) for s in self.summaries)] for label, cell in _SUMMARY_ROWS]
        if not self.comparisons:
            return [summaries]
        comparisons = [[label for label, _ in _COMPARISON_COLUMNS]]
        comparisons += [[cell(c) for _, cell in _COMPARISON_COLUMNS] for c in self.comparisons]
        return [summaries, comparisons]


def _markdown(rows: Rows) -> str:
    escaped = [[cell.replace("|", "\\|") for cell in row] for row in rows]
    header, *others = [f"| {' | '.join(row)} |" for row in escaped]
    return "\n".join([header, "|---" * len(rows[0]) + "|", *others])


def _rich(rows: Rows) -> Table:
    """A table for the terminal, with the intervals below their values to save width."""
    header, *others = rows
    table = Table(header_style="bold")
    for place, name in enumerate(header):
        table.add_column(Text(name), justify="right" if place else "left", overflow="fold")
    for row in others:
        table.add_row(*(Text(cell.replace(" (", "\n(")) for cell in row))
    return table


def _percent(estimate: Estimate) -> str:
    return _format(estimate, 100, 1, " %")


def _amount(estimate: Estimate) -> str:
    return _format(estimate, 1, 1, "")


def _format(estimate: Estimate, scale: float, digits: int, unit: str) -> str:
    """Such as ``12.8 % (10.9 to 15.0)``."""
    text = f"{scale * estimate.value:.{digits}f}{unit}"
    if estimate.low is None or estimate.high is None:
        return text
    return f"{text} ({scale * estimate.low:.{digits}f} to {scale * estimate.high:.{digits}f})"


_SUMMARY_ROWS: Final[list[tuple[str, Callable[[Summary], str]]]] = [
    ("games", lambda s: str(s.games)),
    ("won", lambda s: _percent(s.win_rate)),
    ("cards up", lambda s: _amount(s.cards_up)),
    ("score", lambda s: _amount(s.score)),
    ("casino, $50 deck", lambda s: _amount(s.casino_fifty)),
    ("casino, $52 deck", lambda s: _amount(s.casino_fifty_two)),
    ("outcomes", lambda s: ", ".join(f"{name} {count}" for name, count in s.outcomes.items())),
    ("moves per game", lambda s: f"{s.moves:.1f}"),
    ("CPU seconds per game", lambda s: f"{s.seconds:.3f}"),
]
_COMPARISON_COLUMNS: Final[list[tuple[str, Callable[[Comparison], str]]]] = [
    ("pair", lambda c: f"{c.first} - {c.second}"),
    ("deals", lambda c: str(c.games)),
    ("won", lambda c: _percent(c.win_rate)),
    ("cards up", lambda c: _amount(c.cards_up)),
    ("only the first won", lambda c: str(c.only_first)),
    ("only the second", lambda c: str(c.only_second)),
    ("p", lambda c: f"{c.p_value:.2g}"),
]

_NOTE: Final = (
    "In brackets: 95 % intervals, Wilson's for shares won, bootstrap for means and differences. "
    "p: McNemar's exact test on the deals that only one of the two won."
)
