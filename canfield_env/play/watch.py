"""Watching an episode in the terminal: ``canfield watch``."""

from __future__ import annotations

from typing import ClassVar, Final

from textual import events
from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.screen import ModalScreen
from textual.timer import Timer
from textual.widgets import Footer, Input, Label, OptionList, Static

from canfield_env.notation import Pile
from canfield_env.play.dialogs import WINDOWS_CSS
from canfield_env.play.layout import Cell, card_text, needed_size
from canfield_env.play.paint import Highlights
from canfield_env.play.table import Table
from canfield_env.render.frames import Film, Frame
from canfield_env.render.text import printable, with_symbols

#: Seconds between moves, from slow to fast.
SPEEDS: Final = (2.0, 1.0, 0.5, 0.2, 0.05)
_LIST_WIDTH: Final = 48


class JumpWindow(ModalScreen[int | None]):
    """Asks for the number of a move.

    Args:
        last: the largest number there is.
    """

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "dismiss", "Close")]

    def __init__(self, last: int) -> None:
        super().__init__()
        self._last = last

    def compose(self) -> ComposeResult:
        """Builds the window."""
        with Vertical(classes="window"):
            yield Label(f"To which move? 0 to {self._last}, then Enter", classes="heading")
            yield Input(type="integer", id="number", max_length=6)
            yield Static("", id="fault")

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Gives the number, or says what is wrong with it."""
        if event.value.isdecimal() and int(event.value) <= self._last:
            self.dismiss(int(event.value))
        else:
            self.query_one("#fault", Static).update(f"There is no such move: give a number from 0 to {self._last}.")


class WatchApp(App[None]):
    """Steps through an episode.

    Args:
        film: the episode.
        start: the number of the move to begin after.
    """

    TITLE = "Canfield"
    ENABLE_COMMAND_PALETTE = False
    CSS = (
        WINDOWS_CSS
        + f"""
#status {{ height: 1; padding: 0 1; background: $panel; color: $text; }}
#message {{ height: 1; padding: 0 1; background: $surface; color: $text; text-style: bold; }}
#fault-line {{ height: auto; padding: 0 1; background: $error; color: $text; }}
#hidden {{ height: auto; max-height: 3; padding: 0 1; background: $surface; color: $text; }}
#moves {{ width: {_LIST_WIDTH}; border: none; height: 1fr; }}
Horizontal.narrow #moves {{ display: none; }}
"""
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("space", "play", "Play"),
        Binding("left", "step(-1)", "Back", priority=True),
        Binding("right", "step(1)", "On", priority=True),
        Binding("home", "go(0)", "Start", show=False, priority=True),
        Binding("end", "go(-1)", "End", show=False, priority=True),
        Binding("g", "jump", "Go to"),
        Binding("plus,equals_sign", "speed(1)", "Faster", key_display="+"),
        Binding("minus", "speed(-1)", "Slower", key_display="-"),
        Binding("v", "view", "All cards"),
        Binding("q", "quit", "Quit"),
    ]

    def __init__(self, film: Film, start: int = 0) -> None:
        super().__init__()
        self.film = film
        self.at = max(0, min(start, len(film.frames) - 1))
        self.all_cards = False
        self.speed = 1
        self._timer: Timer | None = None

    def compose(self) -> ComposeResult:
        """Builds the screen."""
        frame = self.film.frames[self.at]
        yield Static(self._heading(), id="status", markup=False)
        if self.film.fault:
            yield Static(f"This record does not replay: {self.film.fault}", id="fault-line", markup=False)
        with Horizontal():
            yield Table(frame.view.position, frame.view.rules, playable=False)
            moves = OptionList(
                *map(_list_line, range(len(self.film.frames)), self.film.frames), id="moves", markup=False
            )
            moves.can_focus = False
            yield moves
        yield Static("", id="hidden", markup=False)
        yield Static("", id="message", markup=False)
        yield Footer()

    def on_mount(self) -> None:
        """Shows the first frame."""
        self._show()

    def on_resize(self, event: events.Resize) -> None:
        """The list of moves is there where it fits beside the table."""
        width, _ = needed_size(self.film.record.rules)
        self.query_one(Horizontal).set_class(event.size.width < width + _LIST_WIDTH, "narrow")

    # ------------------------------------------------------------------ showing

    def _heading(self) -> str:
        record = self.film.record
        by = f"   {record.agent}" if record.agent else ""
        result = f"{record.outcome}, {record.cards_up} cards up, score {record.score}"
        return printable(f"{self.film.title}{by}   {result}")

    def _show(self) -> None:
        frame = self.film.frames[self.at]
        view = frame.everything if self.all_cards else frame.view
        table = self.screen_stack[0].query_one(Table)
        table.show(view.position, view.rules)
        table.light(Highlights(hint=self._moved(table, frame)))
        self._query_static("#message").update(self._message(frame))
        self._query_static("#hidden").update(_hidden(view.position.reserve[:-1], view.position.stock))
        moves = self.screen_stack[0].query_one(OptionList)
        moves.highlighted = self.at

    def _query_static(self, selector: str) -> Static:
        return self.screen_stack[0].query_one(selector, Static)

    def _message(self, frame: Frame) -> str:
        state = f"score {frame.view.score}" + ("   all cards" if self.all_cards else "")
        pace = "" if self._timer is None else f"   playing, {SPEEDS[self.speed]:g} s a move"
        return f"{self.at}/{len(self.film.frames) - 1}  {_said(frame)}   {state}{pace}"

    def _moved(self, table: Table, frame: Frame) -> tuple[str, int] | None:
        """Where the cards that have moved now lie: the pile, and the lowest of them."""
        layout = table.table_layout
        cells: list[Cell] = [cell for cell in layout.cells if cell.card in frame.moved] if layout else []
        target = frame.token[1:2]
        aimed = [cell for cell in cells if cell.pile == target or (target in ("", "F") and cell.pile[0] in "WF")]
        return min(((cell.pile, cell.index) for cell in aimed), key=lambda found: found[1], default=None)

    # ------------------------------------------------------------------ going

    def go(self, number: int) -> None:
        """Shows the table after a move; a number that there is not goes as far as it can."""
        self.at = max(0, min(number, len(self.film.frames) - 1))
        if self.at == len(self.film.frames) - 1:
            self._pause()
        self._show()

    def _pause(self) -> None:
        if self._timer is not None:
            self._timer.stop()
            self._timer = None

    def _play(self) -> None:
        self._pause()
        self._timer = self.set_interval(SPEEDS[self.speed], lambda: self.go(self.at + 1))

    def action_play(self) -> None:
        """Plays from here, from the start where the end is shown, or pauses."""
        if self._timer is not None:
            self._pause()
        else:
            self._play()
            if self.at == len(self.film.frames) - 1:
                self.at = 0
        self._show()

    def action_step(self, by: int) -> None:
        """Goes some moves on, or back."""
        self._pause()
        self.go(self.at + by)

    def action_go(self, number: int) -> None:
        """Goes to a move, -1 for the last."""
        self._pause()
        self.go(number if number >= 0 else len(self.film.frames) - 1)

    def action_jump(self) -> None:
        """Asks for a move to go to."""
        self._pause()

        def jump(number: int | None) -> None:
            self.go(self.at if number is None else number)

        self.push_screen(JumpWindow(len(self.film.frames) - 1), jump)

    def action_speed(self, by: int) -> None:
        """Plays faster or slower."""
        self.speed = max(0, min(self.speed + by, len(SPEEDS) - 1))
        if self._timer is not None:
            self._play()
        self._show()

    def action_view(self) -> None:
        """Shows all cards, or what the player knew."""
        self.all_cards = not self.all_cards
        self._show()

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """A click on a move goes there."""
        self.action_go(event.option_index)


def _said(frame: Frame) -> str:
    if not frame.token:
        return "the deal"
    value = "" if frame.value is None else f"   value {frame.value:.3g}"
    return f"{frame.token}  {with_symbols(frame.annotation)}{value}"


def _list_line(number: int, frame: Frame) -> str:
    value = "" if frame.value is None else f"{frame.value:.3g}"
    text = with_symbols(frame.annotation) if frame.token else "the deal"
    return f"{number:>4} {frame.token:5} {text[:22]:22} {value:>6}"


def _hidden(reserve: Pile, stock: Pile) -> str:
    """What lies face down, as far as it is known, the next card first."""
    parts = []
    for name, pile in (("reserve", reserve), ("stock", stock)):
        if any(pile):
            parts.append(f"{name}: " + " ".join(card_text(card) if card else "??" for card in reversed(pile)))
    return "   ".join(parts)
