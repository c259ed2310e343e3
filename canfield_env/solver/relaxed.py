"""D5: a proof of loss. What could be done if nothing done ever stood in the way of anything else."""

from __future__ import annotations

from typing import Final

import numpy as np

from canfield_env.engine.jit import jit
from canfield_env.solver.state import (
    COLUMNS,
    DRAW,
    FIRST,
    IN_COLUMNS,
    LAST,
    NO_BASE_BUILD,
    ON_SECONDS,
    RANKS,
    REACH,
    RESERVE,
    RESERVE_CARDS,
    RULES,
    STOCK,
    STOCK_CARDS,
    TAKE_BACK,
    UP,
    USED,
    WASTE_SPACES,
    WHOLE_RUNS,
)

# Sets of cards are 64-bit masks; a suit is a lane of 16 bits.
_LANE: Final = 0xFFFF
_BASES: Final = 0x0001000100010001


@jit
def is_lost(board: np.ndarray) -> bool:
    """Whether the game cannot be won even so; ``find_reach`` has been called."""
    ranks, rules = board[RANKS], board[RULES]
    columns, second = board[IN_COLUMNS], board[ON_SECONDS]
    roots = ends = 0
    for k in range(board[USED]):
        roots |= 1 << board[FIRST + k]
        ends |= 1 << board[LAST + k]
    first = columns & ~second & ~roots
    stock = reach = 0
    for k in range(board[STOCK]):
        card = 1 << board[STOCK_CARDS + k]
        stock |= card
        if (board[REACH] >> k) & 1:
            reach |= card
    up = 0
    for suit in range(4):
        up |= ((1 << board[UP + suit]) - 1) << (16 * suit)
    full = ((1 << ranks) - 1) * _BASES
    left = board[RESERVE]
    while True:
        old_ends, old_up, old_reach, old_left = ends, up, reach, left
        fit = _children(ends, ranks, rules)
        # Cards go up, and free what lay under them.
        free = ends | reach
        if left > 0:
            free |= 1 << board[RESERVE_CARDS + left - 1]
        following = _following(up, ranks) & free
        while following:
            up |= following
            following = _following(up, ranks) & free
        if up == full:
            return False
        ends |= _under(up & first, up & second, ranks) & columns
        # A tail goes over to the other card that it fits on.
        if not rules & WHOLE_RUNS:
            ends |= _twins(ends) & columns
        can_leave = fit | up
        spaces = board[COLUMNS] - board[USED]
        for k in range(board[USED]):
            spaces += (can_leave >> board[FIRST + k]) & 1
        left, held = board[RESERVE], 0
        while left > 0:
            card = 1 << board[RESERVE_CARDS + left - 1]
            if not can_leave & card:
                held += 1
                if held > spaces:
                    break
            if fit & card or spaces > 0:
                ends |= card
            left -= 1
        if left == 0 and spaces > 0:
            ends |= reach
            can_leave |= reach
            if not rules & (WHOLE_RUNS | WASTE_SPACES):
                ends |= columns
        ends |= reach & fit
        if reach != stock:
            reach |= _more_reach(reach, can_leave, board)
        if rules & TAKE_BACK:
            ends |= up & (fit if left > 0 or spaces == 0 or rules & WASTE_SPACES else up)
        if ends == old_ends and up == old_up and reach == old_reach and left == old_left:
            return True


@jit
def _more_reach(reach: int, can_leave: int, board: np.ndarray) -> int:
    """The stock cards that turning can bring up once some of those in reach have left.

    With m cards before it gone, the card at place j (from 0) comes up in a new pass where draw divides j + 1 - m; and a
    card comes up when the next one is played off it.
    """
    draw, gone, found = board[DRAW], 0, 0
    for k in range(board[STOCK]):
        card = 1 << board[STOCK_CARDS + k]
        if (k + 1) % draw <= gone:
            found |= card
        if (reach | found) & card & can_leave:
            gone += 1
            if k > 0:
                found |= 1 << board[STOCK_CARDS + k - 1]
    return found


@jit
def _children(cards: int, ranks: int, rules: int) -> int:
    """The cards that can be built on one of these."""
    lower = (cards & ~_BASES) >> 1
    if not rules & NO_BASE_BUILD:
        lower |= (cards & _BASES) << (ranks - 1)
    red = (lower >> 16 | lower >> 32) & _LANE
    black = (lower | lower >> 48) & _LANE
    return red | red << 48 | black << 16 | black << 32


@jit
def _under(first: int, second: int, ranks: int) -> int:
    """The cards on which these lie, as their places say."""
    return _raised(first, ranks, 0, 1) | _raised(second, ranks, 3, 2)


@jit
def _raised(cards: int, ranks: int, black: int, red: int) -> int:
    last = _BASES << (ranks - 1)
    higher = (cards & ~last) << 1 | ((cards & last) >> (ranks - 1)) & _BASES
    from_black = (higher | higher >> 48) & _LANE
    from_red = (higher >> 16 | higher >> 32) & _LANE
    return from_black << (16 * red) | from_red << (16 * black)


@jit
def _twins(cards: int) -> int:
    return (
        (cards & _LANE) << 48
        | ((cards >> 48) & _LANE)
        | (cards & (_LANE << 16)) << 16
        | ((cards >> 16) & (_LANE << 16))
    )


@jit
def _following(up: int, ranks: int) -> int:
    """The next card of each foundation."""
    return (up << 1 | _BASES) & ~up & (((1 << ranks) - 1) * _BASES)
