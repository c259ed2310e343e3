"""Playing by a network: the move with the best score, among those that lead where the player has been least."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray

from canfield_env.deals import Deal
from canfield_env.env.actions import TURN
from canfield_env.env.vector import CanfieldVectorEnv
from canfield_env.training.config import EnvSection
from canfield_env.training.network import Network
from canfield_env.training.repetition import Mask, Memory, Tokens


class Player:
    """Plays games side by side, each from its start to its end.

    Args:
        network: scores the moves.
        size: number of games.
        narrow: whether to keep to the moves that lead where it has been least, as it does in training.
    """

    def __init__(self, network: Network, size: int = 1, *, narrow: bool = True) -> None:
        self._network = network
        self._memory = Memory(size) if narrow else None

    def choose(self, tokens: Tokens, masks: Mask, games: NDArray[np.int64] | None = None) -> NDArray[np.int64]:
        """The moves to play now, ``int64[N]``. Called once for every step.

        Args:
            tokens: ``uint8[N, 62]`` observations.
            masks: ``[N, 261]``, the legal actions.
            games: ``int64[N]``, which of the games these are; all of them, in order, if None.
        """
        narrowed = masks.astype(np.bool_) if self._memory is None else self._memory.narrow(tokens, masks, games)
        with torch.inference_mode():
            scores, _ = self._network(torch.from_numpy(tokens), torch.from_numpy(narrowed))
        best: NDArray[np.int64] = scores.argmax(1).numpy()
        return best


@dataclass(frozen=True, slots=True)
class Result:
    """How a network played.

    Attributes:
        won: ``bool[N]``, by deal.
        cards_up: ``int64[N]``, at the end.
        steps: ``int64[N]``, actions played.
        outcomes: how many games ended in each way.
    """

    won: NDArray[np.bool_]
    cards_up: NDArray[np.int64]
    steps: NDArray[np.int64]
    outcomes: Counter[str]

    @property
    def score(self) -> tuple[float, float]:
        """What models are compared by: the win rate, then the mean of the cards up."""
        return float(self.won.mean()), float(self.cards_up.mean())


def play_deals(network: Network, env: EnvSection, deals: Sequence[Deal], *, narrow: bool = True) -> Result:
    """Lets a network play deals, all side by side, each once; ``narrow`` as in ``Player``."""
    games = CanfieldVectorEnv(len(deals), env.rules, stock=env.stock, observation="tokens")
    observations, info = games.reset(options={"deal": list(deals)})
    player = Player(network, len(deals), narrow=narrow)
    running = np.arange(len(deals))
    steps, cards_up, outcomes = np.zeros_like(running), np.zeros_like(running), np.full(len(deals), "", "U16")
    while len(running):
        # Games that have ended are dealt anew, and what is done in them is of no account.
        actions = np.full(len(deals), TURN)
        actions[running] = player.choose(observations[running].view(np.uint8), info["action_mask"][running], running)
        observations, _, terminated, truncated, info = games.step(actions)
        steps[running] += 1
        ended = running[(terminated | truncated)[running]]
        if len(ended):
            cards_up[ended], outcomes[ended] = info["cards_up"][ended], info["outcome"][ended]
            running = np.setdiff1d(running, ended)
    return Result(outcomes == "won", cards_up, steps, Counter(outcomes.tolist()))
