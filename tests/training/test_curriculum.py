"""Where episodes start: close to the end of won games at first, and on training deals only."""

import numpy as np
import pytest

from canfield_env.deals import FIRST_TRAINING_DEAL, Deal
from canfield_env.engine.pack import unpack
from canfield_env.env.options import EnvOptions
from canfield_env.errors import ConfigError
from canfield_env.solver import solve
from canfield_env.training.config import CurriculumSection
from canfield_env.training.curriculum import MOST_STATES, WINDOW, CurriculumVecEnv, WonGames

OPTIONS = {"stock": "auto", "observation": "tokens", "illegal": "raise"}


def make(count=8, seed=0, options=OPTIONS, **section):
    env = CurriculumVecEnv(count, "app", section=CurriculumSection(games=4, **section), seed=seed, **options)
    env.seed(seed)
    env.reset()
    return env


def play(env, steps, seed=0):
    """Plays random moves; yields observations, rewards and dones, and the infos of what has ended."""
    rng = np.random.default_rng(seed)
    for _ in range(steps):
        env.step_async(np.array([rng.choice(np.flatnonzero(mask)) for mask in env.action_masks()]))
        yield env.step_wait()


@pytest.mark.parametrize("stock", ["auto", "turn"])
def test_an_episode_starts_where_a_won_game_stands_so_many_moves_before_its_end(stock):
    env = make(share=1.0, distance=40, options=OPTIONS | {"stock": stock})
    games = env.starts._games
    plain = CurriculumVecEnv(1, "app", section=CurriculumSection(), seed=0, **OPTIONS | {"stock": stock})
    for row in range(3):
        number = int(env.starts.games["deal"][row])
        pick = games.numbers.tolist().index(number)
        plain.set_options({"deal": Deal.from_number(number)})
        plain.reset()
        for action in games.actions[pick, : games.lengths[pick]].tolist():
            if table(plain, 0) == table(env, row):
                break
            plain.step_async(np.array([action]))
            _, _, dones, _ = plain.step_wait()
            assert not dones[0]
        assert 1 <= games.lengths[pick] - plain.starts.games["steps"][0] <= 40
        assert env.starts.games["steps"][row] == env.starts.games["total"][row] == 0


def table(env, row):
    """Where all cards are."""
    return unpack(env.starts.games, row, env.options.rules).position("full").split()[:5]


def test_one_move_before_the_end_the_last_move_wins():
    env = make(share=1.0, distance=1)
    games = env.starts._games
    picks = [games.numbers.tolist().index(number) for number in env.starts.games["deal"].tolist()]
    env.step_async(games.actions[picks, games.lengths[picks] - 1])
    _, rewards, dones, infos = env.step_wait()
    assert dones.all()
    assert (rewards == 5).all()
    assert all(info["won"] and info["within"] and info["distance"] == 1 for info in infos)


def test_cards_under_the_top_of_the_reserve_are_unseen_at_the_start():
    env = make(share=1.0, distance=100)
    tokens = env.reset()
    hidden = 0
    for row in range(env.num_envs):
        game = env.starts.games[row]
        for card in game["reserve"][: max(game["reserve_count"] - 1, 0)].tolist():
            assert tokens[row, card] == 0
            hidden += 1
    assert hidden


def test_the_share_says_how_many_episodes_start_within_won_games():
    env = make(64, share=0.25, distance=3)
    infos = [info for *_, step in play(env, 120) for info in step if "outcome" in info]
    # Episodes near the end are short, so of those that have ended they are more; of those dealt they are a quarter.
    starts = [info["within"] for info in infos]
    assert 0 < sum(starts) < len(starts)
    dealt = make(400, share=0.25, distance=3).starts.within
    assert 0.15 < dealt.mean() < 0.35
    assert not make(64, share=0.0).starts.within.any()


def test_only_training_deals_are_played():
    env = make(share=0.5, distance=3)
    assert (env.starts._games.numbers >= FIRST_TRAINING_DEAL).all()
    assert (env.starts.games["deal"] >= FIRST_TRAINING_DEAL).all()


def test_the_distance_grows_once_enough_episodes_were_won():
    env = make(share=1.0, distance=1, target=0.9, growth=2.0)
    batch = env.starts
    for wins, distance in ((WINDOW - 21, 1), (WINDOW - 20, 2), (WINDOW, 4), (0, 4)):
        for won in [True] * wins + [False] * (WINDOW - wins):
            batch.games["outcome"][0] = 1 if won else 2
            batch.deal(np.array([0]))
        assert batch.distance == distance


def test_winnable_deals_are_proved_so():
    env = make(8, winnable=True)
    for number in env.starts.games["deal"].tolist():
        deal = Deal.from_number(number)
        assert solve(deal, max_seconds=None, max_states=MOST_STATES).verdict == "winnable"
    plain = make(8).starts.games["deal"]
    assert (plain != env.starts.games["deal"]).any()
    assert (plain == env.starts.games["deal"]).any()


def test_the_seed_decides_all():
    def starts(seed):
        return make(share=0.5, distance=20, seed=seed).starts.games.tobytes()

    assert starts(1) == starts(1) != starts(2)
    options = EnvOptions.of("app", **OPTIONS)
    assert WonGames.of(options, 3, 7).numbers.tolist() == WonGames.of(options, 3, 7).numbers.tolist()


def test_it_goes_back_to_a_state():
    env, other = (make(32, share=0.7, distance=2, target=0.01, growth=1.5) for _ in range(2))
    list(play(env, 60))
    env.starts._episodes = WINDOW - 10  # so that the distance grows on the way
    state = env.state()
    there = list(play(env, 60, seed=1))
    other.restore(state)
    again = list(play(other, 60, seed=1))
    assert env.starts.distance == other.starts.distance > 2
    for (obs, rewards, dones, _), (obs2, rewards2, dones2, _) in zip(there, again, strict=True):
        assert (obs == obs2).all()
        assert (rewards == rewards2).all()
        assert (dones == dones2).all()


@pytest.mark.parametrize("section", [{"share": 1.0}, {"winnable": True}])
def test_where_no_deal_can_be_won_at_once_it_is_given_up(section, monkeypatch):
    monkeypatch.setattr("canfield_env.training.curriculum.MOST_STATES", 1)
    monkeypatch.setattr("canfield_env.training.curriculum.MOST_DEALS", 20)
    with pytest.raises(ConfigError, match="of 20 in a row the solver won none at once"):
        make(**section)
