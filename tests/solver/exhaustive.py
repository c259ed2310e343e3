"""Whether a small game can be won, by trying everything in the plain game: the truth that the solver is held to."""

from __future__ import annotations

from collections.abc import Hashable
from random import Random

from canfield_env import Deal, Game, Rules


def is_winnable(game: Game, most: int) -> bool | None:
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
    return position.tops, position.reserve, position.stock, position.waste, position.columns


def miniature(rng: Random, ranks: int) -> Game:
    """A miniature game of that many ranks under random rules, some moves on."""
    columns = rng.choice([1, 2, 2, 3])
    rules = Rules(
        runs=rng.choice(["any", "any", "whole"]),
        spaces=rng.choice(["any", "any", "waste"]),
        take_back=rng.random() < 0.6,
        build_on_base=rng.random() < 0.7,
        ranks=ranks,
        columns=columns,
        reserve=rng.randint(0, min(4 * ranks - 1 - columns, 2 * ranks)),
    )
    game = Game(Deal.random(rng.randrange(10**9), rng.choice([1, 3, 3]), ranks), rules)
    return random_moves(game, rng, rng.choice([0, 0, 3, 8]))


def random_moves(game: Game, rng: Random, count: int) -> Game:
    """The game after that many random moves, or as many as there are."""
    for _ in range(count):
        moves = game.legal_moves()
        if not moves:
            break
        game.push(rng.choice(moves))
    return game
