"""The two texts of the game, move tokens and positions. Reading is lexical: whether it fits is the game's to say."""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from canfield_env.cards import RANKS, SUITS, Card, card_at
from canfield_env.errors import NotationError

_TOKEN: Final = re.compile(r"D|[WR1-9]F|[WR][1-9]|([1-9])(?!\1)[1-9](X[1-9][0-9]?)?|F[CDHS][1-9]")
_PILE: Final = re.compile(r"\(([1-9][0-9]?)\)|(10|[A-Za-z0-9])([A-Za-z])")


@dataclass(frozen=True, slots=True)
class Move:
    """One action of the player. ``str(move)`` is its token, which ``Move.parse`` reads back.

    ==========  =====================================================================
    ``D``       turn the stock: deal onto the waste, or turn the waste back
    ``WF``      top of the waste (``W``), the reserve (``R``) or column 3 (``3``) to its foundation
    ``R2``      top of the reserve to column 2
    ``13``      the whole of column 1 onto column 3
    ``13x2``    the top two cards of column 1 onto column 3, always fewer than the whole
    ``Fh2``     top of the hearts foundation back to column 2
    ==========  =====================================================================

    Attributes:
        source: ``"D"``, ``"W"``, ``"R"``, a column ``"1"`` to ``"9"``, or a foundation ``"Fc"`` to ``"Fs"``.
        target: ``"F"``, a column ``"1"`` to ``"9"``, or ``""`` for turning the stock.
        count: cards moved where they are a column's tail, else 0.
    """

    source: str
    target: str = ""
    count: int = 0

    def __str__(self) -> str:
        return f"{self.source}{self.target}x{self.count}" if self.count else self.source + self.target

    @classmethod
    def parse(cls, token: str) -> Move:
        """Reads a token in any letter case.

        Raises:
            NotationError: the text is no token.
        """
        text = str(token).strip().upper()
        if not _TOKEN.fullmatch(text):
            raise NotationError(f"{token!r} is no move: expected a token such as D, WF, R2, 13, 13x2 or Fh2")
        text, _, count = text.partition("X")
        if text[0] == "F":
            return cls("F" + text[1].lower(), text[2])
        return cls(text[0], text[1:], int(count or 0))


def parse_moves(tokens: str | Iterable[str | Move]) -> list[Move]:
    """Reads move tokens separated by white space, or from a sequence.

    Raises:
        NotationError: one of them is no token; the text says which.
    """
    moves = []
    for place, token in enumerate(tokens.split() if isinstance(tokens, str) else tokens, 1):
        try:
            moves.append(token if isinstance(token, Move) else Move.parse(token))
        except NotationError as error:
            raise NotationError(f"move {place}: {error}") from None
    return moves


#: A pile from bottom to top, with None for each card that the player has not seen.
Pile = tuple[Card | None, ...]


@dataclass(frozen=True, slots=True)
class Position:
    """Everything that lies on the table, as the position text tells it; ``str`` writes it and ``parse`` reads it.

    Fields are separated by one space: foundations, reserve, stock, waste, columns, times the waste was turned back,
    actions played. Piles run from bottom to top, so the last card is the one in play. ``(12)`` is twelve unseen cards.

    Attributes:
        base: the base rank, 0 to 12.
        tops: rank of the top card of the clubs, diamonds, hearts and spades foundation, None where it is empty.
        reserve, stock, waste: piles; the last card of the stock is turned next.
        columns: the piles of columns 1, 2, ...
        redeals: how often the waste has been turned back.
        actions: actions played, stock turns included and undone ones not.
    """

    base: int
    tops: tuple[int | None, ...]
    reserve: Pile
    stock: Pile
    waste: Pile
    columns: tuple[Pile, ...]
    redeals: int = 0
    actions: int = 0

    def __str__(self) -> str:
        tops = "".join("-" if top is None else RANKS[top] for top in self.tops)
        columns = "/".join(write_pile(column) for column in self.columns)
        piles = " ".join(write_pile(pile) for pile in (self.reserve, self.stock, self.waste))
        return f"{RANKS[self.base]}:{tops} {piles} {columns} {self.redeals} {self.actions}"

    def hide(self, seen: Container[Card]) -> Position:
        """The same position without the cards of reserve and stock that are not among those seen."""

        def cover(pile: Pile) -> Pile:
            return tuple(card if card is not None and card in seen else None for card in pile)

        return replace(self, reserve=cover(self.reserve), stock=cover(self.stock))

    def foundations(self, ranks: int = 13) -> tuple[tuple[Card, ...], ...]:
        """The cards of each foundation, from the base card up, in a game of that many ranks."""
        return tuple(
            ()
            if top is None
            else tuple(card_at(suit, (self.base + k) % ranks) for k in range((top - self.base) % ranks + 1))
            for suit, top in enumerate(self.tops)
        )

    @classmethod
    def parse(cls, text: str) -> Position:
        """Reads a position text.

        Raises:
            NotationError: it has not seven fields, or one of them cannot be read; the text says which.
        """
        if not isinstance(text, str):
            raise NotationError(f"a position is text, not {text!r}")
        words = text.split()
        if len(words) != 7:
            raise NotationError(
                f"position {text!r}: expected 7 fields (foundations reserve stock waste columns redeals actions), "
                f"found {len(words)}"
            )
        base, tops = _read_foundations(words[0])
        reserve, stock, waste = (
            _read_pile(word, name) for word, name in zip(words[1:4], ("reserve", "stock", "waste"), strict=True)
        )
        columns = tuple(_read_pile(part, f"column {k}") for k, part in enumerate(words[4].split("/"), 1))
        redeals, actions = _read_count(words[5], "redeals"), _read_count(words[6], "actions")
        return cls(base, tops, reserve, stock, waste, columns, redeals, actions)


def write_pile(pile: Sequence[Card | None]) -> str:
    """The text of a pile: its cards from bottom to top, ``(n)`` for n unseen ones in a row, ``-`` where it is empty."""
    parts: list[str] = []
    unseen = 0
    for card in [*pile, ""]:
        if card is None:
            unseen += 1
            continue
        if unseen:
            parts.append(f"({unseen})")
            unseen = 0
        parts.append(card)
    return "".join(parts) or "-"


def _read_pile(text: str, name: str) -> Pile:
    if not text:
        raise NotationError(f"position, {name}: nothing is written there; an empty pile is -")
    pile: list[Card | None] = []
    place = 0
    while text != "-" and place < len(text):
        match = _PILE.match(text, place)
        if match is None:
            raise NotationError(f"position, {name}: cannot read {text[place:]!r} in {text!r}")
        if match[1]:
            pile.extend([None] * int(match[1]))
        else:
            try:
                pile.append(Card(match[0]))
            except NotationError as error:
                raise NotationError(f"position, {name}: {error}") from None
        place = match.end()
    return tuple(pile)


def _read_foundations(text: str) -> tuple[int, tuple[int | None, ...]]:
    base, colon, tops = text.upper().replace("10", "T").partition(":")
    if colon and len(base) == 1 and base in RANKS and len(tops) == len(SUITS) and all(t in RANKS + "-" for t in tops):
        return RANKS.index(base), tuple(None if top == "-" else RANKS.index(top) for top in tops)
    raise NotationError(
        f"position, foundations: {text!r} is not a base rank, a colon and the top ranks of c, d, h, s such as 7:--7-"
    )


def _read_count(text: str, name: str) -> int:
    if not (text.isascii() and text.isdecimal()) or len(text) > 9:
        raise NotationError(f"position, {name}: {text!r} is not a whole number")
    return int(text)
