"""What the tests of the terminal game share: a deal that wins itself, an app in a test, the screen as text."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from textual.app import App
from textual.pilot import Pilot

from canfield_env import Deal, Game, Move, PlayerView
from canfield_env.play.app import PlayApp
from canfield_env.play.session import Session
from canfield_env.play.storage import Settings, Storage

SCREENS = Path(__file__).parent.parent / "data" / "screens"


def easy_deal() -> Deal:
    """A deal that is won by playing to the foundations whatever fits, and turning otherwise."""
    in_order = [rank + suit for rank in "A23456789TJQK" for suit in "cdhs"]
    base, columns, reserve, stock = in_order[:1], in_order[1:5], in_order[5:18], in_order[18:]
    return Deal.from_deck([*reversed(reserve), *base, *columns, *stock], draw=1)


def easy_moves(deal: Deal | None = None) -> list[str]:
    """The moves that win the easy deal."""
    game = Game(deal or easy_deal())
    while not game.is_won:
        up = [move for move in game.legal_moves() if move.target == "F"]
        game.push(up[0] if up else "D")
    return [str(move) for move in game.moves]


class Advisers:
    """Answers of a test in place of a helper process."""

    def __init__(self, move: str = "R2", verdict: str = "winnable", wait: float = 0) -> None:
        self.move, self.verdict, self.wait = move, verdict, wait
        self.asked: list[Any] = []
        self.closed = False

    async def hint(self, view: PlayerView) -> tuple[Move, str]:
        self.asked.append(view)
        await asyncio.sleep(self.wait)
        return Move.parse(self.move), "test"

    async def solve(self, game: Game) -> str:
        self.asked.append(game)
        await asyncio.sleep(self.wait)
        return self.verdict

    async def close(self) -> None:
        self.closed = True


def an_app(
    folder: Path,
    deal: Deal | None = None,
    moves: str = "",
    advisers: Advisers | None = None,
    settings: Settings | None = None,
) -> PlayApp:
    """The game as it opens, after some moves."""
    session = Session(deal or Deal.from_code("CF1-D3-AAAAACL"))
    for move in moves.split():
        session.play(move)
    advisers = advisers or Advisers()
    return PlayApp(session, Storage(folder), settings or Settings(), (advisers, advisers))


def drive(app: App[Any], steps: Callable[[Pilot[Any]], Awaitable[None]], size: tuple[int, int] = (80, 24)) -> None:
    """Runs an app without a terminal and takes some steps in it."""

    async def run() -> None:
        async with app.run_test(size=size, notifications=True) as pilot:
            await pilot.pause()
            await steps(pilot)

    asyncio.run(run())


def screen_text(app: App[Any]) -> str:
    """What is on the screen, as lines of text."""
    tree = ElementTree.fromstring(app.export_screenshot())
    rows: dict[int, list[str]] = {}
    for element in tree.iter("{http://www.w3.org/2000/svg}text"):
        line = element.get("clip-path", "").rpartition("-line-")[2].rstrip(")")
        if not line.isdecimal():
            continue
        row = rows.setdefault(int(line), [])
        column = round(float(element.get("x", "0")) / 12.2)
        row += [" "] * (column - len(row))
        row += (element.text or "").replace("\N{NO-BREAK SPACE}", " ")
    return "\n".join("".join(rows.get(k, [])).rstrip() for k in range(app.size.height))


def check_screen(app: App[Any], name: str) -> None:
    """Compares the screen with the one kept under that name; ``UPDATE_SCREENS=1`` keeps it anew."""
    path, now = SCREENS / f"{name}.txt", screen_text(app) + "\n"
    if os.environ.get("UPDATE_SCREENS"):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(now, encoding="utf-8")
    assert now == path.read_text(encoding="utf-8")
