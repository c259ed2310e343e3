"""The windows that open over the table: new game, settings, statistics, help."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import ClassVar, Final

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.screen import ModalScreen
from textual.widgets import Button, Input, Label, Static, Switch

from canfield_env.deals import Deal
from canfield_env.errors import DealError
from canfield_env.play.statistics import Statistics
from canfield_env.play.storage import Settings

_CLOSE: Final[list[BindingType]] = [Binding("escape", "dismiss", "Close")]

#: What the draw counts are called.
DRAW_NAMES: Final = {3: "Hard: draw 3", 1: "Easy: draw 1"}


class NewGame(ModalScreen[Deal | None]):
    """Asks for a draw count or a code, and gives the deal.

    Args:
        draw: the draw count offered first.
    """

    BINDINGS: ClassVar[list[BindingType]] = _CLOSE

    def __init__(self, draw: int) -> None:
        super().__init__()
        self._draw = draw

    def compose(self) -> ComposeResult:
        """Builds the window."""
        with Vertical(classes="window"):
            yield Label("New game", classes="heading")
            with Horizontal(classes="buttons"):
                for draw, name in DRAW_NAMES.items():
                    yield Button(name, variant="primary" if draw == self._draw else "default", id=f"draw-{draw}")
                yield Button("Cancel", id="cancel")
            yield Label("Or the code of a game, and Enter:", classes="aside")
            yield Input(placeholder="CF1-D3-AAAAACL", id="code", max_length=20)
            yield Static("", id="fault", markup=False)

    def on_mount(self) -> None:
        """Enter deals at once."""
        self.query_one(f"#draw-{self._draw}").focus()

    def on_input_changed(self) -> None:
        """A code that is being mended is no longer at fault."""
        self.query_one("#fault", Static).update("")

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Deals the game of the code, or says what is wrong with it."""
        try:
            self.dismiss(Deal.from_code(event.value))
        except DealError as error:
            self.query_one("#fault", Static).update(str(error))

    def on_button_pressed(self, event: Button.Pressed) -> None:
        """Deals, or closes the window."""
        number = (event.button.id or "").removeprefix("draw-")
        self.dismiss(Deal.random(draw=int(number)) if number.isdecimal() else None)


class SettingsWindow(ModalScreen[Settings]):
    """Shows the settings, and gives them as they are when it is closed."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape,s", "done", "Close")]

    def __init__(self, settings: Settings) -> None:
        super().__init__()
        self._settings = settings

    def compose(self) -> ComposeResult:
        """Builds the window."""
        with Vertical(classes="window"):
            yield Label("Settings", classes="heading")
            for name, on in (
                ("double-tap", self._settings.double_tap),
                ("light", self._settings.theme == "light"),
            ):
                with Horizontal(classes="setting"):
                    yield Switch(on, id=name)
                    yield Label(_setting_text(name, on), id=f"{name}-text")
            with Horizontal(classes="buttons"):
                yield Button("Done", variant="primary", id="done")

    def on_switch_changed(self, event: Switch.Changed) -> None:
        """Says in words how a switch stands."""
        name = event.switch.id or ""
        self.query_one(f"#{name}-text", Label).update(_setting_text(name, event.value))

    def on_button_pressed(self) -> None:
        """Closes the window."""
        self.action_done()

    def action_done(self) -> None:
        """Closes the window with what has been chosen."""
        light = self.query_one("#light", Switch).value
        chosen = replace(
            self._settings,
            double_tap=self.query_one("#double-tap", Switch).value,
            theme="light" if light else "dark",
        )
        self.dismiss(chosen)


def _setting_text(name: str, on: bool) -> str:
    if name == "light":
        return "Colours: light" if on else "Colours: dark"
    return f"Double tap: {'on, a tap plays to columns too' if on else 'off, a tap plays to foundations only'}"


class StatisticsWindow(ModalScreen[None]):
    """Shows what the games so far have come to."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape,t,enter", "dismiss", "Close")]

    def __init__(self, statistics: Mapping[int, Statistics]) -> None:
        super().__init__()
        self._statistics = statistics

    def compose(self) -> ComposeResult:
        """Builds the window."""
        with Vertical(classes="window"):
            yield Label("Statistics", classes="heading")
            yield Static(statistics_text(self._statistics), markup=False)
            yield Label("Esc closes", classes="aside")


def statistics_text(statistics: Mapping[int, Statistics]) -> str:
    """Statistics as a small table."""
    lines = [f"{'':14}{'played':>8}{'won':>6}{'':>8}{'best':>7}{'average':>9}"]
    for draw, games in statistics.items():
        share = f"{games.won / games.played:.0%}" if games.played else ""
        best = "-" if games.best is None else str(games.best)
        average = "-" if games.average is None else f"{games.average:.1f}"
        lines.append(f"{DRAW_NAMES[draw]:14}{games.played:>8}{games.won:>6}{share:>8}{best:>7}{average:>9}")
    return "\n".join(lines)


class HelpWindow(ModalScreen[None]):
    """Shows text about keys and rules."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape,question_mark,enter,q", "dismiss", "Close")]

    def __init__(self, text: str) -> None:
        super().__init__()
        self._text = text

    def compose(self) -> ComposeResult:
        """Builds the window."""
        with VerticalScroll(classes="window tall"):
            yield Static(self._text, markup=False)

    def on_mount(self) -> None:
        """The arrow keys scroll."""
        self.query_one(VerticalScroll).focus()


#: How windows look, shared by the applications that open them.
WINDOWS_CSS: Final = """
ModalScreen { align: center middle; }
.window { width: 66; max-width: 96%; height: auto; max-height: 96%; padding: 1 2; border: round $primary;
          background: $surface; }
.window.tall { width: 78; max-width: 100%; height: 96%; max-height: 40; }
.heading { text-style: bold; padding-bottom: 1; }
.aside { color: $text-muted; padding-top: 1; }
.buttons { height: auto; padding-top: 1; }
.buttons Button { margin-right: 2; }
.setting { height: auto; }
.setting Label { padding: 1 1; width: 1fr; }
#fault { color: $text-error; height: auto; min-height: 1; }
"""
