"""Games as objects: copies, pickles, equality."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from typing import Any

import pytest

from canfield_env import Deal, DealError, Game, IllegalMoveError, Move, NotationError, Rules

COPIES: dict[str, Callable[[Game], Game]] = {
    "copy": Game.copy,
    "deepcopy": copy.deepcopy,
    "pickle": lambda game: pickle.loads(pickle.dumps(game)),
}


@pytest.fixture
def game() -> Game:
    """The published deal after a few moves, one of them undone, with the stock turned back once."""
    game = Game(Deal.from_code("CF1-D3-AAAAACL")).push_all("R2 RF 24 D D D")
    game.undo()
    return game


@pytest.mark.parametrize("make", COPIES.values(), ids=COPIES)
def test_a_copy_is_the_same_game(game: Game, make: Callable[[Game], Game]) -> None:
    other = make(game)
    assert other is not game
    assert other == game
    assert (other.deal, other.rules, other.draw, other.moves) == (game.deal, game.rules, game.draw, game.moves)
    assert (other.position(), other.score) == (game.position(), game.score)
    assert other.player_view() == game.player_view(), "it knows the card seen before the undo too"
    while game.moves:
        assert other.undo() == game.undo()
        assert other.position() == game.position()


@pytest.mark.parametrize("make", COPIES.values(), ids=COPIES)
def test_a_copy_goes_its_own_way(game: Game, make: Callable[[Game], Game]) -> None:
    before, view, moves = game.position(), game.player_view(), game.moves
    other = make(game)
    other.push_all("D " * 11)
    other.undo()
    assert (game.position(), game.moves) == (before, moves)
    assert game.player_view() == view, "what the other player sees is not seen here"
    for _ in moves:
        game.undo()
    assert other.actions == 15


def test_games_are_equal_by_what_lies_and_is_known(game: Game) -> None:
    other = Game(Deal.from_code("CF1-D3-AAAAACL")).push_all("R2 RF 24 D D")
    assert other.position() == game.position()
    assert other != game, "one player has seen three cards more"
    other.push("D")
    other.undo()
    assert other == game
    assert Game(Deal.from_number(5)) != Game(Deal.from_number(5), "hoyle")
    assert Game(Deal.from_number(5)) != Game(Deal.from_number(5, draw=1))
    assert Game.from_position(game.position(), score=10) != Game.from_position(game.position())
    assert game != game.position()
    with pytest.raises(TypeError, match="unhashable"):
        hash(game)


def test_what_is_handed_out_is_not_the_game(game: Game) -> None:
    before = game.copy()
    game.legal_moves().clear()
    assert isinstance(game.columns, tuple)
    assert isinstance(game.moves, tuple)
    assert game == before


def test_push_gives_the_move_and_takes_tokens_or_moves() -> None:
    game = Game(Deal.from_code("CF1-D3-AAAAACL"))
    assert game.push("r2") == Move("R", "2")
    assert game.push(Move("R", "F")) == Move.parse("RF")
    assert game.push_all(["24", Move("D")]) is game
    assert list(map(str, game.moves)) == ["R2", "RF", "24", "D"]
    assert game.undo() == Move("D")


@pytest.mark.parametrize(("moves", "error"), [("R2 RF RF", "move 3, RF"), ("R2 ZZ", "move 2: 'ZZ'")])
def test_of_several_moves_all_are_played_or_none(game: Game, moves: str, error: str) -> None:
    for _ in game.moves:
        game.undo()
    before, view = game.position(), game.player_view()
    with pytest.raises(ValueError, match=error):
        game.push_all(moves)
    assert (game.position(), game.player_view(), game.moves) == (before, view, ())
    with pytest.raises(IllegalMoveError, match="nothing can be undone"):
        game.undo()


def test_a_game_prints_without_its_hidden_cards() -> None:
    assert repr(Game(Deal.from_code("CF1-D3-AAAAACL"))) == "<Game 7:--7- (12)Qc (34) - 6c/Kh/Qh/As 0 0>"


def test_rules_default_to_the_app() -> None:
    assert Game(Deal.from_number(5)).rules == Rules.named("app") == Game(Deal.from_number(5), "app").rules


@pytest.mark.parametrize("deal", [None, "CF1-D3-AAAAACL"])
def test_a_game_needs_a_deal(deal: Any) -> None:
    with pytest.raises(DealError, match="a game is played on a Deal"):
        Game(deal)


@pytest.mark.parametrize("score", [-5, 1.5, True, "x"])
def test_a_score_is_a_whole_number(score: Any) -> None:
    with pytest.raises(NotationError, match="a score is a whole number"):
        Game.from_position(Game(Deal.from_number(5)).position(), score=score)
