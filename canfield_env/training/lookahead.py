"""What each move is worth to the player, by the network's value of the positions that it leads to.

A move that turns up a hidden card is judged by the mean over several orders of the hidden cards, the same ones for all
moves of a position; and so is every move where the player turns the stock, as the cards in it decide whether the game
is over. Everything follows from the observation: the hidden cards as they lie have no part in it.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any, Final, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from canfield_env.engine import kernels, layout, observe
from canfield_env.engine.imagine import imagine
from canfield_env.engine.jit import jit
from canfield_env.env.options import EnvOptions
from canfield_env.training.config import Rewards
from canfield_env.training.network import Network

Array = NDArray[Any]

#: Positions that a network looks at at a time.
PART: Final = 4096


class Outlooks(NamedTuple):
    """Where the moves of N positions lead, K positions together.

    Attributes:
        move: ``int64[K]``, the move that leads there, counted over all positions by position and then by action.
        tokens: ``uint8[K, 62]``, the observation there.
        rewards: ``float64[K]``, what the move brings, as it is trained on.
        over: ``bool[K]``, whether the episode ends there.
    """

    move: NDArray[np.int64]
    tokens: NDArray[np.uint8]
    rewards: NDArray[np.float64]
    over: NDArray[np.bool_]


def foresee(
    tokens: NDArray[np.uint8],
    masks: NDArray[np.bool_],
    options: EnvOptions,
    rewards: Rewards,
    orders: int,
    rng: np.random.Generator,
) -> Outlooks:
    """Where moves lead.

    Args:
        tokens: ``uint8[N, 62]`` observations.
        masks: ``bool[N, 261]``, the moves that are looked at, all legal.
        options: the environment's.
        rewards: those that are trained on.
        orders: with how many orders of the hidden cards a move is played that depends on them.
        rng: what the orders come from.
    """
    room = int(masks.sum()) * orders
    seeds = rng.integers(2**64, size=(len(tokens), orders), dtype=np.uint64)
    move, after = np.empty(room, np.int64), np.empty((room, observe.TOKENS_SIZE), np.uint8)
    paid, from_reserve = np.empty((2, room))
    won, over = np.empty((2, room), np.bool_)
    now, then = np.empty(orders, layout.GAME), np.empty(1, layout.GAME)
    count = _play_all(tokens, masks, options.settings(), seeds, now, then, move, after, paid, from_reserve, won, over)
    shaped = rewards.shaped(paid[:count], from_reserve[:count], won[:count])
    return Outlooks(move[:count], after[:count], shaped, over[:count])


def worth_of_moves(network: Network, ahead: Outlooks, masks: Tensor, gamma: float, *, threads: int = 1) -> Tensor:
    """What each move is worth: what it brings, and the discounted value of the position that it leads to.

    Args:
        network: its value is asked.
        ahead: where the moves lead.
        masks: ``bool[N, 261]``, which moves these are.
        gamma: discount of a step.
        threads: how many share out the positions; what comes out does not depend on it.

    Returns:
        ``float32[N, 261]``, 0 where the mask is false.
    """

    def value(part: Tensor) -> NDArray[np.float32]:
        with torch.inference_mode():  # every thread has a mode of its own
            values: NDArray[np.float32] = network.value(part).numpy()
        return values

    parts = torch.split(torch.from_numpy(ahead.tokens), PART)
    if threads == 1:
        values = list(map(value, parts))
    else:
        with ThreadPoolExecutor(threads, "lookahead", torch.set_num_threads, (1,)) as pool:
            values = list(pool.map(value, parts))
    each = ahead.rewards + gamma * np.where(ahead.over, 0.0, np.concatenate(values))
    worth = torch.zeros(masks.shape)
    worth[masks] = torch.from_numpy(np.bincount(ahead.move, each) / np.bincount(ahead.move)).float()
    return worth


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
    paid: Array,
    from_reserve: Array,
    won: Array,
    over: Array,
) -> int:
    """Fills the last arrays, and returns how far. (``now`` and ``then`` are room to play in; their type tells the
    compiler's cache of changes in the engine, see ``layout.sources``.)"""
    rules = settings[0]
    moves = count = 0
    for row in range(len(tokens)):
        for order in range(len(now)):
            imagine(tokens[row], rules, seeds[row, order], now[order])
            kernels.find_moves(now[order], rules)
        hidden = (tokens[row, :52] == observe.TOKEN_UNSEEN).sum()
        for action in range(layout.ACTIONS):
            if not masks[row, action]:
                continue
            for order in range(len(now)):
                then[0] = now[order]
                paid[count], _ = kernels.step(then[0], rules, action)
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
