"""Where the cards stand on a terminal of a given size: character cells, apart from any screen library."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, Literal

from canfield_env.cards import SUITS, Card
from canfield_env.notation import Pile, Position
from canfield_env.render.describe import next_needed
from canfield_env.rules import Rules

SUIT_SYMBOLS: Final = "♣♦♥♠"


def card_text(card: Card) -> str:
    """A card for people: ``Q♣``, ``10♥``."""
    return f"{card[0].replace('T', '10')}{SUIT_SYMBOLS[card.suit]}"


@dataclass(frozen=True, slots=True)
class Size:
    """How large cards are drawn.

    Attributes:
        width, height: of a whole card.
        strip: rows that stay uncovered where another card lies on it.
    """

    width: int
    height: int
    strip: int


#: From large to small; the first that fits is taken.
SIZES: Final = (Size(15, 9, 2), Size(13, 7, 2), Size(11, 5, 1), Size(9, 3, 1))
_LABEL: Final = 1
_WASTE_FAN: Final = 3
_FAN_STEP: Final = 4
#: A column of that many cards must fit without being pressed together.
_USUAL_COLUMN: Final = 13


@dataclass(frozen=True, slots=True)
class Cell:
    """A card, or an empty place, as it stands on the screen.

    Attributes:
        pile: ``"D"`` (stock), ``"W"``, ``"R"``, a column ``"1"`` ..., or ``"Fc"`` ... ``"Fs"``.
        index: the card's place in its pile, -1 where the pile is empty.
        x, y, width, height: what is drawn of it, in characters.
        card: the card, None where it is face down or the place is empty.
        face: what is drawn: a whole card, its upper strip alone, a short one beside others, a back, or an empty place.
    """

    pile: str
    index: int
    x: int
    y: int
    width: int
    height: int
    card: Card | None
    face: Literal["whole", "strip", "short", "back", "empty"]

    def holds(self, x: int, y: int) -> bool:
        """Whether a character is one of the cell's."""
        return self.x <= x < self.x + self.width and self.y <= y < self.y + self.height


@dataclass(frozen=True, slots=True)
class Text:
    """A label beside a pile."""

    x: int
    y: int
    text: str
    pile: str


@dataclass(frozen=True, slots=True)
class Layout:
    """The table on a screen of some size: cells, later ones on top, and labels."""

    size: Size
    cells: tuple[Cell, ...]
    labels: tuple[Text, ...]

    def at(self, x: int, y: int) -> Cell | None:
        """The cell on top at a character, or None."""
        return next((cell for cell in reversed(self.cells) if cell.holds(x, y)), None)

    def find(self, pile: str, index: int) -> Cell:
        """The cell of a card, or of the pile's card in play where there is no such place."""
        cells = [cell for cell in self.cells if cell.pile == pile]
        return next((cell for cell in cells if cell.index == index), cells[-1])

    def top(self, pile: str) -> Cell:
        """The cell of a pile's card in play, or of its empty place."""
        return self.find(pile, -1)


def needed_size(rules: Rules) -> tuple[int, int]:
    """The smallest width and height in which the table of these rules can be shown."""
    return _width(SIZES[-1], rules), _columns_row(SIZES[-1]) + SIZES[-1].height + 8


def choose_size(rules: Rules, width: int, height: int) -> Size | None:
    """The largest cards that fit, or None where even the smallest do not."""
    for size in SIZES:
        usual = _columns_row(size) + (_USUAL_COLUMN - 1) * size.strip + size.height
        if _width(size, rules) <= width and usual <= height:
            return size
    small_width, small_height = needed_size(rules)
    return SIZES[-1] if small_width <= width and small_height <= height else None


def lay_out(position: Position, rules: Rules, width: int, height: int) -> Layout | None:
    """The table on a screen of some size, or None where it is too small."""
    size = choose_size(rules, width, height)
    if size is None:
        return None
    left = (width - _width(size, rules)) // 2
    columns_at = left + _left_part(size)
    row, top = _columns_row(size), _LABEL
    cells = [*_stock(position, size, left, top), *_waste(position.waste, size, left + size.width + 2, top)]
    cells += _top_only("R", position.reserve, size, left, row)
    for k, foundation in enumerate(position.foundations(rules.ranks)):
        cells += _top_only("F" + SUITS[k], foundation, size, columns_at + k * (size.width + 2), top)
    for k, pile in enumerate(position.columns):
        cells += _column(str(k + 1), pile, size, columns_at + k * (size.width + 2), row, height - row)
    return Layout(size, tuple(cells), tuple(_labels(position, rules, size, left, columns_at)))


def _left_part(size: Size) -> int:
    """Width of what stands left of the foundations: stock, waste, and space."""
    return 2 * size.width + 2 + _FAN_STEP * (_WASTE_FAN - 1) + 4


def _width(size: Size, rules: Rules) -> int:
    return _left_part(size) + max(4, rules.columns) * (size.width + 2) - 2


def _columns_row(size: Size) -> int:
    """Row in which reserve and columns begin."""
    return _LABEL + size.height + _LABEL


def _empty(pile: str, size: Size, x: int, y: int) -> Cell:
    return Cell(pile, -1, x, y, size.width, size.height, None, "empty")


def _stock(position: Position, size: Size, x: int, y: int) -> Iterator[Cell]:
    if not position.stock:
        yield _empty("D", size, x, y)
    else:
        yield Cell("D", len(position.stock) - 1, x, y, size.width, size.height, None, "back")


def _top_only(name: str, pile: Pile, size: Size, x: int, y: int) -> Iterator[Cell]:
    if not pile:
        yield _empty(name, size, x, y)
    else:
        face: Literal["whole", "back"] = "back" if pile[-1] is None else "whole"
        yield Cell(name, len(pile) - 1, x, y, size.width, size.height, pile[-1], face)


def _waste(waste: Pile, size: Size, x: int, y: int) -> Iterator[Cell]:
    if not waste:
        yield _empty("W", size, x, y)
    first = max(len(waste) - _WASTE_FAN, 0)
    for k in range(first, len(waste)):
        yield Cell("W", k, x + _FAN_STEP * (k - first), y, size.width, size.height, waste[k], "whole")


def _column(name: str, pile: Pile, size: Size, x: int, y: int, height: int) -> Iterator[Cell]:
    """A column: covered cards as strips; the strips get lower, then share rows, as the column grows."""
    if not pile:
        yield _empty(name, size, x, y)
        return
    covered, room = len(pile) - 1, height - size.height
    for strip in range(size.strip, 0, -1):
        if covered * strip <= room:
            for k in range(covered):
                yield Cell(name, k, x, y + k * strip, size.width, strip, pile[k], "strip")
            yield Cell(name, covered, x, y + covered * strip, size.width, size.height, pile[-1], "whole")
            return
    beside = -(-covered // max(room, 1))
    width = max(size.width // beside, 1)
    for k in range(covered):
        yield Cell(name, k, x + width * (k % beside), y + k // beside, width, 1, pile[k], "short")
    yield Cell(name, covered, x, y + -(-covered // beside), size.width, size.height, pile[-1], "whole")


def _labels(position: Position, rules: Rules, size: Size, left: int, columns_at: int) -> Iterator[Text]:
    row = _columns_row(size) - 1
    yield Text(left, 0, f"stock {len(position.stock)}", "D")
    yield Text(left + size.width + 2, 0, f"waste {len(position.waste)}", "W")
    yield Text(left, row, f"reserve {len(position.reserve)}", "R")
    for k, needed in enumerate(next_needed(position, rules.ranks)):
        text = f"{SUIT_SYMBOLS[k]} full" if needed is None else f"next {card_text(needed)}"
        yield Text(columns_at + k * (size.width + 2), 0, text, "F" + SUITS[k])
    for k in range(rules.columns):
        yield Text(columns_at + k * (size.width + 2), row, str(k + 1), str(k + 1))


Direction = Literal["left", "right", "up", "down"]


def neighbour(layout: Layout, cell: Cell, direction: Direction) -> Cell:
    """The cell that the cursor comes to from another one; the same where there is none in that direction.

    Up and down go through a column card by card, left and right from pile to pile. Of the waste only the card in play
    can be reached.
    """
    across, sign = direction in ("left", "right"), 1 if direction in ("right", "down") else -1
    best, least = cell, float("inf")
    for other in layout.cells:
        dx, dy = _middle(other)[0] - _middle(cell)[0], _middle(other)[1] - _middle(cell)[1]
        ahead, aside = (sign * dx, 2 * abs(dy)) if across else (sign * dy, abs(dx))
        if ahead <= 0 or (other.pile == "W" and other != layout.top("W")):
            continue
        if across and other.pile == cell.pile and other.face != "short":
            continue
        if ahead + 3 * aside < least:
            best, least = other, ahead + 3 * aside
    return best


def _middle(cell: Cell) -> tuple[float, float]:
    return cell.x + cell.width / 2, cell.y + min(cell.height, 3) / 2
