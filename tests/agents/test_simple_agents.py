"""``random`` draws evenly, and ``greedy`` keeps to its order and does not go round in circles."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from agents.greedy import GreedyAgent
from agents.random import RandomAgent
from canfield_env import Deal, Game, Move, PlayerView, Position, Rules
from canfield_env.env.actions import card_of
from canfield_env.evaluation.episode import make_env

NO_OBSERVATION = np.zeros(62, np.uint8)
APP = Rules.named("app")


def test_random_draws_every_legal_action_as_often():
    agent = RandomAgent()
    mask = np.zeros(261, np.int8)
    mask[[3, 50, 51, 260]] = 1
    agent.reset(1)
    drawn = [agent.act(NO_OBSERVATION, mask, None) for _ in range(4000)]
    assert set(drawn) == {3, 50, 51, 260}
    assert all(900 < drawn.count(action) < 1100 for action in set(drawn))


def test_random_depends_on_its_seed_alone():
    mask = np.ones(261, np.int8)

    def draws(seed: int) -> list[int]:
        agent = RandomAgent()
        agent.reset(99)
        agent.act(NO_OBSERVATION, mask, None)
        agent.reset(seed)
        return [agent.act(NO_OBSERVATION, mask, None) for _ in range(20)]

    assert draws(1) == draws(1)
    assert draws(1) != draws(2)


# ------------------------------------------------------------------ greedy

#: A decision of greedy: the player's view, the legal actions with their moves, what it chose.
Decision = tuple[PlayerView, dict[int, Move], int]


@pytest.fixture(scope="module")
def decisions() -> list[list[Decision]]:
    """The decisions of some whole games."""
    agent = GreedyAgent()
    return [list(play(agent, Deal.from_number(number))) for number in range(2**20, 2**20 + 12)]


def play(agent: GreedyAgent, deal: Deal) -> Iterator[Decision]:
    env = make_env(agent, APP)
    _, info = env.reset(options={"deal": deal})
    agent.reset(0)
    while "outcome" not in info:
        view, mask = env.player_view(), info["action_mask"]
        choice = agent.act(NO_OBSERVATION, mask, view)
        yield view, {int(action): env.action_to_move(action) for action in np.flatnonzero(mask)}, choice
        _, _, _, _, info = env.step(choice)


def kind(view: PlayerView, move: Move) -> str:
    """The kind of a move, in words."""
    if move.target == "F":
        return "up"
    if move.source.isdecimal():
        return "column" if view.position.columns[int(move.target) - 1] else "column to space"
    return {"R": "reserve", "W": "stock"}.get(move.source, "back")


def turns(view: PlayerView, action: int) -> int:
    """How often the stock has to be turned until the action's card is on top of the waste."""
    game = Game.from_view(view, 0)
    count = 0
    while game.waste[-1:] != (card_of(action, view.position.base),):
        game.push("D")
        count += 1
    return count


def after(view: PlayerView, move: Move) -> Position:
    """The table after a move that turns no stock."""
    game = Game.from_view(view, 0)
    game.push(move)
    return table(game.player_view())


def table(view: PlayerView) -> Position:
    return replace(view.position, redeals=0, actions=0)


def test_greedy_keeps_to_its_order(decisions: list[list[Decision]]):
    order = ["up", "column", "reserve", "stock", "back", "column to space"]
    chosen = set()
    for game in decisions:
        been: set[Position] = set()
        for view, moves, choice in game:
            been.add(table(view))
            new = {a: m for a, m in moves.items() if m.source == "W" or after(view, m) not in been}
            places = {a: order.index(kind(view, m)) for a, m in (new or moves).items()}
            assert places[choice] == min(places.values())
            chosen.add(kind(view, moves[choice]))
            if moves[choice].source == "W":
                rivals = [a for a in new if places[a] == places[choice] and moves[a].source == "W"]
                assert turns(view, choice) == min(turns(view, action) for action in rivals)
    assert chosen >= set(order[:5])  # a column goes to a space only where nothing else can be played


def test_greedy_goes_back_only_where_every_move_does(decisions: list[list[Decision]]):
    returns = 0
    for game in decisions:
        been: set[Position] = set()
        for (view, moves, _), (next_view, _, _) in pairwise(game):
            been.add(table(view))
            if table(next_view) in been:
                returns += 1
                assert all(move.source != "W" and after(view, move) in been for move in moves.values())
    assert returns
