"""Looking ahead over the cards that are known: a best-first search of a fixed size, compiled, over the engine's games.

Cards that the player has not seen are taken to stay where they are: none is played, and none is built on. So the search
never needs to know which card it is, and a line of play goes on past one that is turned up, with the rest of the table.
"""

from __future__ import annotations

import heapq

import numpy as np

from agents.judgement import judge
from canfield_env.engine import kernels
from canfield_env.engine import layout as at
from canfield_env.engine.imagine import find_known_moves
from canfield_env.engine.jit import jit, lowest_bit


@jit
def position_key(game):
    """A hash of a position (int64): the same for columns in another order, and for wastes that give the same turns."""
    key = np.uint64(0)
    for k in range(at.MAX_COLUMNS):
        column = np.uint64(0)
        for i in range(game.length[k]):
            column = kernels.mix(column + np.uint64(1 + game.columns[k, i]))
        key += column
    waste = np.uint64(game.waste_count)
    if game.waste_count % game.draw == 0 or game.stock_count == 0:  # the start of a pass
        waste = np.uint64(0)
    rest = np.uint64(64) * waste + np.uint64(game.reserve_count)
    for suit in range(4):
        rest = np.uint64(16) * rest + np.uint64(game.height[suit])
    return np.int64(kernels.mix(key ^ kernels.mix(rest)))


@jit
def find_plan(games, settings, unseen, weights, beyond, been, actions, keys):
    """Searches for the best position that known cards lead to.

    Args:
        games: ``GAME[N]``, the first of which is the position to start from; the others are overwritten with those that
            are looked at.
        settings: the element of ``SETTINGS``, with ``auto_stock``.
        unseen: the set of cards not seen.
        weights: ``judgement.Weights``.
        beyond: whether lines of play go on once a card that was not seen has been turned up.
        been: ``int64[M]``, the keys of positions that are not to be returned to.
        actions: ``int64[N]``, filled with the actions that lead there.
        keys: ``int64[N]``, filled with the keys of the positions on the way.

    Returns:
        How many actions there are; 0 where there is no other position.
    """
    size = len(games)
    parent = np.zeros(size, np.int64)
    steps = np.zeros(size, np.int64)
    played = np.zeros(size, np.int64)
    key = np.zeros(size, np.int64)
    key[0] = position_key(games[0])
    met = {key[0]}
    for known in been:
        met.add(known)
    find_known_moves(games[0], settings, unseen)
    frontier = [(0.0, 0)]
    found, best, highest = 1, 0, -np.inf
    while frontier and found < size:
        _, here = heapq.heappop(frontier)
        for target in range(1 + settings.columns):
            cards = games[here].legal[target]
            while cards and found < size:
                action = 1 + 5 * lowest_bit(cards) + target
                cards &= cards - 1
                games[found] = games[here]
                kernels.play(games[found], action)
                key[found] = position_key(games[found])
                if key[found] in met:
                    continue
                met.add(key[found])
                parent[found], played[found], steps[found] = here, action, steps[here] + 1
                worth = judge(games[found], settings, unseen, weights)
                if worth > highest:
                    best, highest = found, worth
                if beyond or not unseen or games[found].reserve_count == games[0].reserve_count:
                    find_known_moves(games[found], settings, unseen)
                    heapq.heappush(frontier, (-worth, found))
                found += 1
    length = steps[best]
    for step in range(length - 1, -1, -1):
        actions[step], keys[step] = played[best], key[best]
        best = parent[best]
    return length
