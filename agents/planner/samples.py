"""Orders of the hidden reserve cards that a decision is judged by, and the solver's board to lay them on."""

from __future__ import annotations

from itertools import permutations
from math import factorial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from canfield_env.game import Game
from canfield_env.solver.state import DOMINANCES, WEIGHTS, board_of, card_number, pack
from canfield_env.view import PlayerView

Weights = tuple[int, int, int]


class Samples(NamedTuple):
    """A player's view as the solver takes it.

    Attributes:
        game: a game that agrees with the view.
        orders: ``int64[K, H]``, orders of the hidden cards.
        words: the state that the game is in.
        board: the board for the searches, with any order of the hidden cards.
    """

    game: Game
    orders: NDArray[np.int64]
    words: tuple[int, int]
    board: NDArray[np.int64]


def draw_samples(view: PlayerView, count: int, seed: int, dominances: int, weights: Weights) -> Samples:
    """Draws orders of the cards that a view hides. It depends on the arguments only.

    Args:
        view: what the player knows; no stock card may be unseen.
        count, seed: as in ``draw_orders``.
        dominances, weights: how the solver is to search.
    """
    game = Game.from_view(view, 0)
    position = game.full_position()
    hidden = [card_number(card, position.base, view.rules.ranks) for card in view.unseen]
    board = board_of(position, view.rules, view.draw)
    board[DOMINANCES], board[WEIGHTS : WEIGHTS + 3] = dominances, weights
    return Samples(game, draw_orders(hidden, count, seed), pack(position, view.rules, view.draw), board)


def draw_orders(cards: list[int], count: int, seed: int) -> NDArray[np.int64]:
    """Orders of the cards, from the bottom of the reserve up.

    All of them where there are no more than asked for. Otherwise random orders, each with all its rotations, so that
    every card comes next, second and so on equally often; each order by itself is equally likely.

    Args:
        cards: the solver's numbers of the hidden cards, in an order that says nothing of where they lie.
        count: how many orders.
        seed: what they are drawn from, together with the number of cards.

    Returns:
        ``int64[K, H]``
    """
    hidden = len(cards)
    if hidden <= 8 and factorial(hidden) <= count:
        return np.array(list(permutations(cards)), np.int64).reshape(factorial(hidden), hidden)
    rng = np.random.default_rng([seed, hidden])
    orders: list[NDArray[np.int64]] = []
    while len(orders) < count:
        order = rng.permutation(np.array(cards, np.int64))
        orders += [np.roll(order, shift) for shift in range(hidden)]
    return np.array(orders[:count], np.int64)
