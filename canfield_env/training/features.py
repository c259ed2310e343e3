"""The ``tokens`` observation as the networks read it, said the same way of every card, suit and column.

Reading is compiled: in torch it takes as long as a network's layers.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from canfield_env.engine import observe as at
from canfield_env.engine.jit import jit

#: What is said of each card, in order.
CARD_FEATURES: Final = (
    "on its foundation",
    "has been on its foundation",
    "next for its foundation",
    "how far above its foundation's top, /13",
    "in a column",
    "root of a column",
    "last of a column",
    "cards on top of it in its column, /13",
    "cards under it in its column, /13",
    "top of the reserve",
    "unseen",
    "seen in waste or stock",
    "place in the order of play, /34",
    "up now",
    "up later in this pass",
    "up after the next redeal only",
    "in the waste",
    "one card past the last one that turning brings up",
    "two cards past the last one that turning brings up",
)
SIZE: Final = len(CARD_FEATURES)
#: The counts that belong to no suit, and what divides them.
COUNTS: Final = at.COUNT_PEAK
_COUNT_SCALE: Final = np.array([13.0, 34, 34, 3, 255, 40], np.float32)
COLUMNS: Final = 4
#: Stands for "no card" where a card is pointed at.
NO_CARD: Final = 52


def _neighbours(suits: tuple[int, int, int, int], step: int) -> list[int]:
    """For every card, the number of the card of suit ``suits[its suit]`` that is ``step`` ranks higher, wrapping."""
    return [13 * suits[card // 13] + (card % 13 + step) % 13 for card in range(52)]


# Suits are c, d, h, s; so the twin of a suit is 3 minus it.
_SAME, _TWIN, _OTHERS = (0, 1, 2, 3), (3, 2, 1, 0), ((1, 0, 0, 1), (2, 3, 3, 2))
#: The fixed relations of a card: which cards stand in each, summed up where they are two.
RELATIONS: Final = (
    ("the next lower of its suit", [_neighbours(_SAME, -1)]),
    ("the next higher of its suit", [_neighbours(_SAME, 1)]),
    ("the same rank and colour", [_neighbours(_TWIN, 0)]),
    ("those that it goes on in columns", [_neighbours(suits, 1) for suits in _OTHERS]),
    ("those that go on it in columns", [_neighbours(suits, -1) for suits in _OTHERS]),
)
#: ``int64[R, 2, 52]``; where a relation has one member, the second one is ``NO_CARD``.
_MEMBERS: Final = np.array([[*members, [NO_CARD] * 52][:2] for _, members in RELATIONS], np.int64)
#: What is said of a card and of those around it: those of each relation, the one beneath and the one above.
AROUND: Final = SIZE * (1 + len(RELATIONS) + 2)


class Table(NamedTuple):
    """What an observation says.

    Attributes:
        cards: ``float[N, 52, AROUND]``: what holds of a card, of those in each relation to it, of the card directly
            beneath it in its column, or in the waste once it is up, and of the one directly on top, or next in the
            order of play.
        columns: ``float[N, 4, 52]``, 1 where a card is in a column.
        lasts: ``float[N, 4, 52]``, 1 where a card is the last of a column.
        counts: ``float[N, COUNTS]``, the counts of the observation that belong to no suit, scaled.
        column: ``int64[N, 52]``, the column that a card is in, or -1.
        beneath: ``int64[N, 52]``, the card directly beneath each one, as in ``cards``; ``NO_CARD`` where there is none.
    """

    cards: Tensor
    columns: Tensor
    lasts: Tensor
    counts: Tensor
    column: Tensor
    beneath: Tensor


def read(tokens: Tensor) -> Table:
    """Reads observations.

    Args:
        tokens: ``[N, 62]``, of any number type.
    """
    count = len(tokens)
    cards = np.empty((count, 52, AROUND), np.float32)
    columns, lasts = np.zeros((2, count, COLUMNS, 52), np.float32)
    column, beneath = np.empty((2, count, 52), np.int64)
    numbers = np.ascontiguousarray(tokens.numpy(), np.uint8)
    _read(numbers, _MEMBERS, cards, columns, lasts, column, beneath)
    counts = numbers[:, 52 : 52 + COUNTS] / _COUNT_SCALE
    return Table(*map(torch.from_numpy, (cards, columns, lasts, counts, column, beneath)))


Array = NDArray[Any]


@jit
def _read(
    tokens: Array, members: Array, cards: Array, columns: Array, lasts: Array, column: Array, beneath: Array
) -> None:
    own = np.zeros((53, SIZE), np.float32)  # nothing holds of NO_CARD
    card_at = np.empty(256, np.int64)
    neighbours = np.empty((52, 2), np.int64)
    for game in range(len(tokens)):
        token, counts = tokens[game, :52], tokens[game, 52:]
        card_at[:] = NO_CARD
        for card in range(52):
            card_at[token[card]] = card
        _describe(token, counts, card_at, own, neighbours)
        beneath[game] = neighbours[:, 0]
        for card in range(52):
            place = np.int64(token[card]) - at.TOKEN_COLUMN
            column[game, card] = place // 52 if place >= 0 else -1
            if place >= 0:
                columns[game, place // 52, card] = 1
                lasts[game, place // 52, card] = own[card, 6]
            around = cards[game, card]
            around[:SIZE] = own[card]
            first = SIZE
            for relation in range(len(members)):
                one, other = members[relation, 0, card], members[relation, 1, card]
                for k in range(SIZE):
                    around[first + k] = own[one, k] + own[other, k]
                first += SIZE
            around[first : first + SIZE] = own[neighbours[card, 0]]
            around[first + SIZE :] = own[neighbours[card, 1]]


@jit
def _describe(token: Array, counts: Array, card_at: Array, own: Array, neighbours: Array) -> None:
    """Fills in what holds of each card of a game, as ``CARD_FEATURES`` lists it, and which are beneath it and above."""
    waste = np.int64(counts[at.COUNT_WASTE])
    seen = waste + np.int64(counts[at.COUNT_STOCK])
    draw = np.int64(counts[at.COUNT_DRAW])
    heights = np.zeros(4, np.int64)
    for card in range(52):
        heights[card // 13] += token[card] == at.TOKEN_FOUNDATION
    for card in range(52):
        suit, rank, code = card // 13, card % 13, np.int64(token[card])
        height = heights[suit]
        what = own[card]
        what[:] = 0
        what[0] = code == at.TOKEN_FOUNDATION
        what[1] = counts[at.COUNT_PEAK + suit] > rank
        what[2] = height == rank
        what[3] = (rank - height) / 13
        what[9] = code == at.TOKEN_RESERVE
        what[10] = code == at.TOKEN_UNSEEN
        if code >= at.TOKEN_COLUMN:
            under = (code - at.TOKEN_COLUMN) % 52
            on_top = 0
            while under + on_top < 51 and card_at[code + on_top + 1] != NO_CARD:
                on_top += 1
            what[4] = 1
            what[5] = under == 0
            what[6] = on_top == 0
            what[7] = on_top / 13
            what[8] = under / 13
            neighbours[card, 0] = card_at[code - 1] if under > 0 else NO_CARD
            neighbours[card, 1] = card_at[code + 1] if on_top > 0 else NO_CARD
        elif code >= at.TOKEN_TALON:
            place = code - at.TOKEN_TALON + 1
            ahead = place - waste
            what[11] = 1
            what[12] = place / 34
            what[13] = ahead == 0
            what[14] = ahead > 0 and (ahead % draw == 0 or place == seen)
            what[15] = what[13] + what[14] == 0 and (place % draw == 0 or place == seen)
            what[16] = ahead <= 0
            step = (ahead if ahead > 0 else place) % draw
            what[17] = step == 1
            what[18] = step == 2
            neighbours[card, 0] = card_at[code - 1] if place > 1 else NO_CARD
            neighbours[card, 1] = card_at[code + 1] if place < seen else NO_CARD
        else:
            neighbours[card, :] = NO_CARD
