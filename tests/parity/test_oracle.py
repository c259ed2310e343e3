"""The game against the oracle: everything that both can tell, after every action of random games."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from canfield_env import Deal, Game, Move, Rules
from tests import oracle
from tests.walks import RULE_SETS, choose, late_state, law_of, random_deck

#: Any rule set of up to four columns, small games foremost.
ANY_RULES = st.builds(
    Rules,
    runs=st.sampled_from(["any", "whole"]),
    spaces=st.sampled_from(["any", "waste"]),
    take_back=st.booleans(),
    build_on_base=st.booleans(),
    redeals=st.sampled_from([None, None, 0, 1, 3]),
    ranks=st.integers(4, 13),
    columns=st.integers(1, 4),
    reserve=st.integers(0, 11),
)


def new_pair(rng: Random, rules: Rules, draw: int) -> tuple[Game, oracle.State]:
    """A new game, twice."""
    deck = random_deck(rng, rules.ranks)
    deal = Deal.from_deck([oracle.name(c) for c in deck], draw, rules.ranks)
    return Game(deal, rules), oracle.deal(deck, law_of(rules, draw))


def late_pair(rng: Random, rules: Rules, draw: int) -> tuple[Game, oracle.State]:
    """A game far on, twice."""
    state = late_state(rng, law_of(rules, draw))
    game = Game.from_position(oracle.show(state), rules, draw)
    return game, state._replace(score=game.score)


def documented_place(token: str) -> tuple[int, ...]:
    """Where a token stands in the order that ``Game.legal_moves`` promises."""
    move = Move.parse(token)
    if move.target == "F":
        return 0, "R123456789W".index(move.source)
    if move.source.isdecimal():
        return 1, int(move.source), int(move.target), -(move.count or 99)
    return "__RWFD".index(move.source[0]), "cdhs".find(move.source[-1]), int(move.target or 0)


def check_agrees(game: Game, state: oracle.State, *, thorough: bool = True) -> None:
    assert [str(move) for move in game.legal_moves()] == sorted(oracle.moves(state), key=documented_place)
    assert game.position() == oracle.show(state)
    assert game.position("player") == oracle.show(state, "player")
    assert (game.score, game.cards_up, game.is_won) == (state.score, sum(state.up), oracle.is_won(state))
    assert (game.casino_net(), game.redeals, game.actions) == (oracle.casino(state), state.redeals, state.actions)
    if thorough:
        assert game.is_dead == oracle.is_dead(state), game.position()
        for c in range(4 * state.law.ranks):
            for double_tap in (True, False):
                tapped = game.tap(oracle.name(c), double_tap)
                expected = oracle.tap(state, c, double_tap)
                assert (tapped and str(tapped)) == expected, (oracle.name(c), game.position())


def check_game(game: Game, state: oracle.State, rng: Random, steps: int, *, thorough: bool = True) -> None:
    """Plays at random, with an undo or a copy now and then, and compares at every step."""
    past: list[oracle.State] = []
    check_agrees(game, state, thorough=thorough)
    for _ in range(steps):
        if past and rng.random() < 0.05:
            game.undo()
            state = oracle.undo(past.pop(), state)
        elif token := choose(state, rng):
            past = [*past, state][-100:]
            assert str(game.push(token)) == token
            state = oracle.advance(state, token)
        else:
            break
        if rng.random() < 0.05:
            game = game.copy()
        check_agrees(game, state, thorough=thorough)


@pytest.mark.parametrize("draw", [1, 3])
@pytest.mark.parametrize("name", RULE_SETS)
def test_random_games_agree_at_every_step(name: str, draw: int) -> None:
    rules, rng = RULE_SETS[name], Random(f"{name} {draw}")
    for _ in range(2):
        check_game(*new_pair(rng, rules, draw), rng, 60)
        check_game(*late_pair(rng, rules, draw), rng, 30)
    check_game(*new_pair(rng, rules, draw), rng, 300, thorough=False)


@given(ANY_RULES, st.sampled_from([1, 3]), st.integers(0, 2**32 - 1), st.booleans())
@settings(derandomize=True, deadline=None, max_examples=120)
def test_any_rules_agree_at_every_step(rules: Rules, draw: int, seed: int, late: bool) -> None:
    rng = Random(seed)
    check_game(*(late_pair if late else new_pair)(rng, rules, draw), rng, 30)


@pytest.mark.slow
@pytest.mark.parametrize("draw", [1, 3])
@pytest.mark.parametrize("name", RULE_SETS)
def test_many_random_games_agree_at_every_step(name: str, draw: int) -> None:
    rules, rng = RULE_SETS[name], Random(f"slow {name} {draw}")
    for _ in range(15):
        check_game(*new_pair(rng, rules, draw), rng, 400, thorough=rng.random() < 0.2)
        check_game(*late_pair(rng, rules, draw), rng, 60)
