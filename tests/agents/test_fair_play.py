"""No agent's decision depends on a card that the player has not seen, on whole games."""

from __future__ import annotations

from itertools import zip_longest
from pathlib import Path

import numpy as np
import pytest

from canfield_env import Deal, PlayerView, Rules
from canfield_env.evaluation.episode import episode_seed, make_env
from canfield_env.evaluation.specs import load_agent
from tests.training.training_helpers import write_model

#: With ``stock="auto"`` all that stays unseen is the reserve below its top card: the first twelve cards of the deck.
HIDDEN = 12


def play(spec: str, deal: Deal, rules: str) -> list[tuple[PlayerView, int]]:
    """The decisions of an agent, each with what the player knew."""
    agent = load_agent(spec)
    env = make_env(agent, Rules.named(rules))
    observation, info = env.reset(options={"deal": deal})
    agent.reset(episode_seed(0, env.player_view()))
    decisions = []
    while "outcome" not in info:
        view = env.player_view()
        action = agent.act(observation, info["action_mask"], view if agent.wants_view else None)
        decisions.append((view, action))
        observation, _, _, _, info = env.step(action)
    return decisions


def check(spec: str, rules: str) -> None:
    """Plays deals that differ in what is hidden, and compares the decisions up to where that has come up."""
    rng = np.random.default_rng(0)
    shared = 0
    for number in range(2**20, 2**20 + 8):
        deal = Deal.from_number(number)
        straight = play(spec, deal, rules)
        for seen in (0, 4, 8):  # of the hidden cards, how many keep their place
            hidden = deal.deck[: HIDDEN - seen]
            permuted = [hidden[k] for k in rng.permutation(len(hidden))]
            other = play(spec, Deal.from_deck([*permuted, *deal.deck[HIDDEN - seen :]]), rules)
            for here, there in zip_longest(straight, other):
                if here is None or there is None or here[0] != there[0]:
                    break  # a card that was permuted has been turned up
                assert here[1] == there[1]
                shared += 1
    assert shared > 50


@pytest.mark.parametrize("rules", ["app", "hoyle"])
@pytest.mark.parametrize("spec", ["random", "greedy", "heuristic:100"])
def test_permuting_the_unseen_cards_changes_no_decision(spec: str, rules: str):
    check(spec, rules)


def test_nor_does_it_change_one_of_a_trained_network(tmp_path: Path):
    model = write_model(tmp_path / "model.zip", network={"ahead": True, "afterstates": True})
    check(f"ppo:{model}", "app")


def test_what_is_compared_are_whole_games():
    """A deal against itself is compared to its end."""
    deal = Deal.from_number(2**20)
    assert play("heuristic:100", deal, "app") == play("heuristic:100", deal, "app")
