"""Measures settings of the planner on training deals, which no suite holds, and keeps what it finds.

    python scripts/tune_planner.py --games 200 fast "" orders=72 plans=48,explore=2000

With ``--told`` the planner is told the order of the hidden cards, which measures what that costs it.
Each argument is what stands after ``planner:``. The results go to ``docs/results/planner-tuning.json``, by rule set,
draw and argument; measuring one again with more games replaces it.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, Final

import numpy as np
import orjson
import typer
from numpy.typing import NDArray
from rich.console import Console

from agents.planner.agent import PlannerAgent, from_argument
from canfield_env import Deal
from canfield_env.env.single import CanfieldEnv
from canfield_env.evaluation.episode import make_env, play_episode
from canfield_env.evaluation.metrics import Summary, summarise
from canfield_env.rules import Rules
from canfield_env.view import PlayerView

RESULTS: Final = Path(__file__).parents[1] / "docs" / "results" / "planner-tuning.json"
#: The first deal; those below 2^20 are for evaluation only.
FIRST: Final = 2**20


def main(
    arguments: list[str],
    games: Annotated[int, typer.Option(min=1)] = 100,
    rules: str = "app",
    draw: int = 3,
    told: bool = False,
    results: Path = RESULTS,
) -> None:
    """Plays the same deals with each of the settings."""
    for argument in arguments:
        summary = _play(argument, games, rules, draw, told)
        low, high = summary.win_rate.low, summary.win_rate.high
        entry = {
            "rules": rules,
            "draw": draw,
            "argument": argument,
            "told": told,
            "games": games,
            "wins": summary.wins,
            "interval": [low, high],
            "cards_up": summary.cards_up.value,
            "seconds": round(summary.seconds, 4),
        }
        _keep(entry, results)
        Console().print_json(orjson.dumps(entry).decode(), indent=None)


def _play(argument: str, games: int, rules: str, draw: int, told: bool) -> Summary:
    agent = from_argument(argument)
    env = make_env(agent, Rules.of(rules))
    if told:
        agent = _Told(agent, env)
    play_episode(agent, env, Deal.from_number(FIRST + games, draw))  # compiles
    return summarise([play_episode(agent, env, Deal.from_number(FIRST + k, draw)) for k in range(games)])


class _Told(PlannerAgent):
    """The planner as a cheat that looks at the hidden cards."""

    def __init__(self, agent: PlannerAgent, env: CanfieldEnv) -> None:
        self.__dict__.update(agent.__dict__)
        self._env = env

    def act(self, observation: NDArray[Any], mask: NDArray[np.int8], view: PlayerView | None) -> int:
        assert view is not None
        return super().act(observation, mask, replace(view, position=self._env.game.full_position()))


def _keep(entry: dict[str, Any], path: Path) -> None:
    entries = orjson.loads(path.read_bytes()) if path.exists() else []
    key = ("rules", "draw", "argument", "told")
    entries = [other for other in entries if any(other.get(name, False) != entry[name] for name in key)]
    entries.append(entry)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(orjson.dumps(entries, option=orjson.OPT_INDENT_2))


if __name__ == "__main__":
    typer.run(main)
