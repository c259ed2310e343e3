"""The native vector environment: the single one N times over, as Gymnasium's own vector form of it is."""

from __future__ import annotations

import copy
import inspect
import pickle
from dataclasses import fields
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode
from gymnasium.wrappers.vector import DictInfoToList, RecordEpisodeStatistics

from canfield_env import ConfigError, Deal, DealError, Game, IllegalMoveError, NotationError
from canfield_env.env.options import EnvOptions
from canfield_env.env.single import CanfieldEnv
from canfield_env.env.vector import CanfieldVectorEnv

MODES = list(AutoresetMode)
CODE = "CF1-D3-AAAAACL"


def choose(info, rng, legal=1.0):
    """An action for each game, legal but for some."""
    masks = info["action_mask"]
    return np.array([rng.choice(np.flatnonzero(m)) if rng.random() < legal else rng.integers(261) for m in masks])


def assert_same_info(native, other, path=""):
    """Everything that the other says, the native form says too, but that a game has no code in its own way."""
    for key in other:
        at = f"{path}/{key}"
        if isinstance(other[key], dict):
            assert_same_info(native[key], other[key], at)
        elif other[key].dtype == object:
            given = other[f"_{key}"]
            np.testing.assert_array_equal(native[f"_{key}"], given, err_msg=at)
            for a, b in zip(native[key][given], other[key][given], strict=True):
                np.testing.assert_array_equal(a, "" if b is None else b, err_msg=at)
        else:
            assert native[key].dtype == other[key].dtype, at
            np.testing.assert_array_equal(native[key], other[key], err_msg=at)


def assert_same_step(native, other):
    for a, b in zip(native[:-1], other[:-1], strict=True):
        assert a.dtype == b.dtype
        np.testing.assert_array_equal(a, b)
    assert_same_info(native[-1], other[-1])


@pytest.mark.parametrize(
    "kwargs",
    [
        {"max_idle": 8},
        {"observation": "tokens", "stock": "auto", "max_steps": 30, "illegal_reward": -2},
        {"rules": "hoyle", "reward": "casino", "max_idle": 12, "draw": 1},
    ],
)
@pytest.mark.parametrize("mode", MODES)
def test_same_as_single_environments(mode, kwargs):
    """Seeded alike, it gives exactly what Gymnasium's ``SyncVectorEnv`` of single environments gives."""
    native = gymnasium.make_vec("Canfield-v0", num_envs=5, autoreset_mode=mode, **kwargs)
    single = gymnasium.make_vec(
        "Canfield-v0", num_envs=5, vectorization_mode="sync", vector_kwargs={"autoreset_mode": mode}, **kwargs
    )
    assert isinstance(native.unwrapped, CanfieldVectorEnv)
    for name in ("observation_space", "action_space", "single_observation_space", "single_action_space"):
        assert getattr(native, name) == getattr(single, name)
    assert native.metadata["autoreset_mode"] == mode
    rng = np.random.default_rng(1)
    got: Any = native.reset(seed=7)
    expected: Any = single.reset(seed=7)
    ended = 0
    for step in range(250):
        assert_same_step(got, expected)
        if len(got) == 5 and (over := got[2] | got[3]).any():
            ended += over.sum()
            if mode == AutoresetMode.DISABLED:
                got = native.reset(options={"reset_mask": over})
                expected = single.reset(options={"reset_mask": over.copy()})
                np.testing.assert_array_equal(got[0], expected[0])
        if step == 100:
            got, expected = native.reset(), single.reset()
        actions = choose(got[-1], rng, legal=0.9)
        got, expected = native.step(actions), single.step(actions)
    assert ended > 10


def test_statistics_of_finished_episodes():
    env = CanfieldVectorEnv(6, max_idle=15, autoreset_mode="SameStep")
    _, info = env.reset(seed=0)
    returns, lengths, rng, ended = np.zeros(6), np.zeros(6, int), np.random.default_rng(0), 0
    for _ in range(200):
        _, rewards, terminated, truncated, info = env.step(choose(info, rng))
        returns += rewards
        lengths += 1
        over = terminated | truncated
        if over.any():
            final = info["final_info"]
            np.testing.assert_array_equal(final["episode_return"][over], returns[over])
            np.testing.assert_array_equal(final["episode_length"][over], lengths[over])
            np.testing.assert_array_equal(final["_episode_return"], over)
            ended += over.sum()
        returns[over] = lengths[over] = 0
        np.testing.assert_array_equal(info["episode_return"], returns)
        np.testing.assert_array_equal(info["episode_length"], lengths)
    assert ended > 10


@pytest.mark.parametrize("mode", [AutoresetMode.NEXT_STEP, AutoresetMode.SAME_STEP])
def test_gymnasiums_wrappers_work(mode):
    env = DictInfoToList(RecordEpisodeStatistics(CanfieldVectorEnv(3, max_steps=5, autoreset_mode=mode)))
    env.reset(seed=0)
    seen = 0
    for _ in range(12):
        *_, infos = env.step(np.zeros(3, int))
        seen += sum("episode" in info for info in infos)
    assert seen == 6


def test_masks_are_those_of_the_single_form():
    env = CanfieldVectorEnv(4)
    _, info = env.reset(seed=3)
    rng = np.random.default_rng(0)
    for _ in range(30):
        masks = info["action_mask"]
        assert (masks.dtype, masks.shape) == (np.int8, (4, 261))
        assert env.action_masks().dtype == np.bool_
        np.testing.assert_array_equal(env.action_masks(), masks)
        *_, info = env.step(choose(info, rng))


# ------------------------------------------------------------------ reset


def test_options_for_each_game():
    env = CanfieldVectorEnv(3)
    deck = " ".join(Deal.from_number(9).deck)
    _, info = env.reset(seed=1, options={"deal": [CODE, None, Deal.from_number(7)], "deck": [None, deck, None]})
    assert info["deal"].tolist() == [CODE, "", Deal.from_number(7).code]
    assert env.player_view(1) == Game(Deal.from_deck(deck)).player_view()
    _, info = env.reset(options={"deal": CODE})
    assert info["deal"].tolist() == [CODE] * 3
    position = Game(Deal.from_code(CODE)).push_all("R2 RF").position()
    _, info = env.reset(options={"position": [position, None, None], "draw": [1, None, None]})
    assert info["moves"].tolist() == [2, 0, 0]
    assert [env.player_view(row).draw for row in range(3)] == [1, 3, 3]


def test_reset_mask_leaves_the_others_alone():
    env, untouched = CanfieldVectorEnv(3), CanfieldVectorEnv(3)
    for one in (env, untouched):
        one.reset(seed=1)
        one.step(np.zeros(3, int))
    options = {"reset_mask": np.array([False, True, False]), "deal": ["bad", CODE, "bad"]}
    observations, info = env.reset(seed=50, options=options)
    assert options.keys() == {"reset_mask", "deal"}
    assert info["deal"][1] == CODE
    assert info["moves"].tolist() == [1, 0, 1]
    other = CanfieldEnv()
    np.testing.assert_array_equal(observations[1], other.reset(seed=51, options={"deal": CODE})[0])
    got, expected = env.step(np.zeros(3, int)), untouched.step(np.zeros(3, int))
    np.testing.assert_array_equal(got[0][[0, 2]], expected[0][[0, 2]])
    codes, untouched_codes = env.reset()[1]["deal"].tolist(), untouched.reset()[1]["deal"].tolist()
    assert codes == [untouched_codes[0], other.reset()[1]["deal"], untouched_codes[2]]


def test_seeds():
    env = CanfieldVectorEnv(3)
    codes = env.reset(seed=4)[1]["deal"].tolist()
    assert codes == [CanfieldEnv().reset(seed=4 + i)[1]["deal"] for i in range(3)]
    assert env.reset(seed=[6, 5, 4])[1]["deal"].tolist() == codes[::-1]
    second = [CanfieldEnv() for _ in range(3)]
    for i, one in enumerate(second):
        one.reset(seed=4 + i)
    env.reset(seed=4)
    kept = env.reset(seed=[None, 5, None])[1]["deal"].tolist()
    assert kept == [second[0].reset()[1]["deal"], codes[1], second[2].reset()[1]["deal"]]
    unseeded = [CanfieldVectorEnv(2).reset()[1]["deal"].tolist() for _ in range(2)]
    assert len({code for codes in unseeded for code in codes}) == 4


BAD_RESETS = [
    ({"options": {"deal": [CODE]}}, ConfigError, "1 values of 'deal' for 3 games"),
    ({"options": {"deal": [CODE, "CF1-D3-AAAAACM", CODE]}}, DealError, "game 1: .*mistyped"),
    ({"options": {"colour": "red"}}, ConfigError, "unknown option 'colour'"),
    ({"options": 5}, ConfigError, "options must be a dictionary, not 5"),
    ({"options": {"position": "7"}}, NotationError, "game 0: .*7 fields"),
    ({"options": {"reset_mask": [True, False, False]}}, ConfigError, "reset_mask must be a numpy array"),
    ({"options": {"reset_mask": np.zeros(3, bool)}}, ConfigError, "at least one True"),
    ({"options": {"reset_mask": np.ones(2, bool)}}, ConfigError, r"bool\[3\]"),
    ({"seed": [1, 2]}, ConfigError, "2 seeds for 3 games"),
    ({"seed": -1}, ConfigError, "whole number from 0 up, not -1"),
    ({"seed": [1, 2.5, 3]}, ConfigError, "whole number from 0 up, not 2.5"),
    ({"seed": "seven"}, ConfigError, "seed must be"),
]


@pytest.mark.parametrize(("arguments", "error", "message"), BAD_RESETS)
def test_bad_resets_change_nothing(arguments, error, message):
    env, untouched = CanfieldVectorEnv(3), CanfieldVectorEnv(3)
    for one in (env, untouched):
        one.reset(seed=1)
    with pytest.raises(error, match=message):
        env.reset(**arguments)
    assert_same_step(env.step(np.zeros(3, int)), untouched.step(np.zeros(3, int)))
    assert env.reset()[1]["deal"].tolist() == untouched.reset()[1]["deal"].tolist()


def test_before_the_first_reset():
    env = CanfieldVectorEnv(2)
    for ask in (
        lambda: env.step(np.zeros(2, int)),
        lambda: env.player_view(0),
        lambda: env.reset(options={"reset_mask": np.array([True, False])}),
    ):
        with pytest.raises(gymnasium.error.ResetNeeded):
            ask()


@pytest.mark.parametrize(
    ("kwargs", "message"),
    [
        ({"num_envs": 0}, "num_envs must be a whole number from 1 up"),
        ({"num_envs": 2.0}, "num_envs must be"),
        ({"threads": 0}, "threads must be"),
        ({"autoreset_mode": "Never"}, r"autoreset_mode must be one of \['NextStep', 'SameStep', 'Disabled'\]"),
        ({"render_mode": "human"}, "render_mode must be"),
        ({"stock": "never"}, "stock must be"),
    ],
)
def test_bad_arguments(kwargs, message):
    with pytest.raises(ConfigError, match=message):
        CanfieldVectorEnv(**kwargs)


# ------------------------------------------------------------------ step


@pytest.mark.parametrize(
    ("actions", "message"),
    [
        (np.zeros(2, int), r"expected 3 whole numbers, shape \(3,\), not int64 of shape \(2,\)"),
        (np.zeros((3, 1), int), r"of shape \(3, 1\)"),
        (np.zeros(3), "not float64"),
        (np.zeros(3, bool), "not bool"),
        ("000", "not <U3"),
        (0, r"of shape \(\)"),
        ([0, 261, 0], "game 1: action 261: an action is a whole number from 0 to 260"),
        ([0, 0, -1], "game 2: action -1: an action"),
    ],
)
def test_actions_that_are_none(actions, message):
    env, untouched = CanfieldVectorEnv(3), CanfieldVectorEnv(3)
    for one in (env, untouched):
        one.reset(seed=1)
    with pytest.raises(NotationError, match=message):
        env.step(actions)
    assert_same_step(env.step([0, 0, 0]), untouched.step(np.zeros(3, np.uint8)))


def test_illegal_raise_names_the_game_and_moves_none():
    env, untouched = CanfieldVectorEnv(3, illegal="raise"), CanfieldVectorEnv(3, illegal="raise")
    for one in (env, untouched):
        one.reset(options={"deal": CODE})
    with pytest.raises(IllegalMoveError, match="game 1: action 7: 8c is not in play"):
        env.step([0, 7, 0])
    assert_same_step(env.step(np.zeros(3, int)), untouched.step(np.zeros(3, int)))


def test_illegal_noop_is_flagged():
    env = CanfieldVectorEnv(3)
    env.reset(options={"deal": CODE})
    _, rewards, _, _, info = env.step([0, 7, 0])
    assert info["illegal"].tolist() == [False, True, False]
    assert rewards.tolist() == [0, -1, 0]
    assert info["moves"].tolist() == [1, 0, 1]


def test_disabled_wants_a_reset():
    env = CanfieldVectorEnv(2, max_steps=2, autoreset_mode=AutoresetMode.DISABLED)
    env.reset(seed=0)
    env.step([0, 0])
    assert env.step([0, 0])[3].all()
    with pytest.raises(IllegalMoveError, match="game 0: the episode is over"):
        env.step([0, 0])
    env.reset(options={"reset_mask": np.array([True, False])})
    with pytest.raises(IllegalMoveError, match="game 1: the episode is over"):
        env.step([0, 0])
    env.reset(options={"reset_mask": np.array([False, True])})
    assert not env.step([0, 0])[3].any()


@pytest.mark.parametrize("threads", [2, 3, 16])
def test_threads_change_nothing(threads):
    env, alone = CanfieldVectorEnv(10, threads=threads, max_idle=9), CanfieldVectorEnv(10, max_idle=9)
    rng = np.random.default_rng(0)
    got: Any = env.reset(seed=2)
    expected: Any = alone.reset(seed=2)
    for _ in range(100):
        assert_same_step(got, expected)
        actions = choose(got[-1], rng)
        got, expected = env.step(actions), alone.step(actions)
    env = pickle.loads(pickle.dumps(env))
    assert_same_step(env.step(actions), alone.step(actions))
    env.close()
    env.close()


@pytest.mark.parametrize("way", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
@pytest.mark.parametrize("mode", [AutoresetMode.NEXT_STEP, AutoresetMode.SAME_STEP])
def test_copies_go_on_exactly(way, mode):
    env = CanfieldVectorEnv(4, max_idle=10, autoreset_mode=mode)
    rng = np.random.default_rng(0)
    _, info = env.reset(seed=0)
    for step in range(200):
        *_, info = env.step(choose(info, rng))
        if step % 50 == 20:
            twin = way(env)
            steps = [choose(info, rng)]
            first = [env.step(steps[0])]
            for _ in range(30):
                steps.append(choose(first[-1][-1], rng))
                first.append(env.step(steps[-1]))
            for actions, result in zip(steps, first, strict=True):
                assert_same_step(twin.step(actions), result)
            info = first[-1][-1]


def arrays(value):
    if isinstance(value, dict):
        for key, inner in value.items():
            if not key.startswith("_"):  # which games a key is given for is one array, shared within an info
                yield from arrays(inner)
    elif isinstance(value, tuple):
        for inner in value:
            yield from arrays(inner)
    elif value.dtype != object:
        yield value


def test_every_array_is_fresh():
    env = CanfieldVectorEnv(3, max_steps=4, autoreset_mode="SameStep")
    given = list(arrays(env.reset(seed=0)))
    kept = [array.copy() for array in given]
    for _ in range(10):
        given += arrays(env.step(np.zeros(3, int)))
        kept += [array.copy() for array in given[len(kept) :]]
    for array, copied in zip(given, kept, strict=True):
        np.testing.assert_array_equal(array, copied)
        assert array.flags.writeable
        array[:] = 0  # what is done to them changes nothing
    assert not any(np.shares_memory(a, b) for i, a in enumerate(given) for b in given[:i])
    assert env.action_masks().any(axis=1).all()


def test_both_forms_take_the_same_options():
    single, batched = (inspect.signature(form).parameters for form in (CanfieldEnv, CanfieldVectorEnv))
    own = {"num_envs", "autoreset_mode", "threads"}
    assert [option for name, option in batched.items() if name not in own] == list(single.values())
    checked = {field.name: field.default for field in fields(EnvOptions) if field.name != "rules"}
    assert checked == {name: option.default for name, option in single.items() if name not in ("rules", "render_mode")}


def test_render():
    env = gymnasium.make_vec("Canfield-v0", num_envs=2, render_mode="ansi")
    env.reset(options={"deal": CODE})
    frames: Any = env.render()
    assert len(frames) == 2
    assert frames[0] == frames[1]
    assert CODE in frames[0]
    pictures = CanfieldVectorEnv(2, render_mode="rgb_array")
    pictures.reset(seed=0)
    assert [frame.dtype for frame in pictures.render() or ()] == [np.uint8] * 2
    with pytest.warns(UserWarning, match="render_mode"):
        CanfieldVectorEnv(2).render()
