"""Writes the parts of README.md that the code dictates: its tables, and what its example commands print.

A table stands between ``<!-- begin NAME -->`` and ``<!-- end NAME -->``; in a ``console`` block, the lines under a
``$ canfield`` command are its output. The picture at the top is drawn as well. With ``--check`` nothing is written, and
the exit status is 1 where a file is out of date.
"""

from __future__ import annotations

import inspect
import re
import shlex
import subprocess
import sys
from collections.abc import Callable, Iterable
from dataclasses import asdict
from importlib import import_module
from pathlib import Path
from typing import Annotated, Final

import typer

from agents.registry import AGENTS
from canfield_env import Deal, Game, Rules
from canfield_env.configs import config_names
from canfield_env.env import actions, observations
from canfield_env.evaluation.suites import Suite
from canfield_env.notation import Move
from canfield_env.render.svg import render_svg
from scripts.command import run_script
from scripts.pages import with_tables

ROOT: Final = Path(__file__).parent.parent
README: Final = ROOT / "README.md"
PICTURE: Final = ROOT / "docs" / "table.svg"
EXAMPLE: Final = Deal.from_code("CF1-D3-AAAAACL")


def action_table() -> str:
    """What the actions mean: the table in the docstring of their module."""
    head, *rows = _docstring_rows(actions)
    return _table(head, *rows)


def token_table() -> str:
    """The move tokens: the table in the docstring of ``Move``."""
    return _table(("token", "move"), *_docstring_rows(Move))


def card_table() -> str:
    """The numbers of the cards in actions and observations."""
    rows = [(suit, 13 * k, 13 * k + 12) for k, suit in enumerate(("clubs", "diamonds", "hearts", "spades"))]
    return _table(("suit", "base rank", "last rank"), *rows)


def action_example() -> str:
    """The legal actions at the start of the example deal."""
    game = Game(EXAMPLE)
    position = game.full_position()
    rows = [(actions.encode(position, move), f"`{move}`", game.annotate(move)) for move in game.legal_moves()]
    return _table(("action", "token", "what is played"), *rows)


def plane_table() -> str:
    """The indices of ``observation="planes"``."""
    planes = [(f"{52 * k} + card", name, meaning) for k, (name, meaning) in enumerate(observations.PLANES)]
    first = 52 * len(planes)
    counts = [(first + k, name, f"divided by {scale}") for k, (name, scale) in enumerate(observations.COUNTS)]
    return _table(("index", "name", "value"), *planes, *counts)


def value_table() -> str:
    """The values of ``observation="tokens"``."""
    rows = [(low if low == high else f"{low} to {high}", meaning) for low, high, meaning in observations.TOKENS]
    return _table(("value at index `card`", "where the card is"), *rows)


def rules_table() -> str:
    """Where the two rule sets differ, in the words of the docstring of ``Rules``."""
    attributes = re.findall(r"(?m)^    (\w+): (.+(?:\n {8}.+)*)", inspect.cleandoc(Rules.__doc__ or ""))
    meanings = {name: " ".join(text.split()) for name, text in attributes}
    app, hoyle = asdict(Rules.named("app")), asdict(Rules.named("hoyle"))
    rows = [
        (f"`{key}`", f"`{app[key]!r}`", f"`{hoyle[key]!r}`", meanings[key]) for key in app if app[key] != hoyle[key]
    ]
    return _table(("`Rules`", "`app`", "`hoyle`", "what it says"), *rows)


def agent_table() -> str:
    """The agents by name: how they play in the words of the docstrings of their modules, and their arguments."""
    rows = []
    for maker in AGENTS.values():
        documented = inspect.getdoc(import_module(maker.factory.partition(":")[0])) or ""
        if sentence := re.match(r"``(.+?)``: (.+?)(?=\n\n|$)", documented, re.DOTALL):
            rows.append((f"`{sentence[1]}`", " ".join(sentence[2].split()), maker.argument))
    return _table(("name", "how it plays", "what may follow its name and a colon"), *rows)


def suite_table() -> str:
    """The suites."""
    suites = [Suite.load(name) for name in config_names("suites")]
    rows = [(f"`{s.name}`", len(s.deals), f"`{s.rules.name}`", s.deals[0].draw, s.description) for s in suites]
    return _table(("suite", "deals", "rules", "draw", "for"), *rows)


TABLES: Final[dict[str, Callable[[], str]]] = {
    "actions": action_table,
    "agents": agent_table,
    "suites": suite_table,
    "cards": card_table,
    "action example": action_example,
    "move tokens": token_table,
    "planes": plane_table,
    "tokens": value_table,
    "rules": rules_table,
}


def _docstring_rows(documented: object) -> list[tuple[str, str]]:
    """The rows of the table in a docstring, which has two columns between lines of ``=``."""
    lines = inspect.cleandoc(documented.__doc__ or "").splitlines()
    edges = [k for k, line in enumerate(lines) if line.startswith("==")]
    split = lines[edges[0]].index(" ")
    rows = [line for k, line in enumerate(lines) if edges[0] < k < edges[-1] and k not in edges]
    return [(row[:split].strip(), row[split:].strip()) for row in rows]


def _table(head: Iterable[object], *rows: Iterable[object]) -> str:
    """A Markdown table. Code in the cells may be marked as docstrings mark it."""
    lines = [[str(cell).replace("``", "`") for cell in row] for row in (head, *rows)]
    lines.insert(1, ["---"] * len(lines[0]))
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _output(command: str) -> str:
    """What a ``canfield`` command prints when its output is no terminal."""
    arguments = shlex.split(command)[1:]
    return subprocess.run(
        [sys.executable, "-m", "canfield_env", *arguments], check=True, capture_output=True, text=True
    ).stdout


def refreshed(text: str) -> str:
    """The text with its tables and command outputs made anew."""

    def with_output(match: re.Match[str]) -> str:
        return f"{match[1]}{_output(match[2])}{match[3]}"

    return re.sub(r"(?s)(```console\n\$ (canfield [^\n]+)\n).*?(```\n)", with_output, with_tables(text, TABLES))


def picture() -> str:
    """The example deal after the three moves that its publisher tells of."""
    return render_svg(Game(EXAMPLE).push_all("R2 RF 24").player_view(), title=str(EXAMPLE)) + "\n"


def main(
    check: Annotated[
        bool, typer.Option("--check", help="Write nothing; exit with 1 if a file is out of date.")
    ] = False,
) -> int:
    """Write the parts of README.md that the code dictates, and its picture."""
    status = 0
    for path, new in ((README, refreshed(README.read_text(encoding="utf-8"))), (PICTURE, picture())):
        if path.is_file() and path.read_text(encoding="utf-8") == new:
            continue
        if check:
            print(f"{path.relative_to(ROOT)} is out of date: run scripts/make_readme.py", file=sys.stderr)
            status = 1
        else:
            path.write_text(new, encoding="utf-8")
    return status


if __name__ == "__main__":
    sys.exit(run_script(main))
