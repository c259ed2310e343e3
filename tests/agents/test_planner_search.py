"""What the planner finds, against trying everything in the plain game; and that it depends on nothing but the view."""

from __future__ import annotations

from dataclasses import replace
from itertools import count, permutations
from typing import Any

import numpy as np
import pytest

from agents.planner import search as kernels
from agents.planner.agent import PlannerAgent
from agents.planner.decision import ATTEMPTS
from agents.planner.options import Options
from canfield_env import Deal, Game, Rules
from canfield_env.evaluation.episode import episode_seed, make_env, play_episode
from canfield_env.evaluation.runner import evaluate
from canfield_env.evaluation.suites import Suite
from canfield_env.solver import solve
from canfield_env.solver.search import LOOPS, WINNABLE, search
from canfield_env.solver.space import new_space
from canfield_env.solver.state import DOMINANCES, WEIGHTS, board_of, pack

SMALL = Options(orders=6, states=100, last=1_000, plans=6, explore=100)
DEAL = Deal.from_number(2**20 + 3, 3)
# Two cards are hidden from the start, so that the first decision is the last one made without knowing all.
TINY = Rules(ranks=4, columns=1, reserve=3)
# A column that goes round all ranks, twice; and an order of the cards under the reserve's top card.
ROUND = (
    "K:--K2 5h3s6h8cJd9s 4sJsJcQdQs8h6c9hTs 2h7s3h5s4h "
    "Td9c8d7c6d5c4d3c2dAcKdQcJhTc9d8s7d6s5d4c3d2cAhKcQh/Th/7h/Ad 9 130"
)
ROUND_ORDER = np.array([37, 8, 38, 51, 27])


def tiny_deals(seed: int) -> list[Deal]:
    """A miniature deal with its hidden cards in each order."""
    deck = np.random.default_rng(seed).permutation([f"{rank}{suit}" for suit in "cdhs" for rank in "A234"]).tolist()
    return [Deal.from_deck([*order, *deck[2:]], 3, ranks=4) for order in permutations(deck[:2])]


def is_winnable(game: Game) -> bool:
    return solve(game, max_seconds=None).verdict == "winnable"


def best_chances(games: list[Game]) -> int:
    """The most of the games that can be won, whatever is played, the same in all, until the next card is seen."""
    ahead, known, best = [games], set(), 0
    while ahead and best < len(games):
        here = ahead.pop()
        for move in here[0].legal_moves():
            after = [game.copy() for game in here]
            for game in after:
                game.push(move)
            key = str(replace(after[0].player_view().position, redeals=0, actions=0))
            if after[0].is_won or len(after[0].reserve) < len(here[0].reserve):
                best = max(best, sum(map(is_winnable, after)))
            elif key not in known:
                known.add(key)
                ahead.append(after)
    return best


def after_first_plan(agent: PlannerAgent, deal: Deal) -> tuple[Game, Game]:
    """The game when the stock has been seen, and where the agent has seen the next card."""
    env = make_env(agent, TINY)
    observation, info = env.reset(options={"deal": deal})
    agent.reset(episode_seed(0, env.player_view()))
    start = env.game.copy()
    while "outcome" not in info and len(env.game.reserve) == len(start.reserve):
        observation, _, _, _, info = env.step(agent.act(observation, info["action_mask"], env.player_view()))
    return start, env.game


def test_with_two_hidden_cards_no_way_to_the_next_one_is_better():
    agent = PlannerAgent()
    found = []
    for seed in range(24, 40):
        games = [after_first_plan(agent, deal) for deal in tiny_deals(seed)]
        best = best_chances([start for start, _ in games])
        assert sum(is_winnable(end) for _, end in games) == best
        found.append(best)
    assert set(found) == {0, 1, 2}


def test_what_d4_is_not_proved_for_is_searched_again():
    game = Game.from_position(ROUND, "app", 3)
    position = game.full_position()
    board = board_of(position, game.rules, 3)
    board[DOMINANCES], board[WEIGHTS : WEIGHTS + 3] = ATTEMPTS[0]
    kernels.lay(ROUND_ORDER, board)
    words, tools = pack(position, game.rules, 3), (*new_space(2**16), board)
    assert search(*words, 2_000, *tools) == LOOPS
    assert kernels.find_result(*words, 2_000, *tools) == WINNABLE
    assert board[DOMINANCES] == ATTEMPTS[0][0]


def test_no_game_waits_for_the_compiler():
    agent = PlannerAgent(SMALL)
    compiled: list[Any] = [kernels.solve_order, kernels.explore, kernels.examine, kernels.reach_far]
    before = [kernel.signatures for kernel in compiled]
    assert all(len(signatures) == 1 for signatures in before)
    play_episode(agent, make_env(agent, Rules.of("app")), DEAL)
    assert [kernel.signatures for kernel in compiled] == before


def test_plays_alike_whatever_the_number_of_processes():
    suite = Suite("", 1, "", Rules.of("app"), tuple(Deal.from_number(2**20 + k, 3) for k in range(4)))
    spec = "planner:orders=6,states=100,last=1000,plans=6,explore=100"
    alone, together = (evaluate([spec], suite, jobs=jobs).records for jobs in (1, 2))
    assert [record.moves for record in alone] == [record.moves for record in together]


@pytest.mark.parametrize("looks", [1, 3, 10, 30, 100])
def test_plays_on_with_what_it_has_when_time_is_over(monkeypatch, looks):
    """A clock that jumps at some look at it after a decision has begun."""
    clock = count()
    monkeypatch.setattr("agents.planner.decision.perf_counter", lambda: float(next(clock)))
    agent = PlannerAgent(replace(SMALL, seconds=looks))
    record = play_episode(agent, make_env(agent, Rules.of("app")), DEAL)
    assert record.cards_up > 1


def test_a_limit_of_time_that_is_not_reached_changes_nothing():
    env = make_env(PlannerAgent(SMALL), Rules.of("app"))
    records = [play_episode(PlannerAgent(replace(SMALL, seconds=s)), env, DEAL) for s in (0.0, 1e9)]
    assert records[0].moves == records[1].moves
