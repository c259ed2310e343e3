"""The leaderboard, and the page that rests on it, are what the result files say."""

from pathlib import Path

import pytest

from canfield_env.records import verify
from scripts import how_hard, leaderboard

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "leaderboard.md"


@pytest.fixture(scope="module")
def boards():
    return [leaderboard.Board.read(name) for name in leaderboard.SUITES]


def test_the_page_is_up_to_date(boards):
    assert leaderboard.markdown(boards) == PAGE.read_text(encoding="utf-8")


def test_the_page_on_how_hard_the_game_is_is_up_to_date():
    assert how_hard.markdown() == how_hard.PAGE.read_text(encoding="utf-8")


def test_its_pictures_are_there(boards):
    for board in boards:
        for kind in ("wins", "cards-up"):
            assert (ROOT / "docs" / f"leaderboard-{board.suite.name}-{kind}.svg").exists() == bool(board.records)


def test_records_are_of_the_suite_in_its_order_and_replay(boards):
    for board in boards:
        for agent, records in board.records.items():
            assert {record.agent for record in records} == {agent}
            assert [record.deal for record in records] == list(board.suite.deals[: len(records)])
            for record in records[::50]:
                assert record.rules == board.suite.rules
                verify(record)
