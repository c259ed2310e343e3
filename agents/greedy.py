"""``greedy``: plays the first legal move in a fixed order."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from canfield_env.cards import Card
from canfield_env.env import actions
from canfield_env.env.observations import Form
from canfield_env.env.options import Stock
from canfield_env.game import Game
from canfield_env.notation import Move, Position
from canfield_env.view import PlayerView


class GreedyAgent:
    """Plays the first legal move in this order:

    1. a card to its foundation,
    2. a column, or a part of one, onto a card of another column,
    3. the top of the reserve to a column,
    4. a card of the stock to a column,
    5. turning the stock, where redeals are limited and the agent has to do it,
    6. a card of a foundation back to a column,
    7. a column, or a part of one, to an empty column.

    Among moves of one kind, a card of the stock comes the earlier the sooner turning brings it up, and else the move of
    the lower action number.

    It passes over moves that lead back to a position in which it has been, so it does not move cards to and fro for
    ever. Where all do, it plays the first, and the episode runs into its limit.
    """

    name = "greedy"
    stock: Stock = "auto"
    limited_stock: Stock = "turn"
    observation: Form = "tokens"
    wants_view = True

    def __init__(self) -> None:
        self.reset(0)

    def reset(self, seed: int) -> None:
        """Starts an episode. Nothing about this agent is random."""
        self._been: set[Position] = set()

    def act(self, observation: NDArray[Any], mask: NDArray[np.int8], view: PlayerView | None) -> int:
        """The first action in the order that does not lead back."""
        assert view is not None
        self._been.add(_table(view))
        legal = [int(action) for action in np.flatnonzero(mask)]
        moves = {action: actions.decode(view.position, action, view.rules.ranks) for action in legal}
        coming_up = _coming_up(view)

        def place(action: int) -> tuple[int, int]:
            if moves[action].source != "W":
                return _kind(view, moves[action]), 0
            card = actions.card_of(action, view.position.base, view.rules.ranks)
            return _kind(view, moves[action]), coming_up.index(card)

        legal.sort(key=place)
        return next((action for action in legal if not self._leads_back(view, moves[action])), legal[0])

    def _leads_back(self, view: PlayerView, move: Move) -> bool:
        if move.source in ("R", "W"):  # reserve and stock only ever shrink
            return False
        game = Game.from_view(view, 0)
        game.push(move)
        return _table(game.player_view()) in self._been


def _table(view: PlayerView) -> Position:
    """The position without its counters."""
    return replace(view.position, redeals=0, actions=0)


def _kind(view: PlayerView, move: Move) -> int:
    """The place of a move's kind in the order."""
    if move.target == "F":
        return 1
    if move.source.isdecimal():
        return 2 if view.position.columns[int(move.target) - 1] else 7
    return {"R": 3, "W": 4, "D": 5}.get(move.source, 6)


def _coming_up(view: PlayerView) -> list[Card | None]:
    """The tops of the waste in the order in which turning brings them up, from now to the end of the next pass."""
    game = Game.from_view(view, 0)
    tops: list[Card | None] = list(game.waste[-1:])
    while game.redeals < view.position.redeals + 2 and game.can("D"):
        game.push("D")
        tops += game.waste[-1:]
    return tops
