"""Which cards have to do with which: what a card can be played with, what it lies on, and what its leaving changes in
the order of play.

That last one is what draw 3 is about. Turning brings up every third card of waste and stock. When a card is played from
there, every card behind it moves up by one place: other cards come in reach, and some that were go out of it. More
games are lost by plays from the stock than by any other kind of move.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from canfield_env.engine import observe as at
from canfield_env.engine.jit import jit, lowest_bit

Array = NDArray[Any]

#: Stands for "no card" where a card is pointed at.
NO_CARD: Final = 52


def _neighbours(suits: tuple[int, int, int, int], step: int) -> list[int]:
    """For every card, the number of the card of suit ``suits[its suit]`` that is ``step`` ranks higher, wrapping."""
    return [13 * suits[card // 13] + (card % 13 + step) % 13 for card in range(52)]


# Suits are c, d, h, s; so the twin of a suit is 3 minus it.
_SAME, _TWIN, _OTHERS = (0, 1, 2, 3), (3, 2, 1, 0), ((1, 0, 0, 1), (2, 3, 3, 2))
#: The fixed relations of a card: which cards stand in each, two of them in some.
RELATIONS: Final = (
    ("the next lower of its suit", [_neighbours(_SAME, -1)]),
    ("the next higher of its suit", [_neighbours(_SAME, 1)]),
    ("the same rank and colour", [_neighbours(_TWIN, 0)]),
    ("those that it goes on in columns", [_neighbours(suits, 1) for suits in _OTHERS]),
    ("those that go on it in columns", [_neighbours(suits, -1) for suits in _OTHERS]),
)
#: ``int64[R, 2, 52]``; where a relation has one member, the second one is ``NO_CARD``.
MEMBERS: Final = np.array([[*members, [NO_CARD] * 52][:2] for _, members in RELATIONS], np.int64)
GOES_ON: Final = 3  #: the place of that relation

#: Other cards that have to do with a card, by where they lie.
PLACED: Final = (
    "directly beneath it",
    "directly on top of it, or next in the order of play",
    "anywhere on top of it in its column",
    "comes in reach when it leaves waste or stock",
    "goes out of reach then",
)
_BENEATH, _ABOVE, _ON_TOP, _OPENED, _CLOSED = range(len(PLACED))
#: What a card is told by another one: the other is the card itself, in a fixed relation to it, or one of those above.
KINDS: Final = ("itself", *(name for name, _ in RELATIONS), *PLACED)
#: More links than that no game has: those of the columns, and two to each place for a card in reach.
_MOST_LINKS: Final = 4096


class Links(NamedTuple):
    """Which cards have to do with which by where they lie. Those of the same card and kind are next to each other.

    Attributes:
        starts: ``int64[N + 1]``, where the links of each game begin.
        counts: ``int64[N, len(PLACED)]``, how many cards of each game have links of each kind.
        cards: ``int8[L]``, a card.
        kinds: ``int8[L]``, what the other one is to it, a place in ``PLACED``.
        others: ``int8[L]``, the other card.
    """

    starts: NDArray[np.int64]
    counts: NDArray[np.int64]
    cards: NDArray[np.int8]
    kinds: NDArray[np.int8]
    others: NDArray[np.int8]


def find_links(tokens: NDArray[np.uint8]) -> Links:
    """The links of ``uint8[N, 62]`` observations."""
    starts = np.zeros(len(tokens) + 1, np.int64)
    counts = np.zeros((len(tokens), len(PLACED)), np.int64)
    found = np.empty((3, len(tokens) * _MOST_LINKS), np.int8)  # touched only as far as there are any
    _find_links(np.ascontiguousarray(tokens), starts, counts, *found)
    return Links(starts, counts, *found[:, : starts[-1]])


@jit
def _find_links(tokens: Array, starts: Array, counts: Array, cards: Array, kinds: Array, others: Array) -> None:
    neighbours = np.empty((52, 2), np.int64)
    opened, closed = np.empty(52, np.int64), np.empty(52, np.int64)
    count = 0
    for game in range(len(tokens)):
        token = tokens[game]
        find_neighbours(token, neighbours)
        find_reach(token, opened, closed)
        for card in range(52):
            first = count
            beneath, above = neighbours[card]
            if beneath < NO_CARD:
                kinds[count], others[count] = _BENEATH, beneath
                count += 1
            if above < NO_CARD:
                kinds[count], others[count] = _ABOVE, above
                count += 1
            if token[card] >= at.TOKEN_COLUMN:
                while above < NO_CARD:
                    kinds[count], others[count] = _ON_TOP, above
                    count += 1
                    above = neighbours[above, 1]
            for reached, kind in ((opened[card], _OPENED), (closed[card], _CLOSED)):
                while reached:
                    kinds[count], others[count] = kind, lowest_bit(reached)
                    count += 1
                    reached &= reached - 1
            cards[first:count] = card
            for link in range(first, count):
                counts[game, kinds[link]] += link == first or kinds[link] != kinds[link - 1]
        starts[game + 1] = count


@jit
def find_neighbours(token: Array, neighbours: Array) -> None:
    """Fills ``neighbours`` (int64[52, 2]): the card directly beneath each one in its column, or in waste and stock, and
    the one directly on top, or next in the order of play; ``NO_CARD`` where there is none that the player has seen."""
    card_at = np.full(256, NO_CARD, np.int64)
    for card in range(52):
        card_at[token[card]] = card
    for card in range(52):
        code = np.int64(token[card])
        neighbours[card, :] = NO_CARD
        if code >= at.TOKEN_TALON:
            is_column = code >= at.TOKEN_COLUMN
            place = (code - at.TOKEN_COLUMN) % 52 if is_column else code - at.TOKEN_TALON
            if place > 0:
                neighbours[card, 0] = card_at[code - 1]
            if place < 51 and code + 1 < 256 and (is_column or code + 1 < at.TOKEN_COLUMN):
                neighbours[card, 1] = card_at[code + 1]


@jit
def find_reach(token: Array, opened: Array, closed: Array) -> None:
    """Fills ``opened`` and ``closed`` (int64[52]): for each card that turning can bring up, the sets of the cards that
    come in reach when it is played, and that go out of reach; empty for the others."""
    counts = token[52:]
    waste = np.int64(counts[at.COUNT_WASTE])
    count = waste + np.int64(counts[at.COUNT_STOCK])
    draw = np.int64(counts[at.COUNT_DRAW])
    card_at = np.full(64, NO_CARD, np.int64)
    for card in range(52):
        opened[card] = closed[card] = 0
        code = np.int64(token[card])
        if at.TOKEN_TALON <= code < at.TOKEN_COLUMN:
            card_at[code - at.TOKEN_TALON] = card
    now = _in_reach(waste, count, draw)
    for place in range(count):
        card = card_at[place]
        if card == NO_CARD or not now >> place & 1:
            continue
        later = _in_reach(place, count - 1, draw)
        before = (1 << place) - 1
        then = later & before | (later & ~before) << 1  # in the places of now
        opened[card] = _cards(then & ~now, card_at)
        closed[card] = _cards(now & ~then & ~(1 << place), card_at)


@jit
def _in_reach(waste: int, count: int, draw: int) -> int:
    """The places of waste and stock that turning can bring up, as a set."""
    if count == 0:
        return 0
    places = 1 << (count - 1)
    if waste > 0:
        places |= 1 << (waste - 1)
    for start in (waste, 0):
        for place in range(start + draw - 1, count, draw):
            places |= 1 << place
    return places


@jit
def _cards(places: int, card_at: Array) -> int:
    """The cards at a set of places, as far as the player has seen them, as a set."""
    cards = 0
    while places:
        card = card_at[lowest_bit(places)]
        if card < NO_CARD:
            cards |= 1 << card
        places &= places - 1
    return cards
