"""``ppo:FILE``: a trained model as an agent, which plays as it was evaluated in training."""

from hashlib import sha256

import pytest
import torch

from canfield_env.errors import ConfigError
from canfield_env.evaluation.episode import make_env, play_episode
from canfield_env.evaluation.protocol import Trained
from canfield_env.evaluation.runner import evaluate
from canfield_env.evaluation.specs import load_agent
from canfield_env.evaluation.suites import Suite
from canfield_env.training.config import CardNetworkSection, EnvSection
from canfield_env.training.model_file import Header, save_model
from canfield_env.training.network import make_network
from canfield_env.training.play import play_deals


@pytest.fixture
def model(tmp_path):
    """A model that has learned nothing, but has its preferences."""
    torch.manual_seed(2)
    section = CardNetworkSection(width=8)
    network = make_network(section)
    for parameter in network.parameters():
        torch.nn.init.normal_(parameter, std=0.3)
    path = tmp_path / "best.zip"
    save_model(path, Header(rules={}, draw=3, stock="auto", network=section), network)
    return path, network


def test_it_plays_legally_and_as_in_training(model):
    path, network = model
    deals = Suite.load("smoke").deals[:8]
    agent = load_agent(f"ppo:{path}")
    assert isinstance(agent, Trained)
    assert agent.fingerprint == sha256(path.read_bytes()).hexdigest()
    env = make_env(agent, Suite.load("smoke").rules)
    records = [play_episode(agent, env, deal) for deal in deals]  # each is replayed in the plain game
    result = play_deals(network, EnvSection(), deals)
    assert [record.cards_up for record in records] == result.cards_up.tolist()
    assert [record.outcome == "won" for record in records] == result.won.tolist()
    assert sum(record.outcome == "idle" for record in records) == result.outcomes["idle"]
    assert len({len(record.moves) for record in records}) > 1


def test_an_episode_does_not_depend_on_the_one_before(model):
    agent = load_agent(f"ppo:{model[0]}")
    suite = Suite.load("smoke")
    env = make_env(agent, suite.rules)
    first = [play_episode(agent, env, deal).moves for deal in suite.deals[:3]]
    second = [play_episode(agent, env, deal).moves for deal in suite.deals[2::-1]]
    assert first == second[::-1]


@pytest.mark.parametrize(
    ("suite", "fault"),
    [
        ("d1-validation", "the model was trained for app with draw 3, not for app with draw 1"),
        ("hoyle-test", "the model was trained for app with draw 3, not for hoyle with draw 3"),
    ],
)
def test_it_is_refused_for_another_game(model, suite, fault):
    with pytest.raises(ConfigError) as caught:
        evaluate([f"ppo:{model[0]}"], Suite.load(suite))
    assert fault in str(caught.value)


def test_what_is_no_model_is_refused(tmp_path):
    with pytest.raises(ConfigError, match="no model is called ''"):
        load_agent("ppo")
    with pytest.raises(ConfigError, match="no model is called 'd2'"):
        load_agent("ppo:d2")
    with pytest.raises(ConfigError, match=r"none\.zip: cannot be read"):
        load_agent(f"ppo:{tmp_path / 'none.zip'}")
