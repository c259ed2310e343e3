"""``planner:learned``: plans are compared by what a network adds to the orders won after them."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from agents.planner.agent import PlannerAgent
from agents.planner.decision import Decision
from agents.planner.ends import log_odds, read_ends
from agents.planner.options import Options
from agents.shipped import find_model
from canfield_env.rules import Rules
from canfield_env.training.model_file import Evidence, fingerprint, load_model
from canfield_env.training.network import Network


class LearnedPlannerAgent(PlannerAgent):
    """The planner with a network that judges the ends of its plans.

    Args:
        options: how much it thinks; they name a model.
        name: its name in records.

    Raises:
        ConfigError: the model is not shipped, cannot be read, is damaged, or is for something else.
    """

    def __init__(self, options: Options, name: str) -> None:
        torch.set_num_threads(1)  # one decision is too small a thing to be shared out
        path = find_model(options.model, "judging plans")
        self._header, network = load_model(path, "judging plans")
        self.fingerprint = fingerprint(path)
        assert self._header.evidence is not None
        super().__init__(options, name, partial(LearnedDecision, network, self._header.evidence))

    def check_game(self, rules: Rules, draw: int) -> None:
        """Checks that the model was trained for a game.

        Raises:
            ConfigError: it was trained for another one; the text names both.
        """
        self._header.check_game(rules, draw)


class LearnedDecision(Decision):
    """A decision in which a plan is worth the chance of a win, by the orders won after it and by a network.

    With two hidden cards the orders say it all, and the network nothing.

    Args:
        network: its value is the log-odds of a win from the end of a plan, beyond what the orders say.
        evidence: what the orders say.
        arguments: those of ``Decision``.
    """

    def __init__(self, network: Network, evidence: Evidence, *arguments: Any) -> None:
        super().__init__(*arguments)
        self._network, self._evidence = network, evidence
        self._outlook = np.zeros(0)

    def _worth(self, chosen: NDArray[np.int64], shares: NDArray[np.float64], orders: int) -> NDArray[np.float64]:
        hidden = self._orders.shape[1]
        if hidden <= 2:
            return super()._worth(chosen, shares, orders)
        if len(self._outlook) < self._count:
            self._outlook = self._options.trust * self._judge()
        known = self._evidence.slopes[hidden] * log_odds(shares, orders) + self._evidence.offsets[hidden]
        chances = np.exp(-np.logaddexp(0, -known - self._outlook[chosen]))
        return super()._worth(chosen, chances, orders)

    def _judge(self) -> NDArray[np.float64]:
        """The network's values of the ends of all plans, at once."""
        ends = read_ends(self._plans, self._count, self._tools[-1])
        with torch.inference_mode():
            return self._network.value(torch.from_numpy(ends)).numpy().astype(np.float64)
