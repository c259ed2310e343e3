"""Cards, ranks and suits."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from canfield_env.errors import NotationError

RANKS: Final = "A23456789TJQK"
SUITS: Final = "cdhs"
#: The names of the suits, in the order of ``SUITS``.
SUIT_NAMES: Final = ("clubs", "diamonds", "hearts", "spades")


class Card(str):
    """A playing card: its text (``Qc``, ``Th``) with its rank and suit attached.

    ``Card("qC")`` and ``Card("10h")`` are read too; there is one object per card.

    Attributes:
        rank: 0 (ace) to 12 (king).
        suit: 0 to 3, for clubs, diamonds, hearts and spades.
        is_red: whether it is a diamond or a heart.
        number: ``13 * suit + rank``, 0 to 51.

    Raises:
        NotationError: the text is no card.
    """

    __slots__ = ("is_red", "number", "rank", "suit")
    rank: int
    suit: int
    is_red: bool
    number: int

    def __new__(cls, text: str) -> Card:
        normal = str(text).strip()
        if normal[:2] == "10":
            normal = "T" + normal[2:]
        card = _BY_TEXT.get(normal[:1].upper() + normal[1:].lower())
        if card is None:
            raise NotationError(f"{text!r} is no card: expected a rank of {RANKS} and a suit of {SUITS}, such as Qc")
        return card

    def __repr__(self) -> str:
        return f"Card({str(self)!r})"

    def __reduce__(self) -> tuple[type[Card], tuple[str]]:
        return Card, (str(self),)


def _make(suit: int, rank: int) -> Card:
    card = str.__new__(Card, RANKS[rank] + SUITS[suit])
    card.rank, card.suit, card.number = rank, suit, 13 * suit + rank
    card.is_red = suit in (1, 2)
    return card


#: All 52 cards by ``Card.number``: clubs, diamonds, hearts, spades, each ace to king.
CARDS: Final[tuple[Card, ...]] = tuple(_make(suit, rank) for suit in range(4) for rank in range(13))
_BY_TEXT: Final[dict[str, Card]] = {str(card): card for card in CARDS}


def card_at(suit: int, rank: int) -> Card:
    """The card of a suit (0-3) and a rank (0-12)."""
    return CARDS[13 * suit + rank]


def parse_cards(text: str) -> list[Card]:
    """Reads cards separated by spaces or commas.

    Raises:
        NotationError: one of them is no card.
    """
    return [Card(word) for word in text.replace(",", " ").split()]


def full_deck(ranks: int = 13) -> list[Card]:
    """The cards of a game with that many ranks per suit, in ``Card.number`` order."""
    return [card for card in CARDS if card.rank < ranks]


def deck_fault(cards: Iterable[Card], ranks: int = 13) -> str | None:
    """What keeps the cards from being one whole deck (a card double, foreign or missing), or None."""
    seen: set[Card] = set()
    for card in cards:
        if card.rank >= ranks:
            return f"{card} does not belong to a game of {ranks} ranks"
        if card in seen:
            return f"{card} is there twice"
        seen.add(card)
    missing = [card for card in full_deck(ranks) if card not in seen]
    if missing:
        return f"{' '.join(missing)} {'is' if len(missing) == 1 else 'are'} missing"
    return None
