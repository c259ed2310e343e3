"""Positions made from observations: what the player has seen is as it was, and the rest in any order."""

from collections import Counter

import numpy as np
import pytest

from canfield_env.engine import kernels, layout, observe
from canfield_env.engine.imagine import imagine
from canfield_env.engine.layout import GAME
from canfield_env.env.options import EnvOptions
from canfield_env.env.vector import CanfieldVectorEnv
from canfield_env.rules import Rules

SMALL = Rules(ranks=7, reserve=5, columns=3)
GAMES = [
    ("app", 3, "auto"),
    ("app", 1, "auto"),
    ("app", 3, "turn"),
    ("hoyle", 3, "turn"),
    (Rules(redeals=2), 1, "turn"),
    (Rules(redeals=254), 1, "turn"),
    (Rules(redeals=300), 1, "turn"),
    (SMALL, 3, "auto"),
    (SMALL, 3, "turn"),
]


def walk(rules, draw, stock, steps=120, count=24):
    """A batch on the way of random games: yields its games before each step, and the settings."""
    env = CanfieldVectorEnv(count, rules, draw=draw, stock=stock, observation="tokens")
    _, info = env.reset(seed=5)
    rng = np.random.default_rng(5)
    for _ in range(steps):
        yield env._batch.games, env._batch.settings
        actions = [rng.choice(np.flatnonzero(mask)) for mask in info["action_mask"]]
        _, _, _, _, info = env.step(np.array(actions))


def told(game, settings):
    tokens = np.empty(observe.TOKENS_SIZE, np.uint8)
    observe.tokens(game, settings[0], tokens)
    return tokens


def moves(game, settings):
    kernels.find_moves(game, settings[0])
    mask = np.empty(layout.ACTIONS, np.int8)
    kernels.fill_mask(game, settings[0], mask)
    return mask


@pytest.mark.parametrize(("rules", "draw", "stock"), GAMES)
def test_an_imagined_game_looks_like_the_one_that_was_seen(rules, draw, stock):
    imagined = np.zeros(1, GAME)
    looked_at = 0
    for games, settings in walk(rules, draw, stock):
        for game in games[games["outcome"] == layout.RUNNING]:
            tokens = told(game, settings)
            imagine(tokens, settings[0], np.uint64(looked_at), imagined[0])
            assert (told(imagined[0], settings) == tokens).all()
            assert (moves(imagined[0], settings) == moves(game.copy(), settings)).all()
            assert sorted(imagined[0]["place"].tolist()) == sorted(game["place"].tolist())
            looked_at += 1
    assert looked_at > 2000


@pytest.mark.parametrize(("rules", "draw", "stock"), GAMES)
def test_an_imagined_game_goes_on_by_the_rules(rules, draw, stock):
    """Played from the real position and from an imagined one, the same moves show the same until a card comes up."""
    imagined = np.zeros(1, GAME)
    rng = np.random.default_rng(1)
    compared = 0
    for games, settings in walk(rules, draw, stock, steps=60, count=8):
        for game in games[games["outcome"] == layout.RUNNING]:
            game = game.copy()
            imagine(told(game, settings), settings[0], np.uint64(compared), imagined[0])
            moves(imagined[0], settings)
            for _ in range(5):
                hidden = (told(game, settings)[:52] == 0).sum()
                action = rng.choice(np.flatnonzero(moves(game, settings)))
                rewards = [kernels.step(each, settings[0], action)[0] for each in (game, imagined[0])]
                after = [told(each, settings) for each in (game, imagined[0])]
                if (after[0][:52] == 0).sum() != hidden:
                    break
                assert rewards[0] == rewards[1]
                assert (after[0] == after[1]).all()
                compared += 1
                if game["outcome"] != layout.RUNNING:
                    assert imagined[0]["outcome"] == game["outcome"]
                    break
    assert compared > 500


def test_all_orders_of_the_hidden_cards_are_as_likely():
    settings = EnvOptions(SMALL, stock="auto", observation="tokens").settings()
    tokens = next(told(games[0], settings) for games, settings in walk(SMALL, 3, "auto", steps=1))
    imagined = np.zeros(1, GAME)
    orders: Counter[tuple[int, ...]] = Counter()
    seeds = np.random.default_rng(0).integers(2**64, size=24_000, dtype=np.uint64)
    for seed in seeds:
        imagine(tokens, settings[0], seed, imagined[0])
        orders[tuple(imagined[0]["reserve"][:4])] += 1
    assert len(orders) == 24
    assert sum((count - 1000) ** 2 / 1000 for count in orders.values()) < 49.7  # chi-squared, 23 degrees, p = 0.001


def test_the_hidden_cards_as_they_lie_have_no_part_in_it():
    """Games that look alike are imagined alike."""
    for games, settings in walk("app", 3, "auto", steps=40, count=4):
        for game in games:
            other, imagined = game.copy(), np.zeros(2, GAME)
            hidden = other["reserve"][: max(other["reserve_count"] - 1, 0)]
            hidden[:] = hidden[::-1].copy()
            for each, made in zip((game, other), imagined, strict=True):
                imagine(told(each, settings), settings[0], np.uint64(3), made)
            assert imagined[0] == imagined[1]
