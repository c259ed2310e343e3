"""What the player sees of a game, as numbers: the only place where hidden cards are left out.

``canfield_env.env.observations`` describes both forms index by index.
"""

from __future__ import annotations

import numpy as np

from canfield_env.engine import layout as at
from canfield_env.engine.jit import jit
from canfield_env.engine.kernels import (
    bit,
    column_last,
    column_root,
    next_cards,
    up_after_redeal,
    up_in_this_pass,
    waste_top,
)

# Planes of 52 values, one per card in action numbering.
ON_FOUNDATION = 0
NEXT = 1
COLUMN = 2
LAST = 6
ROOT = 7
RESERVE_TOP = 8
UNSEEN = 9
TALON_PLACE = 10
UP_NOW = 11
UP_LATER = 12
UP_AFTER_REDEAL = 13
PLANES = 14

# Counts, after the planes or the card tokens.
COUNT_RESERVE = 0
COUNT_STOCK = 1
COUNT_WASTE = 2
COUNT_DRAW = 3
COUNT_REDEALS_LEFT = 4
COUNT_IDLE = 5
COUNT_PEAK = 6
COUNTS = 10

#: More redeals left than that are told as so many; 255 stands for no limit.
MOST_REDEALS_TOLD = 254

PLANES_SIZE = 52 * PLANES + COUNTS
TOKENS_SIZE = 52 + COUNTS


def size(settings: at.Settings) -> int:
    """Bytes of an observation."""
    return 4 * PLANES_SIZE if settings["planes"][0] else TOKENS_SIZE


# Card tokens: where a card is, as far as the player knows. ``tokens`` copies the values of ``place``, and adds where in
# waste and stock a card lies.
TOKEN_UNSEEN = at.NOWHERE
TOKEN_FOUNDATION = at.ON_FOUNDATION
TOKEN_RESERVE = at.IN_RESERVE
TOKEN_TALON = at.IN_TALON
TOKEN_COLUMN = at.IN_COLUMN


@jit
def seen_talon(game):
    """How many cards of waste and stock the player has seen: all, once the waste has been turned back."""
    return game.waste_count + (game.stock_count if game.redeals > 0 else 0)


@jit
def observe_rows(games, settings, rows, out):
    """Fills ``out`` (uint8[N, size(settings)]) with the observations of some games, in the form of the settings."""
    if settings.planes:
        values = out.view(np.float32)
        for row in rows:
            planes(games[row], settings, values[row])
    else:
        for row in rows:
            tokens(games[row], settings, out[row])


@jit
def tokens(game, settings, out):
    """Fills ``out`` (uint8[TOKENS_SIZE])."""
    for card in range(52):
        out[card] = game.place[card]
    for i in range(game.reserve_count - 1):
        out[game.reserve[i]] = TOKEN_UNSEEN
    seen = seen_talon(game)
    for i in range(seen):
        out[game.talon[i]] = TOKEN_TALON + i
    for i in range(seen, game.waste_count + game.stock_count):
        out[game.talon[i]] = TOKEN_UNSEEN
    counts = out[52:]
    counts[COUNT_RESERVE] = game.reserve_count
    counts[COUNT_STOCK] = game.stock_count
    counts[COUNT_WASTE] = game.waste_count
    counts[COUNT_DRAW] = game.draw
    counts[COUNT_REDEALS_LEFT] = (
        255 if settings.redeals < 0 else min(settings.redeals - game.redeals, MOST_REDEALS_TOLD)
    )
    counts[COUNT_IDLE] = min(game.idle, 255)
    for suit in range(4):
        counts[COUNT_PEAK + suit] = game.peak[suit]


@jit
def planes(game, settings, out):
    """Fills ``out`` (float32[PLANES_SIZE]) with values in [0, 1]."""
    ranks = settings.ranks
    on_foundations = 0
    for suit in range(4):
        on_foundations |= (bit(game.height[suit]) - 1) << (13 * suit)
    spread(on_foundations, ON_FOUNDATION, out)
    spread(next_cards(game, settings), NEXT, out)
    lasts = 0
    roots = 0
    for k in range(at.MAX_COLUMNS):
        spread(game.column_set[k], COLUMN + k, out)
        lasts |= column_last(game, k)
        roots |= column_root(game, k)
    spread(lasts, LAST, out)
    spread(roots, ROOT, out)
    reserve = game.reserve_count
    spread(bit(game.reserve[reserve - 1]) if reserve > 0 else 0, RESERVE_TOP, out)
    unseen = 0
    for i in range(reserve - 1):
        unseen |= bit(game.reserve[i])
    plane_talon(game, settings, unseen, out)
    counts = out[52 * PLANES :]
    stock = max(settings.stock, 1)
    counts[COUNT_RESERVE] = game.reserve_count / max(settings.reserve, 1)
    counts[COUNT_STOCK] = game.stock_count / stock
    counts[COUNT_WASTE] = game.waste_count / stock
    counts[COUNT_DRAW] = game.draw / 3
    left = (settings.redeals - game.redeals) / max(settings.redeals, 1)
    counts[COUNT_REDEALS_LEFT] = 1.0 if settings.redeals < 0 else left
    counts[COUNT_IDLE] = min(game.idle / settings.max_idle, 1.0) if settings.max_idle > 0 else 0.0
    for suit in range(4):
        counts[COUNT_PEAK + suit] = game.peak[suit] / ranks


@jit
def plane_talon(game, settings, unseen, out):
    """Fills the planes of waste and stock, and that of the unseen cards, of which those of the reserve are given."""
    places = out[52 * TALON_PLACE : 52 * TALON_PLACE + 52]
    places[:] = 0.0
    scale = np.float32(1.0 / max(settings.stock, 1))
    seen = 0
    for i in range(seen_talon(game)):
        card = np.int64(game.talon[i])
        seen |= bit(card)
        places[card] = np.float32(i + 1) * scale
    for i in range(seen_talon(game), game.waste_count + game.stock_count):
        unseen |= bit(game.talon[i])
    spread(unseen, UNSEEN, out)
    now = waste_top(game)
    in_pass = up_in_this_pass(game)
    spread(now, UP_NOW, out)
    spread(in_pass & seen & ~now, UP_LATER, out)
    spread(up_after_redeal(game, settings) & seen & ~in_pass & ~now, UP_AFTER_REDEAL, out)


@jit
def spread(cards, plane, out):
    """Writes a set of cards as a plane of ones and zeros."""
    values = out[52 * plane : 52 * plane + 52]
    for card in range(52):
        values[card] = (cards >> card) & 1
