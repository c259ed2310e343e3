"""From the name of an agent to the agent.

A SPEC is a name out of the checkout's table (``random``), a name with an argument (``ppo:runs/x/best.zip``), or
``module:factory``: a callable without arguments in any module that can be imported, the current folder included. Names
of the table come first.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, get_args

import canfield_env
from canfield_env.env.observations import Form
from canfield_env.env.options import Stock
from canfield_env.errors import ConfigError
from canfield_env.evaluation.foreign import foreign_code
from canfield_env.evaluation.protocol import Agent

#: A table of names: what makes an agent of a SPEC's argument, the empty text where it has none.
Makers = Mapping[str, Callable[[str], Agent]]


def load_agent(spec: str) -> Agent:
    """Makes the agent that a SPEC names.

    Raises:
        ConfigError: no agent is called that, its module or factory is not there or fails, or what it makes is no agent.
    """
    makers = named_agents()
    name, colon, rest = spec.partition(":")
    if name not in makers and not colon:
        known = f"there are {', '.join(makers)}" if makers else "the named agents come with the project's checkout only"
        raise ConfigError(f"no agent is called {spec!r}: {known}; an agent of your own is named module:factory")
    with foreign_code(f"agent {spec!r}"):
        agent = makers[name](rest) if name in makers else _factory(name, rest)()
        if fault := _fault(agent):
            raise ConfigError(fault)
    return agent


def named_agents() -> Makers:
    """The table of names of the checkout that this package lies in; empty in an installed wheel."""
    root = Path(canfield_env.__file__).parent.parent
    if not (root / "configs").is_dir() or not (root / "agents" / "registry.py").is_file():
        return {}
    _make_importable(root)
    makers: Makers = importlib.import_module("agents.registry").AGENTS
    return makers


def _make_importable(folder: Path) -> None:
    if str(folder) not in sys.path:
        sys.path.append(str(folder))


def _factory(module_name: str, factory_name: str) -> Callable[[], Any]:
    _make_importable(Path.cwd())
    try:
        factory = getattr(importlib.import_module(module_name), factory_name)
    except (ImportError, AttributeError, ValueError) as error:
        raise ConfigError(str(error)) from error
    if not callable(factory):
        raise ConfigError(f"{factory_name} in {module_name} cannot be called")
    return factory  # type: ignore[no-any-return]


def _fault(agent: object) -> str | None:
    """What keeps an object from being an agent, or None."""
    missing = [
        name for name in ("name", "stock", "observation", "wants_view", "reset", "act") if not hasattr(agent, name)
    ]
    if missing:
        return f"{type(agent).__name__} is no agent: it has no {', '.join(missing)}"
    assert isinstance(agent, Agent)
    for option, form in (("stock", Stock), ("observation", Form), ("limited_stock", Stock)):
        value, choices = getattr(agent, option, agent.stock), get_args(form)
        if value not in choices:
            return f"its {option} must be {' or '.join(map(repr, choices))}, not {value!r}"
    for text in ("name", "fingerprint"):
        value = getattr(agent, text, agent.name)
        if not (isinstance(value, str) and value and value.isprintable()):
            return f"its {text} must be text that can be printed, and not empty, not {value!r}"
    return None
