"""The table as a Textual widget: shows a position, and tells what the player does to it with mouse and keys."""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar, Final

from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.binding import Binding, BindingType
from textual.geometry import Size
from textual.message import Message
from textual.strip import Strip
from textual.widget import Widget

from canfield_env.notation import Position
from canfield_env.play.layout import Cell, Direction, Layout, lay_out, needed_size, neighbour
from canfield_env.play.paint import Highlights, Row, paint
from canfield_env.rules import Rules

_PAPER: Final = "#fffdf8"
_COMMON: Final = {
    "red": f"bold #b3101c on {_PAPER}",
    "black": f"bold #15181c on {_PAPER}",
    "edge": f"#6b756f on {_PAPER}",
    "cursor": "bold #000000 on #ffd166",
    "picked": "bold #ffffff on #1d5fd1",
    "hint": "bold #000000 on #9be564",
    "back": "#c5d3f2 on #26437c",
}
_DARK: Final = _COMMON | {
    "felt": "on #123f2f",
    "label": "#d7e8df on #123f2f",
    "target": "bold #9be564 on #123f2f",
    "ghost": "#8fc4aa on #123f2f",
    "empty": "#6fae90 on #123f2f",
}
_LIGHT: Final = _COMMON | {
    "felt": "on #d3e9dd",
    "label": "#173d2d on #d3e9dd",
    "target": "bold #0b5d1e on #d3e9dd",
    "ghost": "#33604b on #d3e9dd",
    "empty": "#46745f on #d3e9dd",
}


class Table(Widget, can_focus=True):
    """A position on the screen, with a cursor and what is carried.

    Args:
        position: what is shown first.
        rules: the rule set.
        playable: whether the player moves anything on it.
    """

    DEFAULT_CSS = "Table { width: 1fr; height: 1fr; }"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up", "go('up')", show=False),
        Binding("down", "go('down')", show=False),
        Binding("left", "go('left')", show=False),
        Binding("right", "go('right')", show=False),
    ]

    class Tapped(Message):
        """A card or an empty place has been clicked."""

        def __init__(self, cell: Cell) -> None:
            self.cell = cell
            super().__init__()

    class Grabbed(Message):
        """A card has been taken hold of with the mouse, or chosen with its other button, to be carried elsewhere."""

        def __init__(self, cell: Cell) -> None:
            self.cell = cell
            super().__init__()

    class Dropped(Message):
        """What is carried has been let go: over a pile, or over none."""

        def __init__(self, pile: str | None) -> None:
            self.pile = pile
            super().__init__()

    def __init__(self, position: Position, rules: Rules, playable: bool = True) -> None:
        super().__init__()
        self.can_focus = playable
        self._position = position
        self._rules = rules
        self._playable = playable
        self.lit = Highlights(cursor=("R", -1) if playable else None)
        self._pressed: Cell | None = None
        self._dragging = False
        self._rows: list[Row] = []
        self._rows_size: Size | None = None  # the size of the screen that the rows are for, None where they are stale

    # ------------------------------------------------------------------ showing

    def show(self, position: Position, rules: Rules | None = None, lit: Highlights | None = None) -> None:
        """Shows a position, and what is pointed out on it."""
        self._position = position
        self._rules = rules or self._rules
        if lit is not None:
            self.lit = lit
        self._rows_size = None
        self.refresh()

    def light(self, lit: Highlights) -> None:
        """Points out something else."""
        self.show(self._position, lit=lit)

    @property
    def table_layout(self) -> Layout | None:
        """Where everything stands now, or None where the screen is too small."""
        return lay_out(self._position, self._rules, self.size.width, self.size.height)

    @property
    def cursor_cell(self) -> Cell | None:
        """The cell under the cursor."""
        layout = self.table_layout
        return layout.find(*self.lit.cursor) if layout and self.lit.cursor else None

    def move_cursor(self, pile: str, index: int = -1) -> None:
        """Puts the cursor on a card, or on a pile's card in play."""
        self.light(replace(self.lit, cursor=(pile, index)))

    def render_line(self, y: int) -> Strip:
        """One row of the table."""
        if self._rows_size != self.size:
            self._rows, self._rows_size = self._paint(self.size), self.size
        styles = _DARK if self.app.current_theme.dark else _LIGHT
        row = self._rows[y] if y < len(self._rows) else []
        return Strip([Segment(text, Style.parse(styles[style])) for text, style in row])

    def _paint(self, size: Size) -> list[Row]:
        layout = self.table_layout
        if layout is not None:
            return paint(layout, self._position, self._rules, size.width, size.height, self.lit)
        width, height = needed_size(self._rules)
        # What is around the table on the screen comes on top of what the table needs.
        width += self.screen.size.width - size.width
        height += self.screen.size.height - size.height
        have = f"{self.screen.size.width} x {self.screen.size.height}"
        text = [f"The terminal is {have};", f"the table needs {width} x {height}."]
        return [[(line.ljust(size.width)[: size.width], "label")] for line in [*text, *[""] * size.height]][
            : size.height
        ]

    # ------------------------------------------------------------------ keys and mouse

    def action_go(self, direction: Direction) -> None:
        """Moves the cursor."""
        layout, cell = self.table_layout, self.cursor_cell
        if layout and cell:
            there = neighbour(layout, cell, direction)
            self.move_cursor(there.pile, there.index)

    def on_mouse_down(self, event: events.MouseDown) -> None:
        """Takes hold of what lies under the pointer."""
        cell = self._cell_at(event)
        if cell is None:
            return
        if event.button == 1:
            self._pressed, self._dragging = cell, False
            self.capture_mouse()
        else:
            self.post_message(self.Grabbed(cell))

    def on_mouse_move(self, event: events.MouseMove) -> None:
        """A held card that leaves its place is being dragged."""
        if self._pressed is None or self._dragging or self._cell_at(event) == self._pressed:
            return
        self._dragging = True
        self.post_message(self.Grabbed(self._pressed))

    def on_mouse_up(self, event: events.MouseUp) -> None:
        """A click, or the end of a drag."""
        pressed, dragging = self._pressed, self._dragging
        self._pressed, self._dragging = None, False
        self.release_mouse()
        if pressed is None:
            return
        if dragging:
            cell = self._cell_at(event)
            self.post_message(self.Dropped(cell.pile if cell else self._column_at(event.x, event.y)))
        else:
            self.post_message(self.Tapped(pressed))

    def _cell_at(self, event: events.MouseEvent) -> Cell | None:
        layout = self.table_layout
        return layout.at(event.x, event.y) if layout and self._playable else None

    def _column_at(self, x: int, y: int) -> str | None:
        """The column below whose last card the pointer is."""
        layout = self.table_layout
        cells = layout.cells if layout else ()
        return next((c.pile for c in cells if c.pile.isdecimal() and c.x <= x < c.x + c.width and y >= c.y), None)
