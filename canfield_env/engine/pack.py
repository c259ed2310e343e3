"""Between the plain game and the rows of the engine."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from canfield_env.cards import Card, card_at
from canfield_env.engine import layout as at
from canfield_env.game import Game
from canfield_env.notation import Position
from canfield_env.rules import Rules

Row = NDArray[np.uint8]
Numbers = NDArray[np.int64]


def pack(game: Game, row: Row, numbers: Numbers) -> None:
    """Writes a game into ``row`` (uint8[ROW_BYTES]) and ``numbers`` (int64[NUMBERS]) as the start of an episode.

    The generator in ``numbers`` is left as it is. What lies on a foundation counts as having reached it.

    Raises:
        ValueError: the rules have more columns than the engine.
    """
    settings = at.rule_settings(game.rules)

    def number(card: Card) -> int:
        return 13 * card.suit + (card.rank - game.base) % game.rules.ranks

    row[:] = 0
    row[at.BASE], row[at.DRAW] = game.base, game.draw
    row[at.RESERVE], row[at.WASTE], row[at.STOCK] = len(game.reserve), len(game.waste), len(game.stock)
    left = int(settings[at.RULE_RESERVE])
    right = left + int(settings[at.RULE_STOCK])
    placed = [(slot, card, at.IN_RESERVE) for slot, card in enumerate(game.reserve)]
    placed += [(slot, card, at.IN_TALON) for slot, card in enumerate(game.waste, left)]
    placed += [(slot, card, at.IN_TALON) for slot, card in enumerate(reversed(game.stock), right - len(game.stock))]
    for slot, card, pile in placed:
        row[at.HELD + slot] = number(card)
        row[at.PILE + number(card)], row[at.SLOT + number(card)] = pile, slot
    for k, column in enumerate(game.columns):
        row[at.COLUMN + k] = len(column)
        for i, card in enumerate(column):
            row[at.CARDS + 52 * k + i] = number(card)
            row[at.PILE + number(card)], row[at.SLOT + number(card)] = at.IN_COLUMN + k, i
    for suit, pile_cards in enumerate(game.foundations):
        row[at.HEIGHT + suit] = row[at.PEAK + suit] = len(pile_cards)
        for card in pile_cards:
            row[at.PILE + number(card)] = at.ON_FOUNDATION
    numbers[at.REDEALS], numbers[at.ACTIONS], numbers[at.SCORE] = game.redeals, game.actions, game.score
    numbers[at.STEPS] = numbers[at.IDLE] = 0
    numbers[at.DEAL] = -1 if game.deal is None or game.deal.number is None else game.deal.number


def unpack(row: Row, numbers: Numbers, rules: Rules) -> Game:
    """The plain game in a row, without its past."""
    base, ranks = int(row[at.BASE]), rules.ranks

    def cards(first: int, count: int) -> tuple[Card, ...]:
        return tuple(card_at(n // 13, (n % 13 + base) % ranks) for n in row[first : first + count].tolist())

    reserve, waste, stock = int(row[at.RESERVE]), int(row[at.WASTE]), int(row[at.STOCK])
    heights = [int(row[at.HEIGHT + suit]) for suit in range(4)]
    position = Position(
        base,
        tuple((base + height - 1) % ranks if height else None for height in heights),
        cards(at.HELD, reserve),
        cards(at.HELD + rules.reserve + rules.stock - stock, stock)[::-1],
        cards(at.HELD + rules.reserve, waste),
        tuple(cards(at.CARDS + 52 * k, int(row[at.COLUMN + k])) for k in range(rules.columns)),
        int(numbers[at.REDEALS]),
        int(numbers[at.ACTIONS]),
    )
    return Game.from_position(position, rules, int(row[at.DRAW]), score=int(numbers[at.SCORE]))
