"""The command line, ``canfield``. A command reads what it is given, asks the package and prints; it knows no rules.

Exit status: 0 done, 1 a check failed, 2 bad input, 130 interrupted, 141 nobody reads the output any more. What went
wrong is one line on standard error. With ``--json``, standard output holds JSON and nothing else.
"""

from __future__ import annotations

import importlib.util
import io
import json
import os
import sys
import textwrap
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

import canfield_env
from canfield_env.deals import Deal
from canfield_env.errors import ConfigError, DealError, RecordError
from canfield_env.game import Game
from canfield_env.records import Record, deal_fields, read_records, replay, verify
from canfield_env.render.text import printable, render_game, show
from canfield_env.rules import Rules

if TYPE_CHECKING:
    from canfield_env.evaluation.suites import Suite
    from canfield_env.solver import Verdict

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
SuiteOption = Annotated[
    str | None, typer.Option("--suite", metavar="NAME|FILE", help="The deals: a suite, such as smoke or d3-test.")
]
SuiteRulesOption = Annotated[
    str | None, typer.Option("--rules", metavar="NAME|FILE", help="Other rules than the suite's; else app.")
]
PlayOption = Annotated[str, typer.Option("--play", metavar="MOVES", help='Moves to play first, such as "D R2 WF".')]
FullOption = Annotated[bool, typer.Option("--full", help="Show the hidden cards too.")]
AsciiOption = Annotated[bool, typer.Option("--ascii", help="No suit symbols and no colour, on a terminal either.")]
RecordsArgument = Annotated[Path, typer.Argument(metavar="FILE", help="Records: JSON Lines, one episode a line.")]
EpisodeOption = Annotated[int, typer.Option("--episode", metavar="K", min=1, help="Which record, counted from 1.")]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON and nothing else.")]


def read_deal(code: str | None, deck: typer.FileText | None, draw: int | None, rules: Rules) -> Deal:
    """The deal that CODE or ``--deck`` names."""
    if deck is not None:
        return Deal.from_deck(_read_text(deck), 3 if draw is None else draw, rules.ranks)
    deal = Deal.from_code(code or "")
    if draw not in (None, deal.draw):
        raise DealError(f"{deal.code} is a deal with draw {deal.draw}: --draw {draw} does not go with it")
    return deal


def read_deals(
    codes: Sequence[str], suite: str | None, deck: typer.FileText | None, draw: int | None, rules: str | None
) -> tuple[list[Deal], Rules, Suite | None]:
    """The deals that codes, ``--suite`` or ``--deck`` name, the rules to play them by, and the suite, if any."""
    from canfield_env.evaluation.suites import Suite

    if suite is None:
        rule_set = Rules.of("app" if rules is None else rules)
        deals = [read_deal(code, None, draw, rule_set) for code in codes]
        return deals or [read_deal(None, deck, draw, rule_set)], rule_set, None
    if draw is not None:
        raise ValueError("--draw does not go with --suite: a suite has its own")
    named = Suite.load(suite)
    return list(named.deals), named.rules if rules is None else Rules.of(rules), named


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
    file: RecordsArgument,
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
    if full and not frames:
        raise ValueError("--full goes with --frames")
    checked, faults = 0, []
    for number, record in _episodes(file, episode):
        fault = _check(record, frames, full, plain)
        checked += 1
        if fault:
            faults.append(f"episode {number}: {fault}")
        if as_json:
            print_json(_summary(number, record, fault))
        else:
            print(printable(_summary_line(number, record, fault)))
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


@app.command("play")
def play_game(
    code: CodeArgument = None,
    deck: DeckOption = None,
    draw: DrawOption = None,
    rules: RulesOption = "app",
    web: Annotated[bool, typer.Option("--web", help="Play in a browser on this machine instead.")] = False,
    port: Annotated[
        int | None,
        typer.Option("--port", metavar="N", min=1, max=65535, help="Where --web serves it; else 8000."),
    ] = None,
) -> None:
    """Play in the terminal: the game of a code or a deck, else the game in progress, else a new one."""
    _check_extra("play", "textual", "textual_serve", "platformdirs")
    from canfield_env.play import start

    if port is not None and not web:
        raise ValueError("--port goes with --web")
    rule_set = Rules.of(rules)
    deal = None if draw is None else Deal.random(draw=draw, ranks=rule_set.ranks)
    if code is not None or deck is not None:
        _only_one({"CODE": code, "--deck": deck})
        deal = read_deal(code, deck, draw, rule_set)
    if web:
        if deck is not None:
            raise ValueError("--web takes a CODE, and no deck of one's own")
        code_or_draw = [deal.code] if deal and deal.code else ["--draw", str(draw)] if deal else []
        start.serve(["play", *code_or_draw, "--rules", rules], port or 8000)
    else:
        start.play(deal, rule_set)


@app.command("watch")
def watch_record(
    file: RecordsArgument,
    episode: EpisodeOption = 1,
    move: Annotated[int, typer.Option("--move", metavar="N", min=0, help="Begin after this move.")] = 0,
) -> None:
    """Watch an episode in the terminal, step by step."""
    _check_extra("play", "textual")
    from canfield_env.play import start
    from canfield_env.render.frames import film

    _, record = next(_episodes(file, episode))
    start.watch(film(record), move)


@app.command("render")
def render_record(
    file: RecordsArgument,
    episode: EpisodeOption = 1,
    html: Annotated[Path | None, typer.Option("--html", metavar="FILE", help="Write a page to replay it in.")] = None,
    gif: Annotated[Path | None, typer.Option("--gif", metavar="FILE", help="Write a film.")] = None,
    png: Annotated[int | None, typer.Option("--png", metavar="N", min=0, help="Write the table after move N.")] = None,
    svg: Annotated[int | None, typer.Option("--svg", metavar="N", min=0, help="The same as SVG.")] = None,
    out: Annotated[
        Path | None,
        typer.Option("--out", metavar="FILE", help="Where --png and --svg write; RECORD-N.png if left out."),
    ] = None,
    full: FullOption = False,
    scale: Annotated[
        float | None, typer.Option("--scale", min=0.1, max=4.0, help="Size of --png and --gif; 1 if left out.")
    ] = None,
) -> None:
    """Draw an episode: a page for the browser, a film, or one position. Prints the name of what it has written."""
    from canfield_env.files import whole_file
    from canfield_env.render.frames import film
    from canfield_env.render.pictures import Kind, write_drawing

    wanted: dict[Kind, Path | int | None] = {"html": html, "gif": gif, "png": png, "svg": svg}
    _only_one({f"--{kind}": value for kind, value in wanted.items()})
    kind, value = next((kind, value) for kind, value in wanted.items() if value is not None)
    if out is not None and isinstance(value, Path):
        raise ValueError("--out goes with --png and --svg")
    if scale is not None and kind in ("html", "svg"):
        raise ValueError("--scale goes with --png and --gif")
    path = value if isinstance(value, Path) else out or file.with_name(f"{file.stem}-{value}.{kind}")
    if path.exists() and file.exists() and path.samefile(file):
        raise ValueError(f"{path}: holds the records, and is not to be written over")
    _, record = next(_episodes(file, episode))
    shown = film(record)
    with whole_file(path) as target:
        write_drawing(target, kind, shown, value if isinstance(value, int) else 0, full, scale or 1)
    print(path)
    if shown.fault:
        print_error(f"{file}: episode {episode} does not replay: {shown.fault}")
        raise typer.Exit(1)


@app.command("evaluate")
def evaluate_agents(
    agents: Annotated[
        list[str],
        typer.Option("--agent", metavar="SPEC", help="NAME, NAME:ARGUMENT or module:factory; may be given again."),
    ],
    more: Annotated[list[str] | None, typer.Argument(metavar="[CODE]...", help="More codes for --deals.")] = None,
    suite: SuiteOption = None,
    deals: Annotated[
        list[str] | None, typer.Option("--deals", metavar="CODE...", help="The deals: game codes, one or several.")
    ] = None,
    deck: DeckOption = None,
    draw: DrawOption = None,
    rules: SuiteRulesOption = None,
    out: Annotated[Path | None, typer.Option("--out", metavar="DIR", help="Keep records and report there.")] = None,
    jobs: Annotated[int, typer.Option("--jobs", metavar="N", min=1, help="Worker processes.")] = 1,
    resume: Annotated[bool, typer.Option("--resume", help="Go on with a stopped evaluation in --out.")] = False,
    seed: Annotated[int, typer.Option("--seed", metavar="N", min=0, help="For agents that play by chance.")] = 0,
    as_json: JsonOption = False,
) -> None:
    """Let agents play the deals of a suite, and tell how well they did.

    Each episode is replayed in the plain game and kept in DIR/records.jsonl. With --json, the report: summaries, one
    per agent, and comparisons, one per pair of agents.
    """
    from rich.console import Console

    from canfield_env.evaluation.runner import evaluate
    from canfield_env.evaluation.suites import Suite

    codes = [*(deals or []), *(more or [])]
    _only_one({"--suite": suite, "--deals": codes or None, "--deck": deck})
    given, rule_set, named = read_deals(codes, suite, deck, draw, rules)
    played = Suite.of_deals(given, rule_set) if named is None else named.under(rule_set)
    report = evaluate(agents, played, out=out, jobs=jobs, resume=resume, seed=seed, progress=True)
    if as_json:
        print_json(report.to_dict())
    else:
        report.print(Console())


@app.command("solve")
def solve_deals(
    codes: Annotated[list[str] | None, typer.Argument(metavar="[CODE]...", help="Game codes.")] = None,
    suite: SuiteOption = None,
    deck: DeckOption = None,
    draw: DrawOption = None,
    rules: SuiteRulesOption = None,
    take_back: Annotated[
        bool | None, typer.Option("--take-back/--no-take-back", help="Whether rule F1 holds; else the rules say so.")
    ] = None,
    limit_seconds: Annotated[float, typer.Option("--limit-seconds", metavar="S", help="For each deal.")] = 60,
    limit_states: Annotated[int | None, typer.Option("--limit-states", metavar="N", help="For each deal.")] = None,
    limit_memory: Annotated[int, typer.Option("--limit-memory", metavar="MIB", help="For each job.")] = 1024,
    jobs: Annotated[int, typer.Option("--jobs", metavar="N", min=1, help="Processes.")] = 1,
    out: Annotated[
        Path | None, typer.Option("--out", metavar="FILE", help="Keep verdicts there, and go on from those it holds.")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Tell which deals can be won by one who sees every card, with moves that win.

    With --json, a line per deal: deal (or deck and draw), verdict (winnable, unwinnable or undecided), moves (or null),
    states, seconds, limit (which was reached where it is undecided, or null).
    """
    from canfield_env.solver import solve_many
    from canfield_env.solver.many import verdict_fields

    _only_one({"CODE": codes or None, "--suite": suite, "--deck": deck})
    deals, rule_set, _ = read_deals(codes or [], suite, deck, draw, rules)
    found = solve_many(
        deals,
        rule_set,
        max_seconds=limit_seconds,
        max_states=limit_states,
        max_memory=limit_memory * 2**20,
        take_back=take_back,
        jobs=jobs,
        results=out,
    )
    for deal, verdict in found:
        if as_json:
            print_json(verdict_fields(deal, verdict))
        else:
            _print_verdict(deal, verdict, with_moves=len(deals) == 1)


def _print_verdict(deal: Deal, verdict: Verdict, with_moves: bool) -> None:
    print(f"{deal.code or 'given deck':14}  {verdict}")
    if verdict.moves and with_moves:
        print(textwrap.fill(" ".join(map(str, verdict.moves)), 100))


def _check_extra(extra: str, *modules: str) -> None:
    missing = [module for module in modules if importlib.util.find_spec(module) is None]
    if missing:
        raise ConfigError(f"this command needs {', '.join(missing)}: pip install 'canfield-env[{extra}]'")


# ------------------------------------------------------------------ running


def print_error(text: str) -> None:
    """The one line on standard error."""
    print(f"canfield: {printable(' '.join(text.split()))}", file=sys.stderr)


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
