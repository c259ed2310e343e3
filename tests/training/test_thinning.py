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
    steps = torch.cat([batch.observations.flatten() for batch in batches]).int().tolist()
    assert len(steps) == len(set(steps))
    assert {step for step in steps if step % 2 == 0} == set(range(0, 2000, 2))
    assert 200 < sum(step % 2 for step in steps) < 300


def test_what_belongs_together_stays_together():
    made = rollout()
    (whole,) = made.get()
    kept = sum(len(batch.observations) for batch in passes(made, 100))
    by_step = {int(step): place for place, step in enumerate(whole.observations)}
    torch.manual_seed(0)
    for batch in passes(made, 100):
        places = [by_step[int(step)] for step in batch.observations]
        certain = batch.old_log_prob >= math.log(CERTAIN)
        assert (certain == (batch.observations.flatten() % 2 == 1)).all()
        torch.testing.assert_close(batch.old_values, whole.old_values[places])
        normal = (whole.advantages[places] - whole.advantages.mean()) / whole.advantages.std()
        weights = torch.where(certain, 1 / SHARE, 1.0) * kept / 2000
        torch.testing.assert_close(batch.advantages, normal * weights, rtol=0.1, atol=1e-3)
        away = weights * (whole.returns - whole.old_values)[places]
        torch.testing.assert_close(batch.returns - batch.old_values, away, rtol=0.1, atol=1e-3)


def mean_over_passes(made, what, count=300):
    """The mean over many passes of what one comes to, and its standard error."""
    torch.manual_seed(1)
    found = [float(what(batch)) for batch in passes(made, 2000, count)]
    return np.mean(found), np.std(found) / count**0.5


def test_policy_and_value_are_taught_on_average_what_all_steps_would():
    made = rollout()
    (whole,) = made.get()
    torch.manual_seed(0)
    factors = torch.randn(2000)

    def of_policy(batch):
        return (batch.advantages * factors[batch.observations.long().flatten()]).mean()

    def of_value(batch):
        return ((batch.returns - batch.old_values) * factors[batch.observations.long().flatten()]).mean()

    normal = whole._replace(advantages=(whole.advantages - whole.advantages.mean()) / whole.advantages.std())
    for what in (of_policy, of_value):
        mean, error = mean_over_passes(made, what)
        assert error < 0.01
        assert abs(mean - float(what(normal))) < 4 * error


@pytest.mark.parametrize("batch_size", [600, 64, 5000])
def test_batches_are_of_about_one_size(batch_size):
    torch.manual_seed(0)
    sizes = [len(batch.observations) for batch in passes(rollout(), batch_size)]
    assert len(sizes) == max(1, round(sum(sizes) / batch_size))
    assert max(sizes) - min(sizes) <= 1


def test_a_pass_may_have_nothing():
    made = rollout(steps=1, games=2)
    made.log_probs[:] = 0.0
    made._share = 1e-9
    assert passes(made, 64) == []


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
