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
from canfield_env.engine.jit import jit, lowest_bit
from canfield_env.training.links import GOES_ON, MEMBERS, NO_CARD, RELATIONS, find_neighbours, find_reach

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
#: Groups of cards that matter to all others: those of which one of these holds.
GROUPS: Final = (
    ("last of a column",),
    ("top of the reserve",),
    ("next for its foundation",),
    ("up now", "up later in this pass"),
    ("up after the next redeal only",),
    ("unseen",),
)
#: ``float[len(GROUPS), SIZE]``, 1 for what puts a card into a group.
_GROUPS: Final = torch.tensor([[float(name in names) for name in CARD_FEATURES] for names in GROUPS])
#: The counts that belong to no suit, and what divides them.
COUNTS: Final = at.COUNT_PEAK
_COUNT_SCALE: Final = np.array([13.0, 34, 34, 3, 255, 40], np.float32)
COLUMNS: Final = 4
#: What is said of a card and of those around it: those of each relation, the one beneath and the one above.
AROUND: Final = SIZE * (1 + len(RELATIONS) + 2)
#: What is said of the cards that come in reach when a card leaves waste or stock, and of those that go out of it.
REACH: Final = 2 * (SIZE + 1)


class Table(NamedTuple):
    """What an observation says.

    Attributes:
        cards: ``float[N, 52, AROUND]``: what holds of a card, of those in each relation to it, of the card directly
            beneath it in its column, or in the waste once it is up, and of the one directly on top, or next in the
            order of play. With ``reach`` ``float[N, 52, AROUND + REACH]``: then, of the cards that come in reach when
            it is played, added up and divided by 4, what holds of them, and how many columns they go on; and the same
            of the cards that go out of reach.
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


def read(tokens: Tensor, *, reach: bool = False) -> Table:
    """Reads observations.

    Args:
        tokens: ``[N, 62]``, of any number type.
        reach: whether to tell what leaves and what comes in reach when a card leaves waste or stock.
    """
    count = len(tokens)
    cards = np.zeros((count, 52, AROUND + REACH * reach), np.float32)
    columns, lasts = np.zeros((2, count, COLUMNS, 52), np.float32)
    column, beneath = np.empty((2, count, 52), np.int64)
    numbers = as_numbers(tokens)
    _read(numbers, MEMBERS, cards, columns, lasts, column, beneath)
    if reach:
        _read_reach(numbers, MEMBERS[GOES_ON], cards)
    counts = numbers[:, 52 : 52 + COUNTS] / _COUNT_SCALE
    return Table(*map(torch.from_numpy, (cards, columns, lasts, counts, column, beneath)))


def groups_of(seen: Table) -> Tensor:
    """``float[N, len(GROUPS), 52]``, 1 where a card is in a group."""
    return _GROUPS @ seen.cards[:, :, :SIZE].transpose(1, 2)


def as_numbers(tokens: Tensor) -> NDArray[np.uint8]:
    """Observations, of any number type, as the kernels take them."""
    return np.ascontiguousarray(tokens.numpy(), np.uint8)


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
        find_neighbours(token, neighbours)
        _describe(token, counts, card_at, own)
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
            around[first + SIZE : first + 2 * SIZE] = own[neighbours[card, 1]]


@jit
def _read_reach(tokens: Array, goes_on: Array, cards: Array) -> None:
    """Fills in the last ``REACH`` numbers of each card, from what the first ones say of others."""
    opened, closed = np.empty(52, np.int64), np.empty(52, np.int64)
    for game in range(len(tokens)):
        find_reach(tokens[game], opened, closed)
        for card in range(52):
            first = AROUND
            for others in (opened[card], closed[card]):
                sums = cards[game, card, first : first + SIZE + 1]
                while others:
                    other = lowest_bit(others)
                    others &= others - 1
                    for k in range(SIZE):
                        sums[k] += cards[game, other, k] / 4
                    for column_card in goes_on[:, other]:
                        sums[SIZE] += cards[game, column_card, 6] / 4
                first += SIZE + 1


@jit
def _describe(token: Array, counts: Array, card_at: Array, own: Array) -> None:
    """Fills in what holds of each card of a game, as ``CARD_FEATURES`` lists it."""
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
