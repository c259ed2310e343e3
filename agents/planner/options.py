"""The options of ``planner`` and its presets, and how they are written: ``planner:strong,seconds=5``."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Any, Final

from canfield_env.errors import ConfigError


@dataclass(frozen=True, slots=True)
class Options:
    """How much the planner thinks.

    Attributes:
        orders: orders of the hidden cards that a decision is judged by.
        states: states for the first search of an order; later rounds and doubtful cases have more.
        last: states for the search of an order where the others have shown nothing, or nothing is hidden any more.
        plans: plans that are compared at most, besides those with which solutions start.
        explore: states that are looked at to find them.
        rounds: rounds in which plans are compared. Each keeps the best third for the next, which has three times the
            orders and states; the last one has all the orders.
        undecided: what an order counts of which the search has come to no end, 0 to 1: a loss, a win or between.
        seconds: time for a decision, 0 for no limit. With a limit the play depends on the machine's speed.
        model: a network that judges the ends of plans, see ``agents.planner.learned``: a shipped one by its name, or a
            model file; empty for none.
        trust: what the network's value counts, 1 for as much as its own fit says.
    """

    orders: int = 36
    states: int = 100
    last: int = 64_000
    plans: int = 36
    explore: int = 4_000
    rounds: int = 2
    undecided: float = 0.3
    seconds: float = 0.0
    model: str = ""
    trust: float = 1.0

    def __post_init__(self) -> None:
        for name, least in (("orders", 1), ("states", 1), ("last", 1), ("plans", 0), ("explore", 0), ("rounds", 1)):
            if getattr(self, name) < least:
                raise ConfigError(f"planner: {name} must be {least} or greater, not {getattr(self, name)}")
        if not 0 <= self.undecided <= 1:
            raise ConfigError(f"planner: undecided must be from 0 to 1, not {self.undecided}")
        if not self.seconds >= 0:
            raise ConfigError(f"planner: seconds must be 0 or greater, not {self.seconds}")
        if not 0 <= self.trust <= 10:
            raise ConfigError(f"planner: trust must be from 0 to 10, not {self.trust}")
        if self.trust != 1 and not self.model:
            raise ConfigError("planner: trust is trust in a model, and there is none")


#: The named amounts of thought; the empty name is the usual one.
PRESETS: Final = {
    "": Options(),
    "fast": Options(orders=12, last=4_000, plans=24, explore=2_000),
    "strong": Options(orders=72, states=200, last=256_000, plans=72, explore=16_000),
    "learned": Options(model="plan-d3"),
}
_TYPES: Final[dict[str, type[Any]]] = {"int": int, "float": float, "str": str}


def parse(argument: str) -> Options:
    """Reads options such as ``fast``, ``orders=24,states=1000`` or ``strong,seconds=5``.

    Raises:
        ConfigError: no such preset or option, or a value that cannot be read or is out of its range.
    """
    preset, *given = argument.split(",")
    if "=" in preset:
        preset, given = "", [preset, *given]
    if preset not in PRESETS:
        names = ", ".join(name for name in PRESETS if name)
        raise ConfigError(f"planner: there is no {preset!r}; it is {names}, or options such as orders=24")
    types = {field.name: _TYPES[str(field.type)] for field in fields(Options)}
    values: dict[str, Any] = {}
    for text in given:
        name, _, value = text.partition("=")
        if name not in types:
            raise ConfigError(f"planner: there is no option {name!r}; there are {', '.join(types)}")
        if name in values:
            raise ConfigError(f"planner: {name} is given twice")
        try:
            values[name] = types[name](value)
        except ValueError:
            raise ConfigError(f"planner: {name} must be a number, not {value!r}") from None
    return replace(PRESETS[preset], **values)
