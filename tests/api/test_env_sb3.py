"""The stable-baselines3 form: what ``make_vec_env`` makes of single environments, without them."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import gymnasium
import numpy as np
import pytest
import torch
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.evaluation import evaluate_policy
from sb3_contrib.common.maskable.utils import get_action_masks, is_masking_supported
from stable_baselines3.common.env_util import make_vec_env
from stable_baselines3.common.monitor import Monitor
from stable_baselines3.common.vec_env import VecMonitor

from canfield_env import ConfigError, DealError, IllegalMoveError, NotationError
from canfield_env.env.sb3 import CanfieldVecEnv

CODE = "CF1-D3-AAAAACL"


def choose(masks, rng):
    return np.array([rng.choice(np.flatnonzero(mask)) for mask in masks])


def masks_of(env):
    return np.asarray(get_action_masks(env)).reshape(env.num_envs, 261)


def native_pair(count=5, seed=3, **kwargs):
    """The native form and the usual one, seeded alike and reset."""
    native = CanfieldVecEnv(count, **kwargs)
    native.seed(seed)
    usual = make_vec_env("Canfield-v0", n_envs=count, seed=seed, env_kwargs=kwargs)
    return native, usual


@pytest.mark.parametrize("kwargs", [{"max_idle": 12}, {"observation": "tokens", "stock": "auto", "max_steps": 25}])
def test_same_rollouts_as_make_vec_env(kwargs):
    native, usual = native_pair(**kwargs)
    assert (native.observation_space, native.action_space) == (usual.observation_space, usual.action_space)
    np.testing.assert_array_equal(native.reset(), usual.reset())
    rng, ended = np.random.default_rng(0), 0
    for step in range(200):
        masks = masks_of(native)
        assert masks.dtype == np.bool_
        np.testing.assert_array_equal(masks, masks_of(usual))
        actions = choose(masks, rng)
        if step % 20 == 0:
            actions[1] = int(np.flatnonzero(~masks[1])[0])
        *got, infos = native.step(actions)
        *expected, usual_infos = usual.step(actions)
        for a, b in zip(got, expected, strict=True):
            assert a.dtype == b.dtype
            np.testing.assert_array_equal(a, b)
        for row, (info, usual_info) in enumerate(zip(infos, usual_infos, strict=True)):
            assert info["illegal"] == usual_info["illegal"]
            assert info["TimeLimit.truncated"] == usual_info["TimeLimit.truncated"]
            if got[2][row]:
                ended += 1
                assert info.keys() == usual_info.keys() | {"is_success"}
                assert (info["episode"]["r"], info["episode"]["l"]) == pytest.approx(
                    (usual_info["episode"]["r"], usual_info["episode"]["l"])
                )
                for key in usual_info.keys() - {"episode"}:
                    np.testing.assert_array_equal(info[key], usual_info[key], err_msg=key)
                reset, usual_reset = native.reset_infos[row], usual.reset_infos[row]
                assert reset.keys() == usual_reset.keys()
                assert (reset["deal"], reset["score"]) == (usual_reset["deal"], usual_reset["score"])
    assert ended > 20


def test_the_same_learning_curve():
    """Trained for the same seed, both forms give the same network."""
    torch.set_num_threads(1)
    weights = []
    for env in native_pair(4, 7, observation="tokens", max_idle=20):
        model = MaskablePPO("MlpPolicy", env, n_steps=32, batch_size=64, n_epochs=2, seed=7, device="cpu")
        model.learn(512)
        weights.append(torch.cat([p.detach().flatten() for p in model.policy.parameters()]))
        assert len(model.ep_info_buffer or ()) > 5
    torch.testing.assert_close(*weights, rtol=0, atol=0)


def test_evaluate_policy_reads_the_episode_infos():
    env = CanfieldVecEnv(3, max_steps=6, observation="tokens")
    model = MaskablePPO("MlpPolicy", env, n_steps=8, batch_size=8, device="cpu")
    returns: Any
    lengths: Any
    returns, lengths = evaluate_policy(model, env, n_eval_episodes=4, return_episode_rewards=True)
    assert len(returns) == 4
    assert lengths == [6] * 4


def test_attributes_and_methods():
    env = CanfieldVecEnv(3, render_mode="rgb_array")
    env.seed(0)
    env.reset()
    assert is_masking_supported(env)
    assert env.has_attr("action_masks")
    assert not env.has_attr("colour")
    assert env.get_attr("num_envs", [0, 1]) == [3, 3]
    assert env.env_is_wrapped(Monitor) == [True] * 3
    assert env.env_is_wrapped(gymnasium.wrappers.TimeLimit) == [False] * 3
    (all_masks,) = env.env_method("action_masks")
    np.testing.assert_array_equal(env.env_method("action_masks", indices=[2, 0]), all_masks[[2, 0]])
    np.testing.assert_array_equal(env.action_masks(), all_masks)
    assert env.env_method("player_view", indices=1)[0] == env.player_view(1)
    picture = env.render()
    assert picture is not None
    assert picture.ndim == 3
    with pytest.raises(AttributeError, match="'fly'"):
        env.env_method("fly")
    with pytest.raises(AttributeError, match="cannot be set"):
        env.set_attr("options", None)


def test_vec_monitor_counts_the_same():
    with pytest.warns(UserWarning, match="Monitor"):
        env = VecMonitor(CanfieldVecEnv(3, max_steps=5))
    env.seed(1)
    env.reset()
    for _ in range(5):
        _, _, dones, infos = env.step(np.zeros(3, int))
    assert dones.all()
    assert [info["episode"]["l"] for info in infos] == [5] * 3


def test_options_and_seeds_are_used_once():
    env = CanfieldVecEnv(2)
    env.seed(5)
    env.set_options({"deal": CODE})
    env.reset()
    assert [info["deal"] for info in env.reset_infos] == [CODE] * 2
    env.reset()
    random = [info["deal"] for info in env.reset_infos]
    env.seed(5)
    env.set_options([{"deal": CODE}, {}])
    env.reset()
    assert [info["deal"] for info in env.reset_infos] == [CODE, random[1]]


def test_bad_options_change_nothing():
    env, untouched = CanfieldVecEnv(2), CanfieldVecEnv(2)
    for one in (env, untouched):
        one.seed(5)
        one.reset()
    bad: list[tuple[Any, type[ValueError]]] = [
        ({"deal": "CF1-D3-AAAAACM"}, DealError),
        ([{}], ConfigError),
        ({"colour": 1}, ConfigError),
    ]
    for options, error in bad:
        env.set_options(options)
        with pytest.raises(error):
            env.reset()
    env.set_options()
    np.testing.assert_array_equal(env.reset(), untouched.reset())


def test_bad_steps():
    env = CanfieldVecEnv(2, illegal="raise")
    with pytest.raises(gymnasium.error.ResetNeeded):
        env.step(np.zeros(2, int))
    env.set_options({"deal": CODE})
    first = env.reset()
    with pytest.raises(NotationError, match="shape"):
        env.step(np.zeros(3, int))
    with pytest.raises(IllegalMoveError, match="game 1: action 7"):
        env.step(np.array([0, 7]))
    np.testing.assert_array_equal(env.restore(env.state()), first)


@pytest.mark.parametrize(
    "kwargs", [{"num_envs": 0}, {"threads": "two"}, {"render_mode": "human"}, {"colour": "red"}, {"stock": "never"}]
)
def test_bad_arguments(kwargs):
    with pytest.raises(ConfigError):
        CanfieldVecEnv(**kwargs)


@pytest.mark.parametrize("way", ["deepcopy", "pickle", "state"])
def test_going_on_from_a_copy(way):
    env = CanfieldVecEnv(3, max_idle=10)
    env.seed(0)
    env.reset()
    rng = np.random.default_rng(0)
    for _ in range(20):
        env.step(choose(masks_of(env), rng))
    twin, state = CanfieldVecEnv(3, max_idle=10), env.state()
    if way == "state":
        twin.restore(state)
    else:
        twin = copy.deepcopy(env) if way == "deepcopy" else pickle.loads(pickle.dumps(env))
    for _ in range(100):
        np.testing.assert_array_equal(masks_of(env), masks_of(twin))
        actions = choose(masks_of(env), rng)
        for a, b in zip(env.step(actions)[:3], twin.step(actions)[:3], strict=True):
            np.testing.assert_array_equal(a, b)


def test_arrays_are_fresh_and_writable():
    env = CanfieldVecEnv(2)
    env.seed(0)
    given: list[Any] = [env.reset(), env.action_masks()]
    kept = [array.copy() for array in given]
    for _ in range(5):
        observations, rewards, dones, _ = env.step(np.zeros(2, int))
        given += [observations, rewards, dones, env.env_method("action_masks")[0]]
        kept += [array.copy() for array in given[len(kept) :]]
    for array, copied in zip(given, kept, strict=True):
        np.testing.assert_array_equal(array, copied)
        assert array.flags.writeable
    assert not any(np.shares_memory(a, b) for i, a in enumerate(given) for b in given[:i])
