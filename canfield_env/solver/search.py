"""The search: states are taken up best first until one is won, none is left, or a limit is reached."""

from __future__ import annotations

from typing import Final

import numpy as np

from canfield_env.engine.jit import jit
from canfield_env.solver.moves import MOST_ADDED, TAILS, canonical, expand, leaves_d4
from canfield_env.solver.space import EXPANDED, LOOPED, NODES, WON, clear, enter, queue, take
from canfield_env.solver.state import DOMINANCES

# What a search has come to.
OPEN: Final = 0  #: it can go on
WINNABLE: Final = 1
UNWINNABLE: Final = 2
FULL: Final = 3  #: no memory left
LOOPS: Final = 4  #: nothing left but what D4 is not proved for; to be searched again without it


@jit
def begin(a: int, b: int, nodes: np.ndarray, table: np.ndarray, info: np.ndarray, board: np.ndarray) -> None:
    """Makes the space ready for a search from a state."""
    clear(table, info)
    if leaves_d4(a, b, info, board):
        return
    a, b = canonical(a, b, board)
    queue(enter(a, b, -1, nodes, table, info), 0, nodes, info)


@jit
def advance(until: int, nodes: np.ndarray, table: np.ndarray, info: np.ndarray, board: np.ndarray) -> int:
    """Searches until that many states have been expanded in all, and tells what the search has come to."""
    while info[EXPANDED] < until:
        if info[NODES] + MOST_ADDED > nodes.shape[0]:
            return FULL
        node = take(nodes, info)
        if node < 0:
            return LOOPS if info[LOOPED] and board[DOMINANCES] & TAILS else UNWINNABLE
        expand(node, nodes, table, info, board)
        if info[WON] >= 0:
            return WINNABLE
    return OPEN


@jit
def search(
    a: int, b: int, max_states: int, nodes: np.ndarray, table: np.ndarray, info: np.ndarray, board: np.ndarray
) -> int:
    """A whole search of at most that many states, for callers that make many short ones.

    Args:
        a, b: the state to start from, as ``state.pack`` gives it.
        max_states: states to expand.
        nodes, table, info: a space of the caller's own (``space.new_space``); one a thread.
        board: the board of the game (``state.board_of``), with its dominances and weights set; one a thread.

    Returns:
        OPEN where the states ran out, else as ``advance``. ``info[EXPANDED]`` counts the states.
    """
    begin(a, b, nodes, table, info, board)
    return advance(max_states, nodes, table, info, board)
