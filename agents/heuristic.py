"""``heuristic``: a strategy written by hand. What each part of it brings is in ``docs/heuristic.md``."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from agents.judgement import Weights
from agents.lookahead import find_plan, position_key
from canfield_env.deals import Deal
from canfield_env.engine import layout as at
from canfield_env.engine.pack import pack
from canfield_env.env.observations import Form
from canfield_env.env.options import Stock
from canfield_env.errors import ConfigError
from canfield_env.game import Game
from canfield_env.view import PlayerView

#: Positions that are looked at before a move, unless the argument says otherwise.
POSITIONS: Final = 5_000
#: What it thinks of a position, unless it is told otherwise.
WEIGHTS: Final = Weights()


class HeuristicAgent:
    """Looks ahead over the cards it knows, and makes for the position that looks best.

    It plays towards that position until a new card is seen, and then looks again. It never goes back to a position that
    it has left, unless nothing else is possible.

    Args:
        positions: how many positions it looks at, 2 or more.
        weights: what it thinks of a position.
        beyond: whether it looks beyond the next unseen card; such a card is taken to stay where it is turned up.

    Raises:
        ConfigError: fewer positions than that.
    """

    stock: Stock = "auto"
    observation: Form = "tokens"
    wants_view = True

    def __init__(self, positions: int = POSITIONS, weights: Weights = WEIGHTS, beyond: bool = True) -> None:
        if positions < 2:
            raise ConfigError(f"it must look at 2 positions or more, not {positions}")
        self.name = "heuristic" if positions == POSITIONS else f"heuristic:{positions}"
        self._weights = weights
        self._beyond = beyond
        self._games = np.zeros(positions, at.GAME)
        self.reset(0)
        self._make_plan(Game(Deal.from_number(0)).player_view())  # compiles the search before an episode is timed
        self.reset(0)

    def reset(self, seed: int) -> None:
        """Starts an episode. Nothing about this agent is random."""
        self._plan: list[tuple[int, int]] = []  # actions, and the keys of the positions that they lead to
        self._been: list[int] = []
        self._unseen: tuple[Any, ...] | None = None

    def act(self, observation: NDArray[Any], mask: NDArray[np.int8], view: PlayerView | None) -> int:
        """The next action of the plan."""
        assert view is not None
        unseen = view.unseen
        if not self._plan or unseen != self._unseen:
            self._plan, self._unseen = self._make_plan(view), unseen
        if not self._plan:
            return int(np.flatnonzero(mask)[0])
        action, key = self._plan.pop(0)
        self._been.append(key)
        return action

    def _make_plan(self, view: PlayerView) -> list[tuple[int, int]]:
        """The actions that lead to the best position found, each with the key of the position after it."""
        pack(Game.from_view(view, 0), self._games)
        self._been.append(int(position_key(self._games[0])))
        settings = at.new_settings(view.rules, auto_stock=True)
        unseen = sum(1 << at.card_number(card, view.position.base, view.rules.ranks) for card in view.unseen)
        actions, keys = np.zeros((2, len(self._games)), np.int64)
        been = np.array(self._been, np.int64)
        length = find_plan(self._games, settings[0], unseen, self._weights, self._beyond, been, actions, keys)
        return list(zip(actions[:length].tolist(), keys[:length].tolist(), strict=True))


def from_argument(argument: str) -> HeuristicAgent:
    """The agent that looks at as many positions as the text says, or at the usual number where it is empty.

    Raises:
        ConfigError: the text is no number, or too low a one.
    """
    if argument and not (argument.isascii() and argument.isdecimal()):
        raise ConfigError(f"{argument!r} is not how many positions it is to look at")
    return HeuristicAgent(int(argument)) if argument else HeuristicAgent()
