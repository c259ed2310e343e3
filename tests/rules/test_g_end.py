"""Rules G: end; and the dead games of the contract, in which turning the stock is all that is ever left."""

from __future__ import annotations

import pytest

from canfield_env import Game, IllegalMoveError, Rules
from tests.tables import tokens

ONE_TO_GO = "A:KKKQ - - - -/Ks/-/- 3 200"
#: Jacks are wanted and lie under the king on top of the reserve.
DEAD = "A:TTTT JcJdJhJsKc KdKhKs - Qc/Qd/Qh/Qs 0 0"
#: One of them is turned first of three.
BURIED = "A:TTTT JcJdJhKsKc KdKhJs - Qc/Qd/Qh/Qs 0 0"
#: The same after the stock has been turned.
TURNED = "A:TTTT JcJdJhKsKc - JsKhKd Qc/Qd/Qh/Qs 0 0"


def test_g1_won_when_all_four_foundations_hold_13_cards() -> None:
    game = Game.from_position(ONE_TO_GO)
    assert not game.is_won
    game.push("2F")
    assert game.is_won
    assert game.cards_up == 52


def test_g1_nothing_is_played_after_the_win() -> None:
    game = Game.from_position(ONE_TO_GO)
    game.push("2F")
    assert game.legal_moves() == []
    for token in ("D", "2F", "Fs1", "12"):
        assert not game.can(token)
        with pytest.raises(IllegalMoveError, match=f"{token}: the game is won"):
            game.push(token)
    assert game.tap("Ks") is None


def test_g1_the_winning_move_can_be_undone() -> None:
    game = Game.from_position(ONE_TO_GO)
    game.push("2F")
    game.undo()
    assert not game.is_won
    assert game.position() == ONE_TO_GO


def test_g1_miniature_games_are_won_with_all_their_cards() -> None:
    game = Game.from_position("2:AAA3 - - - As/-/- 0 0", Rules(ranks=3, columns=3, reserve=3))
    game.push("1F")
    assert game.is_won
    assert game.cards_up == 12


def test_g2_a_dead_game_is_not_lost_but_turns_on() -> None:
    game = Game.from_position(DEAD)
    for _ in range(6):
        assert game.is_dead
        assert not game.is_won
        assert tokens(game) == ["D"]
        game.push("D")


@pytest.mark.parametrize(("draw", "dead"), [(3, True), (1, False)], ids=["draw 3", "draw 1"])
def test_g2_dead_where_no_turn_brings_a_card_to_the_top(draw: int, dead: bool) -> None:
    game = Game.from_position(BURIED, draw=draw)
    for _ in range(8):
        assert game.is_dead is dead
        game.push("D")


@pytest.mark.parametrize(("redeals", "dead"), [(0, True), (1, False), (None, False)])
def test_g2_dead_where_the_waste_may_not_be_turned_back(redeals: int | None, dead: bool) -> None:
    assert Game.from_position(TURNED, Rules(redeals=redeals), draw=1).is_dead is dead


def test_g2_dead_where_there_is_nothing_to_turn() -> None:
    game = Game.from_position("A:TTTT JcJdJhJsKdKhKsKc - - Qc/Qd/Qh/Qs 0 0")
    assert game.legal_moves() == []
    assert game.is_dead


@pytest.mark.parametrize(("draw", "dead"), [(3, True), (1, False)], ids=["draw 3", "draw 1"])
def test_g2_a_card_in_the_middle_of_the_last_pass_counts(draw: int, dead: bool) -> None:
    position = "A:TTTT JcJdJhKsKc KdJsKh - Qc/Qd/Qh/Qs 0 0"
    assert Game.from_position(position, Rules(redeals=0), draw).is_dead is dead


@pytest.mark.parametrize("rules", ["app", "hoyle"])
def test_g2_a_won_game_is_not_dead(rules: str) -> None:
    game = Game.from_position(ONE_TO_GO, rules)
    assert not game.is_dead
    game.push("2F")
    assert not game.is_dead
