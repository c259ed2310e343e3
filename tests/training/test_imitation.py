"""Learning from datasets: what is learned, that runs can be stopped, and what is refused."""

import json
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import torch

from agents.dataset_maker import make_dataset
from canfield_env.errors import ConfigError
from canfield_env.rules import Rules
from canfield_env.training.config import EnvSection
from canfield_env.training.dataset import NO_ACTION, Dataset, Plan, Shard
from canfield_env.training.folder import RunFolder
from canfield_env.training.imitation import Imitator, Lines, losses_of, returns_of, worth_loss
from canfield_env.training.imitation_config import FitSection, ImitationConfig
from canfield_env.training.model_file import load_model
from canfield_env.training.trainer import Trainer
from tests.training.training_helpers import tiny_config

SCRIPT = str(Path(__file__).parents[2] / "scripts" / "imitate.py")
TINY = """
[fit]
batch_size = 32
held_out = 0.5

[network]
kind = "cards"
width = 8
table_width = 16

[evaluation]
suite = "d3-validation"
deals = 4
every = 640

[run]
steps = 1600
"""


def tiny(tmp_path, *settings):
    """A run of fifty steps."""
    path = tmp_path / "tiny.toml"
    path.write_text(TINY)
    return ImitationConfig.load(path, settings)


@pytest.fixture(scope="module")
def dataset(tmp_path_factory):
    """Six games."""
    folder = tmp_path_factory.mktemp("data") / "made"
    plan = Plan(teacher="heuristic:50", rules=Rules().to_dict(), draw=3, games=6, shard=6, seed=3, orders=2, states=20)
    make_dataset(folder, plan)
    return Dataset(folder)


@pytest.fixture(scope="module")
def run(dataset, tmp_path_factory):
    """The folder of a run from end to end."""
    folder = tmp_path_factory.mktemp("run")
    assert start(folder / "run", tiny(folder), dataset).run()
    return folder / "run"


def start(folder, config, *datasets, resume=False, init=None):
    return Imitator(config, RunFolder(folder, config, resume=resume), datasets, init=init)


def metrics(folder):
    return [json.loads(line) for line in (folder / "metrics.jsonl").read_text().splitlines()]


def weights(path):
    return {name: tensor.tolist() for name, tensor in load_model(path)[1].state_dict().items()}


def shard_of(rewards, ends, won, reserve):
    """A shard of which only what returns are made of means anything."""
    lines = len(rewards)
    tokens = np.zeros((lines, 62), np.uint8)
    tokens[:, 52] = reserve
    nothing = np.zeros(lines, np.int64)
    return Shard(
        deals=np.arange(len(ends)) + 2**20,
        ends=np.array(ends),
        won=np.array(won),
        cards_up=np.zeros(len(ends), np.int64),
        tokens=tokens,
        masks=np.zeros((lines, 33), np.uint8),
        taught=nothing,
        played=nothing,
        players=nothing.astype(np.uint8),
        rewards=np.array(rewards, np.float32),
        orders=nothing.astype(np.uint8),
        wins=np.zeros(0, np.uint8),
        undecided=np.zeros(0, np.uint8),
    )


def test_returns_are_those_of_training():
    shard = shard_of([5, 0, 5, 0, 0], ends=[3, 3, 5], won=[True, False, False], reserve=[2, 1, 1, 3, 2])
    env = EnvSection(reward_scale=0.1, win_reward=2.0, reserve_reward=1.0)
    returns = returns_of(shard, env, gamma=0.5)
    last = 0.5 + 2 + 1  # the card up, the win, and the last card of the reserve
    assert returns.tolist() == pytest.approx([0.5 + 1 + 0.5 * (0.5 * last), 0.5 * last, last, 1.0, 0.0])


def test_batches_put_values_on_their_moves(dataset):
    shard = next(dataset.shards())
    lines = Lines.of_shard(shard, FitSection(undecided=0.5), EnvSection())
    twice = Lines.join([lines, lines])
    rows = np.array([5, 0, len(shard.tokens) + 5, 17])
    batch = twice.batch(rows, twice.starts())
    assert batch.losses[0].tolist() == batch.losses[2].tolist()
    first = 0
    for line in range(18):
        moves = np.flatnonzero(shard.legal[line])
        expected = np.zeros(261, np.float32)
        if shard.orders[line]:
            of_line = slice(first, first + len(moves))
            worth = (shard.wins[of_line] + 0.5 * shard.undecided[of_line]) / shard.orders[line]
            expected[moves] = worth.max() - worth
            first += len(moves)
        for place in np.flatnonzero(rows == line):
            assert batch.losses[place].numpy() == pytest.approx(expected)
            assert batch.legal[place].numpy().tolist() == shard.legal[line].tolist()


def test_nothing_is_taught_where_nothing_is_to_be_gained(dataset):
    shard = next(dataset.shards())
    lines = Lines.of_shard(shard, FitSection(), EnvSection())
    assert (lines.taught[shard.orders == 0] == NO_ACTION).all()
    assert (lines.taught != NO_ACTION).any()
    assert ((lines.taught == shard.taught) | (lines.taught == NO_ACTION)).all()


def test_deals_are_held_out_as_a_whole(dataset):
    shard = next(dataset.shards())
    held_out = Lines.of_shard(shard, FitSection(held_out=0.5), EnvSection()).held_out
    by_game = [set(part.tolist()) for part in np.split(held_out, shard.ends[:-1])]
    assert all(len(each) <= 1 for each in by_game)  # in one of them nothing can be played
    assert {True} in by_game
    assert {False} in by_game


def test_the_loss_by_worth():
    log_probs = torch.log(torch.tensor([[0.5, 0.25, 0.25], [1.0, 0.0, 0.0], [1e-9, 1.0, 0.0]]))
    losses = torch.tensor([[0.0, 0.0, 0.2], [0.0, 0.5, 0.5], [0.0, 0.6, 0.6]])
    loss = worth_loss(log_probs, losses, temperature=0.2)
    assert loss.tolist() == pytest.approx([-np.log(0.75 + 0.25 / np.e), 0.0, 3.0], abs=1e-6)


def test_the_loss_by_worth_is_learned_from_where_the_policy_is_sure_of_a_bad_move():
    logits = torch.tensor([[0.0, 20.0]], requires_grad=True)
    torch.autograd.backward(worth_loss(torch.log_softmax(logits, 1), torch.tensor([[0.0, 5.0]]), 0.2).sum())
    assert logits.grad is not None
    assert logits.grad[0, 1] > 0.9


def test_a_run_learns_and_writes_what_a_training_run_writes(run, dataset):
    told = metrics(run)
    evaluations = [line for line in told if "evaluation/won" in line]
    assert [line["steps"] for line in evaluations] == [640, 1280, 1600]
    assert evaluations[-1]["held_out/taught"] < evaluations[0]["held_out/taught"]
    assert evaluations[-1].keys() >= {"evaluation/cards_up", "held_out/worth", "held_out/value", "time/cpu_seconds"}
    assert json.loads((run / "run.json").read_text())["init"] is None
    header, network = load_model(run / "best.zip")
    assert header.origin["datasets"][0]["sha256"] == dataset.digest
    shard = next(dataset.shards())
    lines = Lines.of_shard(shard, FitSection(), EnvSection())
    batch = lines.batch(np.arange(len(shard.tokens)), lines.starts())
    assert losses_of(network, batch, 0.2).agreement > 0.5 > 1 / shard.legal.sum(1).mean()


def test_a_run_stopped_and_gone_on_with_learns_the_same(run, dataset, tmp_path, monkeypatch):
    config = tiny(tmp_path)
    imitator = start(tmp_path / "run", config, dataset)
    learn = imitator._learn

    def stop_in_the_middle():
        learn()
        if imitator.steps == 960:
            signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr(imitator, "_learn", stop_in_the_middle)
    assert not imitator.run()
    assert imitator.steps == 960
    again = start(tmp_path / "run", config, dataset, resume=True)
    assert again.steps == 960
    assert again.run()
    assert weights(tmp_path / "run" / "last.zip") == weights(run / "last.zip")
    assert weights(tmp_path / "run" / "best.zip") == weights(run / "best.zip")


def test_a_run_goes_on_only_with_its_own_datasets(run, dataset):
    config = ImitationConfig.load(run / "config.toml")
    with pytest.raises(ConfigError, match="learns from other datasets"):
        start(run, config, dataset, dataset, resume=True)
    with pytest.raises(ConfigError, match=r"began with random weights, not with other\.zip"):
        start(run, config, dataset, resume=True, init="other.zip")
    with pytest.raises(ConfigError, match="--resume goes on with it"):
        start(run, config, dataset)


def test_training_goes_on_from_what_was_learned(run, tmp_path):
    config = tiny_config(tmp_path)
    trainer = Trainer(config, RunFolder(tmp_path / "ppo", config), init=run / "best.zip")
    assert weights(run / "best.zip") == {k: v.tolist() for k, v in trainer._ppo.network.state_dict().items()}


def test_a_run_starts_from_a_model_of_the_same_network_only(run, dataset, tmp_path):
    imitator = start(tmp_path / "run", tiny(tmp_path, "run.seed=5"), dataset, init=run / "best.zip")
    assert weights(run / "best.zip") == {k: v.tolist() for k, v in imitator._network.state_dict().items()}
    with pytest.raises(ConfigError, match="the model's network is"):
        start(tmp_path / "run", tiny(tmp_path, "network.width=9"), dataset, init=run / "best.zip")


def test_a_dataset_of_another_game_is_refused(dataset, tmp_path):
    config = tiny(tmp_path, "env.draw=1", "evaluation.suite=d1-validation")
    with pytest.raises(ConfigError, match=r"the dataset is of app with draw 3, the configuration of app with draw 1"):
        start(tmp_path / "run", config, dataset)


@pytest.mark.parametrize(
    ("setting", "fault"),
    [
        ("env.stock=turn", "stock='auto'"),
        ("env.draw=1", "evaluation.suite"),
        ("fit.held_out=0", "fit.held_out"),
        ("fit.temperature=0", "fit.temperature"),
        ("fit.epochs=3", "unknown key 'fit.epochs'"),
    ],
)
def test_bad_settings_are_named(tmp_path, setting, fault):
    with pytest.raises(ConfigError, match=fault):
        tiny(tmp_path, setting)


@pytest.mark.parametrize("name", ["d1", "d3"])
def test_shipped_configurations_are_sound(name):
    assert ImitationConfig.load(name).env.draw == int(name[1])


def test_bad_input_is_one_line_and_status_2(tmp_path):
    done = subprocess.run(
        [sys.executable, SCRIPT, "--config", "d3", "--data", "nowhere"], cwd=tmp_path, capture_output=True, text=True
    )
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert "nowhere" in done.stderr
    assert not list(tmp_path.iterdir())
