"""The terminal game, driven by keys and mouse as a person does."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from textual.containers import VerticalScroll
from textual.pilot import Pilot
from textual.widgets import Input, Static, Switch

from canfield_env import Deal
from canfield_env.play.app import HELP, PlayApp
from canfield_env.play.dialogs import NewGame, SettingsWindow, StatisticsWindow
from canfield_env.play.storage import Settings, Storage
from canfield_env.play.table import Table
from tests.play.people import Advisers, an_app, check_screen, drive, easy_deal, easy_moves, screen_text

SIZES = [(80, 24), (200, 60)]
POINT = tuple[int, int]


def at(app: PlayApp, pile: str, index: int = -1) -> POINT:
    """Where a card can be touched: in its upper strip."""
    layout = app.table.table_layout
    assert layout is not None
    cell = layout.find(pile, index)
    return cell.x + 1, cell.y


def tokens(app: PlayApp) -> str:
    return " ".join(map(str, app.session.game.moves))


def message(app: PlayApp) -> str:
    return str(app.screen_stack[0].query_one("#message", Static).content)


async def drag(pilot: Pilot[Any], start: POINT, end: POINT) -> None:
    await pilot.mouse_down(Table, offset=start)
    await pilot.hover(Table, offset=end)
    await pilot.mouse_up(Table, offset=end)
    await pilot.pause()


# ------------------------------------------------------------------ tapping and dragging


@pytest.mark.parametrize("size", SIZES)
def test_i1_a_tapped_card_goes_to_its_foundation_else_to_a_column(tmp_path: Path, size: tuple[int, int]):
    app = an_app(tmp_path)

    async def steps(pilot: Pilot[Any]) -> None:
        await pilot.click(Table, offset=at(app, "R"))
        assert tokens(app) == "R2"
        await pilot.click(Table, offset=at(app, "R"))
        assert tokens(app) == "R2 RF"
        assert app.session.game.score == 5
        await pilot.click(Table, offset=at(app, "2", 0))
        assert tokens(app) == "R2 RF 24", "the run from the card that was tapped"
        await pilot.click(Table, offset=at(app, "1"))
        assert "6♣ fits nowhere" in message(app)

    drive(app, steps, size)


def test_i1_without_double_tap_a_tap_plays_to_foundations_only(tmp_path: Path):
    app = an_app(tmp_path, settings=Settings(double_tap=False))

    async def steps(pilot: Pilot[Any]) -> None:
        await pilot.click(Table, offset=at(app, "R"))
        assert tokens(app) == ""
        assert "Q♣ does not fit its foundation" in message(app)
        await pilot.press("r", "2")
        await pilot.click(Table, offset=at(app, "R"))
        assert tokens(app) == "R2 RF"

    drive(app, steps)


@pytest.mark.parametrize("size", SIZES)
def test_i2_cards_are_dragged(tmp_path: Path, size: tuple[int, int]):
    app = an_app(tmp_path)

    async def steps(pilot: Pilot[Any]) -> None:
        await drag(pilot, at(app, "R"), at(app, "2"))
        await drag(pilot, at(app, "R"), at(app, "Fh"))
        await drag(pilot, at(app, "2", 0), at(app, "4"))
        assert tokens(app) == "R2 RF 24"
        await drag(pilot, at(app, "R"), at(app, "1"))
        assert tokens(app) == "R2 RF 24"
        assert "does not go on" in message(app)
        await drag(pilot, at(app, "R"), (0, 0))
        assert tokens(app) == "R2 RF 24", "let go over nothing"
        assert app.table.lit.picked is None

    drive(app, steps, size)


def test_i2_a_tail_is_dragged_and_a_card_taken_back(tmp_path: Path):
    app = an_app(tmp_path, moves="R2 RF 24")

    async def steps(pilot: Pilot[Any]) -> None:
        for move in ("D", "D"):
            app.session.play(move)
        legal = {str(move) for move in app.session.game.legal_moves()}
        while not any("x" in token for token in legal):
            app.session.play(app.session.game.legal_moves()[0])
            legal = {str(move) for move in app.session.game.legal_moves()}
        token = next(token for token in sorted(legal) if "x" in token)
        count = int(token.partition("x")[2])
        app.action_drop()
        await pilot.pause()
        index = len(app.session.pile(token[0])) - count
        await drag(pilot, at(app, token[0], index), at(app, token[1]))
        assert tokens(app).endswith(token)

    drive(app, steps)


def test_f1_a_card_is_taken_back_by_mouse_and_by_keys(tmp_path: Path):
    app = an_app(tmp_path, easy_deal(), "1F")

    async def steps(pilot: Pilot[Any]) -> None:
        assert "Fd1" not in [str(move) for move in app.session.game.legal_moves()]
        for move in easy_moves()[1:]:
            app.session.play(move)
            back = [str(move) for move in app.session.game.legal_moves() if move.source[0] == "F"]
            if back:
                break
        app.action_drop()
        await pilot.pause()
        source, target = back[0][:2], back[0][2]
        score = app.session.game.score
        await drag(pilot, at(app, source), at(app, target))
        assert tokens(app).endswith(back[0])
        assert app.session.game.score == score
        await pilot.press("u")
        app.table.move_cursor(source)
        await pilot.press("space", target)
        assert tokens(app).endswith(back[0])

    drive(app, steps)


def test_the_stock_is_turned_by_click_and_key_and_turned_back(tmp_path: Path):
    app = an_app(tmp_path)

    async def steps(pilot: Pilot[Any]) -> None:
        await pilot.click(Table, offset=at(app, "D"))
        assert message(app) == "turn 8♦ 7♣ 2♦"
        await pilot.click(Table, offset=at(app, "W", 0))
        assert message(app) == "8♦ is covered."
        await pilot.click(Table, offset=at(app, "W", 2))
        assert message(app) == "2♦ fits nowhere now."
        await pilot.press(*["d"] * 12)
        assert app.session.game.redeals == 1
        assert message(app) == "turn the waste back"
        assert "turned back 1" in screen_text(app)

    drive(app, steps)


def test_the_other_mouse_button_picks_up_and_a_click_puts_down(tmp_path: Path):
    app = an_app(tmp_path)

    async def steps(pilot: Pilot[Any]) -> None:
        await pilot.click(Table, offset=at(app, "R"), button=3)
        assert app.table.lit.picked == ("R", 12)
        assert list(app.table.lit.targets) == ["2"]
        await pilot.click(Table, offset=at(app, "2"))
        assert tokens(app) == "R2"

    drive(app, steps)


# ------------------------------------------------------------------ keys


def test_keys_name_the_piles(tmp_path: Path):
    app = an_app(tmp_path)

    async def steps(pilot: Pilot[Any]) -> None:
        await pilot.press("r", "2", "r", "f", "2", "4", "d")
        assert tokens(app) == "R2 RF 24 D"
        await pilot.press("w", "escape")
        assert app.table.lit.picked is None
        await pilot.press("f")
        assert "press W, R or 1-4 first" in message(app)
        await pilot.press("9")
        assert tokens(app) == "R2 RF 24 D"
        await pilot.press("r", "r")
        assert tokens(app) == "R2 RF 24 D R3", "the same key twice taps"

    drive(app, steps)


def test_the_cursor_taps_and_carries(tmp_path: Path):
    app = an_app(tmp_path)

    async def steps(pilot: Pilot[Any]) -> None:
        await pilot.press("space", "right", "right", "space")
        assert tokens(app) == "R2"
        await pilot.press("left", "left", "enter")
        assert tokens(app) == "R2 RF"
        await pilot.press("up", "enter", "space")
        assert tokens(app) == "R2 RF D D", "at the stock, both turn it"

    drive(app, steps)


def test_h3_undo_and_redo_have_keys(tmp_path: Path):
    app = an_app(tmp_path, moves="R2 RF")

    async def steps(pilot: Pilot[Any]) -> None:
        await pilot.press("u")
        assert (tokens(app), app.session.game.score) == ("R2", 0)
        assert message(app) == "RF taken back"
        await pilot.press("y")
        assert (tokens(app), app.session.game.score) == ("R2 RF", 5)
        await pilot.press("y")
        assert message(app) == "nothing can be redone"
        await pilot.press("u", "u", "u")
        assert message(app) == "nothing can be undone"

    drive(app, steps)


def test_i4_the_code_is_shown_and_copied(tmp_path: Path):
    app = an_app(tmp_path)

    async def steps(pilot: Pilot[Any]) -> None:
        assert "CF1-D3-AAAAACL" in screen_text(app)
        await pilot.press("c")
        assert app.clipboard == "CF1-D3-AAAAACL"

    drive(app, steps)


def test_nothing_plays_itself(tmp_path: Path):
    moves = easy_moves()
    app = an_app(tmp_path, easy_deal(), " ".join(moves[:-1]))

    async def steps(pilot: Pilot[Any]) -> None:
        await asyncio.sleep(0.2)
        assert not app.session.game.is_won

    drive(app, steps)


# ------------------------------------------------------------------ ends


def test_a_win_is_told_and_leaves_undo_open(tmp_path: Path):
    moves = easy_moves()
    app = an_app(tmp_path, easy_deal(), " ".join(moves[:-1]))

    async def steps(pilot: Pilot[Any]) -> None:
        await pilot.press("w", "f")
        assert "Won with 255 points" in message(app)
        check_screen(app, "won-80x24")
        await pilot.press("h")
        await pilot.press("d")
        assert "the game is won" in message(app)
        await pilot.press("u")
        assert not app.session.game.is_won
        assert "Won" not in message(app)

    drive(app, steps)


def test_a_dead_end_is_told_and_leaves_undo_open(tmp_path: Path):
    app = an_app(tmp_path, Deal.from_code("CF1-D3-AA6Q3DK"), "12")

    async def steps(pilot: Pilot[Any]) -> None:
        assert "Dead end" not in message(app)
        await pilot.press("r", "3")
        assert app.session.state == "dead"
        assert "Dead end: no move is left" in message(app)
        check_screen(app, "dead-80x24")
        await pilot.press("h")
        assert "Thinking" not in message(app)
        await pilot.press("u")
        assert "Dead end" not in message(app)

    drive(app, steps)


# ------------------------------------------------------------------ windows


def test_i3_a_new_game_is_hard_unless_easy_is_chosen(tmp_path: Path):
    app = an_app(tmp_path, moves="R2")

    async def steps(pilot: Pilot[Any]) -> None:
        await pilot.press("n")
        check_screen(app, "new-game-80x24")
        await pilot.press("enter")
        assert (app.session.deal.draw, app.session.game.moves) == (3, ())
        await pilot.press("n")
        await pilot.click("#draw-1")
        assert app.session.deal.draw == 1
        await pilot.press("n")
        assert app.screen.focused is app.screen.query_one("#draw-1"), "what was chosen last is offered"
        await pilot.press("escape")
        assert app.session.deal.draw == 1

    drive(app, steps)
    assert [record.score for record in Storage(tmp_path).records()] == [0]
    assert Storage(tmp_path).load_settings().draw == 1


def test_i4_a_typed_code_is_dealt_and_a_mistyped_one_explained(tmp_path: Path):
    app = an_app(tmp_path)

    async def steps(pilot: Pilot[Any]) -> None:
        await pilot.press("n")
        field = app.screen.query_one("#code", Input)
        field.focus()
        await pilot.press(*"cf1-d1-aaaaac7", "enter")
        assert isinstance(app.screen, NewGame)
        assert "is mistyped" in str(app.screen.query_one("#fault", Static).content)
        check_screen(app, "mistyped-code-80x24")
        await pilot.press("backspace", "l", "enter")
        assert app.session.deal.code == "CF1-D1-AAAAACL"

    drive(app, steps)


def test_settings_are_applied_and_kept(tmp_path: Path):
    app = an_app(tmp_path)

    async def steps(pilot: Pilot[Any]) -> None:
        await pilot.press("s")
        assert isinstance(app.screen, SettingsWindow)
        check_screen(app, "settings-80x24")
        app.screen.query_one("#double-tap", Switch).toggle()
        await pilot.pause()
        assert "Double tap: off" in screen_text(app)
        app.screen.query_one("#light", Switch).toggle()
        await pilot.press("escape")
        assert not app.current_theme.dark
        await pilot.press("r", "r")
        assert tokens(app) == ""

    drive(app, steps)
    assert Storage(tmp_path).load_settings() == Settings(double_tap=False, theme="light")


def test_statistics_count_games_left_and_the_one_just_won(tmp_path: Path):
    moves = easy_moves()
    app = an_app(tmp_path, easy_deal(), " ".join(moves))
    Storage(tmp_path).close_session(an_app(tmp_path, moves="R2 RF").session)

    async def steps(pilot: Pilot[Any]) -> None:
        await pilot.press("t")
        assert isinstance(app.screen, StatisticsWindow)
        check_screen(app, "statistics-80x24")
        await pilot.press("escape")

    drive(app, steps)


def test_the_help_fits_its_window(tmp_path: Path):
    app = an_app(tmp_path)

    async def steps(pilot: Pilot[Any]) -> None:
        await pilot.press("question_mark")
        check_screen(app, "help-80x24")
        scroll = app.screen.query_one(VerticalScroll)
        assert max(map(len, HELP.splitlines())) <= scroll.scrollable_content_region.width
        await pilot.press("escape")
        assert len(app.screen_stack) == 1

    drive(app, steps)


# ------------------------------------------------------------------ long questions


def test_a_hint_is_shown_and_not_played(tmp_path: Path):
    advisers = Advisers("R2")
    app = an_app(tmp_path, advisers=advisers)

    async def steps(pilot: Pilot[Any]) -> None:
        await pilot.press("h")
        await app.workers.wait_for_complete()
        await pilot.pause()
        assert message(app) == "Hint (test): Q♣:R>2"
        assert (app.table.lit.hint, list(app.table.lit.targets)) == (("R", 12), ["2"])
        assert advisers.asked == [app.session.game.player_view()], "an honest view, no hidden cards"
        check_screen(app, "hint-80x24")
        assert tokens(app) == ""

    drive(app, steps)


def test_a_question_never_stops_the_game_and_its_answer_is_dropped_after_a_move(tmp_path: Path):
    app = an_app(tmp_path, advisers=Advisers("R2", wait=600))

    async def steps(pilot: Pilot[Any]) -> None:
        await pilot.press("h")
        assert "Thinking" in message(app)
        await pilot.press("r", "2", "r", "f")
        assert tokens(app) == "R2 RF"
        await pilot.pause()
        assert all(worker.is_finished for worker in app.workers)
        assert "Thinking" not in message(app)

    drive(app, steps)


@pytest.mark.parametrize(
    ("verdict", "text"),
    [("winnable", "can still be won"), ("unwinnable", "no longer"), ("undecided", "could not tell")],
)
def test_the_solver_says_that_it_looks_at_hidden_cards(tmp_path: Path, verdict: str, text: str):
    app = an_app(tmp_path, advisers=Advisers(verdict=verdict))

    async def steps(pilot: Pilot[Any]) -> None:
        await pilot.press("x")
        await app.workers.wait_for_complete()
        await pilot.pause()
        assert text in message(app)
        assert "looked at the hidden cards" in message(app)

    drive(app, steps)


def test_an_unusable_hint_is_told(tmp_path: Path):
    app = an_app(tmp_path, advisers=Advisers("12"))

    async def steps(pilot: Pilot[Any]) -> None:
        await pilot.press("h")
        await app.workers.wait_for_complete()
        await pilot.pause()
        assert message(app).startswith("No hint:")

    drive(app, steps)


# ------------------------------------------------------------------ screens and keeping


@pytest.mark.parametrize("size", SIZES)
def test_the_table(tmp_path: Path, size: tuple[int, int]):
    app = an_app(tmp_path, moves="R2 RF 24 D")

    async def steps(pilot: Pilot[Any]) -> None:
        check_screen(app, f"table-{size[0]}x{size[1]}")
        await pilot.press("4")
        check_screen(app, f"carrying-{size[0]}x{size[1]}")

    drive(app, steps, size)


def test_the_table_follows_the_size_of_the_terminal(tmp_path: Path):
    app = an_app(tmp_path)

    async def steps(pilot: Pilot[Any]) -> None:
        small = app.table.table_layout
        await pilot.resize_terminal(200, 60)
        await pilot.pause()
        large = app.table.table_layout
        assert small is not None
        assert large is not None
        assert large.size.height > small.size.height
        await pilot.resize_terminal(60, 12)
        await pilot.pause()
        assert "The terminal is 60 x 12;" in screen_text(app)
        assert "the table needs 74 x 19." in screen_text(app)
        await pilot.press("d", "left", "enter")
        await pilot.click(Table, offset=(5, 5))
        await pilot.resize_terminal(74, 19)
        await pilot.pause()
        assert "needs" not in screen_text(app)

    drive(app, steps)


def test_the_game_in_progress_is_kept_soon_and_at_the_end(tmp_path: Path):
    app = an_app(tmp_path)

    async def steps(pilot: Pilot[Any]) -> None:
        await pilot.press("r", "2")
        kept = None
        while kept is None:
            await asyncio.sleep(0.1)
            kept = Storage(tmp_path).load_session()
        assert len(kept.game.moves) == 1
        await pilot.press("r", "f", "q")

    drive(app, steps)
    kept = Storage(tmp_path).load_session()
    assert kept is not None
    assert kept.game == app.session.game


def test_light_and_dark_and_no_colour(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    pictures = {}
    for theme in ("dark", "light"):
        app = an_app(tmp_path, settings=Settings(theme=theme))

        async def steps(pilot: Pilot[Any], app: PlayApp = app, theme: str = theme) -> None:
            pictures[theme] = app.export_screenshot()

        drive(app, steps)
    assert pictures["dark"] != pictures["light"]
    monkeypatch.setenv("NO_COLOR", "1")
    app = an_app(tmp_path)

    async def look(pilot: Pilot[Any]) -> None:
        check_screen(app, "no-colour-80x24")
        segments = [segment for y in range(app.table.size.height) for segment in app.table.render_line(y)]
        assert any("┏" in segment.text for segment in segments), "the cursor shows in its lines"

    drive(app, look)


def test_damaged_files_are_told_of(tmp_path: Path):
    (tmp_path / "settings.json").write_text("{")
    storage = Storage(tmp_path)
    settings = storage.load_settings()
    app = PlayApp(an_app(tmp_path).session, storage, settings, (Advisers(), Advisers()))

    async def steps(pilot: Pilot[Any]) -> None:
        await pilot.pause(0.2)
        assert "settings.json was damaged" in screen_text(app)

    drive(app, steps)
