"""What each move is worth to the player, by the network's value of the positions that it leads to (``afterstates``)."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Final

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from canfield_env.training.afterstates import Afterstates
from canfield_env.training.config import Rewards
from canfield_env.training.network import Network

#: Positions that a network looks at at a time.
PART: Final = 4096


def worth_of_moves(
    network: Network, ahead: Afterstates, masks: Tensor, rewards: Rewards, gamma: float, *, threads: int = 1
) -> Tensor:
    """What each move is worth: what it brings, and the discounted value of the position that it leads to.

    Args:
        network: its value is asked.
        ahead: where the moves lead.
        masks: ``bool[N, 261]``, which moves these are.
        rewards: what moves bring, as it is trained on.
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
    paid = rewards.shaped(ahead.points, ahead.from_reserve, ahead.won)
    each = paid + gamma * np.where(ahead.over, 0.0, np.concatenate(values))
    worth = torch.zeros(masks.shape)
    worth[masks] = torch.from_numpy(ahead.mean(each)).float()
    return worth
