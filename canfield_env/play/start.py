"""Which game ``canfield play`` opens with, and how it is served to a browser."""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from canfield_env.deals import Deal
from canfield_env.errors import ConfigError
from canfield_env.play.app import PlayApp
from canfield_env.play.session import Session
from canfield_env.play.storage import Storage
from canfield_env.play.watch import WatchApp
from canfield_env.render.frames import Film
from canfield_env.rules import Rules

_LOOPBACK: Final = "127.0.0.1"


def open_game(storage: Storage, deal: Deal | None, rules: Rules, draw: int) -> Session:
    """The game to begin with: the one in progress, unless another is asked for or it has been won.

    A game that is left so is recorded.

    Args:
        storage: where games are kept.
        deal: the deal asked for, if any.
        rules: the rule set of a new game.
        draw: cards a turn brings in a new game, where no deal is asked for.
    """
    kept = storage.load_session()
    if kept is not None:
        if not kept.game.is_won and (deal is None or (deal, rules) == (kept.deal, kept.game.rules)):
            return kept
        storage.close_session(kept)
    return Session(deal or Deal.random(draw=draw, ranks=rules.ranks), rules)


def play(deal: Deal | None, rules: Rules) -> None:
    """Plays in the terminal until the player leaves. Raises ConfigError where there is no terminal."""
    _check_terminal()
    storage = Storage()
    settings = storage.load_settings()
    PlayApp(open_game(storage, deal, rules, settings.draw), storage, settings).run()


def watch(film: Film, start: int) -> None:
    """Shows an episode in the terminal until the player leaves.

    Args:
        film: the episode.
        start: the number of the move to begin after.

    Raises:
        ConfigError: there is no terminal.
    """
    _check_terminal()
    WatchApp(film, start).run()


def serve(arguments: Sequence[str], port: int) -> None:
    """Serves the terminal game to browsers on this machine, at the loopback address only.

    Args:
        arguments: the command line of the game itself, after ``canfield``.
        port: the port.
    """
    from textual_serve.server import Server

    command = shlex.join([sys.executable, "-m", "canfield_env", *arguments])
    # The page that comes with textual-serve asks the network for a font; this one does not.
    templates = Path(__file__).parent / "templates"
    Server(command, host=_LOOPBACK, port=port, title="Canfield", templates_path=templates).serve()


def _check_terminal() -> None:
    # With a driver of its own, as textual-serve has one, the screen goes elsewhere.
    if "TEXTUAL_DRIVER" not in os.environ and not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise ConfigError("this needs a terminal: standard input and output are not both one")
