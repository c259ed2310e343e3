"""What an agent is: all that someone who plugs one in has to provide."""

from __future__ import annotations

from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from canfield_env.env.observations import Form
from canfield_env.env.options import Stock
from canfield_env.rules import Rules
from canfield_env.view import PlayerView


@runtime_checkable
class Agent(Protocol):
    """A player of ``Canfield-v0``. One object plays many episodes, one after another.

    It is given what it is entitled to know and nothing else: the observation, the mask and, where it asks for that, the
    player's view. In an episode it may depend on those and on the episode's seed only, so that results are the same
    in whatever order and in how many processes the deals are played.

    Attributes:
        name: the name in records and reports.
        stock: the environment's ``stock`` option that it plays with, ``"turn"`` or ``"auto"``.
        observation: the environment's ``observation`` option, ``"planes"`` or ``"tokens"``.
        wants_view: whether ``act`` is given the player's view; making one takes some time.

    What some agents have besides: ``Specialist``, ``Trained``, ``Versatile``.
    """

    name: str
    stock: Stock
    observation: Form
    wants_view: bool

    def reset(self, seed: int) -> None:
        """Starts an episode: forgets the last one, and seeds whatever is random with ``seed`` (0 to 2^63 - 1)."""

    def act(self, observation: NDArray[Any], mask: NDArray[np.int8], view: PlayerView | None) -> int:
        """The action to play now.

        Args:
            observation: ``float32[738]`` or ``uint8[62]``, see ``canfield_env.env.observations``.
            mask: ``int8[261]``, 1 where an action is legal; at least one is.
            view: what the player knows, or None where ``wants_view`` is false.

        Returns:
            An action that the mask allows, 0 to 260.
        """


@runtime_checkable
class Specialist(Protocol):
    """What an agent has besides that plays only some games, such as a model that was trained for one."""

    def check_game(self, rules: Rules, draw: int) -> None:
        """Checks that the agent plays a game.

        Raises:
            ConfigError: it does not; the text names its game and this one.
        """


@runtime_checkable
class Trained(Protocol):
    """What an agent has besides that plays by something learned, which lies in a file and may differ another time.

    Attributes:
        fingerprint: the SHA-256 of that file, in hexadecimal. Evaluations with another one are other evaluations.
    """

    fingerprint: str


@runtime_checkable
class Versatile(Protocol):
    """What an agent with ``stock="auto"`` has besides that also plays where redeals are limited, which rules that out.

    Attributes:
        limited_stock: the environment's ``stock`` option that it plays with there.
    """

    limited_stock: Stock
