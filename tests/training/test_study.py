"""Learning from where moves lead: the policy comes to play what is worth more, and the value stays what it is of."""

import pytest
import torch

from canfield_env.errors import ConfigError
from canfield_env.training.afterstates import foresee
from canfield_env.training.folder import RunFolder
from canfield_env.training.lookahead import worth_of_moves
from canfield_env.training.model_file import load_model
from canfield_env.training.ppo import make_env, make_ppo
from canfield_env.training.trainer import Trainer
from tests.training.training_helpers import tiny_config

LEARNS = (
    "lookahead.share=1.0",
    "lookahead.temperature=0.02",
    "lookahead.batch_size=64",
    "algorithm.learning_rate=0.01",
    "algorithm.anneal=false",
)


def with_rollout(config):
    """PPO with a rollout, before anything is learned from it."""
    ppo = make_ppo(config, make_env(config), lambda: True)
    _, callback = ppo._setup_learn(1000)
    assert ppo.collect_rollouts(ppo.env, callback, ppo.rollout_buffer, ppo.n_steps)
    return ppo


def shuffled_value(network):
    """Gives the network a value of its own, as that of a new one is 0."""
    torch.manual_seed(3)
    for parameter in network.outlook.parameters():
        torch.nn.init.normal_(parameter, std=0.5)


def test_the_policy_comes_to_play_what_is_worth_more(tmp_path):
    config = tiny_config(tmp_path, *LEARNS, "env.count=32", "algorithm.value=0.0")
    ppo = with_rollout(config)
    shuffled_value(ppo.network)
    teacher = make_ppo(config, make_env(config), lambda: True).network
    teacher.load_state_dict(ppo.network.state_dict())
    (rollout,) = ppo.rollout_buffer.get()
    tokens, masks = rollout.observations.to(torch.uint8), rollout.action_masks.bool()
    rows = (masks.sum(1) > 1) & (masks.sum(1) < 261)
    tokens, masks = tokens[rows], masks[rows]
    ahead = foresee(tokens.numpy(), masks.numpy(), config.env.options())
    worth = worth_of_moves(teacher, ahead, masks, config.env, config.algorithm.gamma)

    def expected():
        with torch.inference_mode():
            return float((torch.softmax(ppo.network(tokens, masks)[0], 1) * worth).sum(1).mean())

    assert ppo.study is not None
    before = expected()
    logged = [ppo.study.learn(ppo.policy, teacher, rollout, steps) for steps in range(1, 40)]
    best = float(worth.masked_fill(~masks, -torch.inf).amax(1).mean())
    assert before < expected() < best
    assert expected() - before > 0.5 * (best - before)
    assert logged[-1]["loss"] < logged[0]["loss"]
    assert all(line["regret"] == pytest.approx(logged[0]["regret"], abs=0.05) for line in logged)


def test_the_value_is_learned_too(tmp_path):
    config = tiny_config(tmp_path, *LEARNS, "env.count=32", "algorithm.value=10.0")
    ppo = with_rollout(config)
    (rollout,) = ppo.rollout_buffer.get()
    tokens = rollout.observations.to(torch.uint8)

    def error():
        with torch.inference_mode():
            return float((ppo.network.value(tokens) - rollout.returns).square().mean())

    assert ppo.study is not None
    before = error()
    for steps in range(1, 20):
        ppo.study.learn(ppo.policy, ppo.network, rollout, steps)
    assert error() < 0.5 * before


def test_what_is_looked_at_follows_from_the_seed_and_the_steps(tmp_path):
    config = tiny_config(tmp_path, "lookahead.share=0.5")

    def learned(steps):
        ppo = with_rollout(config)
        shuffled_value(ppo.network)
        (rollout,) = ppo.rollout_buffer.get()
        assert ppo.study is not None
        ppo.study.learn(ppo.policy, ppo.network, rollout, steps)
        return {name: values.tolist() for name, values in ppo.network.state_dict().items()}

    assert learned(64) == learned(64)
    assert learned(64) != learned(128)


def test_a_run_that_studies_is_logged_and_goes_on_as_if_it_had_not_been_stopped(tmp_path):
    settings = ("lookahead.share=0.5", "algorithm.ema_decay=0.5", "network.ahead=true")
    for name, stops in (("straight", (384,)), ("stopped", (128, 384))):
        for steps in stops:
            config = tiny_config(tmp_path, *settings, f"run.steps={steps}", "algorithm.anneal=false")
            assert Trainer(config, RunFolder(tmp_path / name, config, resume=True)).run()
    one, other = (load_model(tmp_path / name / "last.zip")[1].state_dict() for name in ("straight", "stopped"))
    assert all((one[name] == other[name]).all() for name in one)
    assert "study/loss" in (tmp_path / "straight" / "metrics.jsonl").read_text()


def test_it_needs_the_stock_to_be_turned_for_the_player(tmp_path):
    with pytest.raises(ConfigError, match=r"lookahead\.share needs env\.stock to be auto, not turn"):
        tiny_config(tmp_path, "lookahead.share=0.1", "env.stock=turn")
    assert tiny_config(tmp_path, "env.stock=turn").lookahead.share == 0


def test_nothing_is_studied_while_only_the_value_is_trained(tmp_path):
    config = tiny_config(tmp_path, "lookahead.share=1.0", "algorithm.value_first=384")
    trainer = Trainer(config, RunFolder(tmp_path / "run", config))
    before = {name: values.clone() for name, values in trainer._ppo.network.state_dict().items()}
    assert trainer.run()
    after = trainer._ppo.network.state_dict()
    assert {name.partition(".")[0] for name in before if (before[name] != after[name]).any()} == {"outlook"}
    assert "study" not in (tmp_path / "run" / "metrics.jsonl").read_text()


def test_a_rollout_with_nothing_to_look_at_is_left_alone(tmp_path):
    config = tiny_config(tmp_path, "lookahead.share=1e-9")
    ppo = with_rollout(config)
    before = {name: values.clone() for name, values in ppo.network.state_dict().items()}
    (rollout,) = ppo.rollout_buffer.get()
    assert ppo.study is not None
    assert ppo.study.learn(ppo.policy, ppo.network, rollout, 64) == {}
    assert all((before[name] == values).all() for name, values in ppo.network.state_dict().items())
