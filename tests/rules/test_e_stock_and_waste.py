"""Rules E: stock and waste."""

from __future__ import annotations

import pytest

from canfield_env import Deal, Game, IllegalMoveError, Rules
from tests.tables import table, tokens

RULES = ["app", "hoyle"]


def to_end_of_stock(game: Game) -> Game:
    while game.stock:
        game.push("D")
    return game


@pytest.mark.parametrize("draw", [1, 3])
@pytest.mark.parametrize("rules", RULES)
def test_e1_a_turn_lays_cards_in_order_the_last_on_top(rules: str, draw: int) -> None:
    deal = Deal.from_number(9, draw)
    game = Game(deal, rules)
    for turn in range(1, 5):
        game.push("D")
        assert game.waste == deal.deck[18 : 18 + draw * turn]
        assert len(game.stock) == 34 - draw * turn


def test_e1_with_fewer_left_what_is_left_is_turned() -> None:
    deal = Deal.from_number(9)
    game = Game(deal).push_all("D " * 11)
    assert len(game.stock) == 1
    game.push("D")
    assert not game.stock
    assert game.waste == deal.deck[18:]


def test_e1_two_left_are_turned_together() -> None:
    game = Game.from_position("A:QQQQ - KsKh Kd Kc/-/-/- 0 0")
    game.push("D")
    assert game.waste == ("Kd", "Kh", "Ks")


@pytest.mark.parametrize(
    ("draw", "shown", "playable"), [(3, ("8s", "5c", "Tc"), ["WF", "W2"]), (1, ("8s",), [])], ids=["draw 3", "draw 1"]
)
def test_e2_all_turned_cards_are_seen_and_only_the_top_one_plays(
    draw: int, shown: tuple[str, ...], playable: list[str]
) -> None:
    game = table("6d/Jd/2c/2s", tops="9:9---", stock="Tc5c8s", draw=draw)
    game.push("D")
    assert game.player_view().position.waste == shown
    assert [t for t in tokens(game) if t[0] == "W"] == playable


def test_e2_the_next_card_is_free_once_the_top_one_has_gone() -> None:
    game = table("6d/Jd/2c/2s", tops="9:9---", waste="8s5cTc")
    game.push("WF")
    assert [t for t in tokens(game) if t[0] == "W"] == ["W1"]


@pytest.mark.parametrize("draw", [1, 3])
@pytest.mark.parametrize("rules", RULES)
def test_e3_turning_the_waste_back_keeps_the_order_of_play(rules: str, draw: int) -> None:
    game = Game(Deal.from_number(9, draw), rules)
    stock = game.stock
    to_end_of_stock(game)
    seen = game.waste
    game.push("D")
    assert game.stock == stock
    assert game.waste == ()
    assert game.redeals == 1
    to_end_of_stock(game)
    assert game.waste == seen


def test_e3_cards_played_shift_the_groups_of_the_next_pass() -> None:
    game = table("Jd/9c/5d/Kh", tops="7:---6", waste="2h3h4hTc")
    game.push("W1")
    to_end_of_stock(game)
    order = game.waste
    game.push_all("D D")
    assert order[:3] == game.waste == ("2h", "3h", "4h")
    game.push("D")
    assert game.waste == order[:6]


def test_e3_any_number_of_times_at_no_cost() -> None:
    game = Game(Deal.from_number(9))
    for _ in range(30):
        to_end_of_stock(game).push("D")
    assert (game.redeals, game.actions, game.score) == (30, 30 * 13, 0)


@pytest.mark.parametrize("redeals", [0, 1, 2])
def test_e3_limited_redeals(redeals: int) -> None:
    game = Game(Deal.from_number(9), Rules(redeals=redeals))
    for _ in range(redeals):
        to_end_of_stock(game).push("D")
    to_end_of_stock(game)
    assert "D" not in tokens(game)
    with pytest.raises(IllegalMoveError, match=f"D: the waste may be turned back {redeals} times only"):
        game.push("D")


def test_e3_nothing_to_turn() -> None:
    game = Game.from_position("A:QQQQ - - - Kc/Kd/Kh/Ks 0 0")
    assert "D" not in tokens(game)
    with pytest.raises(IllegalMoveError, match="D: stock and waste are empty"):
        game.push("D")


def test_e3_the_stock_is_not_turned_back_while_it_has_cards() -> None:
    game = table("Jd/9c/5d/Kh", tops="7:---6", stock="2d", waste="2h3h")
    game.push("D")
    assert game.redeals == 0
    assert game.waste[:3] == ("2h", "3h", "2d")


@pytest.mark.parametrize("rules", RULES)
def test_e4_the_top_of_the_waste_goes_to_a_foundation_or_a_column(rules: str) -> None:
    for token in ("WF", "W2"):
        game = table("6d/Jd/2c/2s", tops="9:9---", waste="5cTc", rules=rules)
        game.push(token)
        assert (game.foundations[0] if token == "WF" else game.columns[1])[-1] == "Tc"
        assert game.waste == ("5c",)


def test_e4_an_empty_waste_has_no_top() -> None:
    with pytest.raises(IllegalMoveError, match="WF: the waste is empty"):
        Game(Deal.from_number(9)).push("WF")
