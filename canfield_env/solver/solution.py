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

Words = tuple[int, int]


def winning_moves(space: Space, node: int, board: np.ndarray, game: Game) -> list[Move]:
    """Plays the way to a won state in the game, which stands where the search began, and returns the moves.

    Raises:
        AssertionError: the moves are not legal or do not win; the solver is at fault then.
    """
    played = len(game.moves)
    try:
        for before, after in pairwise(_path(space, node)):
            for move in Step(before, after, board, game).moves():
                game.push(move)
    except IllegalMoveError as error:
        raise AssertionError(f"the solver's moves are not legal: {error}") from error
    if not game.is_won:
        raise AssertionError("the solver's moves do not win")
    return list(game.moves[played:])


def _path(space: Space, node: int) -> list[Words]:
    path = []
    while node >= 0:
        a, b, links = map(int, space.nodes[node])
        path.append((a, b))
        node = links >> 32
    return path[::-1]


class Step:
    """One step of the way. The game may differ from the state before it by tails exchanged on twins (D4)."""

    def __init__(self, before: Words, after: Words, board: np.ndarray, game: Game) -> None:
        self.before, self.after = before, after
        self.board = board
        self.game = game

    def moves(self) -> Iterator[Move]:
        """The game's moves: stock turns or moves of tails, if there have to be any, and that of one card or run."""
        for suit in range(4):
            old, new = _up(self.before, suit), _up(self.after, suit)
            if new > old:
                yield from self._play_up(16 * suit + old)
                return
            if new < old:
                yield self._place(16 * suit + new)
                return
        number = self._moved()
        card = self._card(number)
        if self._is_in_stock(card):
            yield from self._turn_up(card)
        yield self._place(number)

    def _moved(self) -> int:
        """The number of the card that goes to a column, with the run on it."""
        changed = [k for k in range(64) if k & 15 < 13 and _place(k, self.before) != _place(k, self.after)]
        roots = [k for k in changed if _place(k, self.before) == ROOT]
        fresh = [k for k in changed if _place(k, self.before) == HOME]
        return (roots or fresh or changed)[0]

    def _play_up(self, number: int) -> Iterator[Move]:
        card = self._card(number)
        if self._is_in_stock(card):
            yield from self._turn_up(card)
        yield from self._free(number, card)
        yield Move(self._source(card)[0], "F")

    def _free(self, number: int, card: Card) -> Iterator[Move]:
        """Moves the tail off a card, to a space if the state after has it there, else to the card's twin."""
        twin = self._card(number ^ 48)
        for below in (card, twin):
            tail = self._tail_on(below)
            if tail is not None and self._is_new_root(tail):
                yield Move(*self._to(tail, self._space()))
        tail = self._tail_on(card)
        if tail is not None:
            yield Move(*self._to(tail, self._column_ending_in(twin)))

    def _is_new_root(self, card: Card) -> bool:
        number = self._number(card)
        return _place(number, self.after) == ROOT != _place(number, self.before)

    def _tail_on(self, card: Card) -> Card | None:
        for column in self.game.columns:
            if card in column[:-1]:
                return column[column.index(card) + 1]
        return None

    def _place(self, number: int) -> Move:
        """The move of a card, with the run on it, to where it is in the state after, or to the twin of that card."""
        place = _place(number, self.after)
        if place == ROOT:
            target = self._space()
        else:
            below = int(self.board[FITS_ON + 2 * number + place - ON_FIRST])
            target = self._column_ending_in(self._card(below)) or self._column_ending_in(self._card(below ^ 48))
        return Move(*self._to(self._card(number), target))

    def _turn_up(self, card: Card) -> Iterator[Move]:
        for _ in range(2 * len(self.game.waste + self.game.stock)):
            if self.game.waste[-1:] == (card,):
                break
            yield Move("D")

    def _is_in_stock(self, card: Card) -> bool:
        return card in self.game.stock or card in self.game.waste

    def _space(self) -> str:
        return next((str(k) for k, column in enumerate(self.game.columns, 1) if not column), "")

    def _column_ending_in(self, card: Card) -> str:
        return next((str(k) for k, column in enumerate(self.game.columns, 1) if column[-1:] == (card,)), "")

    def _to(self, card: Card, target: str) -> tuple[str, str, int]:
        source, count = self._source(card)
        if target in ("", source):
            raise IllegalMoveError(f"no other column takes {card}")
        return source, target, count

    def _source(self, card: Card) -> tuple[str, int]:
        """The pile that a card is moved from, and the count of cards where it is the tail of a column."""
        if self.game.reserve[-1:] == (card,):
            return "R", 0
        if card in self.game.foundations[card.suit]:
            return "F" + SUITS[card.suit], 0
        for k, column in enumerate(self.game.columns, 1):
            if card in column:
                return str(k), (len(column) - column.index(card)) % len(column)
        return "W", 0

    def _card(self, number: int) -> Card:
        return CARDS[13 * (number >> 4) + (self.game.base + (number & 15)) % self.game.rules.ranks]

    def _number(self, card: Card) -> int:
        return 16 * card.suit + (card.rank - self.game.base) % self.game.rules.ranks


def _up(words: Words, suit: int) -> int:
    return (words[suit >> 1] >> (26 + 32 * (suit & 1))) & 15


def _place(card: int, words: Words) -> int:
    return (words[card >> 5] >> (2 * (card & 31))) & 3
