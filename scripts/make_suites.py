"""Draws the deals of the suites and writes ``configs/suites/*.toml``. A suite that is there is never changed.

The deal numbers come from SplitMix64 with state 20250101: the top 20 bits of each output, which is below 2^20 and so
one of the numbers kept for evaluation. Numbers up to 1,000 are skipped, since examples use them, and so is any drawn
before: no two suites share a deal number. The suites take the numbers in the order of ``SUITES``.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from canfield_env.deals import encode_code, splitmix64
from scripts.command import run_script

FOLDER = Path(__file__).parent.parent / "configs" / "suites"
FIRST_STATE = 20250101
LAST_EXAMPLE = 1000


class Plan(NamedTuple):
    """What a suite is to be."""

    name: str
    deals: int
    rules: str
    draw: int
    description: str


SUITES = (
    Plan("smoke", 20, "app", 3, "A few deals to see that everything works; too few to compare agents on."),
    Plan("d3-test", 1000, "app", 3, "App rules, draw 3: for final figures only, never for choosing anything."),
    Plan("d1-test", 1000, "app", 1, "App rules, draw 1: for final figures only, never for choosing anything."),
    Plan("hoyle-test", 1000, "hoyle", 3, "Hoyle rules, draw 3: for final figures only, never for choosing anything."),
    Plan("d3-validation", 500, "app", 3, "App rules, draw 3: for choosing between agents, settings and checkpoints."),
    Plan("d1-validation", 500, "app", 1, "App rules, draw 1: for choosing between agents, settings and checkpoints."),
)


def deal_numbers() -> Iterator[int]:
    """The deal numbers in the order in which the suites take them, all different."""
    state, drawn = FIRST_STATE, set[int]()
    while True:
        state, output = splitmix64(state)
        number = output >> 44
        if number > LAST_EXAMPLE and number not in drawn:
            drawn.add(number)
            yield number


def suite_texts() -> dict[str, str]:
    """The text of every suite file, by the suite's name."""
    numbers = deal_numbers()
    return {plan.name: _text(plan, list(islice(numbers, plan.deals))) for plan in SUITES}


def _text(plan: Plan, numbers: list[int]) -> str:
    lines = [
        f'name = "{plan.name}"',
        "version = 1",
        f'description = "{plan.description}"',
        f'rules = "{plan.rules}"',
        f"draw = {plan.draw}",
        "deals = [",
        *(f'    "{encode_code(number, plan.draw)}",' for number in numbers),
        "]",
    ]
    return "\n".join(lines) + "\n"


def main() -> int:
    """Write the suites that are missing; exit with 1 where one that is there differs."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    status = 0
    for name, text in suite_texts().items():
        path = FOLDER / f"{name}.toml"
        if not path.exists():
            path.write_text(text, encoding="ascii")
            print(f"{name}: written")
        elif path.read_text(encoding="ascii") == text:
            print(f"{name}: unchanged")
        else:
            print(f"{name}: {path} differs from what is drawn here; suites are never changed", file=sys.stderr)
            status = 1
    return status


if __name__ == "__main__":
    sys.exit(run_script(main))
