"""The command line, ``canfield``. A command reads what it is given, asks the package and prints; it knows no rules.

Exit status: 0 done, 1 a check failed, 2 bad input, 130 interrupted, 141 nobody reads the output any more. What went
wrong is one line on standard error. With ``--json``, standard output holds JSON and nothing else.
"""

from __future__ import annotations

import io
import json
import os
import sys
import textwrap
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

import canfield_env
from canfield_env.deals import Deal
from canfield_env.errors import DealError, RecordError
from canfield_env.game import Game
from canfield_env.records import Record, deal_fields, read_records, replay, verify
from canfield_env.render.text import render_game, show
from canfield_env.rules import Rules

app = typer.Typer(
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)

# ------------------------------------------------------------------ what several commands take

CodeArgument = Annotated[str | None, typer.Argument(metavar="CODE", help="A game code, such as CF1-D3-AAAAACL.")]
DeckOption = Annotated[
    typer.FileText | None,
    typer.Option(
        "--deck",
        metavar="FILE",
        encoding="utf-8-sig",
        help="Instead of CODE: a file with a deck in dealing order, or - for standard input.",
    ),
]
PositionOption = Annotated[
    str | None, typer.Option("--position", metavar="TEXT", help="Instead of CODE: a full position to go on from.")
]
DrawOption = Annotated[
    Literal[1, 3] | None,
    typer.Option("--draw", metavar="1|3", help="Cards that a turn brings, where no CODE says so; 3 if left out."),
]
RulesOption = Annotated[str, typer.Option("--rules", metavar="NAME|FILE", help="app, hoyle, or a TOML file.")]
PlayOption = Annotated[str, typer.Option("--play", metavar="MOVES", help='Moves to play first, such as "D R2 WF".')]
FullOption = Annotated[bool, typer.Option("--full", help="Show the hidden cards too.")]
AsciiOption = Annotated[bool, typer.Option("--ascii", help="No suit symbols and no colour, on a terminal either.")]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON and nothing else.")]


def read_deal(code: str | None, deck: typer.FileText | None, draw: int | None, rules: Rules) -> Deal:
    """The deal that CODE or ``--deck`` names."""
    if deck is not None:
        return Deal.from_deck(_read_text(deck), 3 if draw is None else draw, rules.ranks)
    deal = Deal.from_code(code or "")
    if draw not in (None, deal.draw):
        raise DealError(f"{deal.code} is a deal with draw {deal.draw}: --draw {draw} does not go with it")
    return deal


def read_game(
    code: str | None,
    deck: typer.FileText | None,
    position: str | None,
    draw: int | None,
    rules: str,
    play: str = "",
) -> Game:
    """The game that CODE, ``--deck`` or ``--position`` starts, after the moves of ``--play``."""
    _only_one({"CODE": code, "--deck": deck, "--position": position})
    rule_set = Rules.of(rules)
    if position is None:
        game = Game(read_deal(code, deck, draw, rule_set), rule_set)
    else:
        game = Game.from_position(position, rule_set, 3 if draw is None else draw)
    return game.push_all(play)


def print_json(value: dict[str, Any]) -> None:
    """One line of JSON, in ASCII so that every terminal and pipe takes it."""
    print(json.dumps(value))


def _only_one(given: dict[str, object]) -> None:
    if sum(value is not None for value in given.values()) != 1:
        *names, last = given
        raise ValueError(f"give one of {', '.join(names)} and {last}")


def _read_text(file: typer.FileText) -> str:
    try:
        return file.read()
    except UnicodeDecodeError as error:
        raise DealError(f"{file.name}: not text: {error}") from None


# ------------------------------------------------------------------ commands


def _print_version(wanted: bool) -> None:
    if wanted:
        print(f"canfield {canfield_env.__version__}")
        raise typer.Exit


@app.callback()
def canfield(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Canfield Solitaire: deals, moves, records, agents."""


@app.command("deal")
def show_deal(
    code: CodeArgument = None,
    new: Annotated[bool, typer.Option("--new", help="A random deal; so is it where there is no CODE.")] = False,
    deck: DeckOption = None,
    draw: DrawOption = None,
    rules: RulesOption = "app",
    full: FullOption = False,
    plain: AsciiOption = False,
    as_json: JsonOption = False,
) -> None:
    """Show a deal: the one of a code or a deck, or a new one.

    With --json: deal (its code, or null), number, draw, deck and position, hidden cards included.
    """
    rule_set = Rules.of(rules)
    if code is None and deck is None:
        deal = Deal.random(draw=3 if draw is None else draw, ranks=rule_set.ranks)
    else:
        _only_one({"CODE": code, "--new": new or None, "--deck": deck})
        deal = read_deal(code, deck, draw, rule_set)
    game = Game(deal, rule_set)
    if as_json:
        fields = {"deal": deal.code, "number": deal.number, "draw": deal.draw}
        print_json({**fields, "deck": " ".join(deal.deck), "position": game.position()})
    else:
        show(render_game(game, full=full), plain)


@app.command("moves")
def list_moves(
    code: CodeArgument = None,
    play: PlayOption = "",
    deck: DeckOption = None,
    position: PositionOption = None,
    draw: DrawOption = None,
    rules: RulesOption = "app",
    full: FullOption = False,
    plain: AsciiOption = False,
    as_json: JsonOption = False,
) -> None:
    """List the legal moves of a game, and show its position.

    With --json: deal (or deck and draw), moves, position (full), view (the player's), score, cards_up, won, dead.
    """
    game = read_game(code, deck, position, draw, rules, play)
    tokens = [str(move) for move in game.legal_moves()]
    if as_json:
        fields = deal_fields(game.deal) if game.deal else {"draw": game.draw}
        positions = {"position": game.position(), "view": game.position("player")}
        state = {"score": game.score, "cards_up": game.cards_up, "won": game.is_won, "dead": game.is_dead}
        print_json({**fields, "moves": tokens, **positions, **state})
        return
    show(render_game(game, full=full), plain)
    print(f"\nposition  {game.position('full' if full else 'player')}")
    print(textwrap.fill(" ".join(tokens) or "none", 80, initial_indent="moves     ", subsequent_indent=" " * 10))


@app.command("perft")
def count_moves(
    depth: Annotated[int, typer.Option("--depth", metavar="N", min=0, help="Moves in a sequence.")],
    code: CodeArgument = None,
    play: PlayOption = "",
    deck: DeckOption = None,
    position: PositionOption = None,
    draw: DrawOption = None,
    rules: RulesOption = "app",
    as_json: JsonOption = False,
) -> None:
    """Count the sequences of exactly N moves, in all and by their first move.

    With --json: nodes, and divide, which gives the count of each first move.
    """
    from canfield_env.perft import divide

    game = read_game(code, deck, position, draw, rules, play)
    counts = divide(game, depth)
    nodes = sum(counts.values()) if depth else 1
    if as_json:
        print_json({"nodes": nodes, "divide": counts})
        return
    for token, count in [*counts.items(), ("total", nodes)]:
        print(f"{token:6}{count:>16,}")


@app.command("replay")
def check_records(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="Records: JSON Lines, one episode a line.")],
    episode: Annotated[
        int | None, typer.Option("--episode", metavar="K", min=1, help="Only the Kth record, counted from 1.")
    ] = None,
    frames: Annotated[bool, typer.Option("--frames", help="Print every position.")] = False,
    full: FullOption = False,
    plain: AsciiOption = False,
    as_json: JsonOption = False,
) -> None:
    """Check records by replaying them; exits with 1 where one does not replay.

    With --json, a line per record: episode, deal (or deck and draw), agent, outcome, cards_up, score, moves (how many),
    error (null, or what is wrong).
    """
    if frames and as_json:
        raise ValueError("--frames prints text: it does not go with --json")
    checked, faults = 0, []
    for number, record in _episodes(file, episode):
        fault = _check(record, frames, full, plain)
        checked += 1
        if fault:
            faults.append(f"episode {number}: {fault}")
        if as_json:
            print_json(_summary(number, record, fault))
        else:
            print(_summary_line(number, record, fault))
    if faults:
        print_error(f"{file}: {len(faults)} of {checked} records do not replay; {faults[0]}")
        raise typer.Exit(1)


def _episodes(file: Path, episode: int | None) -> Iterator[tuple[int, Record]]:
    """The records of a file with their numbers, or the one asked for."""
    number = 0
    for number, record in enumerate(read_records(file), 1):
        if episode in (None, number):
            yield number, record
        if episode == number:
            return
    if not number:
        raise RecordError(f"{file}: holds no records")
    if episode is not None:
        raise RecordError(f"{file}: there is no episode {episode}: the last is {number}")


def _check(record: Record, frames: bool, full: bool, plain: bool) -> str | None:
    """What keeps a record from replaying, or None; prints its positions on the way where they are wanted."""
    try:
        if frames:
            for step in replay(record):
                show(render_game(step.game, step.caption, full) + "\n", plain)
        verify(record)
    except ValueError as error:
        return str(error)
    return None


def _summary(number: int, record: Record, fault: str | None) -> dict[str, Any]:
    result = {"outcome": record.outcome, "cards_up": record.cards_up, "score": record.score}
    who = {"episode": number, **deal_fields(record.deal), "agent": record.agent}
    return {**who, **result, "moves": len(record.moves), "error": fault}


def _summary_line(number: int, record: Record, fault: str | None) -> str:
    result = f"{record.outcome:9}  {record.cards_up:2} up  score {record.score:3}  {len(record.moves):4} moves"
    return f"episode {number:4}  {record.deal.code or 'given deck':14}  {result}  {record.agent}  {fault or 'ok'}"


# ------------------------------------------------------------------ running


def print_error(text: str) -> None:
    """The one line on standard error."""
    print(f"canfield: {' '.join(text.split())}", file=sys.stderr)


def main(args: Sequence[str] | None = None) -> None:
    """Runs a command line, that of the process if none is given, and exits with its status."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # a terminal may lack the letters of an agent's name
    status = _run(args)
    try:
        _flush()
    except OSError:
        # Python flushes once more at its end, and would fail again: let what is left go nowhere.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    sys.exit(status)


def _run(args: Sequence[str] | None) -> int:
    try:
        status = int(app(args, prog_name="canfield", standalone_mode=False) or 0)
        _flush()
    except typer.TyperException as error:  # how the command was called
        print_error(error.format_message())
        return 2
    except (BrokenPipeError, SystemExit):  # typer and rich make the one into the other; nothing else exits in between
        return 141
    except (ValueError, OSError) as error:
        print_error(str(error))
        return 2
    if status == 130:
        print_error("interrupted")
    return status


def _flush() -> None:
    print(end="", flush=True)  # other than sys.stdout.flush(), this works where standard output is closed
