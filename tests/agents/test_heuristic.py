"""The heuristic: what it thinks of positions, that its plans are sound, and that it plays well."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from agents.heuristic import HeuristicAgent
from agents.judgement import WON, Weights, judge
from agents.lookahead import find_plan, position_key
from canfield_env import ConfigError, Deal, Game, PlayerView
from canfield_env.cards import CARDS
from canfield_env.engine import kernels
from canfield_env.engine import layout as at
from canfield_env.engine.imagine import find_known_moves
from canfield_env.engine.pack import pack, unpack
from canfield_env.evaluation.runner import evaluate
from canfield_env.evaluation.suites import Suite
from canfield_env.notation import Position

#: One of each, so that a wrong count shows.
WEIGHTS = Weights(up=1, reserve=100, covered=10_000, welcome=0)


def packed(game: Game, size: int = 1) -> tuple[Any, Any, int]:
    """A game as the search takes it: games, settings, the set of cards not seen."""
    games = np.zeros(size, at.GAME)
    view = game.player_view()
    pack(game, games)
    unseen = sum(1 << at.card_number(card, game.base, game.rules.ranks) for card in view.unseen)
    return games, at.new_settings(game.rules, auto_stock=True)[0], unseen


def first_pass(deal: Deal, rules: str = "app") -> Game:
    game = Game(deal, rules)
    while game.stock:
        game.push("D")
    return game


# ------------------------------------------------------------------ judgement


def worth(game: Game, weights: Weights = WEIGHTS) -> float:
    games, settings, unseen = packed(game)
    return float(judge(games[0], settings, unseen, weights))


def test_cards_up_and_reserve_are_counted():
    game = Game(Deal.from_code("CF1-D3-AAAAACL")).push_all("R2 RF 24")
    assert worth(game, Weights(1, 100, 0, 0)) == game.cards_up + 100 * len(game.reserve)


def test_cards_on_top_of_a_wanted_one_are_counted():
    # The foundations want Kc, Kd and 5s, which are in the stock, and 5h, which has a card on it.
    piles = Position.parse("5:QQ-- - - - 6s5h4s/9s8h7s/Ts9h/Js 1 0")
    there = {card for pile in (*piles.foundations(), *piles.columns) for card in pile}
    stock = tuple(card for card in CARDS if card not in there)
    assert worth(Game.from_position(replace(piles, stock=stock))) == 16 + 10_000


def test_the_chance_that_the_next_unseen_card_fits():
    game = first_pass(Deal.from_number(2**20))
    view = game.player_view()
    playable = 0
    for card in view.unseen:  # put each unseen card on top of the reserve in turn, and ask the plain game
        text = str(view.position)
        others = [other for other in view.unseen if other != card]
        reserve, top = text.split()[1].split(")")[1], card
        full = text.replace(text.split()[1], "".join(others[:-1]) + reserve + others[-1] + top, 1)
        if len(view.position.reserve) == 13:
            position = Game.from_position(full)
            playable += any(str(move)[0] == "R" for move in position.legal_moves())
    assert worth(game, Weights(0, 0, 0, 1)) == pytest.approx(playable / len(view.unseen))


def test_a_won_game_is_worth_more_than_anything():
    game = Game.from_position("5:4444 - - - -/-/-/- 0 0")
    assert game.is_won
    assert worth(game) == WON


# ------------------------------------------------------------------ the search


@pytest.mark.parametrize("rules", ["app", "hoyle"])
def test_known_moves_are_the_legal_ones_that_touch_no_unseen_card(rules: str):
    rng = np.random.default_rng(3)
    for _ in range(15):
        game = first_pass(Deal.random(rng), rules)
        games, settings, unseen = packed(game)
        for _ in range(40):
            find_known_moves(games[0], settings, unseen)
            known = games[0]["legal"].copy()
            kernels.find_moves(games[0], settings)
            last = [int(games[0]["columns"][k, games[0]["length"][k] - 1]) for k in range(4)]
            on_unseen = [games[0]["length"][k] > 0 and unseen >> last[k] & 1 for k in range(4)]
            assert known[0] == games[0]["legal"][0] & ~unseen
            assert all(known[1 + k] == (0 if on_unseen[k] else games[0]["legal"][1 + k] & ~unseen) for k in range(4))
            actions = [1 + 5 * card + k for k in range(5) for card in range(52) if int(known[k]) >> card & 1]
            if not actions:
                break
            kernels.play(games[0], rng.choice(actions))


def plan_of(
    game: Game, size: int = 300, beyond: bool = True, been: tuple[int, ...] = ()
) -> tuple[list[int], list[int]]:
    games, settings, unseen = packed(game, size)
    actions, keys = np.zeros((2, size), np.int64)
    length = find_plan(games, settings, unseen, Weights(), beyond, np.array(been, np.int64), actions, keys)
    return actions[:length].tolist(), keys[:length].tolist()


def test_where_the_unseen_cards_lie_does_not_change_the_plan():
    for number in range(2**20, 2**20 + 10):
        view = first_pass(Deal.from_number(number)).player_view()
        plans = {tuple(plan_of(Game.from_view(view, seed))[0]) for seed in range(5)}
        assert len(plans) == 1
        assert plans.pop()


@pytest.mark.parametrize("rules", ["app", "hoyle"])
def test_plans_are_legal_until_a_card_is_turned_up(rules: str):
    for number in range(2**20, 2**20 + 20):
        game = first_pass(Deal.from_number(number), rules)
        games, settings, _ = packed(game)
        for action in plan_of(game)[0]:
            kernels.find_moves(games[0], settings)
            assert kernels.is_legal(games[0], settings, action)
            kernels.play(games[0], action)
            if games[0]["reserve_count"] < 13:
                break


def test_without_beyond_a_plan_ends_where_a_card_is_turned_up():
    for number in range(2**20, 2**20 + 10):
        game = first_pass(Deal.from_number(number))
        games, _, _ = packed(game)
        for action in plan_of(game, beyond=False)[0]:
            assert games[0]["reserve_count"] == 13
            kernels.play(games[0], action)


def test_positions_that_are_ruled_out_are_not_on_the_way():
    game = first_pass(Deal.from_number(2**20))
    actions, keys = plan_of(game)
    others, other_keys = plan_of(game, been=(keys[0],))
    assert others != actions
    assert keys[0] not in other_keys


def test_a_sure_win_is_found():
    game = Game.from_position("5:2243 - 4s - 4d3c/4c3d/-/- 1 0")
    actions, _ = plan_of(game, 2000)
    games, _, _ = packed(game)
    for action in actions:
        kernels.play(games[0], action)
    assert unpack(games, 0, game.rules).is_won


def test_keys_tell_positions_apart_but_not_columns_in_another_order():
    game = first_pass(Deal.from_number(2**20))
    keys: dict[int, Any] = {}
    for _ in range(60):
        games, _, _ = packed(game)
        position = game.full_position()
        waste = 0 if not position.stock or len(position.waste) % 3 == 0 else len(position.waste)
        same = (position.tops, len(position.reserve), frozenset(position.columns), waste)
        assert keys.setdefault(int(position_key(games[0])), same) == same
        game.push(game.legal_moves()[game.actions * 7 % len(game.legal_moves())])
    assert len(keys) > 20
    fields = str(game.full_position()).split()
    fields[4] = "/".join(reversed(fields[4].split("/")))
    mirrored = Game.from_position(" ".join(fields))
    assert position_key(packed(mirrored)[0][0]) == position_key(packed(game)[0][0])


# ------------------------------------------------------------------ the agent


def test_it_wins_far_more_than_the_fixed_order():
    deals = [Deal.from_number(number) for number in range(2**20, 2**20 + 40)]
    report = evaluate(["greedy", "heuristic:300"], Suite.of_deals(deals))
    greedy, heuristic = report.summaries
    assert heuristic.wins > 40 * 0.4 > greedy.wins


def test_it_looks_again_when_a_card_is_turned_up(monkeypatch: pytest.MonkeyPatch):
    agent = HeuristicAgent(50)
    views: list[PlayerView] = []
    make_plan = HeuristicAgent._make_plan

    def spy(self: HeuristicAgent, view: PlayerView) -> Any:
        views.append(view)
        return make_plan(self, view)

    monkeypatch.setattr(HeuristicAgent, "_make_plan", spy)
    game = first_pass(Deal.from_number(2**20))
    mask = np.ones(261, np.int8)
    observation = np.zeros(62, np.uint8)
    agent.act(observation, mask, game.player_view())
    agent.act(observation, mask, game.player_view())
    assert len(views) == 1
    other = Game.from_view(first_pass(Deal.from_number(2**20 + 1)).player_view(), 0)
    agent.act(observation, mask, other.player_view())
    assert len(views) == 2


@pytest.mark.parametrize("positions", [1, 0, -5])
def test_too_few_positions(positions: int):
    with pytest.raises(ConfigError, match="2 positions or more"):
        HeuristicAgent(positions)
