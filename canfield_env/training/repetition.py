"""What keeps a learned player from walking in circles: of the legal moves, those that lead where it has been least.

A policy that plays its favourite move carries the same run to and fro for ever. So from one step of progress to the
next (a card leaves the reserve, the stock or the waste, or reaches its foundation for the first time) the player
remembers the positions it has been in, and of the legal moves only those are left that lead to the position visited
least often; a move that makes progress, or turns the stock, leads to a position never visited. At least one move is
always left. Training, evaluation and play all narrow the mask in this way.

All of it follows from the ``tokens`` observation: a move that makes no progress uncovers no unseen card.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from canfield_env.engine import observe as at
from canfield_env.engine.jit import jit
from canfield_env.engine.kernels import mix
from canfield_env.engine.layout import ACTIONS
from canfield_env.env.actions import TURN

Array = NDArray[Any]
Tokens = NDArray[np.uint8]
Mask = NDArray[np.int8] | NDArray[np.bool_]

#: Positions remembered since the last progress; beyond that the oldest are forgotten.
CAPACITY: Final = 256

#: Where the tokens say how many cards are in the reserve.
RESERVE: Final = 52 + at.COUNT_RESERVE
_WASTE: Final = 52 + at.COUNT_WASTE
_IDLE: Final = 52 + at.COUNT_IDLE
_PEAK: Final = 52 + at.COUNT_PEAK


class Memory:
    """The positions that players of ``size`` games have been in since their last progress.

    Args:
        size: number of games played side by side.
    """

    def __init__(self, size: int = 1) -> None:
        self._keys = np.zeros((size, CAPACITY), np.uint64)
        self._lengths = np.zeros(size, np.int64)

    def narrow(self, tokens: Tokens, masks: Mask, games: NDArray[np.int64] | None = None) -> NDArray[np.bool_]:
        """Remembers the positions that games are in now, and narrows their masks. Called once for every step.

        Args:
            tokens: ``uint8[N, 62]`` observations.
            masks: ``[N, 261]``, the legal actions.
            games: ``int64[N]``, which of the games these are; all of them, in order, if None.

        Returns:
            ``bool[N, 261]``: the actions that lead to a position visited least often.
        """
        narrowed = np.empty((len(tokens), ACTIONS), np.bool_)
        if games is None:
            games = np.arange(len(self._lengths))
        _narrow_all(games, tokens, masks, self._keys, self._lengths, narrowed)
        return narrowed

    def state(self) -> dict[str, NDArray[np.generic]]:
        """The arrays that ``restore`` takes."""
        return {"keys": self._keys.copy(), "lengths": self._lengths.copy()}

    def restore(self, state: dict[str, NDArray[np.generic]]) -> None:
        """Goes back to what ``state`` gave."""
        self._keys[:] = state["keys"]
        self._lengths[:] = state["lengths"]


@jit
def _narrow_all(games: Array, tokens: Array, masks: Array, keys: Array, lengths: Array, narrowed: Array) -> None:
    for i, game in enumerate(games):
        if tokens[i, _IDLE] == 0:
            lengths[game] = 0
        keys[game, lengths[game] % CAPACITY] = _position_key(tokens[i])
        lengths[game] += 1
        _narrow(tokens[i], masks[i], keys[game, : lengths[game]], narrowed[i])


@jit
def _narrow(tokens: Array, mask: Array, visited: Array, narrowed: Array) -> None:
    after = np.empty_like(tokens)
    visits = np.zeros(ACTIONS, np.int64)
    least = len(visited) + 1
    for action in range(ACTIONS):
        if mask[action]:
            if _foresee(tokens, action, after):
                visits[action] = (visited == _position_key(after)).sum()
            least = min(least, visits[action])
    for action in range(ACTIONS):
        narrowed[action] = mask[action] and visits[action] == least


@jit
def _position_key(tokens: Array) -> np.uint64:
    """A 64-bit key of the position: that of each card's place and of the waste, mixed and added."""
    key = np.uint64(tokens[_WASTE])
    for card in range(52):
        key += mix(np.uint64(256 * card + np.int64(tokens[card]) + 1))
    return key


@jit
def _foresee(tokens: Array, action: int, after: Array) -> bool:
    """Fills ``after`` with the observation that a legal action leads to; False if that is none seen since progress."""
    if action == TURN:
        return False
    card = (action - 1) // 5
    target = (action - 1) % 5 - 1
    token = np.int64(tokens[card])
    if token < at.TOKEN_COLUMN and token != at.TOKEN_FOUNDATION:
        return False
    if target < 0 and card % 13 >= tokens[_PEAK + card // 13]:
        return False
    after[:] = tokens
    if token == at.TOKEN_FOUNDATION:
        after[card] = _column_end(tokens, target)
        return True
    if (token - at.TOKEN_COLUMN) % 52 == 0 and tokens[RESERVE] > 0:
        return False  # the reserve refills the column
    if target < 0:
        after[card] = at.TOKEN_FOUNDATION
        return True
    end = _column_end(tokens, target)
    source_end = token + 52 - (token - at.TOKEN_COLUMN) % 52
    for other in range(52):
        if token <= tokens[other] < source_end:
            after[other] = end + np.int64(tokens[other]) - token
    return True


@jit
def _column_end(tokens: Array, column: int) -> int:
    """The token of the place after the last card of a column."""
    end = at.TOKEN_COLUMN + 52 * column
    for card in range(52):
        if end <= tokens[card] < at.TOKEN_COLUMN + 52 * (column + 1):
            end = int(tokens[card]) + 1
    return end
