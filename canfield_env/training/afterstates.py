"""Where moves lead, by the observation: the positions after them (afterstates; Sutton and Barto 2018, section 6.8).

The stock is turned for the player, so all hidden cards are in the reserve, and a move turns up at most one of them. Any
of them is as likely: a move that turns one up leads to as many positions as there are hidden cards. Which one it would
be has no part in it.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from canfield_env.engine import kernels, layout, observe
from canfield_env.engine.imagine import imagine
from canfield_env.engine.jit import jit, lowest_bit
from canfield_env.env.options import EnvOptions
from canfield_env.errors import ConfigError

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


def foresee(tokens: NDArray[np.uint8], masks: NDArray[np.bool_], options: EnvOptions) -> Afterstates:
    """Where moves lead.

    Args:
        tokens: ``uint8[N, 62]`` observations.
        masks: ``bool[N, 261]``, the moves that are looked at. One that is not legal changes nothing but the counts of
            steps.
        options: the environment's, whose stock is ``auto``; the draw is the observation's.

    Raises:
        ConfigError: the stock is another, so there could be hidden cards elsewhere than in the reserve.
    """
    if options.stock != "auto":
        raise ConfigError(f"where moves lead can be seen only with stock auto, not {options.stock}")
    hidden = tokens[:, 52 + observe.COUNT_RESERVE].astype(np.int64) - 1
    room = int((masks.sum(1) * np.maximum(hidden, 1)).sum())
    move, after = np.empty(room, np.int64), np.empty((room, observe.TOKENS_SIZE), np.uint8)
    points, from_reserve = np.empty((2, room))
    won, over = np.empty((2, room), np.bool_)
    found: list[Array] = [move, after, points, from_reserve, won, over]
    count = _play_all(tokens, masks, options.settings(), np.empty(2, layout.GAME), *found)
    return Afterstates(*(array[:count] for array in found))


@jit
def _play_all(
    tokens: Array,
    masks: Array,
    settings: Array,
    games: Array,
    move: Array,
    after: Array,
    points: Array,
    from_reserve: Array,
    won: Array,
    over: Array,
) -> int:
    """Fills the last arrays, and returns how far. ``games`` is room for two."""
    rules = settings[0]
    now, then = games[0], games[1]
    moves = count = 0
    for row in range(len(tokens)):
        if not masks[row].any():
            continue
        imagine(tokens[row], rules, np.uint64(0), now)
        kernels.find_moves(now, rules)
        hidden = np.int64(0)
        for place in range(now.reserve_count - 1):
            hidden |= kernels.bit(now.reserve[place])
        for action in range(layout.ACTIONS):
            if not masks[row, action]:
                continue
            untold = hidden  # those that are still to be the next one
            while True:
                games[1] = games[0]
                points[count], _ = kernels.step(then, rules, action)
                observe.tokens(then, rules, after[count])
                from_reserve[count] = now.reserve_count - then.reserve_count
                won[count] = then.outcome == layout.WON
                over[count] = then.over
                move[count] = moves
                count += 1
                if then.reserve_count == now.reserve_count or then.reserve_count == 0:
                    break
                untold &= ~kernels.bit(now.reserve[then.reserve_count - 1])
                if not untold:
                    break
                _bring_forward(now, then.reserve_count - 1, lowest_bit(untold))
            moves += 1
    return count


@jit
def _bring_forward(game: Any, place: int, card: int) -> None:
    """Exchanges the card at a place of the reserve with another one of the reserve."""
    for other in range(place):
        if game.reserve[other] == card:
            game.reserve[other] = game.reserve[place]
            game.reserve[place] = card
