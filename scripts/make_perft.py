"""Writes the perft tables under ``tests/perft/``: counts of move sequences, made by the oracle of the tests.

A table is one rule set; an entry is a full position and ``nodes``, the numbers of sequences of exactly 1, 2, ... moves
from it. A few entries go deeper than the others, for fast engines.

Usage: python scripts/make_perft.py
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from random import Random
from typing import Any

from canfield_env import Rules
from scripts.command import run_script
from tests import oracle
from tests.walks import RULE_SETS, late_state, law_of, random_deck, walk

ROOT = Path(__file__).resolve().parents[1]
TABLES = (
    ("app", 3),
    ("app", 1),
    ("hoyle", 3),
    ("closed-base", 3),
    ("closed-base", 1),
    ("no-take-back", 3),
    ("whole-runs", 1),
    ("waste-spaces", 3),
    ("no-redeal", 3),
    ("two-redeals", 1),
    ("casino", 3),
    ("miniature", 3),
    ("miniature-hoyle", 1),
    ("nine-columns", 3),
)
USUAL_NODES, DEEP_NODES, DEEPEST = 2_500, 60_000, 12


def starts(rules: Rules, draw: int, rng: Random) -> list[oracle.State]:
    """Openings of coded deals where the deck is whole, random games part of the way on, and late positions."""
    law = law_of(rules, draw)
    numbers = [2, *(rng.randrange(2**30) for _ in range(5))]
    decks = [oracle.deck(number) for number in numbers] if rules.ranks == 13 else []
    decks += [random_deck(rng, rules.ranks) for _ in range(3)]
    openings = [oracle.deal(deck, law) for deck in decks]
    midway = []
    for _ in range(6):
        states = [state for _, state in walk(oracle.deal(random_deck(rng, rules.ranks), law), rng, 120)]
        midway.append(rng.choice(states))
    return [*openings, *midway, *(late_state(rng, law) for _ in range(8))]


def count(state: oracle.State, limit: int) -> list[int]:
    """Sequences of 1, 2, ... moves, as deep as the counts stay below the limit."""
    nodes = [len(oracle.moves(state))]
    while len(nodes) < DEEPEST and 0 < nodes[-1] <= limit / 4:
        deeper = oracle.perft(state, len(nodes) + 1)
        if deeper > limit:
            break
        nodes.append(deeper)
    return nodes


def table(name: str, draw: int) -> dict[str, Any]:
    """One table."""
    rules, rng = RULE_SETS[name], Random(f"perft {name} {draw}")
    entries = []
    for place, state in enumerate(starts(rules, draw, rng)):
        limit = DEEP_NODES if place % 9 == 1 else USUAL_NODES
        entries.append({"position": oracle.show(state), "nodes": count(state, limit)})
    return {"rules": rules.to_dict(), "draw": draw, "entries": entries}


def main() -> None:
    """Write every table."""
    for name, draw in TABLES:
        path = ROOT / "tests" / "perft" / f"{name}-d{draw}.json"
        path.write_text(json.dumps(table(name, draw), indent=1) + "\n")
        print(path.relative_to(ROOT))


if __name__ == "__main__":
    sys.exit(run_script(main))
