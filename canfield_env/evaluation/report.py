"""The report of an evaluation: as a table on a terminal, as JSON and as Markdown."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from itertools import combinations
from typing import Any, Final, TypeAlias

import orjson
from rich.console import Console
from rich.table import Table
from rich.text import Text

from canfield_env.evaluation.certificates import Certified, winnable_deals
from canfield_env.evaluation.folder import Plan
from canfield_env.evaluation.metrics import Comparison, Summary, compare, summarise
from canfield_env.records import Record

#: A table: rows of cells, the header first.
Rows: TypeAlias = list[list[str]]


@dataclass(frozen=True)
class Report:
    """What an evaluation found.

    Attributes:
        plan: what was played.
        records: the episodes, in the plan's order.
        certificate: the verdict of each deal of the suite by its code, or None where there is no certificate.
    """

    plan: Plan
    records: Sequence[Record]
    certificate: Mapping[str, Certified] | None = None

    @cached_property
    def summaries(self) -> list[Summary]:
        """One for each agent, in the plan's order."""
        winnable = winnable_deals(self.plan.suite, self.certificate)
        return [summarise(records, winnable) for records in self._by_agent().values()]

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
            **self.plan.to_dict(),
            "summaries": [asdict(summary) for summary in self.summaries],
            "comparisons": [asdict(comparison) for comparison in self.comparisons],
        }

    def to_markdown(self) -> str:
        """The report as a Markdown document."""
        parts = [f"# {self.title}", *map(_markdown, self._tables()), *self._notes()]
        return "\n\n".join(parts) + "\n"

    def print(self, console: Console) -> None:
        """Prints the report as tables."""
        console.print(self.title, style="bold", highlight=False, markup=False)
        for table in self._tables():
            console.print(_rich(table))
        for note in self._notes():
            console.print(note, highlight=False, markup=False)

    def files(self) -> list[tuple[str, bytes]]:
        """The files that hold the report, by name and content."""
        return [
            ("report.json", orjson.dumps(self.to_dict(), option=orjson.OPT_INDENT_2)),
            ("report.md", self.to_markdown().encode()),
        ]

    def _notes(self) -> Iterator[str]:
        yield _NOTE
        if self.certificate is not None:
            verdicts = [found.verdict for found in self.certificate.values()]
            yield (
                f"Of the {len(verdicts)} deals, {verdicts.count('winnable')} are proven winnable by one who sees all "
                f"cards, and {verdicts.count('undecided')} undecided."
            )

    def _tables(self) -> list[Rows]:
        """The summaries, agents across, and where there are several agents the comparisons, one a row."""
        summaries = [["", *(s.agent for s in self.summaries)]]
        rows = [row for row in _SUMMARY_ROWS if self.certificate is not None or row is not _OF_WINNABLE]
        summaries += [[label, *(cell(s) for s in self.summaries)] for label, cell in rows]
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


def _of_winnable(summary: Summary) -> str:
    """Such as ``3 of 17, 17.6 % (6.2 to 41.0)``."""
    counts = f"{summary.winnable_wins} of {summary.winnable}"
    return counts if summary.winnable_rate is None else f"{counts}, {summary.winnable_rate.percent()}"


_OF_WINNABLE: Final = ("won of the winnable", _of_winnable)
_SUMMARY_ROWS: Final[list[tuple[str, Callable[[Summary], str]]]] = [
    ("games", lambda s: str(s.games)),
    ("won", lambda s: s.win_rate.percent()),
    _OF_WINNABLE,
    ("cards up", lambda s: s.cards_up.amount()),
    ("score", lambda s: s.score.amount()),
    ("casino, $50 deck", lambda s: s.casino_fifty.amount()),
    ("casino, $52 deck", lambda s: s.casino_fifty_two.amount()),
    ("outcomes", lambda s: ", ".join(f"{name} {count}" for name, count in s.outcomes.items())),
    ("moves per game", lambda s: f"{s.moves:.1f}"),
    ("CPU seconds per game", lambda s: f"{s.seconds:.3f}"),
]
_COMPARISON_COLUMNS: Final[list[tuple[str, Callable[[Comparison], str]]]] = [
    ("pair", lambda c: f"{c.first} - {c.second}"),
    ("deals", lambda c: str(c.games)),
    ("won", lambda c: c.win_rate.percent()),
    ("cards up", lambda c: c.cards_up.amount()),
    ("only the first won", lambda c: str(c.only_first)),
    ("only the second", lambda c: str(c.only_second)),
    ("p", lambda c: f"{c.p_value:.2g}"),
]

_NOTE: Final = (
    "In brackets: 95 % intervals, Wilson's for shares won, bootstrap for means and differences. "
    "p: McNemar's exact test on the deals that only one of the two won."
)
