"""``random``: plays any legal move, each as likely as the others."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from canfield_env.env.observations import Form
from canfield_env.env.options import Stock
from canfield_env.view import PlayerView


class RandomAgent:
    """Draws uniformly from the mask."""

    name = "random"
    stock: Stock = "auto"
    limited_stock: Stock = "turn"
    observation: Form = "tokens"
    wants_view = False

    def __init__(self) -> None:
        self.reset(0)

    def reset(self, seed: int) -> None:
        """Starts an episode with a generator of its own."""
        self._rng = np.random.default_rng(seed)

    def act(self, observation: NDArray[Any], mask: NDArray[np.int8], view: PlayerView | None) -> int:
        """A legal action."""
        return int(self._rng.choice(np.flatnonzero(mask)))
