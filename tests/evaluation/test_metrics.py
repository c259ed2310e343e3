"""The statistics against values from the literature, from tables, or worked out by hand."""

from __future__ import annotations

import io

import pytest
from rich.console import Console

from canfield_env import Deal, Move, Rules
from canfield_env.evaluation.folder import Plan
from canfield_env.evaluation.metrics import Estimate, compare, mcnemar, mean, share, summarise
from canfield_env.evaluation.report import Report
from canfield_env.evaluation.suites import Suite
from canfield_env.records import Record

RULES = Rules.named("app")


def record(number: int, cards_up: int, agent: str = "a", moves: int = 0, seconds: float = 0.0) -> Record:
    outcome = "won" if cards_up == 52 else "dead"
    played = (Move("D"),) * moves
    return Record(Deal.from_number(number), RULES, played, outcome, cards_up, 5 * (cards_up - 1), agent, seconds)


@pytest.mark.parametrize(
    ("count", "total", "low", "high"),
    [  # Newcombe, Statistics in Medicine 17 (1998), table I, method 3: Wilson's score interval
        (81, 263, 0.2553, 0.3662),
        (15, 148, 0.0624, 0.1605),
        (0, 20, 0.0, 0.1611),
        (1, 29, 0.0061, 0.1718),
    ],
)
def test_wilson_interval(count: int, total: int, low: float, high: float):
    estimate = share(count, total)
    assert estimate.value == count / total
    assert (estimate.low, estimate.high) == pytest.approx((low, high), abs=5e-5)


@pytest.mark.parametrize(
    ("only_first", "only_second", "p_value"),
    [(0, 0, 1.0), (1, 0, 1.0), (5, 0, 2 / 2**5), (0, 5, 2 / 2**5), (8, 2, 2 * (1 + 10 + 45) / 2**10), (4, 4, 1.0)],
)
def test_mcnemar_exact(only_first: int, only_second: int, p_value: float):
    assert mcnemar(only_first, only_second) == pytest.approx(p_value)


def test_bootstrap_interval_of_a_normal_sample_is_near_the_textbook_one():
    values = [20.0 + ((k * 7919) % 1000) / 100 for k in range(1000)]  # every hundredth from 20 to 30 once
    estimate = mean(values)
    half_width = 1.96 * (sum((x - 24.995) ** 2 for x in values) / 999 / 1000) ** 0.5
    assert estimate.value == pytest.approx(24.995)
    assert (estimate.low, estimate.high) == pytest.approx((24.995 - half_width, 24.995 + half_width), abs=0.02)
    assert mean(values) == estimate


def test_bootstrap_where_there_is_nothing_to_resample():
    assert mean([7.0]) == Estimate(7.0, None, None)
    assert mean([7.0, 7.0, 7.0]) == Estimate(7.0, 7.0, 7.0)


def test_summary():
    summary = summarise([record(1, 52, moves=9, seconds=0.5), record(2, 10, moves=4), record(3, 4, moves=2)])
    assert (summary.agent, summary.games, summary.wins) == ("a", 3, 1)
    assert summary.win_rate == share(1, 3)
    assert summary.cards_up.value == 22
    assert summary.score.value == pytest.approx((255 + 45 + 15) / 3)
    assert summary.casino_fifty.value == pytest.approx(((500 - 50) + (50 - 50) + (20 - 50)) / 3)
    assert summary.casino_fifty_two.value == pytest.approx((5 * 66 - 3 * 52) / 3)
    assert summary.outcomes == {"dead": 2, "won": 1}
    assert summary.moves == 5
    assert summary.seconds == pytest.approx(0.5 / 3)


def test_a_summary_tells_how_many_of_the_winnable_deals_were_won():
    records = [record(1, 52), record(2, 10), record(3, 4), record(4, 52)]
    summary = summarise(records, {Deal.from_number(number) for number in (1, 2, 3, 9)})
    assert (summary.wins, summary.winnable, summary.winnable_wins) == (2, 3, 1)
    assert summary.winnable_rate == share(1, 3)
    none = summarise(records, set())
    assert (none.winnable, none.winnable_wins, none.winnable_rate) == (0, 0, None)
    unknown = summarise(records)
    assert (unknown.winnable, unknown.winnable_wins, unknown.winnable_rate) == (None, None, None)


def test_estimates_as_text():
    assert Estimate(0.842, 0.766, 0.8961).percent() == "84.2 % (76.6 to 89.6)"
    assert Estimate(44.52, 42.1, 46.6).amount() == "44.5 (42.1 to 46.6)"
    assert (Estimate(0.5, None, None).percent(), Estimate(7.0, None, None).amount()) == ("50.0 %", "7.0")


def test_a_summary_is_of_one_agent():
    with pytest.raises(ValueError, match="one agent, not of 2"):
        summarise([record(1, 52, "a"), record(1, 52, "b")])
    with pytest.raises(ValueError, match="one agent, not of 0"):
        summarise([])


def test_comparison_is_paired_by_deal_whatever_the_order():
    first = [record(1, 52), record(2, 52), record(3, 52), record(4, 10), record(5, 12)]
    second = [record(n, up, "b") for n, up in [(6, 52), (5, 52), (4, 11), (3, 20), (2, 21), (1, 52)]]
    found = compare(first, second)
    assert (found.first, found.second, found.games) == ("a", "b", 5)
    assert (found.both, found.only_first, found.only_second, found.neither) == (1, 2, 1, 1)
    assert found.win_rate.value == pytest.approx(1 / 5)
    assert found.cards_up.value == pytest.approx((0 + 31 + 32 - 1 - 40) / 5)
    assert found.p_value == mcnemar(2, 1)
    with pytest.raises(ValueError, match="no deal in common"):
        compare(first, [record(9, 5, "b")])


def test_a_report_prints_names_as_they_are():
    suite = Suite.of_deals([Deal.from_number(1), Deal.from_number(2)])
    records = [record(number, 52, name) for name in ("[red]x", "b|c") for number in (1, 2)]
    report = Report(Plan(("x", "y"), ("[red]x", "b|c"), suite, 0), records)
    console = Console(width=200, record=True, file=io.StringIO())
    report.print(console)
    text = console.export_text()
    assert "[red]x" in text
    assert "b|c - [red]x" in text
    header = report.to_markdown().splitlines()[2]
    assert header == r"|  | [red]x | b\|c |"
