"""The game against the oracle: everything that both can tell, after every action of random games."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import strategies as st

from canfield_env import Deal, Game, Rules
from tests import oracle
from tests.walks import RULE_SETS, choose, late_state, law_of, random_deck

SEEDS = st.integers(0, 2**32 - 1)


def new_pair(deck: oracle.Pile, rules: Rules, draw: int) -> tuple[Game, oracle.State]:
    deal = Deal.from_deck([oracle.name(c) for c in deck], draw, rules.ranks)
    return Game(deal, rules), oracle.deal(deck, law_of(rules, draw))


def late_pair(rng: Random, rules: Rules, draw: int) -> tuple[Game, oracle.State]:
    state = late_state(rng, law_of(rules, draw))
    game = Game.from_position(oracle.show(state), rules, draw)
    return game, state._replace(score=game.score)


def check_agrees(game: Game, state: oracle.State, *, thorough: bool = True) -> None:
    legal = list(map(str, game.legal_moves()))
    assert sorted(legal) == sorted(oracle.moves(state)), game.position()
    assert game.position() == oracle.show(state)
    assert game.position("player") == oracle.show(state, "player")
    assert (game.score, game.cards_up, game.is_won) == (state.score, sum(state.up), oracle.is_won(state))
    assert game.casino_net() == oracle.casino(state)
    assert (game.redeals, game.actions) == (state.redeals, state.actions)
    if thorough:
        assert game.is_dead == oracle.is_dead(state), game.position()
        for c in range(4 * state.law.ranks):
            for double_tap in (True, False):
                tapped = game.tap(oracle.name(c), double_tap)
                assert (tapped and str(tapped)) == oracle.tap(state, c, double_tap), (oracle.name(c), game.position())


def check_game(game: Game, state: oracle.State, rng: Random, steps: int, *, thorough: bool = True) -> None:
    """Plays at random, with an undo now and then, and compares at every step."""
    past: list[oracle.State] = []
    check_agrees(game, state, thorough=thorough)
    for _ in range(steps):
        if past and rng.random() < 0.05:
            game.undo()
            state = oracle.undo(past.pop(), state)
        elif token := choose(state, rng):
            past.append(state)
            assert str(game.push(token)) == token
            state = oracle.advance(state, token)
        else:
            break
        check_agrees(game, state, thorough=thorough)


@pytest.mark.parametrize("draw", [1, 3])
@pytest.mark.parametrize("name", RULE_SETS)
def test_random_games_agree_at_every_step(name: str, draw: int) -> None:
    rules, rng = RULE_SETS[name], Random(f"{name} {draw}")
    for _ in range(3):
        check_game(*new_pair(random_deck(rng, rules.ranks), rules, draw), rng, 80)
        check_game(*late_pair(rng, rules, draw), rng, 30)


@pytest.mark.slow
@pytest.mark.parametrize("draw", [1, 3])
@pytest.mark.parametrize("name", RULE_SETS)
def test_many_random_games_agree_at_every_step(name: str, draw: int) -> None:
    rules, rng = RULE_SETS[name], Random(f"slow {name} {draw}")
    for _ in range(100):
        check_game(*new_pair(random_deck(rng, rules.ranks), rules, draw), rng, 400, thorough=rng.random() < 0.2)
        check_game(*late_pair(rng, rules, draw), rng, 60)
