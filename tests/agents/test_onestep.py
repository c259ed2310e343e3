"""``onestep:MODEL``: the agent that looks where its moves lead."""

import numpy as np
import pytest

from agents.onestep import OneStepAgent
from canfield_env import Rules
from canfield_env.env.single import CanfieldEnv
from canfield_env.errors import ConfigError
from canfield_env.evaluation.episode import make_env, play_episode
from canfield_env.evaluation.protocol import Trained
from canfield_env.evaluation.runner import evaluate
from canfield_env.evaluation.specs import load_agent
from canfield_env.evaluation.suites import Suite
from canfield_env.training.config import Rewards
from tests.training.training_helpers import write_model


@pytest.fixture
def model(tmp_path):
    return write_model(tmp_path / "best.zip")


def test_it_plays_legally_and_the_same_again(model):
    suite = Suite.load("smoke")
    agent = load_agent(f"onestep:{model}")
    assert isinstance(agent, Trained)
    assert agent.name == f"onestep:{model}"
    env = make_env(agent, suite.rules)
    first = [play_episode(agent, env, deal).moves for deal in suite.deals[:4]]  # each is replayed in the plain game
    second = [play_episode(agent, env, deal).moves for deal in suite.deals[3::-1]]
    assert first == second[::-1]


def test_where_scores_say_nothing_it_plays_what_is_worth_most(tmp_path):
    """A card to its foundation, where it is paid for that and the value says nothing."""
    path = write_model(tmp_path / "model.zip", scores=0.0, rewards=Rewards(), discount=0.0)
    agent = OneStepAgent(path)
    env = CanfieldEnv(stock="auto", observation="tokens")
    up = 0
    for seed in range(20):
        observation, info = env.reset(seed=seed)
        agent.reset(0)
        for _ in range(12):
            mask = info["action_mask"]
            action = agent.act(observation, mask, None)
            peaks = observation.view(np.uint8)[58:62]
            ups = [card for card in range(52) if mask[1 + 5 * card] and card % 13 >= peaks[card // 13]]
            paid = [1 + 5 * card for card in ups]
            if paid:
                assert action in paid
                up += 1
            observation, _, over, cut, info = env.step(action)
            if over or cut:
                break
    assert up > 50


def test_a_high_temperature_leaves_the_scores_alone(model):
    suite = Suite.load("smoke")
    plain, looking = load_agent(f"ppo:{model}"), OneStepAgent(model, temperature=1e9)
    env = make_env(plain, suite.rules)
    for deal in suite.deals[:4]:
        assert play_episode(plain, env, deal).moves == play_episode(looking, env, deal).moves


def test_a_model_that_does_not_say_what_its_value_is_of_is_refused(tmp_path):
    path = write_model(tmp_path / "old.zip", rewards=None, discount=None)
    with pytest.raises(ConfigError, match=r"old\.zip: the model does not say what its value is of"):
        load_agent(f"onestep:{path}")


def test_it_is_refused_for_another_game_and_without_a_model(model, tmp_path):
    with pytest.raises(ConfigError, match="the model was trained for app with draw 3, not for app with draw 1"):
        evaluate([f"onestep:{model}"], Suite.load("d1-validation"))
    with pytest.raises(ConfigError, match="no model is called ''"):
        load_agent("onestep")
    with pytest.raises(ConfigError, match=r"none\.zip: cannot be read"):
        load_agent(f"onestep:{tmp_path / 'none.zip'}")


def test_it_looks_ahead_by_the_rules_that_the_model_was_trained_for(tmp_path):
    rules = Rules(take_back=False)
    agent = OneStepAgent(write_model(tmp_path / "model.zip", rules=rules.to_dict()))
    assert agent._options.rules == rules
    agent.check_game(rules, 3)
