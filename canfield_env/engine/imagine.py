"""Positions as a player knows them: from ``tokens`` back to a game, with the hidden cards at random; and the moves of
those that are known."""

from __future__ import annotations

import numpy as np

from canfield_env.engine import layout as at
from canfield_env.engine import observe
from canfield_env.engine.jit import jit, lowest_bit
from canfield_env.engine.kernels import bit, clear, column_last, find_moves, mix
from canfield_env.engine.observe import (
    MOST_REDEALS_TOLD,
    TOKEN_COLUMN,
    TOKEN_FOUNDATION,
    TOKEN_RESERVE,
    TOKEN_TALON,
    TOKEN_UNSEEN,
)


@jit
def imagine(tokens, settings, seed, game):
    """Makes ``game`` one that a player with this observation may be playing.

    All orders of the hidden cards are as likely. The episode is taken to begin here, but for the steps in a row without
    progress; ``base`` is 0, as observations do not tell it.

    Args:
        tokens: ``uint8[TOKENS_SIZE]``.
        settings: the element of ``SETTINGS``.
        seed: uint64, what the order of the hidden cards comes from.
        game: the element of ``GAME`` that is filled.

    Returns the set of the hidden cards.
    """
    counts = tokens[52:]
    clear(game)
    game.base = 0
    game.deal = -1
    game.steps = 0
    game.total = 0.0
    game.over = False
    game.outcome = at.RUNNING
    game.draw = counts[observe.COUNT_DRAW]
    game.idle = counts[observe.COUNT_IDLE]
    game.reserve_count = counts[observe.COUNT_RESERVE]
    game.stock_count = counts[observe.COUNT_STOCK]
    game.waste_count = counts[observe.COUNT_WASTE]
    for suit in range(4):
        game.peak[suit] = counts[observe.COUNT_PEAK + suit]
    hidden, seen = place_seen(tokens, settings, game)
    stock_is_seen = seen > game.waste_count
    left = np.int64(counts[observe.COUNT_REDEALS_LEFT])
    is_told = settings.redeals >= 0 and left < MOST_REDEALS_TOLD
    game.redeals = settings.redeals - left if is_told else np.int64(stock_is_seen)
    place_hidden(hidden, seen, seed, game)
    return hidden


@jit
def place_seen(tokens, settings, game):
    """Puts the cards that were seen where they are; returns the set of the others, and how many of waste and stock were
    seen."""
    hidden = np.int64(0)
    seen = 0
    for card in range(52):
        token = np.int64(tokens[card])
        if token == TOKEN_UNSEEN:
            if card % 13 < settings.ranks:
                hidden |= bit(card)
            continue
        game.place[card] = min(token, TOKEN_TALON) if token < TOKEN_COLUMN else token
        if token == TOKEN_FOUNDATION:
            game.height[card // 13] += 1
        elif token == TOKEN_RESERVE:
            game.reserve[game.reserve_count - 1] = card
        elif token < TOKEN_COLUMN:
            game.talon[token - TOKEN_TALON] = card
            seen += 1
        else:
            column = (token - TOKEN_COLUMN) // 52
            game.columns[column, (token - TOKEN_COLUMN) % 52] = card
            game.column_set[column] |= bit(card)
            game.length[column] += 1
    return hidden, seen


@jit
def place_hidden(hidden, seen, seed, game):
    """Puts the hidden cards, in an order drawn by the seed, into the reserve and behind what was seen of the stock."""
    order = np.empty(52, np.int8)
    count = 0
    state = seed
    while hidden:
        state = mix(state + np.uint64(count + 1))
        place = np.int64(state % np.uint64(count + 1))  # Fisher and Yates, from the inside out
        order[count] = order[place]
        order[place] = lowest_bit(hidden)
        hidden &= hidden - 1
        count += 1
    in_reserve = max(np.int64(game.reserve_count) - 1, np.int64(0))
    for i in range(count):
        if i < in_reserve:
            game.reserve[i] = order[i]
            game.place[order[i]] = at.IN_RESERVE
        else:
            game.talon[seen + i - in_reserve] = order[i]
            game.place[order[i]] = at.IN_TALON


@jit
def find_known_moves(game, settings, unseen):
    """Finds the legal moves of known cards onto known cards; ``unseen`` is the set of the others."""
    find_moves(game, settings)
    game.legal[0] &= ~unseen
    for k in range(settings.columns):
        game.legal[1 + k] = 0 if column_last(game, k) & unseen else game.legal[1 + k] & ~unseen
