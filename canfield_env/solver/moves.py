"""The moves of a state, as states. Which of them need not be tried, D1 to D4, is proved in ``docs/solver.md``."""

from __future__ import annotations

from typing import Final

import numpy as np

from canfield_env.engine.jit import jit
from canfield_env.solver.relaxed import is_lost
from canfield_env.solver.space import EXPANDED, LOOPED, NODES, WON, append, enter, is_known, queue
from canfield_env.solver.state import (
    ABOVE,
    COLUMNS,
    DOMINANCES,
    DRAW,
    FIRST,
    FITS_ON,
    HOME,
    LAST,
    NO_BASE_BUILD,
    ON_FIRST,
    PLACE,
    RANKS,
    REACH,
    RESERVE,
    RESERVE_CARDS,
    ROOT,
    RULES,
    SPOT,
    STOCK,
    STOCK_CARDS,
    TAKE_BACK,
    TAKING,
    UP,
    USED,
    WASTE,
    WASTE_SPACES,
    WEIGHTS,
    WHOLE_RUNS,
    end_over,
    evened,
    find_reach,
    holds_loop,
    moved,
    pass_position,
    raised,
    taking_toggled,
    unpack,
    waste_set,
)

# Which dominances to use, as a bit mask.
PASSES: Final = 1  #: D1: equal positions in the stock are one
SAFE: Final = 2  #: D2: cards that can only be wanted on their foundation go there at once
REVERSIBLE: Final = 4  #: D3: so do cards that can be taken back to where they lay
TAILS: Final = 8  #: D4: tails move only to free the card under them for its foundation
RELAXED: Final = 16  #: D5: states lost even if no move stood in the way of another are given up
ALL_DOMINANCES: Final = PASSES | SAFE | REVERSIBLE | TAILS | RELAXED

#: States that one expansion can add to the list at the very most.
MOST_ADDED: Final = 512


@jit
def expand(node: int, nodes: np.ndarray, table: np.ndarray, info: np.ndarray, board: np.ndarray) -> None:
    """Finds the states that one move leads to from a state of the space, and enters the new ones."""
    unpack(nodes[node, 0], nodes[node, 1], board)
    if not board[TAKING]:
        node = _settle(node, nodes, table, info, board)
        if node < 0:
            return
        if board[UP] + board[UP + 1] + board[UP + 2] + board[UP + 3] == 4 * board[RANKS]:
            info[WON] = node
            return
    info[EXPANDED] += 1
    find_reach(board)
    if board[DOMINANCES] & RELAXED and not board[TAKING] and is_lost(board):
        return
    if board[TAKING]:
        _build_on_taken_back(node, nodes, table, info, board)
    else:
        _move_to_columns(node, nodes, table, info, board)
        _move_up(node, nodes, table, info, board)
    if board[RULES] & TAKE_BACK:
        _take_back(node, nodes, table, info, board)


@jit
def _offer(
    a: int,
    b: int,
    bucket: int,
    parent: int,
    nodes: np.ndarray,
    table: np.ndarray,
    info: np.ndarray,
    board: np.ndarray,
) -> None:
    """Enters and queues a state if it is new."""
    if leaves_d4(a, b, info, board):
        return
    a, b = canonical(a, b, board)
    node = enter(a, b, parent, nodes, table, info)
    if node >= 0:
        queue(node, bucket, nodes, info)


@jit
def canonical(a: int, b: int, board: np.ndarray) -> tuple[int, int]:
    """The words of the state that stands for all those that differ from it by D4."""
    return evened(a, b, board[RANKS]) if board[DOMINANCES] & TAILS and not board[RULES] & WHOLE_RUNS else (a, b)


@jit
def leaves_d4(a: int, b: int, info: np.ndarray, board: np.ndarray) -> bool:
    """Whether D4 is not proved for a state, and is in use. Notes it, and where moves from here could lead to one."""
    if not board[DOMINANCES] & TAILS or board[RULES] & (WHOLE_RUNS | NO_BASE_BUILD):
        return False
    if not info[LOOPED] and holds_loop(a, b, board[RANKS], board[RULES] & TAKE_BACK != 0):
        info[LOOPED] = 1
    return info[LOOPED] != 0 and holds_loop(a, b, board[RANKS], False)


@jit
def _bucket(reserve: int, stock: int, up: int, board: np.ndarray) -> int:
    """The bucket of a state with so many more cards in the reserve, in the stock and up than the board."""
    reserve += board[RESERVE]
    stock += board[STOCK]
    up += board[UP] + board[UP + 1] + board[UP + 2] + board[UP + 3]
    columns = 4 * board[RANKS] - reserve - stock - up
    return board[WEIGHTS] * reserve + board[WEIGHTS + 1] * stock + board[WEIGHTS + 2] * columns


# ---------------------------------------------------------------------- what lies on the board


@jit
def _reserve_top(board: np.ndarray) -> int:
    return board[RESERVE_CARDS + board[RESERVE] - 1] if board[RESERVE] > 0 else -1


@jit
def _in_reach(card: int, board: np.ndarray) -> bool:
    """Whether turning can bring a card to the top of the waste."""
    return board[SPOT + card] >= 0 and (board[REACH] >> board[SPOT + card]) & 1 != 0


@jit
def _has_space(board: np.ndarray) -> bool:
    return board[USED] < board[COLUMNS]


@jit
def _takes_runs(board: np.ndarray) -> bool:
    """Whether there is a space that takes any card or run."""
    return board[USED] < board[COLUMNS] and not board[RULES] & WASTE_SPACES


@jit
def _accepts(card: int, board: np.ndarray) -> bool:
    """Whether the card ends a column and can be built on."""
    if board[PLACE + card] == HOME or board[ABOVE + card] >= 0:
        return False
    return card & 15 != 0 or not board[RULES] & NO_BASE_BUILD


@jit
def _fits(card: int, target: int, board: np.ndarray) -> bool:
    return board[FITS_ON + 2 * card] == target or board[FITS_ON + 2 * card + 1] == target


@jit
def _is_next(card: int, board: np.ndarray) -> bool:
    """Whether the card's foundation waits for it."""
    return card & 15 == board[UP + (card >> 4)]


@jit
def _on(card: int) -> int:
    """The place of a card that is built on this one."""
    return ON_FIRST + (card >> 5)


@jit
def _twin(card: int) -> int:
    """The other card of the same rank and colour."""
    return card ^ 48


@jit
def _parent_of(card: int, board: np.ndarray) -> int:
    """The card on which a built card lies."""
    return board[FITS_ON + 2 * card + board[PLACE + card] - ON_FIRST]


# ---------------------------------------------------------------------- words after a move


@jit
def _refilled(a: int, b: int, board: np.ndarray) -> tuple[int, int]:
    """The words after the reserve's top card, if there is one, has gone to a column just emptied."""
    return moved(a, b, _reserve_top(board), HOME, ROOT) if board[RESERVE] > 0 else (a, b)


@jit
def _played_up(a: int, b: int, card: int, board: np.ndarray) -> tuple[int, int]:
    """The words after a card has gone to its foundation."""
    place = board[PLACE + card]
    a, b = moved(a, b, card, place, HOME)
    a, b = raised(a, b, card >> 4, 1)
    if place == ROOT:
        a, b = _refilled(a, b, board)
    elif board[SPOT + card] >= 0:
        a, b = _left_stock(a, b, board[SPOT + card], board)
    return a, b


@jit
def _left_stock(a: int, b: int, spot: int, board: np.ndarray) -> tuple[int, int]:
    """The words after the stock card at that place has left the waste, but for where it has gone."""
    waste = pass_position(spot, board[STOCK] - 1, board[DRAW]) if board[DOMINANCES] & PASSES else spot
    return waste_set(a, b, board[WASTE], waste)


@jit
def _done_taking(a: int, b: int, board: np.ndarray) -> tuple[int, int]:
    """The words without the mark for cards just taken back."""
    return taking_toggled(a, b) if board[TAKING] else (a, b)


# ---------------------------------------------------------------------- forced moves


@jit
def _settle(node: int, nodes: np.ndarray, table: np.ndarray, info: np.ndarray, board: np.ndarray) -> int:
    """Plays the forced foundation moves (D2, D3).

    Returns:
        The state after them, or -1 where that is known already or out of the question.
    """
    start = info[NODES]
    suit = 0
    while suit < 4:
        card = 16 * suit + board[UP + suit]
        if board[UP + suit] < board[RANKS] and _is_forced(card, board):
            a, b = _freed(nodes[node, 0], nodes[node, 1], card, board)
            a, b = _played_up(a, b, card, board)
            if leaves_d4(a, b, info, board):
                info[NODES] = start
                return -1
            a, b = canonical(a, b, board)
            node = append(a, b, node, nodes, info)
            unpack(a, b, board)
            suit = 0
        else:
            suit += 1
    if info[NODES] == start:
        return node
    a, b = nodes[node, 0], nodes[node, 1]
    if is_known(a, b, nodes, table, info):
        info[NODES] = start
        return -1
    info[NODES] = node
    return enter(a, b, nodes[node, 2] >> 32, nodes, table, info)


@jit
def _is_forced(card: int, board: np.ndarray) -> bool:
    """Whether a card that its foundation waits for can go there and loses nothing by it."""
    if board[RULES] & TAKE_BACK:
        return board[DOMINANCES] & REVERSIBLE != 0 and _is_free(card, board) and _can_return(card, board)
    if not board[DOMINANCES] & SAFE or not _is_safe(card, board):
        return False
    in_stock = board[DRAW] == 1 and board[DOMINANCES] & PASSES != 0 and board[SPOT + card] >= 0
    return in_stock or card == _reserve_top(board) or _is_free(card, board)


@jit
def _is_free(card: int, board: np.ndarray) -> bool:
    """Whether a card ends a column, or would if the tail on it were on its twin (D4)."""
    if board[PLACE + card] == HOME:
        return False
    if board[ABOVE + card] < 0:
        return True
    if not board[DOMINANCES] & TAILS or board[RULES] & WHOLE_RUNS:
        return False
    return _accepts(_twin(card), board) and end_over(card, board) != _twin(card)


@jit
def _freed(a: int, b: int, card: int, board: np.ndarray) -> tuple[int, int]:
    """The words after the tail on a card, if there is one, has gone to the card's twin."""
    tail = board[ABOVE + card]
    return moved(a, b, tail, board[PLACE + tail], _on(_twin(card))) if tail >= 0 else (a, b)


@jit
def _can_return(card: int, board: np.ndarray) -> bool:
    """Whether a card that ends a column could be taken back to where it lies."""
    return board[PLACE + card] != ROOT or (board[RESERVE] == 0 and not board[RULES] & WASTE_SPACES)


@jit
def _is_safe(card: int, board: np.ndarray) -> bool:
    """D2: whether no card will ever have to be built on one that its foundation waits for."""
    rank, suit = card & 15, card >> 4
    base_is_last = board[RULES] & NO_BASE_BUILD != 0
    if rank == 0:
        return base_is_last
    other = board[UP + (suit ^ 1)] if board[UP + (suit ^ 1)] < board[UP + (suit ^ 2)] else board[UP + (suit ^ 2)]
    least = 0 if base_is_last else 1
    return other >= rank or (other >= max(rank - 1, least) and board[UP + (suit ^ 3)] >= max(rank - 2, least))


# ---------------------------------------------------------------------- moves


@jit
def _move_up(node: int, nodes: np.ndarray, table: np.ndarray, info: np.ndarray, board: np.ndarray) -> None:
    """The moves to the foundations."""
    for suit in range(4):
        card = 16 * suit + board[UP + suit]
        if board[UP + suit] == board[RANKS]:
            continue
        from_stock = _in_reach(card, board)
        if _is_free(card, board):
            _free_and_play(card, _on(_twin(card)), node, nodes, table, info, board)
        elif from_stock or card == _reserve_top(board):
            a, b = _played_up(nodes[node, 0], nodes[node, 1], card, board)
            bucket = _bucket(-(not from_stock), -from_stock, 1, board)
            _offer(a, b, bucket, node, nodes, table, info, board)
        splits = board[DOMINANCES] & TAILS and not board[RULES] & WHOLE_RUNS
        if splits and _takes_runs(board) and board[ABOVE + card] >= 0:
            _free_and_play(card, ROOT, node, nodes, table, info, board)


@jit
def _free_and_play(
    card: int, place: int, node: int, nodes: np.ndarray, table: np.ndarray, info: np.ndarray, board: np.ndarray
) -> None:
    """Moves the tail on a card, if there is one, to a place, and the card to its foundation."""
    a, b = _done_taking(nodes[node, 0], nodes[node, 1], board)
    tail = board[ABOVE + card]
    if tail >= 0:
        a, b = moved(a, b, tail, board[PLACE + tail], place)
    a, b = _played_up(a, b, card, board)
    refill = board[PLACE + card] == ROOT and board[RESERVE] > 0
    _offer(a, b, _bucket(-refill, 0, 1, board), node, nodes, table, info, board)


@jit
def _move_to_columns(node: int, nodes: np.ndarray, table: np.ndarray, info: np.ndarray, board: np.ndarray) -> None:
    """The moves of columns, tails, the reserve's top card and the waste to columns."""
    for k in range(board[USED]):
        card = board[FIRST + k]
        for target in board[FITS_ON + 2 * card : FITS_ON + 2 * card + 2]:
            if _accepts(target, board) and target != board[LAST + k]:
                _place(card, _on(target), node, nodes, table, info, board)
    if not board[DOMINANCES] & TAILS:
        _move_tails(node, nodes, table, info, board)
    for k in range(board[STOCK]):
        card = board[STOCK_CARDS + k]
        if (board[REACH] >> k) & 1 == 0 or _settles(card, board):
            continue
        for target in board[FITS_ON + 2 * card : FITS_ON + 2 * card + 2]:
            if _accepts(target, board):
                _place(card, _on(target), node, nodes, table, info, board)
        if _has_space(board):
            _place(card, ROOT, node, nodes, table, info, board)
    card = _reserve_top(board)
    if card >= 0 and not _settles(card, board):
        for target in board[FITS_ON + 2 * card : FITS_ON + 2 * card + 2]:
            if _accepts(target, board):
                _place(card, _on(target), node, nodes, table, info, board)


@jit
def _settles(card: int, board: np.ndarray) -> bool:
    """Whether the card, played to any column, would go on to its foundation by D3."""
    if not (board[DOMINANCES] & REVERSIBLE and board[RULES] & TAKE_BACK):
        return False
    return _is_next(card, board) and (_takes_runs(board) or not _has_space(board))


@jit
def _place(
    card: int, place: int, node: int, nodes: np.ndarray, table: np.ndarray, info: np.ndarray, board: np.ndarray
) -> None:
    """Moves the reserve's top card, a card of the stock, or a column, to a place in the columns."""
    a, b = _done_taking(nodes[node, 0], nodes[node, 1], board)
    old, spot = board[PLACE + card], board[SPOT + card]
    in_stock = old == HOME and spot >= 0
    a, b = moved(a, b, card, old, place)
    if old == ROOT:
        a, b = _refilled(a, b, board)
    elif in_stock:
        a, b = _left_stock(a, b, spot, board)
    off_reserve = board[RESERVE] > 0 and not in_stock
    _offer(a, b, _bucket(-off_reserve, -in_stock, 0, board), node, nodes, table, info, board)


@jit
def _move_tails(node: int, nodes: np.ndarray, table: np.ndarray, info: np.ndarray, board: np.ndarray) -> None:
    """All moves of tails, as the rules have them."""
    if board[RULES] & WHOLE_RUNS:
        return
    a, b = _done_taking(nodes[node, 0], nodes[node, 1], board)
    for k in range(board[USED]):
        card = board[ABOVE + board[FIRST + k]]
        while card >= 0:
            twin = _twin(_parent_of(card, board))
            if _accepts(twin, board) and twin != board[LAST + k]:
                x, y = moved(a, b, card, board[PLACE + card], _on(twin))
                _offer(x, y, _bucket(0, 0, 0, board), node, nodes, table, info, board)
            if _takes_runs(board):
                x, y = moved(a, b, card, board[PLACE + card], ROOT)
                _offer(x, y, _bucket(0, 0, 0, board), node, nodes, table, info, board)
            card = board[ABOVE + card]


# ---------------------------------------------------------------------- taking back


@jit
def _take_back(node: int, nodes: np.ndarray, table: np.ndarray, info: np.ndarray, board: np.ndarray) -> None:
    """Takes the top cards of the foundations back to the columns; with D3 only where something can follow."""
    a, b = nodes[node, 0], nodes[node, 1]
    any_use = not board[DOMINANCES] & REVERSIBLE
    if not any_use and not board[TAKING]:
        a, b = taking_toggled(a, b)
    for suit in range(4):
        if board[UP + suit] == 0:
            continue
        card = 16 * suit + board[UP + suit] - 1
        x, y = raised(a, b, suit, -1)
        for target in board[FITS_ON + 2 * card : FITS_ON + 2 * card + 2]:
            if _accepts(target, board) and (any_use or _is_of_use(card, target, board)):
                v, w = moved(x, y, card, HOME, _on(target))
                _offer(v, w, _bucket(0, 0, -1, board), node, nodes, table, info, board)
        if _takes_runs(board) and (any_use or _is_of_use(card, -1, board)):
            v, w = moved(x, y, card, HOME, ROOT)
            _offer(v, w, _bucket(0, 0, -1, board), node, nodes, table, info, board)


@jit
def _is_of_use(card: int, target: int, board: np.ndarray) -> bool:
    """Whether after taking a card back to the target a card can be built on it, or more be taken back."""
    twin = _twin(card)
    # The tail on its twin can go over, which frees the twin; by D4 that is no move, unless the twin then goes up.
    is_move = not board[DOMINANCES] & TAILS or _is_next(twin, board)
    if is_move and board[PLACE + twin] != HOME and board[ABOVE + twin] >= 0 and not board[RULES] & WHOLE_RUNS:
        return True
    child_rank = card & 15
    child_rank = (child_rank if child_rank > 0 else board[RANKS]) - 1
    for suit in range(4):
        child = 16 * suit + child_rank
        if _fits(child, card, board) and (
            board[PLACE + child] == ROOT or child == _reserve_top(board) or _in_reach(child, board)
        ):
            return True
    if _takes_runs(board) and (target >= 0 or board[USED] + 1 < board[COLUMNS]):
        return True
    for suit in range(4):
        top = 16 * suit + board[UP + suit] - (2 if suit == card >> 4 else 1)
        if top < 16 * suit:
            continue
        for below in board[FITS_ON + 2 * top : FITS_ON + 2 * top + 2]:
            if below == card or (below != target and _accepts(below, board)):
                return True
    return False


@jit
def _build_on_taken_back(node: int, nodes: np.ndarray, table: np.ndarray, info: np.ndarray, board: np.ndarray) -> None:
    """The moves that use a card taken back: those that build on it."""
    for i in range(board[USED]):
        target = board[LAST + i]
        if not _accepts(target, board):
            continue
        # By D4 the card taken back may have gone under its twin's tail.
        if not _may_be_taken_back(target, board) and not _may_be_taken_back(_twin(target), board):
            continue
        for k in range(board[USED]):
            if k != i and _fits(board[FIRST + k], target, board):
                _place(board[FIRST + k], _on(target), node, nodes, table, info, board)
        if board[RESERVE] > 0 and _fits(_reserve_top(board), target, board):
            _place(_reserve_top(board), _on(target), node, nodes, table, info, board)
        for k in range(board[STOCK]):
            if (board[REACH] >> k) & 1 and _fits(board[STOCK_CARDS + k], target, board):
                _place(board[STOCK_CARDS + k], _on(target), node, nodes, table, info, board)
        # Its twin's tail can go to the card taken back, which frees the twin; either may have the tail now.
        for card in (target, _twin(target)):
            if _is_next(card, board) and _may_be_taken_back(_twin(card), board) and _is_free(card, board):
                _free_and_play(card, _on(_twin(card)), node, nodes, table, info, board)
    if not board[DOMINANCES] & TAILS:
        _move_tails(node, nodes, table, info, board)


@jit
def _may_be_taken_back(card: int, board: np.ndarray) -> bool:
    """Whether a card and all that its foundation waits for before it are in columns, as after taking them back."""
    place = PLACE + (card & ~15) + board[UP + (card >> 4)]
    while place <= PLACE + card and board[place] != HOME:
        place += 1
    return board[PLACE + card] != HOME and place > PLACE + card
