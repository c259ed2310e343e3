"""The ends of plans as a network sees them: what the player knows before the next card of the reserve is looked at."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from agents.planner.search import Plans
from canfield_env.engine.jit import jit
from canfield_env.engine.observe import (
    COUNT_DRAW,
    COUNT_IDLE,
    COUNT_PEAK,
    COUNT_REDEALS_LEFT,
    COUNT_RESERVE,
    COUNT_STOCK,
    COUNT_WASTE,
    TOKEN_COLUMN,
    TOKEN_FOUNDATION,
    TOKEN_TALON,
    TOKEN_UNSEEN,
    TOKENS_SIZE,
)
from canfield_env.solver.state import (
    ABOVE,
    DRAW,
    FIRST,
    RESERVE,
    STOCK,
    STOCK_CARDS,
    UP,
    USED,
    WASTE,
    unpack,
)


def read_ends(plans: Plans, count: int, board: NDArray[np.int64]) -> NDArray[np.uint8]:
    """The ends of the first so many plans as ``tokens`` observations, ``uint8[count, 62]``.

    They are as the player sees them before the next card of the reserve: it has no top card, all its cards are unseen.
    What a state of the solver does not hold is left out: columns come in a fixed order, the waste counts as
    ``pass_position`` has it, and no time has passed without progress.
    """
    tokens = np.zeros((count, TOKENS_SIZE), np.uint8)
    for plan in range(count):
        a, b = plans.paths[plan, plans.lengths[plan] - 1]
        read_state(a, b, board, tokens[plan])
    return tokens


@jit
def read_state(a: int, b: int, board: np.ndarray, tokens: np.ndarray) -> None:
    """Fills ``tokens`` (uint8[62]) with what the player sees of a state; see ``read_ends``."""
    unpack(a, b, board)
    tokens[:52] = TOKEN_UNSEEN
    counts = tokens[52:]
    for suit in range(4):
        tokens[13 * suit : 13 * suit + board[UP + suit]] = TOKEN_FOUNDATION
        counts[COUNT_PEAK + suit] = board[UP + suit]
    for k in range(board[STOCK]):
        card = board[STOCK_CARDS + k]
        tokens[13 * (card >> 4) + (card & 15)] = TOKEN_TALON + k
    for column in range(board[USED]):
        card, token = board[FIRST + column], TOKEN_COLUMN + 52 * column
        while card >= 0:
            tokens[13 * (card >> 4) + (card & 15)] = token
            card, token = board[ABOVE + card], token + 1
    counts[COUNT_RESERVE] = board[RESERVE]
    counts[COUNT_STOCK] = board[STOCK] - board[WASTE]
    counts[COUNT_WASTE] = board[WASTE]
    counts[COUNT_DRAW] = board[DRAW]
    counts[COUNT_REDEALS_LEFT] = 255
    counts[COUNT_IDLE] = 0


def log_odds(shares: NDArray[np.float64], orders: int) -> NDArray[np.float64]:
    """The log-odds of shares of so many orders won, never infinite: half an order more counts as won, and as lost."""
    odds: NDArray[np.float64] = np.log((shares * orders + 0.5) / ((1 - shares) * orders + 0.5))
    return odds
