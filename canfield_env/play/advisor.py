"""Who is asked for a hint.

An adviser is any callable from what the player knows to a move. It may take seconds: ``helper.py`` runs it in a process
of its own. Agents of the checkout's table become advisers here; an installed wheel has none.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from canfield_env.notation import Move
from canfield_env.view import PlayerView

if TYPE_CHECKING:
    from canfield_env.evaluation.protocol import Agent

Advisor = Callable[[PlayerView], Move]

#: The agents that may give hints, the better ones first.
PREFERRED: Final = ("planner", "heuristic")


def find_advisor() -> tuple[str, Advisor]:
    """The best agent that can be asked, and its name.

    Raises:
        LookupError: there is none.
    """
    from canfield_env.evaluation.specs import load_agent, named_agents

    for name in PREFERRED:
        if name in named_agents():
            return name, advisor_of(load_agent(name))
    raise LookupError("there is no agent to ask: agents come with the project's checkout, not with the package")


def advisor_of(agent: Agent) -> Advisor:
    """An agent as an adviser, for games that go on.

    It is shown a game that agrees with what the player knows; which unseen cards lie where in it changes neither the
    observation nor the legal moves. With ``stock="auto"`` an agent names a card that turning brings up: the hint is to
    turn then. Such an agent looks through the stock first, so that is its hint as long as cards of it are unseen.
    """
    from canfield_env.env.actions import card_of, decode
    from canfield_env.evaluation.episode import episode_seed, make_env

    def advise(view: PlayerView) -> Move:
        position, ranks = view.position, view.rules.ranks
        if agent.stock == "auto" and None in position.stock:
            return Move("D")
        env = make_env(agent, view.rules)
        observation, info = env.reset(options={"position": str(view.sample(0)), "draw": view.draw})
        agent.reset(episode_seed(0, view))
        action = agent.act(observation, info["action_mask"], view if agent.wants_view else None)
        move = decode(position, action, ranks)
        on_top = position.waste[-1:] == (card_of(action, position.base, ranks),)
        return Move("D") if move.source == "W" and not on_top else move

    return advise
