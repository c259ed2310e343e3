"""The solver's states: a whole position, exactly, in two 64-bit words, and the board that they are unpacked to.

Cards are numbered ``16 * suit + rank above the base``. Each word holds two suits, 32 bits a suit:

======  ======================================================================================================
bits    what
======  ======================================================================================================
0-25    two bits a card, its *place*: ``HOME`` in its first pile (reserve, stock) or on its foundation, ``ROOT`` of a
        column, or built on one of the two cards that it fits on (``ON_FIRST``, ``ON_SECOND``)
26-29   cards on the suit's foundation
30-31   clubs, diamonds, hearts: two bits each of the waste count; spades: whether cards have just been taken back
======  ======================================================================================================

The order of the columns is not in it, so positions that differ in nothing else are one state. Reserve and stock lose
cards but never change their order, so which of their cards are gone tells the rest. Two positions are the same state
exactly when the two words are equal: no verdict rests on a hash.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

import numpy as np

from canfield_env.cards import Card
from canfield_env.engine.jit import jit, lowest_bit
from canfield_env.errors import ConfigError
from canfield_env.notation import Position
from canfield_env.rules import Rules

# Places of a card.
HOME: Final = 0
ROOT: Final = 1
ON_FIRST: Final = 2

_EACH: Final = 0x1555555  # the low bit of every place in a suit
_EVEN: Final = 0x1111111  # of the even ranks

# Rules, as a bit mask.
WHOLE_RUNS: Final = 1
WASTE_SPACES: Final = 2
TAKE_BACK: Final = 4
NO_BASE_BUILD: Final = 8

# The board is an int64 array. What stays the same during a search:
RANKS: Final = 0  #: cards per suit
COLUMNS: Final = 1  #: columns in the game
DRAW: Final = 2  #: cards a turn of the stock brings
RULES: Final = 3  #: the rules mask
RESERVE_AT_START: Final = 4  #: cards in the reserve at the start
CYCLE_AT_START: Final = 5  #: cards in stock and waste at the start
DOMINANCES: Final = 6  #: which dominances to use, the mask of ``moves.py``
WEIGHTS: Final = 8  #: what a card in the reserve, the stock and the columns counts in the search order
RESERVE_CARDS: Final = 16  #: the reserve at the start, from its bottom up
CYCLE: Final = 80  #: waste and stock at the start, in the order in which they are turned
FITS_ON: Final = 144  #: two a card: those on which it can be built, of the other colour and one rank up
# A state unpacked:
USED: Final = 272  #: columns that are not empty
RESERVE: Final = 273  #: cards in the reserve
STOCK: Final = 274  #: cards in stock and waste together
WASTE: Final = 275  #: cards in the waste, as ``pass_position`` has it
TAKING: Final = 276  #: whether cards have just been taken back
ON_SECONDS: Final = 279  #: bit mask over the card numbers: those that lie on the second card they fit on
REACH: Final = 277  #: bit mask over ``STOCK_CARDS``: the cards that turning can bring up
IN_COLUMNS: Final = 278  #: bit mask over the card numbers: the cards in the columns
UP: Final = 280  #: cards on each foundation
FIRST: Final = 284  #: the first card of each column
LAST: Final = 293  #: the last card of each column
STOCK_CARDS: Final = 304  #: what is left of the cycle
SPOT: Final = 368  #: where each card of it lies in STOCK_CARDS, else -1
PLACE: Final = 432  #: the place of each card
ABOVE: Final = 496  #: the card that lies on each, or -1
BOARD_SIZE: Final = 560


@jit
def moved(a: int, b: int, card: int, old: int, new: int) -> tuple[int, int]:
    """The words after the card's place has changed."""
    change = (old ^ new) << (2 * (card & 31))
    return (a ^ change, b) if card < 32 else (a, b ^ change)


@jit
def raised(a: int, b: int, suit: int, by: int) -> tuple[int, int]:
    """The words after a foundation has grown by that many cards, or shrunk where negative."""
    change = by << (26 + 32 * (suit & 1))
    return (a + change, b) if suit < 2 else (a, b + change)


@jit
def waste_set(a: int, b: int, old: int, new: int) -> tuple[int, int]:
    """The words after the number of cards in the waste has changed."""
    change = old ^ new
    return a ^ ((change & 3) << 30) ^ ((change >> 2 & 3) << 62), b ^ ((change >> 4) << 30)


@jit
def taking_toggled(a: int, b: int) -> tuple[int, int]:
    """The words with the mark for cards just taken back turned over."""
    return a, b ^ (1 << 62)


@jit
def holds_loop(a: int, b: int, ranks: int, take_back: bool) -> bool:
    """Whether the columns hold all cards of a run that ends on the rank and colour it begins with.

    With ``take_back``, whether they could once cards were taken back.
    """
    up = -1 if take_back else 0
    clubs, diamonds = _spread(a, ranks, up), _spread(a >> 32, ranks, up)
    hearts, spades = _spread(b, ranks, up), _spread(b >> 32, ranks, up)
    black, red = clubs | spades, diamonds | hearts
    every = (1 << 2 * ranks) - 1 & _EACH
    even, odd = every & _EVEN, every & ~_EVEN
    black_first = (black & even) | (red & odd) == every
    red_first = (red & even) | (black & odd) == every
    # With an odd number of ranks a run changes colour on its way round, and goes round twice.
    return (black_first and red_first) if ranks & 1 else (black_first or red_first)


@jit
def _spread(suit: int, ranks: int, up: int) -> int:
    """The cards of a suit, two bits each, that are in the columns, or on the foundation where ``up`` is -1."""
    return ((suit | suit >> 1) & _EACH) | ((1 << 2 * (suit >> 26 & 15)) - 1 & _EACH & up)


@jit
def evened(a: int, b: int, ranks: int) -> tuple[int, int]:
    """The words with the tails on each two cards of one rank and colour exchanged into a fixed order (D4).

    Where both cards are in columns, the first bears the first of the two cards that can lie on them, or the only one.
    """
    clubs, diamonds = _spread(a, ranks, 0), _spread(a >> 32, ranks, 0)
    hearts, spades = _spread(b, ranks, 0), _spread(b >> 32, ranks, 0)
    last = 2 * (ranks - 1)
    red, black = diamonds & hearts, clubs & spades
    on_red, on_black = red >> 2 | (red & 1) << last, black >> 2 | (black & 1) << last
    clubs, spades = on_red & a >> 1, on_red & b >> 33
    diamonds, hearts = on_black & a >> 33, on_black & b >> 1
    a = a & ~(clubs | diamonds << 32)
    b = b & ~(hearts | spades << 32) | hearts & diamonds | (spades & clubs) << 32
    return a, b


@jit
def unpack(a: int, b: int, board: np.ndarray) -> None:
    """Lays the state out on the board."""
    board[UP], board[UP + 1], board[UP + 2], board[UP + 3] = (
        (a >> 26) & 15,
        (a >> 58) & 15,
        (b >> 26) & 15,
        b >> 58 & 15,
    )
    board[WASTE] = (a >> 30 & 3) | (a >> 62 & 3) << 2 | (b >> 30 & 3) << 4
    board[TAKING] = b >> 62 & 1
    board[PLACE:ABOVE] = HOME
    board[ABOVE:BOARD_SIZE] = -1
    used = in_columns = on_seconds = 0
    for suit in range(4):
        places = ((a if suit < 2 else b) >> (32 * (suit & 1))) & 0x3FFFFFF
        marks = (places | places >> 1) & 0x1555555  # the low bit of each place but HOME
        while marks:
            bit = lowest_bit(marks)
            marks &= marks - 1
            card, place = 16 * suit + (bit >> 1), (places >> bit) & 3
            board[PLACE + card] = place
            in_columns |= 1 << card
            if place > ON_FIRST:
                on_seconds |= 1 << card
            if place == ROOT:
                board[FIRST + used] = card
                used += 1
            else:
                board[ABOVE + board[FITS_ON + 2 * card + place - ON_FIRST]] = card
    board[USED] = used
    board[IN_COLUMNS] = in_columns
    board[ON_SECONDS] = on_seconds
    for k in range(used):
        board[LAST + k] = end_over(board[FIRST + k], board)
    left = board[RESERVE_AT_START]
    while left > 0 and _is_gone(board[RESERVE_CARDS + left - 1], board):
        left -= 1
    board[RESERVE] = left
    left = 0
    for k in range(board[CYCLE_AT_START]):
        card = board[CYCLE + k]
        board[SPOT + card] = -1
        if not _is_gone(card, board):
            board[SPOT + card] = left
            board[STOCK_CARDS + left] = card
            left += 1
    board[STOCK] = left


@jit
def _is_gone(card: int, board: np.ndarray) -> bool:
    """Whether a card of the reserve or the stock has left it."""
    return board[PLACE + card] != HOME or card & 15 < board[UP + (card >> 4)]


@jit
def end_over(card: int, board: np.ndarray) -> int:
    """The last card of the column that a card is in."""
    while board[ABOVE + card] >= 0:
        card = board[ABOVE + card]
    return card


@jit
def pass_position(waste: int, stock: int, draw: int) -> int:
    """The waste count, 0 where the cards that turning brings up are those of a new pass.

    From a waste of w cards turning brings up cards w, w + draw, ..., the last one, then draw, 2 * draw, ... of the next
    pass. Where draw divides w, or the waste is the whole stock, the first of these are among the others, so nothing
    else is reached than at the start of a pass. Once a card has been played the two are the same position.
    """
    return 0 if waste % draw == 0 or waste == stock else waste


@jit
def find_reach(board: np.ndarray) -> None:
    """Notes which stock cards turning can bring to the top of the waste, that on it now included."""
    stock, draw = board[STOCK], board[DRAW]
    mask = 1 << (stock - 1) if stock > 0 else 0
    for k in range(draw - 1, stock, draw):
        mask |= 1 << k
    if board[WASTE] > 0:
        for k in range(board[WASTE] - 1, stock, draw):
            mask |= 1 << k
    board[REACH] = mask


def board_of(position: Position, rules: Rules, draw: int) -> np.ndarray:
    """A board for the search from a full position of a game under these rules; ``unpack`` lays out the states.

    Raises:
        ConfigError: the rules limit the redeals to fewer than can be of use from here.
    """
    board = np.zeros(BOARD_SIZE, np.int64)
    reserve = _numbers(position.reserve, position.base, rules.ranks)
    cycle = _numbers([*position.waste, *position.stock[::-1]], position.base, rules.ranks)
    # A pass in which no card is played changes nothing, so as many redeals as cards are as good as any number.
    if rules.redeals is not None and rules.redeals - position.redeals < len(cycle):
        raise ConfigError(f"the solver needs unlimited redeals, the rules allow {rules.redeals}")
    mask = WHOLE_RUNS * (rules.runs == "whole") | WASTE_SPACES * (rules.spaces == "waste")
    mask |= TAKE_BACK * rules.take_back | NO_BASE_BUILD * (not rules.build_on_base)
    board[: CYCLE_AT_START + 1] = rules.ranks, rules.columns, draw, mask, len(reserve), len(cycle)
    board[RESERVE_CARDS : RESERVE_CARDS + len(reserve)] = reserve
    board[CYCLE : CYCLE + len(cycle)] = cycle
    board[SPOT:PLACE] = -1
    for suit in range(4):
        parents = (1, 2) if suit in (0, 3) else (0, 3)
        for rank in range(rules.ranks):
            place = FITS_ON + 2 * (16 * suit + rank)
            board[place : place + 2] = [16 * parent + (rank + 1) % rules.ranks for parent in parents]
    return board


def pack(position: Position, rules: Rules, draw: int) -> tuple[int, int]:
    """The two words of a full position."""
    words = [0, 0]
    for suit, top in enumerate(position.tops):
        if top is not None:
            words[suit >> 1] |= ((top - position.base) % rules.ranks + 1) << (26 + 32 * (suit & 1))
    for column in position.columns:
        below: Card | None = None
        for card in column:
            assert card is not None
            place = ROOT if below is None else ON_FIRST + (below.suit >> 1)
            number = card_number(card, position.base, rules.ranks)
            words[number >> 5] |= place << (2 * (number & 31))
            below = card
    waste = pass_position(len(position.waste), len(position.waste) + len(position.stock), draw)
    words[0] |= (waste & 3) << 30 | (waste >> 2 & 3) << 62
    words[1] |= (waste >> 4) << 30
    # As signed 64-bit integers, which is what the compiled code works with.
    return words[0] - (words[0] >> 63 << 64), words[1] - (words[1] >> 63 << 64)


def card_number(card: Card, base: int, ranks: int) -> int:
    """The solver's number of a card."""
    return 16 * card.suit + (card.rank - base) % ranks


def _numbers(pile: Iterable[Card | None], base: int, ranks: int) -> list[int]:
    return [card_number(card, base, ranks) for card in pile if card is not None]
