"""What the engine and the environments are held to: masks and observations, worked out from the plain game alone."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

import numpy as np

from canfield_env import Card, Game, Move, PlayerView
from canfield_env.env.actions import encode

SUITS = "cdhs"


def legal_actions(game: Game) -> dict[int, Move]:
    """The actions that are legal with ``stock="turn"``, and their moves."""
    position = game.full_position()
    return {encode(position, move, game.rules.ranks): move for move in game.legal_moves()}


def reachable_actions(game: Game) -> dict[int, tuple[int, Move]]:
    """The actions that are legal with ``stock="auto"``: their moves, and how often the stock is turned before each."""
    actions: dict[int, tuple[int, Move]] = {}
    ahead = game.copy()
    for turns in range(2 * (len(game.stock) + len(game.waste)) + 3):
        for action, move in legal_actions(ahead).items():
            if move.source != "D":
                actions.setdefault(action, (turns, move))
        if not ahead.can("D"):
            break
        ahead.push("D")
    return actions


def choose(moves: list[Move], rng: Random) -> Move:
    """A random move, mostly one that brings the game on."""
    weights = [8 if m.target == "F" else 4 if m.source == "R" else 3 if m.source == "W" else 1 for m in moves]
    return rng.choices(moves, weights)[0]


def number(view: PlayerView, card: Card) -> int:
    """The number of a card in the action space."""
    return 13 * SUITS.index(card[1]) + (card.rank - view.position.base) % view.rules.ranks


def counts(view: PlayerView, idle: int, peaks: list[int]) -> list[int]:
    """The counts of an observation, as whole numbers."""
    position, redeals = view.position, view.rules.redeals
    left = 255 if redeals is None else min(redeals - position.redeals, 254)
    sizes = [len(pile) for pile in (position.reserve, position.stock, position.waste)]
    return [*sizes, view.draw, left, min(idle, 255), *peaks]


def tokens(view: PlayerView, idle: int, peaks: list[int]) -> np.ndarray:
    """The observation of form ``tokens``."""
    position, expected = view.position, np.zeros(62, np.uint8)
    for pile in position.foundations(view.rules.ranks):
        for up in pile:
            expected[number(view, up)] = 1
    if position.reserve and position.reserve[-1] is not None:
        expected[number(view, position.reserve[-1])] = 2
    for place, card in enumerate((*position.waste, *reversed(position.stock))):
        if card is not None:
            expected[number(view, card)] = 3 + place
    for k, column in enumerate(position.columns):
        for place, card in enumerate(column):
            assert card is not None
            expected[number(view, card)] = 48 + 52 * k + place
    expected[52:] = counts(view, idle, peaks)
    return expected


def tops(view: PlayerView, waste: int) -> Iterator[int]:
    """How many cards lie on the waste after each turn of one pass that starts with ``waste`` of them there."""
    cards = len(view.position.waste) + len(view.position.stock)
    while waste < cards:
        waste = min(waste + view.draw, cards)
        yield waste


def planes(view: PlayerView, idle: int, peaks: list[int], max_idle: int | None) -> np.ndarray:
    """The observation of form ``planes``."""
    position, rules = view.position, view.rules
    cards = np.zeros((14, 52), np.float32)

    def mark(plane: int, card: Card | None, value: float = 1.0) -> None:
        if card is not None:
            cards[plane, number(view, card)] = value

    for suit, pile in enumerate(position.foundations(rules.ranks)):
        for up in pile:
            mark(0, up)
        if len(pile) < rules.ranks:
            cards[1, 13 * suit + len(pile)] = 1
    for k, column in enumerate(position.columns):
        for card in column:
            mark(2 + k, card)
        if column:
            mark(6, column[-1])
            mark(7, column[0])
    if position.reserve:
        mark(8, position.reserve[-1])
    for hidden in view.unseen:
        mark(9, hidden)
    cycle = (*position.waste, *reversed(position.stock))
    waste = len(position.waste)
    in_pass = set(tops(view, waste))
    after = set(tops(view, 0)) if rules.redeals is None or position.redeals < rules.redeals else set()
    for place, card in enumerate(cycle, 1):
        mark(10, card, place / rules.stock)
        if place == waste:
            mark(11, card)
        elif place in in_pass:
            mark(12, card)
        elif place in after:
            mark(13, card)
    reserve, stock, waste, draw, left, _, *_ = counts(view, idle, peaks)
    scaled = [
        reserve / max(rules.reserve, 1),
        stock / max(rules.stock, 1),
        waste / max(rules.stock, 1),
        draw / 3,
        1 if rules.redeals is None else left / max(rules.redeals, 1),
        min(idle / max_idle, 1) if max_idle else 0,
        *(peak / rules.ranks for peak in peaks),
    ]
    return np.concatenate([cards.ravel(), np.array(scaled, np.float32)])
