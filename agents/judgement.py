"""How good a position looks to a player: four things that matter in Canfield, each with its weight.

Compiled, over the engine's games. ``unseen`` is the set of cards that the player has not seen; which of them lies where
has no part in anything here.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from canfield_env.engine import kernels
from canfield_env.engine import layout as at
from canfield_env.engine.jit import jit, lowest_bit

#: What a won game is worth: more than any other position.
WON: Final = 1e6


class Weights(NamedTuple):
    """What each thing that is counted adds to the worth of a position, a card on its foundation being worth 1.

    Attributes:
        up: a card on its foundation.
        reserve: a card in the reserve.
        covered: a card in a column on top of one that its foundation takes next.
        welcome: that the next unseen card can be played at once, times the chance of it.
    """

    up: float = 1.0
    reserve: float = -16.0
    covered: float = -0.12
    welcome: float = 10.0


@jit
def judge(game, settings, unseen, weights):
    """The worth of a position."""
    up = kernels.cards_up(game)
    if up == 4 * settings.ranks:
        return WON
    worth = weights.up * up + weights.reserve * game.reserve_count
    wanted = kernels.next_cards(game, settings)
    worth += weights.covered * cards_on(game, wanted & ~unseen)
    if unseen and game.reserve_count > 0:
        worth += weights.welcome * share(unseen, wanted | taken_by_columns(game, settings, unseen))
    return worth


@jit
def cards_on(game, cards):
    """How many cards lie on those of a set that are in columns, added up."""
    count = 0
    while cards:
        place = np.int64(game.place[lowest_bit(cards)]) - at.IN_COLUMN
        if place >= 0:
            count += game.length[place // 52] - 1 - place % 52
        cards &= cards - 1
    return count


@jit
def taken_by_columns(game, settings, unseen):
    """The set of reserve cards that columns would take; nothing goes on a card that has not been seen."""
    cards = 0
    for k in range(settings.columns):
        if not kernels.column_last(game, k) & unseen:
            cards |= kernels.fitting(game, settings, k, 0)
    return cards


@jit
def share(cards, wanted):
    """The share of a set's cards that are in another one too."""
    count, found = 0, 0
    while cards:
        count += 1
        found += wanted & cards & -cards != 0
        cards &= cards - 1
    return found / count
