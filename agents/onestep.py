"""``onestep:MODEL``: plays by a trained network's scores, and by its value of the position that each move leads to."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import numpy as np
import torch
from numpy.typing import NDArray

from agents.ppo import ModelAgent
from canfield_env.env.options import EnvOptions
from canfield_env.errors import ConfigError
from canfield_env.rules import Rules
from canfield_env.training.afterstates import draw_seeds, foresee
from canfield_env.training.lookahead import worth_of_moves
from canfield_env.training.repetition import Memory
from canfield_env.view import PlayerView

#: By how many orders of the hidden cards ``onestep`` judges a move that depends on them.
ORDERS: Final = 4
#: Its temperature, as in ``configs/train/finetune-d3-ahead.toml``.
TEMPERATURE: Final = 0.06


class OneStepAgent(ModelAgent):
    """Plays the move whose score, with what the move is worth by the network's value of where it leads, is the best,
    among those that ``PpoAgent`` chooses from. A network with ``afterstates`` has that in its scores already; there
    it is counted twice.

    Args:
        model: the name of a shipped model, or a model file.
        temperature: how much more a move is worth than another one that has a score higher by one, where the two are
            as good.
        orders: by how many orders of the hidden cards a move is judged that depends on them.

    Raises:
        ConfigError: see ``ModelAgent``; or the model does not say what its value is of.
    """

    def __init__(self, model: str | Path, temperature: float = TEMPERATURE, orders: int = ORDERS) -> None:
        super().__init__("onestep", model)
        if self._header.rewards is None or self._header.discount is None:
            raise ConfigError(f"{self._path}: the model does not say what its value is of, so it cannot look ahead")
        self._rewards, self._discount = self._header.rewards, self._header.discount
        self._options = EnvOptions(
            Rules.from_dict(self._header.rules),
            self._header.draw,
            stock=self.stock,
            observation="tokens",
            reward=self._rewards.reward,
        )
        self._temperature, self._orders = temperature, orders
        self.reset(0)

    def reset(self, seed: int) -> None:
        """Starts an episode; the orders of the hidden cards are drawn by the seed."""
        self._memory = Memory()
        self._rng = np.random.default_rng(seed)

    def act(self, observation: NDArray[Any], mask: NDArray[np.int8], view: PlayerView | None) -> int:
        """The move to play now."""
        tokens = observation[None].view(np.uint8)
        may = self._memory.narrow(tokens, mask[None])
        masks = torch.from_numpy(may)
        with torch.inference_mode():
            scores, _ = self._network(torch.from_numpy(tokens), masks)
        if may.sum() == 1:
            return int(scores.argmax())
        ahead = foresee(tokens, may, self._options, draw_seeds(self._rng, 1, self._orders))
        worth = worth_of_moves(self._network, ahead, masks, self._rewards, self._discount)
        return int((scores + worth / self._temperature).argmax())
