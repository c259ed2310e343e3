"""``ppo:FILE``: plays by a network that ``scripts/train.py`` trained."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from canfield_env.env.observations import Form
from canfield_env.env.options import Stock
from canfield_env.errors import ConfigError
from canfield_env.training.model_file import load_model
from canfield_env.training.play import Player
from canfield_env.view import PlayerView


class PpoAgent:
    """Plays the move with the network's best score, among those that lead where it has been least since its last
    progress; see ``canfield_env.training.repetition``. Nothing about it is random.

    Args:
        path: a model file.

    Raises:
        ConfigError: the file is no model, is damaged, or is for other versions; the text says which.
    """

    observation: Form = "tokens"
    wants_view = False

    def __init__(self, path: str | Path) -> None:
        if not str(path):
            raise ConfigError("ppo needs a model file: ppo:runs/NAME/best.zip")
        header, self._network = load_model(path)
        self.name = f"ppo:{path}"
        self.stock: Stock = header.stock
        self.reset(0)

    def reset(self, seed: int) -> None:
        """Starts an episode."""
        self._player = Player(self._network)

    def act(self, observation: NDArray[Any], mask: NDArray[np.int8], view: PlayerView | None) -> int:
        """The move to play now."""
        return int(self._player.choose(observation[None], mask[None])[0])
