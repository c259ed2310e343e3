"""Hidden cards stay hidden: where they lie changes nothing that the environment gives out."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from canfield_env import Deal, Game, Rules
from canfield_env.env.actions import TURN
from canfield_env.env.single import CanfieldEnv

KINDS = [
    {},
    {"observation": "tokens"},
    {"draw": 1, "reward": "score"},
    {"stock": "auto", "observation": "tokens", "max_idle": 12},
    {"rules": "hoyle"},
    {"rules": Rules(redeals=1, take_back=False)},
]


def redealt(deal: Deal, view, rng) -> Deal:
    """The deck with those cards changing places that are unseen in the view."""
    unseen = set(view.unseen)
    places = [i for i, card in enumerate(deal.deck) if card in unseen]
    deck = list(deal.deck)
    for place, source in zip(places, rng.permutation(places).tolist(), strict=True):
        deck[place] = deal.deck[source]
    return Deal.from_deck(deck, deal.draw)


def assert_same(one, other) -> None:
    """The same results of a reset or a step, but for the game code that a deck of one's own has not."""
    for a, b in zip(one[:-1], other[:-1], strict=True):
        np.testing.assert_array_equal(a, b)
    for key in one[-1]:
        if key != "deal":
            np.testing.assert_array_equal(one[-1][key], other[-1][key], err_msg=key)


@pytest.mark.parametrize("kwargs", KINDS)
@pytest.mark.parametrize("seed", range(4))
def test_whole_games_with_unseen_cards_redealt(kwargs, seed):
    """Replays a game with those cards in other places that are unseen at some step: all is the same until then.

    The one exception: where turning the stock is all that can be done, the game may be found dead.
    """
    rng = np.random.default_rng(seed)
    env = CanfieldEnv(**kwargs)
    deal = Deal.random(seed, kwargs.get("draw", 3))
    results: list[Any] = [env.reset(options={"deck": deal.deck})]
    played: list[int] = []
    views = [env.player_view()]
    while not env._over and len(played) < 400:
        played.append(int(rng.choice(np.flatnonzero(results[-1][-1]["action_mask"]))))
        results.append(env.step(played[-1]))
        views.append(env.player_view())
    compared = 0
    for upto in range(0, len(played), max(1, len(played) // 12)):
        other = CanfieldEnv(**kwargs)
        again: Any = other.reset(options={"deck": redealt(deal, views[upto], rng).deck})
        for step in range(upto + 1):
            only_turning = np.flatnonzero(results[step][-1]["action_mask"]).tolist() == [TURN]
            if only_turning and again[-1].get("outcome") == "dead":
                break
            assert_same(results[step], again)
            compared += 1
            if step < upto:
                again = other.step(played[step])
    assert compared > len(played) / 4


@pytest.mark.parametrize("kwargs", KINDS)
def test_any_guess_at_the_unseen_cards_looks_the_same(kwargs):
    env, other = CanfieldEnv(**kwargs), CanfieldEnv(**kwargs)
    rng = np.random.default_rng(5)
    counts = [52 + 5, *range(58, 62)] if env.options.observation == "tokens" else [728 + 5, *range(734, 738)]
    _, info = env.reset(seed=8)
    for _ in range(60):
        observation, *_, info = env.step(rng.choice(np.flatnonzero(info["action_mask"])))
        if "outcome" in info:
            break
        view = env.player_view()
        guessed, guessed_info = other.reset(options={"position": str(view.sample(rng)), "draw": view.draw})
        seen = np.delete(np.arange(len(observation)), counts)  # idle steps and peaks are the episode's, not the table's
        np.testing.assert_array_equal(observation[seen], guessed[seen])
        np.testing.assert_array_equal(info["action_mask"], guessed_info["action_mask"])


def test_dead_depends_on_unseen_cards_only_where_turning_is_all_there_is():
    """Rules without a redeal: whether the last cards help is hidden, and nothing else can be done."""
    rules = Rules(redeals=0, take_back=False)
    env = CanfieldEnv(rules)
    rng = np.random.default_rng(0)
    found = set()
    for seed in range(60):
        _, info = env.reset(seed=seed)
        before = info["action_mask"]
        while "outcome" not in info:
            before = info["action_mask"]
            _, _, _, _, info = env.step(rng.choice(np.flatnonzero(before)))
            if (
                env.player_view().unseen
                and "outcome" not in info
                and np.flatnonzero(info["action_mask"]).tolist() == [TURN]
            ):
                view = env.player_view()
                found.add(len({Game.from_view(view, guess).is_dead for guess in range(20)}))
            elif "outcome" not in info:
                view = env.player_view()
                assert not any(Game.from_view(view, guess).is_dead for guess in range(3))
    assert found == {1, 2}
