"""Whether a small game can be won, by trying everything in the plain game: the truth that the solver is held to."""

from __future__ import annotations

from collections.abc import Hashable

from canfield_env import Game


def is_winnable(game: Game, most: int = 200_000) -> bool | None:
    """Whether the game can be won; None where more than that many positions come up."""
    seen = {_key(game)}
    stack = [game]
    while stack:
        game = stack.pop()
        for move in game.legal_moves():
            after = game.copy()
            after.push(move)
            if after.is_won:
                return True
            if (key := _key(after)) not in seen:
                seen.add(key)
                stack.append(after)
        if len(seen) > most:
            return None
    return False


def _key(game: Game) -> Hashable:
    position = game.full_position()
    return position.tops, position.reserve, position.stock, position.waste, frozenset(enumerate(position.columns))
