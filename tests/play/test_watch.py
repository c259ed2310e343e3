"""Watching an episode in the terminal."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from textual.pilot import Pilot
from textual.widgets import Input, OptionList, Static

from canfield_env.play.watch import JumpWindow, WatchApp
from canfield_env.render.frames import film
from tests.play.people import check_screen, drive, screen_text
from tests.render.episodes import a_faulty_episode, an_episode


def message(app: WatchApp) -> str:
    return str(app.screen_stack[0].query_one("#message", Static).content)


@pytest.mark.parametrize("size", [(80, 24), (200, 60)])
def test_keys_step_through_the_episode(size: tuple[int, int]):
    app = WatchApp(film(an_episode()))

    async def steps(pilot: Pilot[Any]) -> None:
        assert message(app).startswith("0/80  the deal")
        await pilot.press("right", "right", "right")
        assert message(app).startswith("3/80  24  K♥+1:2>4 (Q♠:R>2)   value 0.")
        check_screen(app, f"watch-{size[0]}x{size[1]}")
        await pilot.press("left")
        assert app.at == 2
        await pilot.press("end", "right")
        assert app.at == 80
        await pilot.press("home", "left")
        assert app.at == 0

    drive(app, steps, size)


def test_what_is_known_and_all_cards():
    app = WatchApp(film(an_episode()), start=4)

    async def steps(pilot: Pilot[Any]) -> None:
        assert "reserve:" not in screen_text(app)
        await pilot.press("v")
        assert "reserve: A♣ 7♦ 10♥ K♣ 3♥ 2♥ 3♣ 3♠ 9♥" in screen_text(app)
        assert "all cards" in message(app)
        await pilot.press("v")
        assert "reserve:" not in screen_text(app)

    drive(app, steps)


def test_it_plays_to_the_end_pauses_and_changes_speed():
    app = WatchApp(film(an_episode()))

    async def until(number: int) -> None:
        while app.at < number:
            await asyncio.sleep(0.02)

    async def steps(pilot: Pilot[Any]) -> None:
        await pilot.press("plus", "plus", "plus", "plus", "space")
        assert "playing, 0.05 s a move" in message(app)
        await until(2)
        await pilot.press("minus", "space")
        stopped = app.at
        await asyncio.sleep(0.4)
        assert app.at == stopped
        app.go(76)
        await pilot.press("plus", "space")
        await until(80)
        await pilot.pause()
        assert "playing" not in message(app)
        await pilot.press("minus", "minus", "minus", "space")
        assert app.at == 0, "from the end, it starts again"

    drive(app, steps)


def test_jumping_to_a_move():
    app = WatchApp(film(an_episode()))

    async def steps(pilot: Pilot[Any]) -> None:
        await pilot.press("g", "9", "9", "enter")
        assert isinstance(app.screen, JumpWindow)
        assert "0 to 80" in str(app.screen.query_one("#fault", Static).content)
        app.screen.query_one(Input).value = ""
        await pilot.press("4", "2", "enter")
        assert app.at == 42
        await pilot.press("g", "escape")
        assert app.at == 42

    drive(app, steps)


def test_the_list_of_moves_follows_and_leads():
    app = WatchApp(film(an_episode()))

    async def steps(pilot: Pilot[Any]) -> None:
        moves = app.query_one(OptionList)
        assert moves.display
        await pilot.press("right", "right")
        assert moves.highlighted == 2
        await pilot.click(OptionList, offset=(3, 6))
        assert app.at == 6
        await pilot.resize_terminal(80, 24)
        await pilot.pause()
        assert not moves.region.width

    drive(app, steps, (200, 60))


def test_a_bad_record_is_shown_up_to_the_bad_move_with_the_reason():
    app = WatchApp(film(a_faulty_episode()))

    async def steps(pilot: Pilot[Any]) -> None:
        await pilot.press("end")
        assert message(app).startswith("3/3  24")
        assert "This record does not replay: move 4, 12:" in screen_text(app)
        check_screen(app, "watch-fault-80x24")

    drive(app, steps)
