"""From the states on the way to a win to the moves of the game."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import numpy as np

from canfield_env.cards import CARDS, SUITS, Card
from canfield_env.errors import IllegalMoveError
from canfield_env.game import Game
from canfield_env.notation import Move
from canfield_env.solver.space import Space
from canfield_env.solver.state import FITS_ON, HOME, ON_FIRST, ROOT


def winning_moves(space: Space, node: int, board: np.ndarray, game: Game) -> list[Move]:
    """Plays the way to a won state in the game, which stands where the search began, and returns the moves.

    Raises:
        AssertionError: the moves are not legal or do not win; the solver is at fault then.
    """
    moves: list[Move] = []
    try:
        for before, after in pairwise(_path(space, node)):
            for move in _moves_between(before, after, board, game):
                moves.append(game.push(move))
    except IllegalMoveError as error:
        raise AssertionError(f"the solver's move {len(moves) + 1} is not legal: {error}") from error
    assert game.is_won, "the solver's moves do not win"
    return moves


def _path(space: Space, node: int) -> list[tuple[int, int]]:
    path = []
    while node >= 0:
        a, b, links = map(int, space.nodes[node])
        path.append((a, b))
        node = links >> 32
    return path[::-1]


def _moves_between(before: tuple[int, int], after: tuple[int, int], board: np.ndarray, game: Game) -> Iterator[Move]:
    """The moves from one state to the next: stock turns, if there have to be any, and the move of one card or run."""
    number, target = _step(before, after, board)
    ranks = game.rules.ranks
    card = CARDS[13 * (number >> 4) + (game.base + (number & 15)) % ranks]
    if target == "F":
        name = "F"
    elif target == "":
        name = str(game.columns.index(()) + 1)
    else:
        below = CARDS[13 * (int(target) >> 4) + (game.base + (int(target) & 15)) % ranks]
        name = str(next(k for k, column in enumerate(game.columns, 1) if column and column[-1] == below))
    source, count = _source(card, game)
    if source == "W":
        for _ in range(2 * len(game.waste + game.stock) + 2):
            if game.waste and game.waste[-1] == card:
                break
            yield Move("D")
    yield Move(source, name, count if name != "F" else 0)


def _step(before: tuple[int, int], after: tuple[int, int], board: np.ndarray) -> tuple[int, str]:
    """The card that was moved, by its number, and onto what: ``F``, a card's number, or nothing for a space."""
    for suit in range(4):
        shift = 26 + 32 * (suit & 1)
        old, new = ((words[suit >> 1] >> shift) & 15 for words in (before, after))
        if new > old:
            return 16 * suit + old, "F"
        if new < old:
            card = 16 * suit + new
            return card, _target(card, after, board)
    changed = [card for card in range(64) if card & 15 < 13 and _place(card, before) != _place(card, after)]
    # Where a column was emptied the reserve's top card has become a root too.
    card = max(changed, key=lambda card: _place(card, after))
    return card, _target(card, after, board)


def _place(card: int, words: tuple[int, int]) -> int:
    return (words[card >> 5] >> (2 * (card & 31))) & 3


def _target(card: int, words: tuple[int, int], board: np.ndarray) -> str:
    place = _place(card, words)
    assert place != HOME
    return "" if place == ROOT else str(board[FITS_ON + 2 * card + place - ON_FIRST])


def _source(card: Card, game: Game) -> tuple[str, int]:
    """The pile that a card is moved from, and the count of cards where it is the tail of a column."""
    if game.reserve and game.reserve[-1] == card:
        return "R", 0
    if card in game.foundations[card.suit]:
        return "F" + SUITS[card.suit], 0
    for k, column in enumerate(game.columns, 1):
        if card in column:
            place = column.index(card)
            return str(k), len(column) - place if place else 0
    return "W", 0
