"""``planner``: plays with a player's knowledge, by searching the orders that the hidden cards may have.

``planner:learned`` also asks a network what its plans are worth: ``agents.planner.learned``.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from agents.planner.decision import Decision, MakeDecision, Planner
from agents.planner.options import Options, parse
from canfield_env.env import actions
from canfield_env.env.observations import Form
from canfield_env.env.options import Stock
from canfield_env.view import PlayerView


class PlannerAgent:
    """Decides once for each card of the reserve, and plays what it decided until the next one is seen.

    Once the stock has been looked through, only the order of the reserve is hidden, and between two of its cards
    nothing is left to chance. So what is compared is not moves but ways to the next card. How: ``docs/planner.md``.

    Args:
        options: how much it thinks.
        name: its name in records.
        make: what makes its decisions.
    """

    stock: Stock = "auto"
    observation: Form = "tokens"
    wants_view = True

    def __init__(self, options: Options | None = None, name: str = "planner", make: MakeDecision = Decision) -> None:
        self.name = name
        self._planner = Planner(options or Options(), make)
        self.reset(0)

    def reset(self, seed: int) -> None:
        """Starts an episode. The orders that are tried come from the seed."""
        self._seed = seed
        self._actions: list[int] = []
        self._has_given_up = False

    def act(self, observation: NDArray[Any], mask: NDArray[np.int8], view: PlayerView | None) -> int:
        """The next action of what was decided. Where nothing is left to be gained, it plays to the episode's end."""
        assert view is not None
        if None in view.position.stock:
            return actions.TURN
        if not self._actions and not self._has_given_up:
            self._actions = self._planner.decide(view, self._seed)
            self._has_given_up = not self._actions
        return self._pass_time(mask, view) if self._has_given_up else self._actions.pop(0)

    def _pass_time(self, mask: NDArray[np.int8], view: PlayerView) -> int:
        """Any action, if possible none that takes a card back from a foundation."""
        legal = np.flatnonzero(mask).tolist()
        sources = {action: actions.decode(view.position, action, view.rules.ranks).source for action in legal}
        return int(next((action for action in legal if sources[action][0] != "F"), legal[0]))


def from_argument(argument: str) -> PlannerAgent:
    """The agent with the options that the text names, see ``options.parse``.

    Raises:
        ConfigError: the text names none; or see ``LearnedPlannerAgent``.
    """
    options, name = parse(argument), f"planner:{argument}" if argument else "planner"
    if not options.model:
        return PlannerAgent(options, name)
    from agents.planner.learned import LearnedPlannerAgent  # it loads torch

    return LearnedPlannerAgent(options, name)
