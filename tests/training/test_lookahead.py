"""What moves are worth by the value of the positions that they lead to."""

import numpy as np
import pytest
import torch

from canfield_env.engine.observe import TOKEN_UNSEEN
from canfield_env.training.afterstates import foresee
from canfield_env.training.config import TrainingConfig
from canfield_env.training.lookahead import worth_of_moves
from canfield_env.training.network import Network
from canfield_env.training.ppo import make_env
from tests.training.training_helpers import positions, tiny_config

GAMMA = 0.9


class Weighing(Network):
    """A value that depends on every token, and on nothing else."""

    def value(self, tokens):
        return torch.sin(tokens.double() @ torch.arange(1.0, tokens.shape[1] + 1, dtype=torch.float64) / 100).float()


@pytest.fixture
def config(tmp_path):
    return tiny_config(tmp_path, "env.reserve_reward=0.25", "env.win_reward=3.0", "env.count=32")


def worths(tokens, masks, env, threads=1):
    ahead = foresee(tokens, masks, env.options())
    return worth_of_moves(Weighing(), ahead, torch.from_numpy(masks), env, GAMMA, threads=threads).numpy()


def hidden(tokens):
    return (tokens[..., :52] == TOKEN_UNSEEN).sum(-1)


def test_a_move_that_turns_nothing_up_is_worth_what_playing_it_comes_to(config: TrainingConfig):
    env = make_env(config)
    env.seed(3)
    tokens, rng = env.reset(), np.random.default_rng(0)
    compared = ended = 0
    for _ in range(300):
        masks = env.env_method("action_masks")[0].copy()
        worth = worths(tokens, masks, config.env)
        assert (worth[~masks] == 0).all()
        chosen = np.array([rng.choice(np.flatnonzero(mask)) for mask in masks])
        before = tokens
        tokens, rewards, dones, infos = env.step(chosen)
        assert isinstance(tokens, np.ndarray)
        for game in range(len(tokens)):
            after = infos[game]["terminal_observation"].view(np.uint8) if dones[game] else tokens[game]
            if hidden(after) == hidden(before[game]) and masks[game].sum() < masks.shape[1]:
                ahead = 0.0 if dones[game] else Weighing().value(torch.from_numpy(after[None])).item()
                assert worth[game, chosen[game]] == pytest.approx(rewards[game] + GAMMA * ahead, abs=1e-5)
                compared += 1
                ended += dones[game]
    assert compared > 5000
    assert ended > 100


def test_a_move_that_turns_a_card_up_is_worth_the_mean_over_what_may_come_up(config: TrainingConfig):
    tokens, masks = positions(200, stock="auto")
    ahead = foresee(tokens, masks, config.env.options())
    moves = np.bincount(ahead.move)
    assert len(moves) == masks.sum()
    assert (moves > 1).sum() > 20
    with torch.inference_mode():
        values = Weighing().value(torch.from_numpy(ahead.tokens)).numpy()
    paid = config.env.shaped(ahead.points, ahead.from_reserve, ahead.won)
    each = paid + GAMMA * np.where(ahead.over, 0, values)
    expected = [each[ahead.move == move].mean() for move in range(len(moves))]
    np.testing.assert_allclose(worths(tokens, masks, config.env)[masks], expected, atol=1e-5)


def test_it_does_not_depend_on_the_threads(config: TrainingConfig, monkeypatch):
    monkeypatch.setattr("canfield_env.training.lookahead.PART", 64)
    tokens, masks = positions(200, stock="auto")
    one, two = (worths(tokens, masks, config.env, threads=threads) for threads in (1, 2))
    assert (one == two).all()
