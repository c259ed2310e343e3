"""The environment as PPO trains on it."""

import numpy as np
import pytest

from canfield_env.deals import FIRST_TRAINING_DEAL, Deal, decode_code
from canfield_env.env.sb3 import CanfieldVecEnv
from canfield_env.errors import ConfigError
from canfield_env.training.config import EnvSection
from canfield_env.training.vecenv import TrainingVecEnv


def make(count=16, reward_scale=1.0, win_reward=0.0, reserve_reward=0.0, **options):
    games = CanfieldVecEnv(count, stock="auto", observation="tokens", illegal="raise", **options)
    section = EnvSection(reward_scale=reward_scale, win_reward=win_reward, reserve_reward=reserve_reward)
    return TrainingVecEnv(games, section)


def play(env, steps, seed=0):
    """Plays random moves; yields what each step gives."""
    rng = np.random.default_rng(seed)
    for _ in range(steps):
        (masks,) = env.env_method("action_masks")
        env.step_async(np.array([rng.choice(np.flatnonzero(mask)) for mask in masks]))
        yield env.step_wait()


def test_no_training_deal_is_one_of_those_kept_for_evaluation():
    env = make()
    env.seed(1)
    env.reset()
    for _ in play(env, 150):
        pass
    deals = [info["deal"] for info in env.finished]
    assert len(set(deals)) > 20
    assert all(decode_code(code)[0] >= FIRST_TRAINING_DEAL for code in deals)


def test_a_deal_kept_for_evaluation_is_an_error():
    env = make(1)
    env.set_options({"deal": Deal.from_number(FIRST_TRAINING_DEAL - 1)})
    env.reset()
    with pytest.raises(ConfigError, match=r"CF1-D3-A.* is kept for evaluation"):
        for _ in play(env, 3000):
            pass


def test_an_idle_end_is_an_end_and_too_many_steps_are_not():
    env = make(max_steps=60)
    env.seed(1)
    env.reset()
    ends: dict[str, set[bool]] = {}
    for _, _, dones, infos in play(env, 200):
        for index in np.flatnonzero(dones):
            ends.setdefault(infos[index]["outcome"], set()).add(infos[index]["TimeLimit.truncated"])
    assert ends["idle"] == {False}
    assert ends["max_steps"] == {True}


def test_rewards_are_scaled_and_winning_pays():
    plain, scaled = make(), make(reward_scale=0.5, win_reward=3.0)
    for env in (plain, scaled):
        env.seed(2)
        env.reset()
    for (_, rewards, _, _), (_, others, _, _) in zip(play(plain, 60), play(scaled, 60), strict=True):
        np.testing.assert_allclose(others, 0.5 * rewards)
    env = make(1, reward_scale=0.5, win_reward=3.0)
    env.set_options({"position": "A:QKKK - - - Kc/-/-/- 0 0"})
    env.reset()
    env.step_async(np.array([1 + 5 * 12]))
    _, rewards, dones, _ = env.step_wait()
    assert dones[0]
    assert rewards[0] == pytest.approx(0.5 * 5 + 3)


def test_every_card_that_leaves_the_reserve_pays_to_the_last_step():
    plain, paid = make(), make(reserve_reward=0.5)
    left = np.full(16, 13)
    for env in (plain, paid):
        env.seed(4)
        env.reset()
    ended = 0
    for (_, rewards, _, _), (observations, others, dones, infos) in zip(play(plain, 60), play(paid, 60), strict=True):
        now = observations[:, 52].astype(int)
        for index in np.flatnonzero(dones):
            now[index] = infos[index]["terminal_observation"][52]
        np.testing.assert_allclose(others - rewards, 0.5 * (left - now))
        left = np.where(dones, 13, now)
        ended += dones.sum()
    assert ended
    assert left.min() < 13


def test_it_goes_back_to_a_state():
    env, other = make(reserve_reward=0.5), make(reserve_reward=0.5)
    env.seed(3)
    env.reset()
    list(play(env, 50))
    state = env.state()
    there = list(play(env, 50, seed=1))
    observations = other.restore(state)
    assert observations.shape == (16, 62)
    again = list(play(other, 50, seed=1))
    for (obs, rewards, dones, _), (obs2, rewards2, dones2, _) in zip(there, again, strict=True):
        assert (obs == obs2).all()
        assert (rewards == rewards2).all()
        assert (dones == dones2).all()
