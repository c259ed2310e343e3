"""The table in words, for screen readers and captions."""

from __future__ import annotations

from typing import Final

from canfield_env.cards import SUIT_NAMES, Card, card_at
from canfield_env.notation import Pile, Position
from canfield_env.rules import Rules

RANK_NAMES: Final = ("ace", "2", "3", "4", "5", "6", "7", "8", "9", "10", "jack", "queen", "king")


def card_name(card: Card) -> str:
    """The name of a card, such as ``queen of clubs``."""
    return f"{RANK_NAMES[card.rank]} of {SUIT_NAMES[card.suit]}"


def cards_up(position: Position, ranks: int = 13) -> int:
    """Cards on the foundations, the base card included."""
    return sum(map(len, position.foundations(ranks)))


def next_needed(position: Position, ranks: int = 13) -> tuple[Card | None, ...]:
    """The card that each foundation (clubs, diamonds, hearts, spades) takes next, None where it is full."""
    return tuple(
        None if len(pile) == ranks else card_at(suit, (position.base + len(pile)) % ranks)
        for suit, pile in enumerate(position.foundations(ranks))
    )


def describe_table(position: Position, rules: Rules) -> str:
    """The whole table in a few sentences; of piles seen from above only what lies in play."""
    return " ".join(describe_piles(position, rules))


def describe_piles(position: Position, rules: Rules, full: bool = False) -> list[str]:
    """A sentence for the reserve, the waste, the stock, the foundations, and each column.

    Args:
        position: the table.
        rules: its rule set.
        full: whether all cards of reserve and stock are named, from the next one on.
    """
    needed = ", ".join(
        f"{SUIT_NAMES[suit]} full" if card is None else card_name(card)
        for suit, card in enumerate(next_needed(position, rules.ranks))
    )
    sentences = [
        f"Reserve: {_named(position.reserve[::-1]) if full else _top_of(position.reserve)}.",
        f"Waste: {_top_of(position.waste)}.",
        f"Stock: {_named(position.stock[::-1]) if full else _count(len(position.stock))}.",
        f"Foundations: {_count(cards_up(position, rules.ranks))} up, needed next {needed}.",
    ]
    return sentences + [f"Column {k}: {_named(column)}." for k, column in enumerate(position.columns, 1)]


def _named(pile: Pile) -> str:
    return ", ".join("face down" if card is None else card_name(card) for card in pile) or "empty"


def _top_of(pile: Pile) -> str:
    if not pile:
        return "empty"
    return f"{_named(pile[-1:])} on top of {_count(len(pile))}" if len(pile) > 1 else _named(pile)


def _count(number: int) -> str:
    return f"{number} card{'' if number == 1 else 's'}" if number else "empty"
