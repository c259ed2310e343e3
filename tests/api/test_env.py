"""``Canfield-v0``, line by line of its contract."""

from __future__ import annotations

import copy
import pickle
import subprocess
import sys
import warnings

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from stable_baselines3.common import env_checker as sb3_checker

import canfield_env
from canfield_env import ConfigError, Deal, DealError, Game, IllegalMoveError, NotationError, Rules
from canfield_env.cards import full_deck
from canfield_env.deals import decode_code
from canfield_env.env.single import CanfieldEnv
from canfield_env.render.image import render_rgb
from canfield_env.render.text import render_text

CODE = "CF1-D3-AAAAACL"
MINIATURE = Rules(ranks=3, columns=3, reserve=3)


def play(env, seed=0, steps=None, rng=None):
    """Plays at random to the end, or for that many steps; yields what each step returns, with its action."""
    rng = np.random.default_rng(seed) if rng is None else rng
    _, info = env.reset(seed=seed)
    done = 0
    while steps is None or done < steps:
        action = int(rng.choice(np.flatnonzero(info["action_mask"])))
        observation, reward, terminated, truncated, info = env.step(action)
        yield action, observation, reward, terminated, truncated, info
        done += 1
        if terminated or truncated:
            return


# ------------------------------------------------------------------ making one


@pytest.mark.parametrize("observation", ["planes", "tokens"])
@pytest.mark.parametrize("stock", ["turn", "auto"])
@pytest.mark.parametrize("reward", ["foundation", "score", "win", "casino"])
def test_checkers_have_nothing_to_say(observation, stock, reward):
    env = gymnasium.make("Canfield-v0", observation=observation, stock=stock, reward=reward)
    check_env(env.unwrapped)
    sb3_checker.check_env(env.unwrapped)


@pytest.mark.parametrize("kwargs", [{"rules": "hoyle"}, {"draw": 1}, {"rules": MINIATURE}, {"illegal_reward": 0}])
def test_checkers_have_nothing_to_say_of_other_rules(kwargs):
    env = gymnasium.make("Canfield-v0", **kwargs)
    check_env(env.unwrapped)
    sb3_checker.check_env(env.unwrapped)


def test_make_without_an_import():
    code = "import gymnasium; env = gymnasium.make('canfield_env:Canfield-v0'); env.reset(seed=0); print(env.unwrapped)"
    result = subprocess.run([sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, check=True)
    assert "CanfieldEnv" in result.stdout


def test_spaces():
    env = CanfieldEnv()
    assert env.action_space == gymnasium.spaces.Discrete(261)
    assert env.observation_space == gymnasium.spaces.Box(0, 1, (738,), np.float32)
    assert CanfieldEnv(observation="tokens").observation_space == gymnasium.spaces.Box(0, 255, (62,), np.uint8)


@pytest.mark.parametrize(
    ("kwargs", "message"),
    [
        ({"rules": "klondike"}, "klondike"),
        ({"stock": "never"}, "stock must be 'turn' or 'auto', not 'never'"),
        ({"observation": "pixels"}, "observation must be"),
        ({"reward": "money"}, "reward must be"),
        ({"illegal": "ignore"}, "illegal must be"),
        ({"illegal_reward": "much"}, "illegal_reward must be a number, and finite"),
        ({"max_steps": 0}, "max_steps must be a whole number from 1 to 9223372036854775807, or None"),
        ({"max_idle": 2**63}, "max_idle must be a whole number from 1 to 9223372036854775807"),
        ({"illegal_reward": float("nan")}, "illegal_reward must be a number, and finite, not nan"),
        ({"max_idle": 2.5}, "max_idle must be"),
        ({"stock": "auto", "rules": Rules(redeals=1)}, "unlimited redeals"),
        ({"rules": Rules(columns=5)}, "4 columns, the rules have 5"),
        ({"rules": Rules(reserve=0), "observation": "tokens"}, "45 stock cards apart, the rules have 47"),
        ({"render_mode": "hologram"}, "render_mode must be"),
    ],
)
def test_bad_arguments(kwargs, message):
    with pytest.raises(ConfigError, match=message):
        CanfieldEnv(**kwargs)


@pytest.mark.parametrize("draw", [2, True, "3"])
def test_bad_draw(draw):
    with pytest.raises(DealError, match="draw must be 1 or 3"):
        CanfieldEnv(draw=draw)


# ------------------------------------------------------------------ masks and actions


@pytest.mark.parametrize("stock", ["turn", "auto"])
@pytest.mark.parametrize("rules", ["app", "hoyle"])
def test_actions_and_moves_translate_both_ways(stock, rules):
    env = CanfieldEnv(rules, stock=stock)
    rng = np.random.default_rng(3)
    for seed in range(3):
        _, info = env.reset(seed=seed)
        for _ in range(40):
            legal = np.flatnonzero(info["action_mask"])
            tokens = {}
            for action in legal:
                move = env.action_to_move(action)
                tokens[str(move)] = action
                if stock == "turn":
                    assert env.move_to_action(move) == env.move_to_action(str(move)) == action
            if stock == "turn":
                assert tokens.keys() == set(map(str, env.game.legal_moves()))
                assert len(tokens) == len(legal)
            assert env.action_masks().dtype == np.bool_
            np.testing.assert_array_equal(env.action_masks(), info["action_mask"])
            assert (info["action_mask"].dtype, info["action_mask"].shape) == (np.int8, (261,))
            _, _, terminated, truncated, info = env.step(rng.choice(legal))
            if terminated or truncated:
                break


def test_the_worked_example():
    """Rules, J: the published deal, move by move."""
    env = CanfieldEnv()
    env.reset(options={"deal": CODE})
    for token in ("R2", "RF", "24"):
        env.step(env.move_to_action(token))
    assert env.game.position().split()[4] == "6c/Qs/Qh/AsKhQc"
    assert env.game.moves == Game(Deal.from_code(CODE)).push_all("R2 RF 24").moves


def test_masked_actions_have_no_move():
    env = CanfieldEnv()
    with pytest.raises(gymnasium.error.ResetNeeded):
        env.action_to_move(0)
    _, info = env.reset(options={"deal": CODE})
    for action in np.flatnonzero(info["action_mask"] == 0):
        with pytest.raises(IllegalMoveError, match=f"action {action}"):
            env.action_to_move(action)
    with pytest.raises(IllegalMoveError, match="WF: the waste is empty"):
        env.move_to_action("WF")
    with pytest.raises(NotationError):
        env.move_to_action("XX")


@pytest.mark.parametrize("action", [-1, 261, 10**30, 1.0, True, np.True_, "0", None, np.float64(3), np.array([1]), [0]])
def test_actions_that_are_none(action):
    env = CanfieldEnv()
    env.reset(seed=1)
    before = env.game
    with pytest.raises(NotationError, match="an action is a whole number from 0 to 260"):
        env.step(action)
    assert env.game == before


@pytest.mark.parametrize("kind", [int, np.int8, np.int64, np.uint16, lambda a: np.array(a)])
def test_whole_numbers_of_any_kind_are_actions(kind):
    env = CanfieldEnv()
    env.reset(seed=1)
    env.step(kind(0))
    assert env.game.actions == 1


def test_illegal_noop():
    env = CanfieldEnv(illegal_reward=-2.5)
    _, info = env.reset(seed=1)
    before, action = env.game, int(np.flatnonzero(info["action_mask"] == 0)[0])
    observation, reward, terminated, truncated, info = env.step(action)
    assert (reward, terminated, truncated, info["illegal"], info["moves"]) == (-2.5, False, False, True, 0)
    assert isinstance(reward, float)
    assert env.game == before
    assert observation[14 * 52 + 5] == np.float32(1 / 200)  # one idle step
    assert not env.step(0)[-1]["illegal"]


def test_illegal_noop_counts_as_idle():
    env = CanfieldEnv(max_idle=3)
    _, info = env.reset(seed=1)
    action = int(np.flatnonzero(info["action_mask"] == 0)[0])
    ends = [env.step(action)[2:4] for _ in range(3)]
    assert ends == [(False, False), (False, False), (False, True)]


def test_illegal_raise_gives_the_reason_and_changes_nothing():
    env = CanfieldEnv(illegal="raise")
    _, info = env.reset(options={"deal": CODE})
    state = copy.deepcopy(env)
    for action in np.flatnonzero(info["action_mask"] == 0):
        with pytest.raises(IllegalMoveError, match=f"action {action}[:,]"):
            env.step(action)
    move = env.move_to_action("R2")
    for one, other in zip(env.step(move)[:4], state.step(move)[:4], strict=True):
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("stock", ["turn", "auto"])
def test_the_reason_reveals_no_hidden_card(stock):
    """The text is the same wherever the unseen cards lie."""
    env, other = (CanfieldEnv(illegal="raise", stock=stock) for _ in range(2))
    _, info = env.reset(seed=4)
    for _ in range(5):
        action = np.flatnonzero(info["action_mask"])[-1]
        *_, info = env.step(action)
    other.reset(options={"position": str(env.player_view().sample(1))})
    for action in np.flatnonzero(info["action_mask"] == 0):
        texts = []
        for one in (env, other):
            with pytest.raises(IllegalMoveError) as caught:
                one.step(action)
            texts.append(str(caught.value))
        assert texts[0] == texts[1]


# ------------------------------------------------------------------ rewards, ends, info


@pytest.mark.parametrize("seed", range(4))
def test_foundation_rewards_pay_each_card_once(seed):
    """The sum is 5 for each card that has ever been up but the base card, whatever is taken back."""
    env = CanfieldEnv(max_idle=None, max_steps=600)
    total, peaks, took_back = 0.0, np.zeros(4), 0
    env.reset(seed=seed)
    peaks[:] = [len(pile) for pile in env.game.foundations]
    heights = peaks.copy()
    for *_, reward, _, _, _ in play(env, seed):
        total += reward
        now = np.array([len(pile) for pile in env.player_view().position.foundations()])
        took_back += bool((now < heights).any())
        heights = now
        peaks = np.maximum(peaks, now)
        assert total == 5 * (peaks.sum() - 1)
    assert took_back > 0


def test_the_other_rewards():
    for seed in range(5):
        for kind in ("score", "win", "casino"):
            env = CanfieldEnv(reward=kind, max_steps=300)
            rewards = [step[2] for step in play(env, seed)]
            game = env.game
            if kind == "score":
                assert sum(rewards) == game.score
            elif kind == "win":
                assert sum(rewards) == game.is_won
            else:
                assert sum(rewards) == rewards[-1] == game.casino_net()


WON_BUT_ONE = "A:KKKQ - - Ks -/-/-/- 3 99"


@pytest.mark.parametrize(("reward", "paid"), [("foundation", 5), ("score", 5), ("win", 1), ("casino", 450)])
def test_winning(reward, paid):
    env = CanfieldEnv(reward=reward)
    env.reset(options={"position": WON_BUT_ONE})
    observation, got, terminated, truncated, info = env.step(env.move_to_action("WF"))
    assert (got, terminated, truncated) == (paid, True, False)
    assert (info["outcome"], info["won"], info["cards_up"], info["moves"]) == ("won", True, 52, 100)
    assert info["action_mask"].all()
    assert env.action_masks().all()
    assert env.observation_space.contains(observation)
    assert env.game.is_won


def test_dead_is_found_at_once():
    env = CanfieldEnv("hoyle")
    outcomes = set()
    for seed in range(40):
        for *_, terminated, truncated, info in play(env, seed):
            assert (terminated and not info["won"]) == env._unpack().is_dead
            assert truncated == (info.get("outcome") in ("idle", "max_steps"))
        outcomes.add(info["outcome"])
    assert "dead" in outcomes


def test_limits():
    env = CanfieldEnv(max_steps=7, max_idle=None)
    env.reset(seed=0)
    assert [env.step(0)[3] for _ in range(7)] == [False] * 6 + [True]
    env = CanfieldEnv(max_steps=None, max_idle=None)
    env.reset(seed=0)
    assert not any(env.step(0)[3] for _ in range(3000))
    assert CanfieldEnv().options.max_idle == 200
    assert CanfieldEnv(stock="auto").options.max_idle == 40


def test_idle_counts_steps_without_progress():
    """D2: a card leaving reserve, stock or waste, or reaching its foundation for the first time, is progress."""
    env = CanfieldEnv(max_idle=4)
    env.reset(options={"deal": CODE})
    for token, idle in [("D", 1), ("D", 2), ("R2", 0), ("D", 1), ("RF", 0), ("24", 0), ("D", 1)]:
        observation, _, _, truncated, _ = env.step(env.move_to_action(token))
        assert observation[14 * 52 + 5] == np.float32(idle / 4), token
        assert not truncated
    env.step(0)
    env.step(0)
    assert env.step(0)[3]


def test_taking_back_and_up_again_is_no_progress():
    columns = ["9s", "Kc", "Kd", "Ks"]
    rest = [str(card) for card in full_deck() if card not in ("7h", "8h", *columns)]
    env = CanfieldEnv(observation="tokens")
    env.reset(options={"position": f"7:--8- {''.join(rest[:12])} {''.join(rest[12:])} - {'/'.join(columns)} 0 9"})
    for idle, token in enumerate(("Fh1", "1F", "Fh1", "1F"), 1):
        observation, reward, *_ = env.step(env.move_to_action(token))
        assert (observation[52 + 5], reward) == (idle, 0)


@pytest.mark.parametrize("kwargs", [{}, {"stock": "auto"}, {"rules": "hoyle"}, {"draw": 1}])
def test_info_tells_what_the_plain_game_tells(kwargs):
    env = CanfieldEnv(**kwargs)
    for *_, terminated, truncated, info in play(env, 3, 120):
        game = env._unpack()
        assert (info["score"], info["cards_up"], info["moves"]) == (game.score, game.cards_up, game.actions)
        assert info["won"] == game.is_won
        assert ("outcome" in info) == (terminated or truncated)
        assert decode_code(info["deal"])[1] == kwargs.get("draw", 3)
    literal = env.game
    assert literal == game
    assert Game(Deal.from_code(info["deal"]), env.options.rules).push_all(literal.moves) == literal


def test_after_the_end_nothing_is_played():
    env = CanfieldEnv(max_steps=3)
    for _ in play(env, 0):
        pass
    before = env.game
    with pytest.raises(IllegalMoveError, match=r"the episode is over \(max_steps\); call reset"):
        env.step(0)
    assert env.game == before
    env.reset()
    env.step(0)


def test_step_before_reset():
    for env in (CanfieldEnv(), gymnasium.make("Canfield-v0")):
        with pytest.raises(gymnasium.error.ResetNeeded):
            env.step(0)


STUCK = Rules(ranks=2, columns=1, reserve=1, redeals=0, take_back=False)


def test_an_episode_without_a_legal_action():
    """It is over as it starts, and its first step plays nothing and says so."""
    env = CanfieldEnv(STUCK, illegal="raise")
    _, info = env.reset(options={"position": "A:A--- 2d - 2cAdAhAs2h 2s 0 0"})
    assert info["outcome"] == "dead"
    assert info["action_mask"].all()
    _, reward, terminated, truncated, info = env.step(17)
    assert (reward, terminated, truncated, info["outcome"], info["moves"]) == (0, True, False, "dead", 0)
    assert env.game.moves == ()


# ------------------------------------------------------------------ reset


def test_the_same_seed_gives_the_same_deals():
    env, other = CanfieldEnv(), CanfieldEnv(stock="auto", observation="tokens")
    env.reset(seed=11)
    other.reset(seed=11)
    codes = [env.reset()[1]["deal"] for _ in range(20)]
    assert codes == [other.reset()[1]["deal"] for _ in range(20)]
    assert len(set(codes)) == 20
    env.reset(seed=12)
    assert codes[0] != env.reset()[1]["deal"]
    env.reset(seed=11)
    assert [env.reset()[1]["deal"] for _ in range(20)] == codes
    assert codes[:2] == ["CF1-D3-VOWWDUU", "CF1-D3-HID4Y6V"]  # frozen: a seed means the same in every release


def test_deals_are_never_those_kept_for_evaluation():
    env = CanfieldEnv()
    numbers = [decode_code(env.reset(seed=seed)[1]["deal"])[0] for seed in range(500)]
    assert min(numbers) >= 2**20
    assert len(set(numbers)) == 500


def test_unseeded_environments_differ():
    assert CanfieldEnv().reset()[1]["deal"] != CanfieldEnv().reset()[1]["deal"]


@pytest.mark.parametrize("seed", [2**64 - 1, 2**64, 2**200])
def test_any_whole_number_is_a_seed(seed):
    env = CanfieldEnv()
    assert env.reset(seed=seed)[1]["deal"] == env.reset(seed=seed)[1]["deal"]


def test_options_of_reset():
    env = CanfieldEnv()
    deal = Deal.from_code(CODE)
    for options in ({"deal": CODE}, {"deal": CODE.lower()}, {"deal": deal}, {"deal": CODE, "draw": 3}):
        _, info = env.reset(options=options)
        assert info["deal"] == CODE
        assert env.game == Game(deal)
    _, info = env.reset(options={"deck": " ".join(deal.deck), "draw": 1})
    assert info["deal"] is None
    assert env.game == Game(Deal.from_deck(deal.deck, 1))
    assert env.reset(options={"deal": "CF1-D1-AAAAACL"})[1]["deal"] == "CF1-D1-AAAAACL"
    position = Game(deal).push_all("R2 RF D").position()
    _, info = env.reset(options={"position": position})
    assert (info["deal"], info["moves"], info["score"]) == (None, 3, 5)
    assert env.game.position() == position
    env.step(0)
    assert str(env.game.moves[0]) == "D"


def test_a_deal_by_hand_leaves_the_random_ones_alone():
    env, other = CanfieldEnv(), CanfieldEnv()
    env.reset(seed=3)
    other.reset(seed=3)
    env.reset(options={"deal": CODE})
    assert env.reset()[1]["deal"] == other.reset()[1]["deal"]


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"deal": "CF1-D3-AAAAACM"}, DealError, "mistyped"),
        ({"deal": 5}, ValueError, "5"),
        ({"deal": CODE, "deck": "Ac"}, ConfigError, "exactly one"),
        ({"draw": 1}, ConfigError, "exactly one"),
        ({"deal": CODE, "draw": 1}, ConfigError, "is for draw 3, not 1"),
        ({"deck": "Qc Qc"}, DealError, "deck of 2 cards"),
        ({"position": "7:--7-"}, NotationError, "expected 7 fields"),
        ({"position": "7:--7- (12)Qc (34) - 6c/Kh/Qh/As 0 0"}, NotationError, "hides cards"),
        ({"deal": CODE, "colour": "red"}, ConfigError, "unknown option 'colour'"),
        ({"deal": CODE, "draw": 2}, DealError, "draw must be 1 or 3"),
        ([CODE], ConfigError, "options must be a dictionary"),
    ],
)
def test_bad_options_change_nothing(options, error, message):
    env, untouched = CanfieldEnv(), CanfieldEnv()
    for one in (env, untouched):
        one.reset(seed=5)
        one.step(0)
    with pytest.raises(error, match=message):
        env.reset(seed=6, options=options)
    assert env.game == untouched.game
    assert env.reset()[1]["deal"] == untouched.reset()[1]["deal"]


def test_a_bad_seed_changes_nothing():
    env, untouched = CanfieldEnv(), CanfieldEnv()
    for one in (env, untouched):
        one.reset(seed=5)
    with pytest.raises(gymnasium.error.Error):
        env.reset(seed=-1)
    assert env.reset()[1]["deal"] == untouched.reset()[1]["deal"]


# ------------------------------------------------------------------ copies, arrays, pictures


@pytest.mark.parametrize("way", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
@pytest.mark.parametrize("kwargs", [{}, {"stock": "auto", "observation": "tokens"}])
def test_copies_go_on_exactly(way, kwargs):
    env = CanfieldEnv(**kwargs)
    for _ in play(env, 2, 30):
        pass
    twin = way(env)
    rng = np.random.default_rng(0)
    for _ in range(300):
        action = rng.choice(np.flatnonzero(env.action_masks()))
        one, other = env.step(action), twin.step(action)
        for a, b in zip(one[:4], other[:4], strict=True):
            np.testing.assert_array_equal(a, b)
        np.testing.assert_array_equal(one[4].pop("action_mask"), other[4].pop("action_mask"))
        assert one[4] == other[4]
        if one[2] or one[3]:
            assert env.game.moves == twin.game.moves
            assert env.reset()[1]["deal"] == twin.reset()[1]["deal"]


def test_every_array_is_fresh():
    env = CanfieldEnv()
    observation, info = env.reset(seed=0)
    given = [observation, info["action_mask"], env.action_masks()]
    kept = [array.copy() for array in given]
    for _, observation, *_, info in play(env, 0, 20):
        given += [observation, info["action_mask"], env.action_masks()]
        kept += [array.copy() for array in given[-3:]]
        given[-2][:] = kept[-2][:] = 7  # and what is done to them changes nothing
    for array, copied in zip(given, kept, strict=True):
        np.testing.assert_array_equal(array, copied)
        assert array.flags.writeable
    assert not any(np.shares_memory(a, b) for i, a in enumerate(given) for b in given[:i])
    assert env.action_masks().max() == 1


def test_render_modes(capsys):
    env = gymnasium.make("Canfield-v0", render_mode="ansi")
    env.reset(options={"deal": CODE})
    view = env.get_wrapper_attr("player_view")()
    assert env.render() == render_text(view, title=CODE)
    env = gymnasium.make("Canfield-v0", render_mode="rgb_array")
    env.reset(options={"deal": CODE})
    np.testing.assert_array_equal(env.render(), render_rgb(view, CODE))
    env = gymnasium.make("Canfield-v0", render_mode="human")
    env.reset(options={"deal": CODE})
    env.step(0)
    printed = capsys.readouterr().out
    assert printed.startswith(render_text(view, title=CODE))
    assert printed.count(CODE) == 2
    with pytest.warns(UserWarning, match="render_mode"):
        CanfieldEnv().render()


def test_game_and_view_need_a_reset():
    env = CanfieldEnv()
    for ask in (lambda: env.game, env.player_view):
        with pytest.raises(gymnasium.error.ResetNeeded):
            ask()


def test_environments_are_independent():
    env, other = CanfieldEnv(), CanfieldEnv()
    env.reset(seed=1)
    other.reset(seed=2)
    before = other.game
    env.step(0)
    assert other.game == before


def test_registered():
    assert gymnasium.spec("Canfield-v0").entry_point == "canfield_env.env.single:CanfieldEnv"
    assert canfield_env.__version__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert isinstance(gymnasium.make("Canfield-v0").unwrapped, CanfieldEnv)
