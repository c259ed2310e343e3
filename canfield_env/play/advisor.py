"""Who is asked for a hint, and whether a game can still be won.

An adviser is any callable from what the player knows to a move. It may take seconds: ``helper.py`` runs it in a process
of its own.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from canfield_env.notation import Move
from canfield_env.view import PlayerView

Advisor = Callable[[PlayerView], Move]

#: The agents that may give hints, the better ones first.
PREFERRED: Final = ("planner", "heuristic")


def find_advisor() -> tuple[str, Advisor]:
    """The name of the best agent that can be asked, and the agent as an adviser.

    Raises:
        LookupError: there is none; the text says why.
    """
    raise LookupError("no agent can be asked for a hint: the agents come with the project's checkout")
