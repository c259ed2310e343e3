"""Games in which the cards that are still hidden are laid in another order before each decision of a planner."""

from __future__ import annotations

from itertools import count

from agents.planner.agent import PlannerAgent
from canfield_env import Deal, Game, Rules
from canfield_env.evaluation.episode import episode_seed, make_env


def check_decisions(agent: PlannerAgent, other: PlannerAgent, deal: Deal) -> int:
    """Plays a deal under ``app`` rules, checks each decision against that of an equal agent, and counts them."""
    env = make_env(agent, Rules.of("app"))
    observation, info = env.reset(options={"deal": deal})
    seed = episode_seed(0, env.player_view())
    agent.reset(seed)
    decisions = 0
    for turn in count():
        if "outcome" in info:
            break
        view, expected = env.player_view(), None
        if len(view.unseen) > 1 and not agent._actions:
            shuffled = Game.from_position(view.sample(turn), view.rules, view.draw)
            other.reset(seed)
            twin = make_env(other, view.rules)
            seen, told = twin.reset(options={"position": str(shuffled.full_position()), "draw": view.draw})
            expected = other.act(seen, told["action_mask"], twin.player_view())
            decisions += 1
        action = agent.act(observation, info["action_mask"], view)
        assert expected in (None, action)
        observation, _, _, _, info = env.step(action)
    return decisions
