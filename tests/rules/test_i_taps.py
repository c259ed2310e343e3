"""Rules I: what the app does around the game."""

from __future__ import annotations

from typing import Any

import pytest

from canfield_env import Deal, Game, NotationError, Rules
from tests.tables import table


def tapped(game: Game, card: str, *, double_tap: bool = True) -> str | None:
    move = game.tap(card, double_tap)
    return None if move is None else str(move)


@pytest.mark.parametrize(
    ("token", "piles"),
    [("WF", {"waste": "8h"}), ("RF", {"reserve": "8h"}), ("2F", {"columns": "9s/8h/4s/9c"})],
)
@pytest.mark.parametrize("double_tap", [True, False])
def test_i1_a_tapped_card_goes_to_its_foundation_first(token: str, piles: dict[str, Any], double_tap: bool) -> None:
    game = table(**{"columns": "9s/Kd/4s/9c", "tops": "7:--7-"} | piles)
    assert tapped(game, "8h", double_tap=double_tap) == token


def test_i1_tapping_plays_nothing_by_itself() -> None:
    game = table("9s/8h/4s/9c", tops="7:--7-")
    before = game.position()
    game.tap("8h")
    assert game.position() == before


@pytest.mark.parametrize(
    ("piles", "expected"),
    [
        ({"reserve": "8h"}, "R2"),
        ({"waste": "8h"}, "W2"),
        ({"columns": "9s/Td9c/8h/2c"}, "32"),
        ({"columns": "9s/Td9c/8h7s/2c"}, "32"),
    ],
    ids=["reserve", "waste", "column", "run"],
)
def test_i1_otherwise_to_the_longest_column_that_accepts_it(piles: dict[str, Any], expected: str) -> None:
    game = table(**{"columns": "9s/Td9c/Js/2c", "tops": "7:7---"} | piles)
    assert tapped(game, "8h") == expected
    assert tapped(game, "8h", double_tap=False) is None


def test_i1_of_columns_equally_long_the_leftmost() -> None:
    assert tapped(table("Js/9s/9c/2c", tops="7:7---", waste="8h"), "8h") == "W2"


def test_i1_the_column_counts_as_it_lies_not_as_it_would_be() -> None:
    # Column 1 is the longest but does not accept the card.
    assert tapped(table("QdJsTh/9s/Ts9d/9c", tops="7:7---", waste="8h"), "8h") == "W2"


def test_i1_else_to_an_empty_column() -> None:
    game = table("JcTh9s/Ad/-/-", tops="7:TK98", waste="5h", reserve="-")
    assert tapped(game, "5h") == "W3"
    assert tapped(game, "Th") == "13x2"
    assert tapped(game, "Jc") == "13"
    assert tapped(game, "5h", double_tap=False) is None


def test_i1_a_column_that_accepts_comes_before_an_empty_one() -> None:
    game = table("-/6s/JcTh9s/Ad", tops="7:TK98", waste="5h", reserve="-")
    assert tapped(game, "5h") == "W2"


def test_i1_a_card_inside_a_column_means_the_run_from_it() -> None:
    game = table("JcTh9s8d/Js/Td/9c", tops="2:2---")
    assert [tapped(game, card) for card in ("Jc", "Th", "9s", "8d")] == [None, "12x3", "13x2", "14x1"]


def test_i1_a_covered_card_does_not_go_to_its_foundation() -> None:
    game = table("9h8c/Ts/Kd/2c", tops="7:--8-")
    assert tapped(game, "9h") == "12"


def test_i1_hoyle_moves_whole_columns_only_and_takes_nothing_back() -> None:
    game = table("JcTh9s8d/Js/Td/9c", tops="2:2---", rules="hoyle")
    assert [tapped(game, card) for card in ("Jc", "Th", "9s", "8d", "2c")] == [None] * 5
    game = table("JcTh/Qd/9s/Kc", tops="2:2---", rules="hoyle")
    assert [tapped(game, card) for card in ("Jc", "Th", "9s")] == ["12", None, "31"]


def test_i1_hoyle_empty_columns_are_for_the_waste() -> None:
    game = table("JcTh9s/Ad/-/-", tops="7:TQ98", waste="5h", reserve="-", rules=Rules(spaces="waste"))
    assert [tapped(game, card) for card in ("5h", "Jc", "Th", "Ad")] == ["W3", None, None, None]


def test_i1_cards_out_of_play_cannot_be_tapped() -> None:
    game = table("9s/Td9c/Js/2c", tops="7:--9-", reserve="7d2d", waste="7s3d")
    for card in ("7d", "7s", "7h", game.stock[-1]):
        assert tapped(game, card) is None


def test_i1_a_card_on_its_foundation_stays_there() -> None:
    game = table("9s/Td9c/9d8s/2c", tops="7:--8-")
    assert game.can("Fh2")
    assert tapped(game, "8h") is None


def test_i1_a_tap_needs_a_card() -> None:
    with pytest.raises(NotationError, match="'1x' is no card"):
        Game(Deal.from_number(1)).tap("1x")


def test_i2_nothing_plays_itself_to_the_foundations() -> None:
    game = table("8h/9h/Th/Jh", tops="7:--7-", reserve="Qs", waste="Qh")
    game.push("1F")
    assert game.columns == (("Qs",), ("9h",), ("Th",), ("Jh",)), "one card only, and the refill of rule D3"


def test_i2_a_won_looking_game_is_not_finished() -> None:
    game = Game.from_position("A:JJJJ - - - KcQd/KdQc/KhQs/KsQh 0 0")
    for token in ("1F", "2F", "3F", "4F", "1F", "2F", "3F"):
        game.push(token)
        assert not game.is_won
    game.push("4F")
    assert game.is_won


def test_i3_draw_3_by_default_or_draw_1() -> None:
    assert Deal.random(1).draw == 3
    assert Deal.random(1, draw=1).draw == 1


@pytest.mark.parametrize("draw", [1, 3])
def test_i4_a_code_recreates_the_deal_stock_included(draw: int) -> None:
    deal = Deal.random(3, draw=draw)
    assert deal.code is not None
    assert deal.code[:7] == f"CF1-D{draw}-"
    assert Game(Deal.from_code(deal.code)).position() == Game(deal).position()
