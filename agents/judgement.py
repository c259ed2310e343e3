"""How good a position looks to a player: a sum of a few things that matter in Canfield, each with its weight.

Compiled, over the engine's structures. ``unseen`` is the set of cards that the player has not seen; which of them lies
where has no part in anything here.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from canfield_env.engine import kernels
from canfield_env.engine import layout as at
from canfield_env.engine.jit import jit, lowest_bit

#: What a won game is worth: more than any other position.
WON: Final = 1e6


class Weights(NamedTuple):
    """What each thing that is counted adds to the worth of a position. A weight of 0 leaves it out.

    Attributes:
        up: a card on its foundation.
        lowest: a card of height of the lowest foundation, so that all four grow together.
        reserve: a card in the reserve.
        space: an empty column.
        jammed: a card in a column under one that its foundation takes later (ranks wrap, so columns can hold those).
        covered: a card in a column on top of one that its foundation takes next.
        out_of_reach: a card that its foundation takes next, in the stock, that turning does not bring up.
        hidden: a card that its foundation takes next, and not seen yet.
        unknown: an unseen card that has filled a column; until it is seen nothing can be built on it.
        welcome: the chance that the next unseen card can be played at once, 0 to 1.
        stock_fits: a stock card that fits on a column, whether or not turning brings it up.
        length: the square of a column's length, summed.
        step: a move on the way to the position.
    """

    up: float = 2.0
    lowest: float = 1.5
    reserve: float = -15.0
    space: float = 2.0
    jammed: float = -0.7
    covered: float = -0.8
    out_of_reach: float = -1.0
    hidden: float = -1.6
    unknown: float = -0.8
    welcome: float = 4.3
    stock_fits: float = 0.18
    length: float = 0.014
    step: float = -0.05


@jit
def judge(game, settings, unseen, weights):
    """The worth of a position, the moves on the way to it left out."""
    up = kernels.cards_up(game)
    if up == 4 * settings.ranks:
        return WON
    wanted = kernels.next_cards(game, settings)
    fitting = 0
    worth = weights.up * up + weights.lowest * lowest(game) + weights.reserve * game.reserve_count
    for k in range(settings.columns):
        worth += judge_column(game, k, unseen, wanted, weights)
        if not kernels.column_last(game, k) & unseen:
            fitting |= kernels.fitting(game, settings, k, 0)
    worth += judge_wanted(game, settings, unseen, wanted, weights)
    if unseen and game.reserve_count > 0:
        worth += weights.welcome * count(unseen & (fitting | wanted)) / count(unseen)
    while fitting:
        card = lowest_bit(fitting)
        if game.place[card] == at.IN_TALON:
            worth += weights.stock_fits
        fitting &= fitting - 1
    return worth


@jit
def judge_column(game, k, unseen, wanted, weights):
    """What a column adds: its order, its length, and what lies on the cards that are wanted next."""
    length = game.length[k]
    if length == 0:
        return weights.space
    worth = weights.length * length * length
    highest = -1
    for i in range(length - 1, -1, -1):
        card = game.columns[k, i]
        if kernels.bit(card) & unseen:
            worth += weights.unknown
            continue
        if kernels.bit(card) & wanted:
            worth += weights.covered * (length - 1 - i)
        if card % 13 < highest:
            worth += weights.jammed
        else:
            highest = card % 13
    return worth


@jit
def lowest(game):
    """The height of the lowest foundation."""
    return min(game.height[0], game.height[1], game.height[2], game.height[3])


@jit
def judge_wanted(game, settings, unseen, wanted, weights):
    """What the cards that the foundations take next add, and the unseen ones that could be played at once."""
    worth = 0.0
    in_reach = kernels.up_in_this_pass(game) | kernels.up_after_redeal(game, settings)
    for suit in range(4):
        card = kernels.bit(13 * suit + game.height[suit]) & wanted
        if card & unseen:
            worth += weights.hidden
        elif card and game.place[lowest_bit(card)] == at.IN_TALON and not card & in_reach:
            worth += weights.out_of_reach
    return worth


@jit
def count(cards):
    """How many cards a set has."""
    found = 0
    while cards:
        cards &= cards - 1
        found += 1
    return found
