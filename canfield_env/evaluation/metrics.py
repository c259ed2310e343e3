"""What records say about the agents that made them. The statistics are scipy's; all intervals are at 95 %."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from scipy.stats import binomtest, bootstrap

from canfield_env.deals import Deal
from canfield_env.game import CASINO_BETS
from canfield_env.records import Record

CONFIDENCE: Final = 0.95
RESAMPLES: Final = 9_999
# The bootstrap draws from this seed, so that the same records always give the same report.
_BOOTSTRAP_SEED: Final = 20_250_101


@dataclass(frozen=True, slots=True)
class Estimate:
    """A measured value with its 95 % interval; the ends are None where there are too few values for one."""

    value: float
    low: float | None
    high: float | None

    def percent(self) -> str:
        """A share as text, such as ``84.2 % (76.6 to 89.6)``."""
        return f"{100 * self.value:.1f} %{self._ends(100)}"

    def amount(self, places: int = 1) -> str:
        """An amount as text, such as ``44.5 (42.1 to 46.6)``, with so many decimal places."""
        return f"{self.value:.{places}f}{self._ends(1, places)}"

    def _ends(self, scale: float, places: int = 1) -> str:
        if self.low is None or self.high is None:
            return ""
        return f" ({scale * self.low:.{places}f} to {scale * self.high:.{places}f})"


@dataclass(frozen=True, slots=True)
class Summary:
    """What an agent achieved.

    Attributes:
        agent: its name.
        games: episodes played.
        wins: episodes won.
        win_rate: wins per game, 0 to 1, with Wilson's interval.
        winnable: of the games, how many were on deals that are proven winnable; None where no verdicts are known.
        winnable_wins: how many of these were won.
        winnable_rate: their share, with Wilson's interval; None where there are none.
        cards_up: mean cards on the foundations at the end, base card included (bootstrap interval).
        score: mean points at the end (bootstrap interval).
        casino_fifty: mean dollars won per deal at $50 a deck, $5 a card and $500 for all (bootstrap interval).
        casino_fifty_two: the same at $52 a deck and $5 a card.
        outcomes: how many episodes ended in which way, the most frequent first.
        moves: mean literal moves per game, stock turns included.
        seconds: mean CPU seconds per game that the agent took.
    """

    agent: str
    games: int
    wins: int
    win_rate: Estimate
    winnable: int | None
    winnable_wins: int | None
    winnable_rate: Estimate | None
    cards_up: Estimate
    score: Estimate
    casino_fifty: Estimate
    casino_fifty_two: Estimate
    outcomes: dict[str, int]
    moves: float
    seconds: float


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two agents on the same deals; differences are the first less the second.

    Attributes:
        first, second: the agents' names.
        games: deals that both played.
        both, only_first, only_second, neither: deals won by both, one or none.
        win_rate: difference of the win rates (bootstrap interval over the deals).
        cards_up: difference of the mean cards up (bootstrap interval over the deals).
        p_value: McNemar's exact test: how likely the deals won by only one of them would be split at least so
            unevenly, were both agents equally good.
    """

    first: str
    second: str
    games: int
    both: int
    only_first: int
    only_second: int
    neither: int
    win_rate: Estimate
    cards_up: Estimate
    p_value: float


def summarise(records: Sequence[Record], winnable: Collection[Deal] | None = None) -> Summary:
    """The summary of one agent's records.

    Args:
        records: the episodes.
        winnable: the deals that are proven winnable, best as a set; None where no verdicts are known.

    Raises:
        ValueError: there are none, or they are of several agents.
    """
    agents = {record.agent for record in records}
    if len(agents) != 1:
        raise ValueError(f"a summary needs the records of one agent, not of {len(agents)}")
    wins = _wins(records)
    could_be_won = None if winnable is None else [record for record in records if record.deal in winnable]
    nets = {name: [bet.net(r.cards_up, r.outcome == "won") for r in records] for name, bet in CASINO_BETS.items()}
    return Summary(
        agent=agents.pop(),
        games=len(records),
        wins=wins,
        win_rate=share(wins, len(records)),
        winnable=None if could_be_won is None else len(could_be_won),
        winnable_wins=None if could_be_won is None else _wins(could_be_won),
        winnable_rate=share(_wins(could_be_won), len(could_be_won)) if could_be_won else None,
        cards_up=mean([record.cards_up for record in records]),
        score=mean([record.score for record in records]),
        casino_fifty=mean(nets["fifty"]),
        casino_fifty_two=mean(nets["fifty-two"]),
        outcomes=dict(Counter(record.outcome for record in records).most_common()),
        moves=sum(len(record.moves) for record in records) / len(records),
        seconds=sum(record.seconds for record in records) / len(records),
    )


def _wins(records: Sequence[Record]) -> int:
    return sum(record.outcome == "won" for record in records)


def compare(first: Sequence[Record], second: Sequence[Record]) -> Comparison:
    """Compares two agents on the deals that both have played.

    Raises:
        ValueError: there is no such deal.
    """
    others = {record.deal: record for record in second}
    pairs = [(record, others[record.deal]) for record in first if record.deal in others]
    if not pairs:
        raise ValueError("the agents have played no deal in common")
    won = Counter((a.outcome == "won", b.outcome == "won") for a, b in pairs)
    only_first, only_second = won[True, False], won[False, True]
    return Comparison(
        first=pairs[0][0].agent,
        second=pairs[0][1].agent,
        games=len(pairs),
        both=won[True, True],
        only_first=only_first,
        only_second=only_second,
        neither=won[False, False],
        win_rate=mean([(a.outcome == "won") - (b.outcome == "won") for a, b in pairs]),
        cards_up=mean([a.cards_up - b.cards_up for a, b in pairs]),
        p_value=mcnemar(only_first, only_second),
    )


def share(count: int, total: int) -> Estimate:
    """A share with Wilson's score interval."""
    interval = binomtest(count, total).proportion_ci(CONFIDENCE, method="wilson")
    return Estimate(count / total, float(interval.low), float(interval.high))


def mean(values: Sequence[float]) -> Estimate:
    """A mean with its bootstrap interval (bias-corrected and accelerated, Efron 1987, from a fixed seed)."""
    sample = np.asarray(values, dtype=float)
    value = float(sample.mean())
    if len(sample) < 2:
        return Estimate(value, None, None)
    if np.ptp(sample) == 0:  # every resample is the same
        return Estimate(value, value, value)
    rng = np.random.default_rng(_BOOTSTRAP_SEED)
    result = bootstrap(
        (sample,), np.mean, confidence_level=CONFIDENCE, n_resamples=RESAMPLES, batch=1_000, random_state=rng
    )
    return Estimate(value, float(result.confidence_interval.low), float(result.confidence_interval.high))


def mcnemar(only_first: int, only_second: int) -> float:
    """The two-sided p-value of McNemar's exact test; 1 where no deal tells the agents apart."""
    told_apart = only_first + only_second
    return float(binomtest(only_first, told_apart).pvalue) if told_apart else 1.0
