"""Measures settings of the planner on training deals, which no suite holds, and keeps what it finds.

    python scripts/tune_planner.py --games 200 fast "" orders=72 plans=48,explore=2000

Each argument is what stands after ``planner:``. The results go to ``docs/results/planner-tuning.json``, by rule set,
draw and argument; measuring one again with more games replaces it.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Final

import orjson
import typer
from rich.console import Console

from agents.planner.agent import from_argument
from canfield_env import Deal
from canfield_env.evaluation.episode import make_env, play_episode
from canfield_env.evaluation.metrics import Summary, summarise
from canfield_env.rules import Rules

RESULTS: Final = Path(__file__).parents[1] / "docs" / "results" / "planner-tuning.json"
#: The first deal; those below 2^20 are for evaluation only.
FIRST: Final = 2**20


def main(
    arguments: list[str],
    games: Annotated[int, typer.Option(min=1)] = 100,
    rules: str = "app",
    draw: int = 3,
    results: Path = RESULTS,
) -> None:
    """Plays the same deals with each of the settings."""
    for argument in arguments:
        summary = _play(argument, games, rules, draw)
        low, high = summary.win_rate.low, summary.win_rate.high
        entry = {
            "rules": rules,
            "draw": draw,
            "argument": argument,
            "games": games,
            "wins": summary.wins,
            "interval": [low, high],
            "cards_up": summary.cards_up.value,
            "seconds": round(summary.seconds, 4),
        }
        _keep(entry, results)
        Console().print_json(orjson.dumps(entry).decode(), indent=None)


def _play(argument: str, games: int, rules: str, draw: int) -> Summary:
    agent = from_argument(argument)
    env = make_env(agent, Rules.of(rules))
    play_episode(agent, env, Deal.from_number(FIRST + games, draw))  # compiles
    return summarise([play_episode(agent, env, Deal.from_number(FIRST + k, draw)) for k in range(games)])


def _keep(entry: dict[str, Any], path: Path) -> None:
    entries = orjson.loads(path.read_bytes()) if path.exists() else []
    key = ("rules", "draw", "argument")
    entries = [other for other in entries if any(other[name] != entry[name] for name in key)]
    entries.append(entry)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(orjson.dumps(entries, option=orjson.OPT_INDENT_2))


if __name__ == "__main__":
    typer.run(main)
