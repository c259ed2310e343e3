"""Where moves lead, by the observation: the positions after them (afterstates; Sutton and Barto 2018, section 6.8).

For a move that turns up a hidden card these are samples of what comes up, by several orders of the hidden cards, the
same ones for all moves of a position; and so for every move where the player turns the stock, as the cards in it decide
whether the game is over. The hidden cards as they lie have no part in it.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from canfield_env.engine import kernels, layout, observe
from canfield_env.engine.imagine import imagine
from canfield_env.engine.jit import jit
from canfield_env.env.options import EnvOptions
from canfield_env.training.repetition import position_keys

Array = NDArray[Any]


class Afterstates(NamedTuple):
    """Where the moves of N positions lead, K positions together.

    Attributes:
        move: ``int64[K]``, the move that leads there, counted over all positions by position and then by action.
        tokens: ``uint8[K, 62]``, the observation there.
        points: ``float64[K]``, what the environment pays for the move.
        from_reserve: ``float64[K]``, how many cards it takes from the reserve.
        won: ``bool[K]``, whether it wins the game.
        over: ``bool[K]``, whether the episode ends there.
    """

    move: NDArray[np.int64]
    tokens: NDArray[np.uint8]
    points: NDArray[np.float64]
    from_reserve: NDArray[np.float64]
    won: NDArray[np.bool_]
    over: NDArray[np.bool_]

    def mean(self, each: NDArray[Any]) -> NDArray[np.float64]:
        """``float64[M]``, for each move the mean over the positions that it leads to, of numbers ``[K]``."""
        return np.bincount(self.move, each) / np.bincount(self.move)


def foresee(
    tokens: NDArray[np.uint8], masks: NDArray[np.bool_], options: EnvOptions, seeds: NDArray[np.uint64]
) -> Afterstates:
    """Where moves lead.

    Args:
        tokens: ``uint8[N, 62]`` observations.
        masks: ``bool[N, 261]``, the moves that are looked at. One that is not legal changes nothing but the counts of
            steps.
        options: the environment's; the draw is the observation's.
        seeds: ``uint64[N, orders]``, what the orders of the hidden cards come from, by which a move is played that
            depends on them.
    """
    room = int(masks.sum()) * seeds.shape[1]
    move, after = np.empty(room, np.int64), np.empty((room, observe.TOKENS_SIZE), np.uint8)
    points, from_reserve = np.empty((2, room))
    won, over = np.empty((2, room), np.bool_)
    now, then = np.empty(seeds.shape[1], layout.GAME), np.empty(1, layout.GAME)
    found = move, after, points, from_reserve, won, over
    count = _play_all(tokens, masks, options.settings(), seeds, now, then, *found)
    return Afterstates(*(array[:count] for array in found))


def draw_seeds(rng: np.random.Generator, count: int, orders: int) -> NDArray[np.uint64]:
    """``uint64[count, orders]`` for ``foresee``, drawn anew."""
    return rng.integers(2**64, size=(count, orders), dtype=np.uint64)


def seeds_of(tokens: NDArray[np.uint8], orders: int) -> NDArray[np.uint64]:
    """``uint64[N, orders]`` for ``foresee`` that follow from the positions of ``uint8[N, 62]`` observations."""
    seeds: NDArray[np.uint64] = np.add.outer(position_keys(tokens), np.arange(orders, dtype=np.uint64))
    return seeds


@jit
def _play_all(
    tokens: Array,
    masks: Array,
    settings: Array,
    seeds: Array,
    now: Array,
    then: Array,
    move: Array,
    after: Array,
    points: Array,
    from_reserve: Array,
    won: Array,
    over: Array,
) -> int:
    """Fills the last arrays, and returns how far. ``now`` and ``then`` are room to play in."""
    rules = settings[0]
    moves = count = 0
    for row in range(len(tokens)):
        if not masks[row].any():
            continue
        for order in range(len(now)):
            imagine(tokens[row], rules, seeds[row, order], now[order])
            kernels.find_moves(now[order], rules)
        hidden = (tokens[row, :52] == observe.TOKEN_UNSEEN).sum()
        for action in range(layout.ACTIONS):
            if not masks[row, action]:
                continue
            for order in range(len(now)):
                then[0] = now[order]
                points[count], _ = kernels.step(then[0], rules, action)
                observe.tokens(then[0], rules, after[count])
                from_reserve[count] = now[order].reserve_count - then[0].reserve_count
                won[count] = then[0].outcome == layout.WON
                over[count] = then[0].over
                move[count] = moves
                count += 1
                if rules.auto_stock and (after[count - 1, :52] == observe.TOKEN_UNSEEN).sum() == hidden:
                    break
            moves += 1
    return count
