"""The terminal game: ``canfield play``."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import ClassVar, Final, Protocol

from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.timer import Timer
from textual.widgets import Footer, Static

from canfield_env.cards import SUITS
from canfield_env.deals import Deal
from canfield_env.errors import IllegalMoveError
from canfield_env.game import Game
from canfield_env.notation import Move
from canfield_env.play.dialogs import WINDOWS_CSS, HelpWindow, NewGame, SettingsWindow, StatisticsWindow
from canfield_env.play.helper import Helper, HelperError
from canfield_env.play.layout import Cell, card_text
from canfield_env.play.paint import Highlights
from canfield_env.play.session import Session
from canfield_env.play.statistics import by_draw
from canfield_env.play.storage import Settings, Storage
from canfield_env.play.table import Table
from canfield_env.render.text import with_symbols
from canfield_env.view import PlayerView

# The game in progress is written this many seconds after a move, so that quick moves are written once.
_SAVE_AFTER: Final = 1.0

HELP: Final = """\
CANFIELD

All four foundations start with the rank of the base card and go up
by suit, ace after king. Columns go down in alternating colours,
king on ace; any packed run moves as one. A column that becomes
empty is filled from the reserve; once that is used up, it takes any
card or run. Each card that reaches a foundation is 5 points.

MOUSE
  click a card     it goes to its foundation, else to a column
  drag a card      with the cards on it, to a column or foundation
  click the stock  turns it
  other button     picks a card up; the next click puts it down

KEYS
  D        turn the stock, or the waste back
  arrows   move the cursor
  Enter    tap the card at the cursor, or put down what is picked up
  Space    pick up the card at the cursor, with those on it; put down
  W R 1-4  pick up waste, reserve or column; then 1-4 or F put down:
           R 2, W F, 1 3. The same key twice taps the card in play.
  Esc      put back what is picked up
  U  Y     undo (the last 100 actions, points included); redo
  H        a hint
  X        can this still be won? The solver answers, which looks at
           the hidden cards
  C        copy the code of the game
  N S T    new game; settings; statistics
  Q        quit; the game is kept

To take a card back from a foundation, drag it, or go there with the
arrows and press Space.

Esc closes this window.
"""


class Adviser(Protocol):
    """Who answers long questions without stopping the screen."""

    def hint(self, view: PlayerView) -> Awaitable[tuple[Move, str]]:
        """A move, and who gives it."""

    def solve(self, game: Game) -> Awaitable[str]:
        """A verdict, hidden cards looked at."""

    async def close(self) -> None:
        """Drops the question."""


class PlayApp(App[None]):
    """The game in the terminal.

    Args:
        session: the game to play.
        storage: what is kept between runs.
        settings: what the player has chosen.
        advisers: who gives hints, and who says whether a game can be won.
    """

    TITLE = "Canfield"
    ENABLE_COMMAND_PALETTE = False
    CSS = (
        WINDOWS_CSS
        + """
#status { height: 1; padding: 0 1; background: $panel; color: $text; }
#message { height: 1; padding: 0 1; background: $surface; color: $text; }
#message.won, #message.dead { text-style: bold reverse; }
"""
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("d", "turn", "Turn"),
        Binding("enter", "tap", "Tap"),
        Binding("space", "carry", "Carry"),
        Binding("u", "undo", "Undo"),
        Binding("h", "hint", "Hint"),
        Binding("n", "new", "New"),
        Binding("question_mark", "help", "Help"),
        Binding("q", "quit", "Quit"),
        Binding("y", "redo", "Redo", show=False),
        Binding("x", "solve", "Winnable?", show=False),
        Binding("c", "copy", "Copy code", show=False),
        Binding("s", "settings", "Settings", show=False),
        Binding("t", "statistics", "Statistics", show=False),
        Binding("escape", "drop", "Put back", show=False),
        Binding("w", "quick('W')", show=False),
        Binding("r", "quick('R')", show=False),
        Binding("f", "quick('F')", show=False),
        *[Binding(str(k), f"quick('{k}')", show=False) for k in range(1, 10)],
    ]

    def __init__(
        self,
        session: Session,
        storage: Storage,
        settings: Settings,
        advisers: tuple[Adviser, Adviser] | None = None,
    ) -> None:
        super().__init__()
        self.session = session
        self.storage = storage
        self.settings = settings
        self._hinter, self._solver = advisers or (Helper(), Helper())
        # What is carried: pile and place, and whether the longest run that fits is meant.
        self._picked: tuple[str, int] | None = None
        self._longest = False
        self._save_timer: Timer | None = None

    def compose(self) -> ComposeResult:
        """Builds the screen."""
        yield Static("", id="status", markup=False)
        yield Table(self.session.game.player_view().position, self.session.game.rules)
        yield Static("", id="message", markup=False)
        yield Footer()

    def on_mount(self) -> None:
        """Shows the game."""
        self._apply_settings()
        self.table.focus()
        self._show("Click or tap a card to move it; ? explains everything.")
        self._tell_notices()

    async def on_unmount(self) -> None:
        """Keeps the game."""
        self.storage.save_session(self.session)
        await self._hinter.close()
        await self._solver.close()

    # ------------------------------------------------------------------ showing

    @property
    def table(self) -> Table:
        """The table."""
        return self.screen_stack[0].query_one(Table)

    def say(self, text: str) -> None:
        """Shows a line below the table; a game that is won or dead stays marked."""
        state = self.session.state
        if state == "won":
            text = f"Won with {self.session.game.score} points!  N deals a new game, U takes back.  {text}"
        elif state == "dead":
            text = f"Dead end: no move is left, even by turning.  U takes back, N new game.  {text}"
        message = self.screen_stack[0].query_one("#message", Static)
        message.set_class(state == "won", "won")
        message.set_class(state == "dead", "dead")
        message.update(with_symbols(text))

    def _show(self, text: str, hint: Move | None = None) -> None:
        """Shows the game as it stands now, and a line below it."""
        game = self.session.game
        self.screen_stack[0].query_one("#status", Static).update(self._status())
        self.table.show(game.player_view().position, game.rules, self._highlights(hint))
        self.say(text)

    def _status(self) -> str:
        game = self.session.game
        redeals = f"   turned back {game.redeals}" if game.redeals else ""
        up = f"up {game.cards_up}/{game.rules.cards}"
        reserve = f"reserve {len(game.reserve)}"
        return f"{self.session.title}   score {game.score}   moves {game.actions}   {up}   {reserve}{redeals}"

    def _highlights(self, hint: Move | None = None) -> Highlights:
        targets: list[str] = []
        moved = None
        if self._picked:
            pile, index = self._picked
            places = range(index, len(self.session.pile(pile))) if self._longest else [index]
            targets = [target for place in places for target in self.session.targets(pile, place)]
        elif hint is not None:
            moved, targets = self._hint_highlight(hint)
        return replace(self.table.lit, picked=self._picked, hint=moved, targets=targets)

    def _hint_highlight(self, hint: Move) -> tuple[tuple[str, int], list[str]]:
        pile = self.session.pile(hint.source)
        if hint.target == "F":
            return (hint.source, len(pile) - 1), ["F" + SUITS[pile[-1].suit]]
        whole = 0 if hint.source.isdecimal() else len(pile) - 1
        return (hint.source, len(pile) - hint.count if hint.count else whole), [hint.target]

    def _tell_notices(self) -> None:
        for notice in self.storage.notices:
            self.notify(notice, severity="warning", timeout=10, markup=False)
        self.storage.notices.clear()

    def _apply_settings(self) -> None:
        self.theme = "textual-dark" if self.settings.theme == "dark" else "textual-light"

    # ------------------------------------------------------------------ moves

    def _try(self, move: Move) -> None:
        """Plays a move, or says why it is none."""
        self._drop()
        try:
            text = self.session.play(move)
        except IllegalMoveError as error:
            self._show(str(error))
            return
        self._changed(text)

    def _changed(self, text: str) -> None:
        """Shows the game after a move, and has it saved soon."""
        self.workers.cancel_group(self, "questions")
        self._show(text)
        if self._save_timer is None:
            self._save_timer = self.set_timer(_SAVE_AFTER, self._save)

    def _save(self) -> None:
        self._save_timer = None
        self.storage.save_session(self.session)
        self._tell_notices()

    def _drop(self) -> None:
        self._picked, self._longest = None, False

    def _tap(self, pile: str) -> None:
        """What a tap on a pile does, at the card under the cursor (rule I1)."""
        if pile == "D":
            self.action_turn()
            return
        cell = self.table.cursor_cell
        if cell is None or cell.card is None or pile[0] == "F":
            self._show("Drag a card from a foundation, or pick it up with Space." if pile[0] == "F" else "")
            return
        move = self.session.tap(cell.card, self.settings.double_tap)
        if move is not None:
            self._try(move)
        elif not cell.pile.isdecimal() and cell.index < len(self.session.pile(pile)) - 1:
            self._show(f"{card_text(cell.card)} is covered.")
        else:
            where = "fits nowhere" if self.settings.double_tap else "does not fit its foundation"
            self._show(f"{card_text(cell.card)} {where} now.")

    def _place(self, target: str) -> None:
        """Puts down what is carried."""
        assert self._picked is not None
        (pile, index), longest = self._picked, self._longest
        self._drop()
        if pile == target:
            self._show("")
            return
        try:
            move = self.session.longest(pile, target) if longest else self.session.carry(pile, index, target)
        except IllegalMoveError as error:
            self._show(str(error))
            return
        self._try(move)
        self.table.move_cursor(target if target != "F" else pile)

    def _pick(self, cell: Cell, longest: bool = False) -> None:
        """Picks a card up, with those on it."""
        if cell.card is None or (cell.pile == "W" and cell.index != len(self.session.game.waste) - 1):
            self._show("There is no card to pick up.")
            return
        self._picked, self._longest = (cell.pile, cell.index), longest
        self._show(f"{card_text(cell.card)}: where to? Esc puts it back.")

    # ------------------------------------------------------------------ mouse

    def on_table_tapped(self, event: Table.Tapped) -> None:
        """A click puts down what is carried, or taps."""
        cell = event.cell
        if self._picked:
            self._place(cell.pile)
            return
        self.table.move_cursor(cell.pile, cell.index)
        self._tap(cell.pile)

    def on_table_grabbed(self, event: Table.Grabbed) -> None:
        """A card has been taken hold of."""
        self.table.move_cursor(event.cell.pile, event.cell.index)
        self._pick(event.cell)

    def on_table_dropped(self, event: Table.Dropped) -> None:
        """A drag has ended."""
        if self._picked is None:
            return
        if event.pile is None:
            self.action_drop()
        else:
            self._place(event.pile)

    # ------------------------------------------------------------------ keys

    def action_turn(self) -> None:
        """Turns the stock."""
        self._try(Move("D"))

    def action_tap(self) -> None:
        """Taps the card at the cursor, or puts down there what is carried."""
        cell = self.table.cursor_cell
        if cell is not None:
            self._place(cell.pile) if self._picked else self._tap(cell.pile)

    def action_carry(self) -> None:
        """Picks up the card at the cursor, or puts it down there."""
        cell = self.table.cursor_cell
        if cell is None:
            return
        if self._picked:
            self._place(cell.pile)
        elif cell.pile == "D":
            self.action_turn()
        else:
            self._pick(cell)

    def action_drop(self) -> None:
        """Puts back what is carried."""
        self._drop()
        self._show("")

    def action_quick(self, pile: str) -> None:
        """Picks up a pile by its key, or puts down there what is carried."""
        if pile.isdecimal() and int(pile) > self.session.game.rules.columns:
            return
        layout = self.table.table_layout
        if layout is None:
            return
        if self._picked and self._picked[0] == pile:
            self._drop()
            self.table.move_cursor(pile)
            self._tap(pile)
        elif self._picked:
            self._place(pile)
        elif pile == "F":
            self._show("F is where to: press W, R or 1-4 first.")
        else:
            cell = layout.find(pile, 0) if pile.isdecimal() else layout.top(pile)
            self.table.move_cursor(pile)
            self._pick(cell, longest=True)

    def action_undo(self) -> None:
        """Takes the last move back."""
        self._step_back_or_on(self.session.undo, "taken back")

    def action_redo(self) -> None:
        """Plays again what was undone."""
        self._step_back_or_on(self.session.redo, "played again")

    def _step_back_or_on(self, step: Callable[[], Move], what: str) -> None:
        self._drop()
        try:
            move = step()
        except IllegalMoveError as error:
            self._show(f"{error}")
            return
        self._changed(f"{move} {what}")

    def action_copy(self) -> None:
        """Copies the code."""
        code = self.session.deal.code
        text = code or " ".join(self.session.deal.deck)
        self.copy_to_clipboard(text)
        self.say(f"{code or 'The deck'} has been copied.")

    # ------------------------------------------------------------------ long questions

    def action_hint(self) -> None:
        """Asks for a move, in the background."""
        if self.session.state != "open":
            self.say("")
            return
        self.say("Thinking about a hint ...")
        self.run_worker(self._hint(), group="questions", exclusive=True)

    async def _hint(self) -> None:
        try:
            move, agent = await self._hinter.hint(self.session.game.player_view())
            text = self.session.foretell(move)
        except (HelperError, ValueError) as error:
            self.say(f"No hint: {error}")
            return
        self._drop()
        self._show(f"Hint ({agent}): {text}", move)

    def action_solve(self) -> None:
        """Asks whether the game can still be won, in the background."""
        self.say("The solver is looking, at the hidden cards too ...")
        self.run_worker(self._solve(), group="questions", exclusive=True)

    async def _solve(self) -> None:
        try:
            verdict = await self._solver.solve(self.session.game)
        except HelperError as error:
            self.say(f"No answer: {error}")
            return
        self.say(f"{VERDICTS[verdict]} (The solver has looked at the hidden cards.)")

    # ------------------------------------------------------------------ windows

    def action_new(self) -> None:
        """Opens the window for a new game."""
        self.push_screen(NewGame(self.settings.draw), self._start)

    def _start(self, deal: Deal | None) -> None:
        if deal is None:
            return
        self.workers.cancel_group(self, "questions")
        self.storage.close_session(self.session)
        self.session = Session(deal, self.session.game.rules)
        self.settings = replace(self.settings, draw=deal.draw)
        self.storage.save_settings(self.settings)
        self._drop()
        self.table.move_cursor("R")
        self._changed("A new game.")
        self._tell_notices()

    def action_settings(self) -> None:
        """Opens the settings."""
        self.push_screen(SettingsWindow(self.settings), self._set)

    def _set(self, settings: Settings | None) -> None:
        if settings is not None:
            self.settings = settings
            self.storage.save_settings(settings)
            self._apply_settings()
            self._show("")
            self._tell_notices()

    def action_statistics(self) -> None:
        """Shows the statistics; a won game counts before it is left."""
        records = self.storage.records()
        if self.session.game.is_won:
            records.append(self.session.record())
        self.push_screen(StatisticsWindow(by_draw(records)))
        self._tell_notices()

    def action_help(self) -> None:
        """Shows the help."""
        self.push_screen(HelpWindow(HELP))


#: What the solver's verdicts mean for the player.
VERDICTS: Final = {
    "winnable": "This can still be won.",
    "unwinnable": "This can no longer be won.",
    "undecided": "The solver could not tell in its time.",
}
