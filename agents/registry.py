"""The table of agents: the names that ``canfield evaluate --agent NAME[:ARGUMENT]`` knows.

To add an agent, write a class that is a ``canfield_env.evaluation.protocol.Agent`` and name it here.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import Final

from canfield_env.errors import ConfigError
from canfield_env.evaluation.protocol import Agent


@dataclass(frozen=True, slots=True)
class Maker:
    """Makes an agent out of the argument of its name; its module is loaded only then.

    Attributes:
        factory: ``module:callable``.
        argument: what the argument is, handed to the factory as text; empty where the agent takes none.
    """

    factory: str
    argument: str = ""

    def __call__(self, argument: str) -> Agent:
        if argument and not self.argument:
            raise ConfigError(f"it takes no argument, and {argument!r} is given")
        module, _, name = self.factory.partition(":")
        try:
            factory = getattr(import_module(module), name)
        except ModuleNotFoundError as error:
            raise ConfigError(f"it needs a package that is not installed: {error.name}") from error
        agent: Agent = factory(argument) if self.argument else factory()
        return agent


AGENTS: Final = {
    "random": Maker("agents.random:RandomAgent"),
    "greedy": Maker("agents.greedy:GreedyAgent"),
    "heuristic": Maker(
        "agents.heuristic:from_argument",
        argument="how many positions it looks at before a move, such as ``heuristic:500``",
    ),
    "planner": Maker(
        "agents.planner.agent:from_argument",
        argument="``planner:fast``, ``planner:strong``, ``planner:learned``, or options, told in ``docs/planner.md``",
    ),
    "ppo": Maker(
        "agents.ppo:PpoAgent",
        argument="a model: ``d3`` or ``d1``, these with ``-direct`` or ``-small``, or a file, such as "
        "``ppo:runs/NAME/best.zip``",
    ),
}
