"""Perft: the game's counts of move sequences against tables made by the oracle."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from canfield_env import Deal, Game, Rules
from canfield_env.perft import divide, perft
from tests import oracle
from tests.walks import law_of

TABLES = {path.stem: json.loads(path.read_text()) for path in sorted(Path(__file__).parent.glob("*.json"))}
#: Counts above this one are for the slow run.
QUICK = 2_500


def differences(position: str, table: dict[str, Any], depth: int) -> str:
    """The counts under each first move, side by side, where they differ."""
    rules, draw = Rules.from_dict(table["rules"]), table["draw"]
    ours = divide(Game.from_position(position, rules, draw), depth)
    right = oracle.divide(oracle.read(position, law_of(rules, draw)), depth)
    lines = [
        f"{token:6}{ours.get(token, '-'):>10}{right.get(token, '-'):>10}"
        for token in {**ours, **right}
        if ours.get(token) != right.get(token)
    ]
    return "\n".join([f"{position}\ndepth {depth}      game    oracle", *lines])


def check(table: dict[str, Any], low: int, high: int) -> int:
    """Checks all counts above ``low`` up to ``high``; returns how many there were."""
    checked = 0
    for entry in table["entries"]:
        game = Game.from_position(entry["position"], Rules.from_dict(table["rules"]), table["draw"])
        for depth, nodes in enumerate(entry["nodes"], 1):
            if low < nodes <= high:
                assert perft(game, depth) == nodes, differences(entry["position"], table, depth)
                checked += 1
        assert game.position() == entry["position"]
    return checked


@pytest.mark.parametrize("name", TABLES)
def test_counts_agree(name: str) -> None:
    assert check(TABLES[name], -1, QUICK) >= 40


@pytest.mark.slow
@pytest.mark.parametrize("name", TABLES)
def test_deep_counts_agree(name: str) -> None:
    assert check(TABLES[name], QUICK, 10**9) >= 1


def test_tables_cover_what_rules_differ_in() -> None:
    rules = [Rules.from_dict(table["rules"]) for table in TABLES.values()]
    assert {Rules.named("app"), Rules.named("hoyle")} <= set(rules)
    assert {1, 3} == {table["draw"] for table in TABLES.values()}
    for switch in ("runs", "spaces", "take_back", "build_on_base", "redeals", "ranks", "columns"):
        assert len({getattr(rule, switch) for rule in rules}) > 1, switch


def test_the_published_deal() -> None:
    game = Game(Deal.from_code("CF1-D3-AAAAACL"))
    assert [perft(game, depth) for depth in range(9)] == [1, 3, 9, 24, 58, 126, 248, 461, 893]
    assert divide(game, 3) == {"24": 8, "R2": 7, "D": 9}


def test_divide_splits_the_count_by_first_move() -> None:
    game = Game(Deal.from_code("CF1-D3-AAAAACL")).push_all("D D D")
    counts = divide(game, 4)
    assert list(counts) == [str(move) for move in game.legal_moves()]
    assert sum(counts.values()) == perft(game, 4)
    for token, nodes in counts.items():
        after = game.copy()
        after.push(token)
        assert perft(after, 3) == nodes


def test_counting_leaves_the_game_as_it_is() -> None:
    game = Game(Deal.from_code("CF1-D3-AAAAACL")).push_all(["D"] * 105)
    before = game.copy()
    perft(game, 3)
    divide(game, 3)
    assert game == before
    assert game.moves == before.moves
    for _ in range(100):
        game.undo()


def test_depth_0_is_one_sequence_and_has_no_first_move() -> None:
    game = Game(Deal.from_code("CF1-D3-AAAAACL"))
    assert (perft(game, 0), divide(game, 0)) == (1, {})
    for depth in (-1, 101):
        for count in (perft, divide):
            with pytest.raises(ValueError, match=f"depth must be from 0 to 100, not {depth}"):
                count(game, depth)


def test_a_won_game_has_no_moves() -> None:
    game = Game.from_position("A:KKKQ - - - -/Ks/-/- 3 200")
    game.push("2F")
    assert [perft(game, depth) for depth in range(3)] == [1, 0, 0]
    assert divide(game, 2) == {}
