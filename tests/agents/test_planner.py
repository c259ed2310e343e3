"""The planner: what it may know, what it decides, and how it is named."""

from __future__ import annotations

from itertools import count

import numpy as np
import pytest

from agents.planner.agent import PlannerAgent, from_argument
from agents.planner.options import Options, parse
from agents.planner.samples import draw_orders
from canfield_env import ConfigError, Deal, Game, Rules
from canfield_env.env import actions
from canfield_env.evaluation.episode import episode_seed, make_env, play_episode
from canfield_env.evaluation.specs import load_agent
from canfield_env.records import verify
from tests.agents.exchanging import check_decisions

SMALL = Options(orders=6, states=100, last=1_000, plans=6, explore=100)
DEAL = Deal.from_number(2**20 + 3, 3)
LOST_DEAL = Deal.from_number(2**20 + 16, 3)


@pytest.fixture(scope="module")
def agent():
    return PlannerAgent(SMALL)


def with_reserve(deal: Deal, order: list[int]) -> Deal:
    """The deal with the hidden cards of its reserve in another order."""
    hidden, rest = deal.deck[:12], deal.deck[12:]
    return Deal.from_deck([hidden[k] for k in order] + list(rest), deal.draw)


def first_actions(agent: PlannerAgent, deal: Deal, rules: str) -> list[int]:
    """What the agent plays before it has seen a second card of the reserve."""
    env = make_env(agent, Rules.of(rules))
    observation, info = env.reset(options={"deal": deal})
    agent.reset(episode_seed(0, env.player_view()))
    played = []
    while "outcome" not in info and len(env.player_view().unseen) == 12:
        played.append(agent.act(observation, info["action_mask"], env.player_view()))
        observation, _, _, _, info = env.step(played[-1])
    return played


@pytest.mark.parametrize("number", range(4))
def test_the_hidden_order_changes_nothing_before_it_is_seen(agent, number):
    deal = Deal.from_number(2**20 + number, 3)
    played = first_actions(agent, deal, "app")
    assert played
    for seed in range(3):
        order = np.random.default_rng(seed).permutation(12).tolist()
        assert first_actions(agent, with_reserve(deal, order), "app") == played


def test_unseen_cards_exchanged_at_any_time_change_no_decision(agent):
    assert check_decisions(agent, PlannerAgent(SMALL), DEAL) > 3


@pytest.mark.parametrize(("rules", "draw"), [("app", 3), ("app", 1), ("hoyle", 3)])
def test_plays_whole_games_under_every_rule_set_and_alike_each_time(agent, rules, draw):
    env = make_env(agent, Rules.of(rules))
    for number in range(3):
        deal = Deal.from_number(2**20 + number, draw)
        records = [play_episode(agent, env, deal) for _ in range(2)]
        assert records[0].moves == records[1].moves
        assert records[0].outcome == records[1].outcome


def test_a_miniature_game_is_played_to_its_end(agent):
    rules = Rules(ranks=4, columns=2, reserve=4)
    env = make_env(agent, rules)
    outcomes = set()
    for seed in range(5):
        deck = np.random.default_rng(seed).permutation([f"{rank}{suit}" for suit in "cdhs" for rank in "A234"]).tolist()
        outcomes.add(play_episode(agent, env, Deal.from_deck(deck, 3, ranks=4)).outcome)
    assert "won" in outcomes


def test_a_game_that_is_won_replays(agent):
    record = play_episode(agent, make_env(agent, Rules.of("app")), DEAL)
    assert record.outcome == "won"
    assert record.cards_up == 52
    verify(record)


def test_a_deal_that_cannot_be_won_still_brings_cards_up(agent):
    record = play_episode(agent, make_env(agent, Rules.of("app")), LOST_DEAL)
    assert record.outcome != "won"


def test_at_its_time_limit_it_still_plays_a_legal_game(monkeypatch):
    """A clock that runs a second a look: every decision is late at once."""
    clock = count()
    monkeypatch.setattr("agents.planner.decision.perf_counter", lambda: float(next(clock)))
    agent = PlannerAgent(parse("orders=6,states=100,last=1000,plans=6,explore=100,seconds=0.5"))
    record = play_episode(agent, make_env(agent, Rules.of("app")), DEAL)
    assert record.cards_up > 1


def test_turns_the_stock_while_cards_of_it_are_unseen(agent):
    view = Game(DEAL).player_view()
    mask = np.ones(actions.TURN + 261, np.int8)
    assert agent.act(np.zeros(62, np.uint8), mask, view) == actions.TURN


def test_orders_are_all_of_them_where_there_are_few():
    assert sorted(map(tuple, draw_orders([5, 7, 9], 6, 0))) == [
        (5, 7, 9),
        (5, 9, 7),
        (7, 5, 9),
        (7, 9, 5),
        (9, 5, 7),
        (9, 7, 5),
    ]
    assert draw_orders([], 6, 0).shape == (1, 0)


def test_every_card_comes_next_equally_often_and_the_seed_tells_orders_apart():
    cards = list(range(12))
    orders = draw_orders(cards, 36, 1)
    assert np.all(np.sort(orders, axis=1) == cards)
    assert np.bincount(orders[:, -1]).tolist() == [3] * 12
    assert np.array_equal(orders, draw_orders(cards, 36, 1))
    assert not np.array_equal(orders, draw_orders(cards, 36, 2))


@pytest.mark.parametrize(("spec", "name"), [("planner", "planner"), ("planner:fast", "planner:fast")])
def test_is_in_the_table_of_agents(spec, name):
    assert load_agent(spec).name == name


def test_options_start_from_a_preset():
    assert parse("strong,seconds=2.5").orders == parse("strong").orders
    assert parse("strong,seconds=2.5").seconds == 2.5
    assert parse("orders=7") == Options(orders=7)


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("slow", "'slow'"),
        ("orders", "'orders'"),
        ("orders=x", "must be a number, not 'x'"),
        ("orders=0", "orders must be 1 or greater"),
        ("rounds=0", "rounds must be 1 or greater"),
        ("undecided=2", "undecided must be from 0 to 1"),
        ("undecided=nan", "undecided must be from 0 to 1"),
        ("seconds=-1", "seconds must be 0 or greater"),
        ("seconds=nan", "seconds must be 0 or greater"),
        ("learned,trust=nan", "trust must be from 0 to 10"),
        ("trust=0.5", "trust is trust in a model, and there is none"),
        ("fast,width=3", "no option 'width'"),
        ("orders=3,orders=4", "orders is given twice"),
        ("orders=3,", "no option ''"),
    ],
)
def test_bad_options_are_told(text, fault):
    with pytest.raises(ConfigError, match=fault):
        from_argument(text)
