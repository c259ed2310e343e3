"""Statistics over the games played, apart for each number of cards that a turn brings."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from canfield_env.deals import DRAWS
from canfield_env.records import Record


@dataclass(frozen=True, slots=True)
class Statistics:
    """What games of one draw count have come to.

    Attributes:
        played: games played.
        won: those won.
        best: the highest score, None before the first game.
        average: the mean score, None before the first game.
    """

    played: int = 0
    won: int = 0
    best: int | None = None
    average: float | None = None

    @classmethod
    def of(cls, records: Iterable[Record]) -> Statistics:
        """The statistics of some games."""
        games = list(records)
        if not games:
            return cls()
        scores = [record.score for record in games]
        return cls(len(games), sum(record.outcome == "won" for record in games), max(scores), sum(scores) / len(scores))


def by_draw(records: Iterable[Record]) -> dict[int, Statistics]:
    """Statistics for draw 3 and draw 1, in this order."""
    games = list(records)
    return {
        draw: Statistics.of(record for record in games if record.deal.draw == draw)
        for draw in sorted(DRAWS, reverse=True)
    }
