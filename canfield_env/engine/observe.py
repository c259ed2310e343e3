"""What the player sees of a game, as numbers: the only place where hidden cards are left out.

``canfield_env.env.observations`` describes both forms index by index.
"""

from __future__ import annotations

import numpy as np

from canfield_env.engine import layout as at
from canfield_env.engine.jit import jit
from canfield_env.engine.kernels import talon_place, up_after_redeal, up_in_this_pass

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

PLANES_SIZE = 52 * PLANES + COUNTS
TOKENS_SIZE = 52 + COUNTS

# Card tokens: where a card is, as far as the player knows.
TOKEN_UNSEEN = 0
TOKEN_FOUNDATION = 1
TOKEN_RESERVE = 2
TOKEN_TALON = 3
TOKEN_COLUMN = 48


@jit
def knows_stock(numbers):
    """Whether the player has seen the stock: all of it lay on the waste before it was turned back."""
    return numbers[at.REDEALS] > 0


@jit
def planes(row, numbers, settings, out):
    """Fills ``out`` (float32[PLANES_SIZE]) with values in [0, 1]."""
    out[:] = 0.0
    ranks = settings[at.RULE_RANKS]
    for suit in range(4):
        height = np.int64(row[at.HEIGHT + suit])
        for rank in range(height):
            out[52 * ON_FOUNDATION + 13 * suit + rank] = 1.0
        if height < ranks:
            out[52 * NEXT + 13 * suit + height] = 1.0
    for k in range(settings[at.RULE_COLUMNS]):
        length = np.int64(row[at.COLUMN + k])
        first = at.CARDS + 52 * k
        for i in range(length):
            out[52 * (COLUMN + k) + np.int64(row[first + i])] = 1.0
        if length > 0:
            out[52 * ROOT + np.int64(row[first])] = 1.0
            out[52 * LAST + np.int64(row[first + length - 1])] = 1.0
    reserve = np.int64(row[at.RESERVE])
    for i in range(reserve):
        plane = RESERVE_TOP if i == reserve - 1 else UNSEEN
        out[52 * plane + np.int64(row[at.HELD + i])] = 1.0
    waste = np.int64(row[at.WASTE])
    stock = np.int64(row[at.STOCK])
    left = settings[at.RULE_RESERVE]
    right = left + settings[at.RULE_STOCK]
    scale = np.float32(1.0) / max(settings[at.RULE_STOCK], 1)
    for slot in range(left, left + waste):
        plane_talon_card(row, numbers, settings, slot, scale, out)
    for slot in range(right - stock, right):
        if knows_stock(numbers):
            plane_talon_card(row, numbers, settings, slot, scale, out)
        else:
            out[52 * UNSEEN + np.int64(row[at.HELD + slot])] = 1.0
    counts = 52 * PLANES
    out[counts + COUNT_RESERVE] = np.float32(reserve) / max(left, 1)
    out[counts + COUNT_STOCK] = np.float32(stock) * scale
    out[counts + COUNT_WASTE] = np.float32(waste) * scale
    out[counts + COUNT_DRAW] = np.float32(row[at.DRAW]) / 3
    limit = settings[at.RULE_REDEALS]
    left_over = np.float32(limit - numbers[at.REDEALS]) / max(limit, 1)
    out[counts + COUNT_REDEALS_LEFT] = np.float32(1.0) if limit < 0 else left_over
    if settings[at.LIMIT_IDLE] > 0:
        out[counts + COUNT_IDLE] = min(np.float32(numbers[at.IDLE]) / settings[at.LIMIT_IDLE], 1.0)
    for suit in range(4):
        out[counts + COUNT_PEAK + suit] = np.float32(row[at.PEAK + suit]) / ranks


@jit
def plane_talon_card(row, numbers, settings, slot, scale, out):
    card = np.int64(row[at.HELD + slot])
    place = talon_place(row, settings, slot)
    out[52 * TALON_PLACE + card] = np.float32(place) * scale
    if place == row[at.WASTE]:
        out[52 * UP_NOW + card] = 1.0
    elif up_in_this_pass(row, place):
        out[52 * UP_LATER + card] = 1.0
    elif up_after_redeal(row, numbers, settings, place):
        out[52 * UP_AFTER_REDEAL + card] = 1.0


@jit
def tokens(row, numbers, settings, out):
    """Fills ``out`` (uint8[TOKENS_SIZE])."""
    out[:] = 0
    for suit in range(4):
        for rank in range(np.int64(row[at.HEIGHT + suit])):
            out[13 * suit + rank] = TOKEN_FOUNDATION
    for k in range(settings[at.RULE_COLUMNS]):
        for i in range(np.int64(row[at.COLUMN + k])):
            out[np.int64(row[at.CARDS + 52 * k + i])] = TOKEN_COLUMN + 52 * k + i
    reserve = np.int64(row[at.RESERVE])
    if reserve > 0:
        out[np.int64(row[at.HELD + reserve - 1])] = TOKEN_RESERVE
    waste = np.int64(row[at.WASTE])
    stock = np.int64(row[at.STOCK])
    left = settings[at.RULE_RESERVE]
    right = left + settings[at.RULE_STOCK]
    for i in range(waste):
        out[np.int64(row[at.HELD + left + i])] = TOKEN_TALON + i
    if knows_stock(numbers):
        for i in range(stock):
            out[np.int64(row[at.HELD + right - stock + i])] = TOKEN_TALON + waste + i
    out[52 + COUNT_RESERVE] = reserve
    out[52 + COUNT_STOCK] = stock
    out[52 + COUNT_WASTE] = waste
    out[52 + COUNT_DRAW] = row[at.DRAW]
    limit = settings[at.RULE_REDEALS]
    out[52 + COUNT_REDEALS_LEFT] = 255 if limit < 0 else min(limit - numbers[at.REDEALS], 254)
    out[52 + COUNT_IDLE] = min(numbers[at.IDLE], 255)
    for suit in range(4):
        out[52 + COUNT_PEAK + suit] = row[at.PEAK + suit]
