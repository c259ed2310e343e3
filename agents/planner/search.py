"""The planner's search, compiled: plans up to the next revelation, and what they are worth on many orders.

A *plan* is a way through the solver's states that ends with the move that takes the reserve's top card, or with the
game. The words of its *end*, before the next card is looked at, do not depend on the hidden order. So plans that were
found on different orders are one plan where their ends are equal.

All functions take a space and a board of the solver's (``solver.search``) and leave the board with any of the orders.
"""

from __future__ import annotations

from functools import cache
from typing import Final, NamedTuple

import numpy as np

from canfield_env.engine.jit import announced, jit
from canfield_env.solver.moves import MOST_ADDED, TAILS, expand
from canfield_env.solver.search import LOOPS, OPEN, UNWINNABLE, WINNABLE, begin, search
from canfield_env.solver.space import EXPANDED, LOW, NODES, UNLISTED, WON, new_space
from canfield_env.solver.state import BOARD_SIZE, DOMINANCES, HOME, RESERVE_AT_START, RESERVE_CARDS

#: States of the longest plan.
MOST_STATES: Final = 512
#: Plans that one decision can have.
MOST_PLANS: Final = 256


class Plans(NamedTuple):
    """The plans of a decision, of which there can be P, on K orders.

    Attributes:
        paths: ``int64[P, S, 2]``, the words of their states, the first of which is where all start.
        lengths: ``int64[P]``, how many states.
        results: ``int64[P, K]``, what a search of each order from the end has come to; OPEN where there was none.
        reached: ``int64[P, K]``, how far a search of each order has come, see ``progress``.
    """

    paths: np.ndarray
    lengths: np.ndarray
    results: np.ndarray
    reached: np.ndarray


def new_plans(orders: int) -> Plans:
    """Room for plans on that many orders; used again for every decision."""
    return Plans(
        np.zeros((MOST_PLANS, MOST_STATES, 2), np.int64),
        np.zeros(MOST_PLANS, np.int64),
        np.zeros((MOST_PLANS, orders), np.int64),
        np.zeros((MOST_PLANS, orders), np.int64),
    )


@cache
def compile_kernels() -> None:
    """Compiles the search, or reads it from the disk, so that no game has to wait for it."""
    with announced():
        orders, lost = np.zeros((1, 0), np.int64), np.zeros(1, np.bool_)
        tools = (*new_space(MOST_ADDED + 1), np.zeros(BOARD_SIZE, np.int64))
        plans = new_plans(1)
        solve_order(0, 0, -1, 0, orders, 1, plans, 0, *tools)
        explore(0, 0, -1, 1, 1, plans, 0, *tools)
        examine(0, 0, 1, orders, 1, lost, plans, *tools)
        reach_far(0, 0, -1, orders, 1, plans, *tools)


@jit
def lay(order: np.ndarray, board: np.ndarray) -> None:
    """Lays the hidden cards of the reserve in an order, from the bottom up."""
    board[RESERVE_CARDS : RESERVE_CARDS + order.size] = order


@jit
def find_result(
    a: int, b: int, limit: int, nodes: np.ndarray, table: np.ndarray, info: np.ndarray, board: np.ndarray
) -> int:
    """What a search of so many states comes to; where nothing is left but what D4 is not proved for, once more without.

    Most of what ends so can be won, and then that is found at once.
    """
    result: int = search(a, b, limit, nodes, table, info, board)
    if result == LOOPS:
        board[DOMINANCES] &= ~TAILS
        result = search(a, b, limit, nodes, table, info, board)
        board[DOMINANCES] |= TAILS
    return result


@jit
def height(a: int, b: int, suit: int) -> int:
    """Cards on a foundation."""
    return ((a if suit < 2 else b) >> (26 + 32 * (suit & 1))) & 15


@jit
def is_out(a: int, b: int, card: int) -> bool:
    """Whether a card of the reserve has left it."""
    place = ((a if card < 32 else b) >> (2 * (card & 31))) & 3
    return place != HOME or card & 15 < height(a, b, card >> 4)


@jit
def progress(a: int, b: int, board: np.ndarray) -> int:
    """How far a state has come where no win is in sight: cards up first, then cards out of the reserve."""
    up = height(a, b, 0) + height(a, b, 1) + height(a, b, 2) + height(a, b, 3)
    out = 0
    for k in range(board[RESERVE_AT_START]):
        out += is_out(a, b, board[RESERVE_CARDS + k])
    reached: int = 16 * up + out
    return reached


@jit
def furthest(nodes: np.ndarray, info: np.ndarray, board: np.ndarray) -> int:
    """The state of the space that has come furthest."""
    best, most = 0, -1
    for node in range(info[NODES]):
        reached = progress(nodes[node, 0], nodes[node, 1], board)
        if reached > most:
            best, most = node, reached
    return best


@jit
def add_plan(node: int, top: int, nodes: np.ndarray, plans: Plans, count: int) -> tuple[int, int]:
    """Adds the plan with which the way to a state of the space starts.

    Args:
        node: the state.
        top: the reserve's top card, -1 where nothing is hidden, so that the plan goes on to the state.
        count: plans there are.

    Returns:
        The plan, -1 where it does not fit in, and how many plans there are now.
    """
    end = node
    while top >= 0 and node >= 0 and is_out(nodes[node, 0], nodes[node, 1], top):
        end = node
        node = nodes[node, 2] >> 32
    length, node = 0, end
    while node >= 0:
        length += 1
        node = nodes[node, 2] >> 32
    a, b = nodes[end, 0], nodes[end, 1]
    for plan in range(count):
        last = plans.lengths[plan] - 1
        if plans.paths[plan, last, 0] == a and plans.paths[plan, last, 1] == b:
            return plan, count
    if length > MOST_STATES or count == MOST_PLANS:
        return -1, count
    plans.lengths[count] = length
    plans.results[count] = OPEN
    node = end
    for k in range(length - 1, -1, -1):
        plans.paths[count, k, 0] = nodes[node, 0]
        plans.paths[count, k, 1] = nodes[node, 1]
        node = nodes[node, 2] >> 32
    return count, count + 1


@jit
def solve_order(
    a: int,
    b: int,
    top: int,
    k: int,
    orders: np.ndarray,
    limit: int,
    plans: Plans,
    count: int,
    nodes: np.ndarray,
    table: np.ndarray,
    info: np.ndarray,
    board: np.ndarray,
) -> tuple[int, int]:
    """Searches an order and adds the plan with which its solution starts.

    Args:
        a, b: where to start from.
        top: see ``add_plan``.
        k: which of the orders.
        orders: ``int64[K, H]``.
        limit: states.
        plans: those there are, ``count`` of them.

    Returns:
        What the search has come to, and how many plans there are now.
    """
    lay(orders[k], board)
    result = find_result(a, b, limit, nodes, table, info, board)
    if result == WINNABLE:
        plan, count = add_plan(info[WON], top, nodes, plans, count)
        if plan >= 0:
            plans.results[plan, k] = WINNABLE
    return result, count


@jit
def explore(
    a: int,
    b: int,
    top: int,
    limit: int,
    most: int,
    plans: Plans,
    count: int,
    nodes: np.ndarray,
    table: np.ndarray,
    info: np.ndarray,
    board: np.ndarray,
) -> int:
    """Adds the plans of the fewest moves, whatever they are good for; breadth first.

    Args:
        limit: states to look at.
        most: plans that there are to be in the end.

    Returns:
        How many plans there are.
    """
    begin(a, b, nodes, table, info, board)
    node = 0
    while node < info[NODES] and info[EXPANDED] < limit and count < most and info[NODES] + MOST_ADDED < nodes.shape[0]:
        if nodes[node, 2] & LOW != UNLISTED:
            if is_out(nodes[node, 0], nodes[node, 1], top):
                _, count = add_plan(node, top, nodes, plans, count)
            else:
                expand(node, nodes, table, info, board)
        node += 1
    return count


@jit
def examine(
    plan: int,
    first: int,
    stop: int,
    orders: np.ndarray,
    limit: int,
    lost: np.ndarray,
    plans: Plans,
    nodes: np.ndarray,
    table: np.ndarray,
    info: np.ndarray,
    board: np.ndarray,
) -> None:
    """Searches from the end of a plan those of the orders from ``first`` to before ``stop`` of which nothing is known.

    Args:
        lost: ``bool[K]``, the orders that are lost from where all plans start.
    """
    end = plans.lengths[plan] - 1
    a, b = plans.paths[plan, end, 0], plans.paths[plan, end, 1]
    for k in range(first, stop):
        if lost[k]:
            plans.results[plan, k] = UNWINNABLE
        elif plans.results[plan, k] == OPEN:
            lay(orders[k], board)
            plans.results[plan, k] = find_result(a, b, limit, nodes, table, info, board)


@jit
def reach_far(
    a: int,
    b: int,
    top: int,
    orders: np.ndarray,
    limit: int,
    plans: Plans,
    nodes: np.ndarray,
    table: np.ndarray,
    info: np.ndarray,
    board: np.ndarray,
) -> int:
    """Notes the plans that bring progress where no order can be won, and how far every order comes after them.

    Returns:
        How many plans there are; none where nothing more can be reached.
    """
    count = 0
    start = progress(a, b, board)
    for k in range(orders.shape[0]):
        lay(orders[k], board)
        search(a, b, limit, nodes, table, info, board)
        node = furthest(nodes, info, board)
        if progress(nodes[node, 0], nodes[node, 1], board) > start:
            _, count = add_plan(node, top, nodes, plans, count)
    for plan in range(count):
        end = plans.lengths[plan] - 1
        for k in range(orders.shape[0]):
            lay(orders[k], board)
            search(plans.paths[plan, end, 0], plans.paths[plan, end, 1], limit, nodes, table, info, board)
            node = furthest(nodes, info, board)
            plans.reached[plan, k] = progress(nodes[node, 0], nodes[node, 1], board)
    return count
