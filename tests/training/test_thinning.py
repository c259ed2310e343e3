"""Rollouts of which steps are left out."""

import math

import numpy as np
import pytest
import torch
from gymnasium import spaces

from canfield_env.errors import ConfigError
from canfield_env.training.ppo import make_env, make_ppo
from canfield_env.training.thinning import CERTAIN, ThinnedRollout
from tests.training.training_helpers import tiny_config

SHARE = 0.25


def rollout(steps=50, games=40):
    """A rollout whose observations number its steps; every second move was certain."""
    space = spaces.Box(-np.inf, np.inf, (1,))
    made = ThinnedRollout(steps, space, spaces.Discrete(3), "cpu", n_envs=games, share=SHARE)
    rng = np.random.default_rng(0)
    likely = torch.tensor(np.where(np.arange(games) % 2, CERTAIN, 0.9 * CERTAIN)).log()
    for step in range(steps):
        made.add(
            games * step + np.arange(games)[:, None],
            np.zeros((games, 1)),
            rng.normal(size=games),
            np.zeros(games),
            torch.zeros(games),
            likely,
            action_masks=np.ones((games, 3)),
        )
    made.compute_returns_and_advantage(torch.zeros(games), np.zeros(games))
    return made


def passes(made, batch_size, count=1):
    """All that is given out."""
    return [batch for _ in range(count) for batch in made.get(batch_size)]


def test_without_batches_there_is_everything():
    made = rollout()
    (whole,) = made.get()
    assert sorted(whole.observations.flatten().tolist()) == list(range(2000))
    np.testing.assert_allclose(sorted(whole.advantages.tolist()), sorted(made.advantages.flatten()), rtol=1e-6)


def test_a_pass_has_all_steps_that_were_not_certain_and_a_share_of_the_others():
    torch.manual_seed(0)
    batches = passes(rollout(), 64)
    assert {len(batch.observations) for batch in batches[:-1]} == {64}
    steps = torch.cat([batch.observations.flatten() for batch in batches]).int().tolist()
    assert len(steps) == len(set(steps))
    assert {step for step in steps if step % 2 == 0} == set(range(0, 2000, 2))
    assert 200 < sum(step % 2 for step in steps) < 300


def test_what_belongs_together_stays_together():
    made = rollout()
    (whole,) = made.get()
    by_step = {int(step): float(value) for step, value in zip(whole.observations, whole.returns, strict=True)}
    for batch in passes(made, 100):
        assert [by_step[int(step)] for step in batch.observations] == batch.returns.tolist()
        certain = batch.old_log_prob >= math.log(CERTAIN)
        assert (certain == (batch.observations.flatten() % 2 == 1)).all()


def test_the_mean_of_what_is_learned_is_that_of_all_steps():
    torch.manual_seed(1)
    made = rollout()
    (whole,) = made.get()
    normal = (whole.advantages - whole.advantages.mean()) / whole.advantages.std()
    factors = dict(zip(whole.observations.int().flatten().tolist(), torch.randn(2000).tolist(), strict=True))
    wanted = np.mean(normal.numpy() * [factors[int(step)] for step in whole.observations])
    found = []
    for _ in range(300):
        (batch,) = passes(made, 2000)
        found.append(np.mean(batch.advantages.numpy() * [factors[int(step)] for step in batch.observations]))
    assert abs(np.mean(found) - wanted) < 4 * np.std(found) / 300**0.5
    assert np.std(found) < 0.1


def test_ppo_learns_from_thinned_rollouts_where_it_is_told_to(tmp_path):
    config = tiny_config(tmp_path, f"algorithm.certain_share={SHARE}")
    thinned = make_ppo(config, make_env(config), lambda: True)
    assert isinstance(thinned.rollout_buffer, ThinnedRollout)
    assert not thinned.normalize_advantage
    plain = make_ppo(tiny_config(tmp_path), make_env(tiny_config(tmp_path)), lambda: True)
    assert not isinstance(plain.rollout_buffer, ThinnedRollout)
    assert plain.normalize_advantage
    before = {name: value.clone() for name, value in thinned.network.state_dict().items()}
    thinned.learn(2 * config.env.count * config.algorithm.rollout)
    assert any((value != before[name]).any() for name, value in thinned.network.state_dict().items())


@pytest.mark.parametrize("share", ["0.0", "1.5", "all"])
def test_a_bad_share_is_refused(tmp_path, share):
    with pytest.raises(ConfigError, match=r"algorithm\.certain_share"):
        tiny_config(tmp_path, f"algorithm.certain_share={share}")
