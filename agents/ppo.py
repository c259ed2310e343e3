"""``ppo:MODEL``: plays by a trained network: a shipped one, for draw 3 or 1, or a file that a training script wrote."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from agents.shipped import find_model
from canfield_env.engine.jit import announced
from canfield_env.engine.layout import ACTIONS
from canfield_env.engine.observe import TOKENS_SIZE
from canfield_env.env.observations import Form
from canfield_env.env.options import EnvOptions, Stock
from canfield_env.rules import Rules
from canfield_env.training.afterstates import foresee
from canfield_env.training.model_file import fingerprint, load_model
from canfield_env.training.play import Player
from canfield_env.view import PlayerView


class PpoAgent:
    """Plays the move with the network's best score, among those that lead where it has been least since its last
    progress; see ``canfield_env.training.repetition``. Nothing about it is random.

    Args:
        model: the name of a shipped model, or a model file.

    Attributes:
        network: the model's network.

    Raises:
        ConfigError: no such model is shipped, or the file is none, is damaged, or is for other versions; the text says
            which.
    """

    observation: Form = "tokens"
    wants_view = False

    def __init__(self, model: str | Path) -> None:
        torch.set_num_threads(1)  # one decision is too small a thing to be shared out
        path = find_model(model, "playing")
        self._header, self.network = load_model(path)
        self.fingerprint = fingerprint(path)
        self.name = f"ppo:{model}"
        self.stock: Stock = self._header.stock
        with announced():  # all is compiled before a game begins
            nothing = np.zeros((0, TOKENS_SIZE), np.uint8), np.zeros((0, ACTIONS), np.int8)
            Player(self.network).choose(*nothing, np.zeros(0, np.int64))
            foresee(nothing[0], nothing[1].astype(np.bool_), EnvOptions.of("app", stock="auto"))
        self.reset(0)

    def check_game(self, rules: Rules, draw: int) -> None:
        """Checks that the model was trained for a game.

        Raises:
            ConfigError: it was trained for another one; the text names both.
        """
        self._header.check_game(rules, draw)

    def reset(self, seed: int) -> None:
        """Starts an episode."""
        self._player = Player(self.network)

    def act(self, observation: NDArray[Any], mask: NDArray[np.int8], view: PlayerView | None) -> int:
        """The move to play now."""
        return int(self._player.choose(observation[None], mask[None])[0])
