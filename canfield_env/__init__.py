"""Canfield Solitaire: an exact game, a Gymnasium environment around it, and what it takes to compare players of it."""

import gymnasium

from canfield_env.cards import Card
from canfield_env.deals import Deal
from canfield_env.errors import ConfigError, DealError, IllegalMoveError, NotationError
from canfield_env.game import Game
from canfield_env.notation import Move, Position
from canfield_env.rules import Rules
from canfield_env.view import PlayerView

__version__ = "0.1.0"

gymnasium.register(
    id="Canfield-v0",
    entry_point="canfield_env.env.single:CanfieldEnv",
    vector_entry_point="canfield_env.env.vector:CanfieldVectorEnv",
)

__all__ = [
    "Card",
    "ConfigError",
    "Deal",
    "DealError",
    "Game",
    "IllegalMoveError",
    "Move",
    "NotationError",
    "PlayerView",
    "Position",
    "Rules",
    "__version__",
]
