"""The table as rows of characters, each with the name of a style; what the styles look like is the screen's to say.

What matters shows without colour too: in the lines around a card and in marks beside a label.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from itertools import groupby
from typing import Final

from canfield_env.cards import Card
from canfield_env.notation import Position
from canfield_env.play.layout import SUIT_SYMBOLS, Cell, Layout, Text, card_text
from canfield_env.render.describe import next_needed
from canfield_env.rules import Rules

# Corners and sides, clockwise from the upper left.
_LINES: Final = {
    "edge": "╭─╮│╯─╰│",
    "cursor": "┏━┓┃┛━┗┃",
    "picked": "╔═╗║╝═╚║",
    "hint": "┏┅┓┇┛┅┗┇",
    "empty": "┌╌┐╎┘╌└╎",
}
_ROWS_FOR_PIPS: Final = 7
_SIDES: Final = (0, 2)
_CORNERS: Final = [(side, row) for side in _SIDES for row in (0, 4)]
_SIX: Final = [(side, row) for side in _SIDES for row in (0, 2, 4)]
_EIGHT: Final = [(side, row) for side in _SIDES for row in (0, 1, 3, 4)]
# The pips of an ace to a ten: column 0 to 2 and row 0 to 4.
_PIPS: Final = (
    [(1, 2)],
    [(1, 0), (1, 4)],
    [(1, 0), (1, 2), (1, 4)],
    _CORNERS,
    [*_CORNERS, (1, 2)],
    _SIX,
    [*_SIX, (1, 1)],
    [*_SIX, (1, 1), (1, 3)],
    [*_EIGHT, (1, 2)],
    [*_EIGHT, (1, 1), (1, 3)],
)
#: The names of all styles.
STYLES: Final = ("felt", "label", "target", "red", "black", "back", "ghost", *_LINES)


@dataclass(frozen=True, slots=True)
class Highlights:
    """What is pointed out on the table.

    Attributes:
        cursor: pile and place of the cursor, or None.
        picked: pile and place of the card that is carried, with all that lies on it, or None.
        hint: pile and place of the card that a hint moves, or None.
        targets: piles that take what is carried, or that a hint leads to.
    """

    cursor: tuple[str, int] | None = None
    picked: tuple[str, int] | None = None
    hint: tuple[str, int] | None = None
    targets: Collection[str] = ()


#: A row as runs of characters that share a style.
Row = list[tuple[str, str]]


class _Canvas:
    def __init__(self, width: int, height: int) -> None:
        self.rows = [[(" ", "felt")] * width for _ in range(height)]

    def write(self, x: int, y: int, text: str, style: str) -> None:
        """Writes text, as far as it lies on the canvas."""
        if 0 <= y < len(self.rows):
            row = self.rows[y]
            for k, character in enumerate(text, x):
                if 0 <= k < len(row):
                    row[k] = (character, style)


def paint(
    layout: Layout, position: Position, rules: Rules, width: int, height: int, lit: Highlights | None = None
) -> list[Row]:
    """The rows of a table.

    Args:
        layout: where everything stands.
        position: the position that has been laid out.
        rules: its rule set.
        width, height: size of the screen in characters.
        lit: what is pointed out.
    """
    lit, canvas = lit or Highlights(), _Canvas(width, height)
    for label in layout.labels:
        _paint_label(canvas, label, lit)
    waiting = dict(zip(("Fc", "Fd", "Fh", "Fs"), next_needed(position, rules.ranks), strict=True))
    for cell in layout.cells:
        style = _style_of_lines(cell, layout, lit)
        if cell.face == "empty":
            _paint_empty(canvas, cell, style, _sign(cell, position, waiting.get(cell.pile)))
        elif cell.face == "short":
            _paint_short(canvas, cell, style)
        else:
            _paint_card(canvas, cell, style)
    return [_runs(row) for row in canvas.rows]


def _runs(row: list[tuple[str, str]]) -> Row:
    return [("".join(text for text, _ in run), style) for style, run in groupby(row, key=lambda pair: pair[1])]


def _style_of_lines(cell: Cell, layout: Layout, lit: Highlights) -> str:
    if lit.picked and lit.picked[0] == cell.pile and cell.index >= layout.find(*lit.picked).index:
        return "picked"
    if lit.cursor and cell == layout.find(*lit.cursor):
        return "cursor"
    if lit.hint and lit.hint[0] == cell.pile and cell.index >= layout.find(*lit.hint).index:
        return "hint"
    return "empty" if cell.face == "empty" else "edge"


def _paint_label(canvas: _Canvas, label: Text, lit: Highlights) -> None:
    target = label.pile in lit.targets
    canvas.write(label.x, label.y, f"▶ {label.text}" if target else label.text, "target" if target else "label")


def _sign(cell: Cell, position: Position, waiting: Card | None) -> str:
    """What an empty place shows in its middle."""
    if cell.pile == "D":
        return "↻" if position.waste else ""
    return card_text(waiting) if waiting is not None else ""


def _paint_empty(canvas: _Canvas, cell: Cell, style: str, sign: str) -> None:
    _paint_frame(canvas, cell, style, "felt")
    middle = cell.x + (cell.width - len(sign)) // 2
    canvas.write(middle, cell.y + cell.height // 2, sign, "ghost")


def _paint_card(canvas: _Canvas, cell: Cell, style: str) -> None:
    _paint_frame(canvas, cell, style, "back" if cell.face == "back" else "black")
    if cell.face == "back":
        for row in range(1, cell.height - 1):
            canvas.write(cell.x + 1, cell.y + row, "░" * (cell.width - 2), "back")
    if cell.card is None:
        return
    text, ink = card_text(cell.card), "red" if cell.card.is_red else "black"
    canvas.write(cell.x + 1, cell.y, text, ink)
    if cell.face == "whole":
        _paint_pips(canvas, cell, SUIT_SYMBOLS[cell.card.suit], ink)
        canvas.write(cell.x + cell.width - 1 - len(text), cell.y + cell.height - 1, text, ink)


def _paint_pips(canvas: _Canvas, cell: Cell, symbol: str, ink: str) -> None:
    """The suit in the middle of a card; on a large one as often as its rank says, or beside a court's letter."""
    assert cell.card is not None
    rank, middle = cell.card.rank, cell.y + cell.height // 2
    if cell.height < _ROWS_FOR_PIPS:
        canvas.write(cell.x + (cell.width - 1) // 2, middle, symbol, ink)
    elif rank >= len(_PIPS):
        canvas.write(cell.x + cell.width // 2 - 3, middle, f"{symbol}  {cell.card[0]}  {symbol}", ink)
    else:
        step = (cell.height - 3) / 4
        for column, row in _PIPS[rank]:
            x = cell.x + round((cell.width - 1) * (1 + column) / 4)
            canvas.write(x, cell.y + 1 + round(row * step), symbol, ink)


def _paint_frame(canvas: _Canvas, cell: Cell, style: str, inside: str) -> None:
    lines = _LINES[style]
    inner = cell.width - 2
    canvas.write(cell.x, cell.y, lines[0] + lines[1] * inner + lines[2], style)
    closed = cell.face != "strip"
    for row in range(1, cell.height - closed):
        canvas.write(cell.x, cell.y + row, lines[7], style)
        canvas.write(cell.x + 1, cell.y + row, " " * inner, inside)
        canvas.write(cell.x + cell.width - 1, cell.y + row, lines[3], style)
    if closed:
        canvas.write(cell.x, cell.y + cell.height - 1, lines[6] + lines[5] * inner + lines[4], style)


def _paint_short(canvas: _Canvas, cell: Cell, style: str) -> None:
    """A card that shares its row: rank and suit, after a line where there is room."""
    canvas.write(cell.x, cell.y, _LINES[style][1] * cell.width, style)
    if cell.card is not None:
        text = card_text(cell.card) if cell.width > 2 else cell.card[0] + SUIT_SYMBOLS[cell.card.suit]
        canvas.write(cell.x + (cell.width > len(text)), cell.y, text, "red" if cell.card.is_red else "black")
