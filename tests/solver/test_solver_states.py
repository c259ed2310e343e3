"""The solver's states and moves against the plain game."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import numpy as np
import pytest

from canfield_env import Deal, Game, Rules
from canfield_env.solver.moves import PASSES, expand
from canfield_env.solver.search import begin
from canfield_env.solver.space import NODES, new_space
from canfield_env.solver.state import DOMINANCES, board_of, moved, pack, raised, waste_set
from tests.solver.exhaustive import miniature, random_moves

SPACE = new_space(10_000)


def words(game: Game) -> tuple[int, int]:
    return pack(game.full_position(), game.rules, game.draw)


def successors(game: Game) -> set[tuple[int, int]]:
    """The states that the solver finds after one move, without any dominance but equal pass positions."""
    board = board_of(game.full_position(), game.rules, game.draw)
    board[DOMINANCES] = PASSES
    begin(*words(game), *SPACE, board)
    expand(0, *SPACE, board)
    return {(int(a), int(b)) for a, b, _ in SPACE.nodes[1 : SPACE.info[NODES]]} - {words(game)}


def plain_successors(game: Game) -> set[tuple[int, int]]:
    """The same by the plain game: every move of the waste after any number of turns, every other move at once."""
    found, turned = set(), game.copy()
    for turns in range(2 * len(game.stock + game.waste) + 3):
        for move in turned.legal_moves():
            if move.source == "W" or (turns == 0 and move.source != "D"):
                after = turned.copy()
                after.push(move)
                found.add(words(after))
        if not turned.can("D"):
            break
        turned.push("D")
    return found - {words(game)}  # a whole column moved to a space


@pytest.mark.parametrize("seed", range(40))
def test_moves_are_those_of_the_plain_game(seed):
    rng = Random(seed)
    if seed % 2:
        game = miniature(rng, rng.choice([3, 4, 5]))
    else:
        rules = rng.choice([Rules(), Rules.named("hoyle"), Rules(take_back=False, build_on_base=False)])
        game = random_moves(Game(Deal.random(seed, rng.choice([1, 3])), rules), rng, 30 * seed)
    for _ in range(20):
        if game.is_won:
            break
        assert successors(game) == plain_successors(game)
        random_moves(game, rng, 3)


def test_words_tell_positions_apart_exactly():
    seen: dict[tuple[int, int], object] = {}
    for seed in range(60):
        rng = Random(seed)
        game = Game(Deal.from_number(7), "app")
        for _ in range(60):
            random_moves(game, rng, 1)
            position = game.full_position()
            waste = len(position.waste)
            if waste % 3 == 0 or not position.stock:
                waste = 0
            cycle = (*position.waste, *position.stock[::-1])
            what = (position.tops, position.reserve, cycle, waste, frozenset(c for c in position.columns if c))
            assert seen.setdefault(words(game), what) == what
    assert len(seen) == len(set(seen.values())) > 500


def test_column_order_does_not_matter():
    game = random_moves(Game(Deal.from_number(11), "app"), Random(1), 20)
    position = game.full_position()
    turned = replace(position, columns=position.columns[::-1])
    assert pack(turned, game.rules, 3) == pack(position, game.rules, 3)


@pytest.mark.parametrize("waste", [0, 1, 3, 4, 15, 16, 31, 34])
def test_word_changes_undo_themselves(waste):
    a, b = waste_set(5, -7, 0, waste)
    assert tuple(waste_set(a, b, waste, 0)) == (5, -7)
    for card in (0, 12, 16, 28, 44, 48, 60):
        a, b = moved(0, 0, card, 0, 3)
        assert (a, b) != (0, 0)
        assert tuple(moved(a, b, card, 3, 0)) == (0, 0)
    for suit in range(4):
        a, b = raised(0, 0, suit, 13)
        assert tuple(raised(a, b, suit, -13)) == (0, 0)


def test_words_are_signed():
    game = Game(Deal.from_number(3), "app")
    assert all(-(2**63) <= word < 2**63 for word in words(game))
    assert np.array(words(game), np.int64).tolist() == list(words(game))
