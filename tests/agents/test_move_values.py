"""What moves are worth: what the solver says of them, whatever is hidden."""

import numpy as np

from agents.planner.agent import PlannerAgent
from agents.planner.options import Options
from agents.planner.values import MoveJudge
from canfield_env import Deal
from canfield_env.env import actions
from canfield_env.env.single import CanfieldEnv
from canfield_env.solver import solve

DEAL = Deal.from_number(2**20 + 3)


def positions(deal):
    """A game of the planner's, step by step: the environment and the actions that may be played."""
    agent, env = PlannerAgent(Options(orders=4, states=100, last=1_000, plans=4, explore=50)), CanfieldEnv(stock="auto")
    observation, info = env.reset(options={"deal": deal})
    agent.reset(0)
    while "outcome" not in info:
        yield env, np.flatnonzero(info["action_mask"])
        observation, _, _, _, info = env.step(agent.act(observation, info["action_mask"], env.player_view()))


def after(env, action):
    """The plain game after an action."""
    game = env.game
    move = env.action_to_move(action)
    if move.source == "W":
        actions.turn_up(game, actions.card_of(action, game.base))
    game.push(move)
    return game


def test_where_nothing_is_hidden_it_says_what_the_solver_says():
    judge = MoveJudge(orders=1, states=5_000)
    compared = 0
    for step, (env, moves) in enumerate(positions(DEAL)):
        view = env.player_view()
        if len(view.unseen) > 1 or step % 4:
            continue
        wins, undecided, orders = judge.judge(view, moves, seed=0)
        assert orders == 1
        for k in range(0, len(moves), 5):
            if not undecided[k]:
                verdict = solve(after(env, int(moves[k])), max_states=50_000).verdict
                assert verdict == ("winnable" if wins[k] else "unwinnable")
                compared += 1
    assert compared > 0


def test_the_hidden_order_changes_nothing():
    judge = MoveJudge(orders=6, states=50)
    compared = 0
    for step, (env, moves) in enumerate(positions(DEAL)):
        view = env.player_view()
        if step % 5 == 0 and len(view.unseen) > 1:
            twin = CanfieldEnv(stock="auto")
            twin.reset(options={"position": str(view.sample(step)), "draw": view.draw})
            wins, undecided, orders = judge.judge(view, moves, seed=7)
            others = judge.judge(twin.player_view(), moves, seed=7)
            assert (wins.tolist(), undecided.tolist(), orders) == (others[0].tolist(), others[1].tolist(), others[2])
            compared += int(wins.any())
    assert compared > 0


def test_moves_are_told_apart_by_what_they_do():
    """Judged by the same orders, a move that is there twice is worth the same twice; and some moves lose what others
    win."""
    judge = MoveJudge(orders=4, states=200)
    spread = 0
    for env, moves in positions(DEAL):
        wins, undecided, orders = judge.judge(env.player_view(), np.append(moves, moves[0]), seed=1)
        assert (wins[0], undecided[0]) == (wins[-1], undecided[-1])
        assert (wins + undecided <= orders).all()
        spread = max(spread, int(wins.max()) - int(wins.min()))
    assert spread > 0
