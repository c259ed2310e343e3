"""Orders of the hidden reserve cards that a decision is judged by."""

from __future__ import annotations

from itertools import permutations
from math import factorial

import numpy as np
from numpy.typing import NDArray


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
