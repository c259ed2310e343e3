"""Records of episodes: JSON Lines that anyone can check by replaying them in the plain game.

One line is one episode::

    {"deal": "CF1-D3-AAAAACL", "rules": "app", "agent": "greedy", "moves": "R2 RF D", "outcome": "max_steps",
     "cards_up": 2, "score": 5, "seconds": 0.01}

Where the deal has no code, ``"deck"`` (the cards in dealing order) and ``"draw"`` (3 if left out) stand instead of
``"deal"``. ``"rules"`` is a name, or an object of what differs from the default rules. Moves are literal tokens, turns
of the stock included. Keys beyond these are kept.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, NamedTuple

import orjson

from canfield_env.deals import Deal
from canfield_env.errors import IllegalMoveError, RecordError
from canfield_env.game import Game
from canfield_env.notation import Move, parse_moves
from canfield_env.rules import Rules


class TornRecordError(RecordError):
    """A last line that breaks off, as a kill in the middle of a write leaves it; ``recover_records`` cuts it off."""


#: The outcomes that the environment knows. Other programs may write others, such as ``stopped``.
OUTCOMES: Final = ("won", "dead", "idle", "max_steps")


@dataclass(frozen=True, slots=True)
class Record:
    """One episode.

    Attributes:
        deal: the deal.
        rules: the rule set.
        moves: the moves played, from the first one on.
        outcome: why it ended, such as one of ``OUTCOMES``.
        cards_up: cards on the foundations at the end, the base card included.
        score: points at the end.
        agent: who played; empty where that is unknown.
        seconds: how long it took; 0 where that is unknown.
        extra: what else the line holds.
    """

    deal: Deal
    rules: Rules
    moves: tuple[Move, ...]
    outcome: str
    cards_up: int
    score: int
    agent: str = ""
    seconds: float = 0.0
    extra: dict[str, Any] = field(default_factory=dict, hash=False)

    @classmethod
    def of_game(cls, game: Game, outcome: str, agent: str = "", seconds: float = 0.0, **extra: Any) -> Record:
        """The record of a game as it stands.

        Raises:
            RecordError: the game went on from a position, so that no deal leads to it.
        """
        if game.deal is None:
            raise RecordError("a game that went on from a position has no deal to record")
        return cls(game.deal, game.rules, game.moves, outcome, game.cards_up, game.score, agent, seconds, extra)

    @classmethod
    def from_json(cls, line: str | bytes) -> Record:
        """Reads one line. Whether the moves are legal and lead to the result is for ``verify`` to say.

        Raises:
            RecordError: it is no JSON object, or a key is missing or of the wrong type; the text says which.
            DealError: its deal or deck is none.
            ConfigError: its rule set is none.
            NotationError: one of its moves is no token.
        """
        try:
            table = orjson.loads(line)
        except orjson.JSONDecodeError as error:
            raise RecordError(f"not JSON: {error}") from None
        if not isinstance(table, dict):
            raise RecordError("not a JSON object")
        rules = _read_rules(_take(table, "rules", str, dict))
        return cls(
            deal=take_deal(table, rules.ranks),
            rules=rules,
            moves=tuple(parse_moves(_take(table, "moves", str))),
            outcome=_take(table, "outcome", str),
            cards_up=_take(table, "cards_up", int),
            score=_take(table, "score", int),
            agent=_take(table, "agent", str) if "agent" in table else "",
            seconds=_take(table, "seconds", float, int) if "seconds" in table else 0.0,
            extra=table,
        )

    def to_json(self) -> bytes:
        """The line, without the line break."""
        return orjson.dumps(
            {
                **deal_fields(self.deal),
                "rules": self.rules.name or self.rules.to_dict(),
                "agent": self.agent,
                "moves": " ".join(map(str, self.moves)),
                "outcome": self.outcome,
                "cards_up": self.cards_up,
                "score": self.score,
                "seconds": self.seconds,
                **self.extra,
            }
        )


def deal_fields(deal: Deal) -> dict[str, Any]:
    """The keys that name a deal in JSON: ``deal`` with its code, or ``deck`` and ``draw`` where it has none."""
    return {"deal": deal.code} if deal.code else {"deck": " ".join(deal.deck), "draw": deal.draw}


def take_deal(table: dict[str, Any], ranks: int = 13) -> Deal:
    """Takes what ``deal_fields`` gives out of a table, and returns the deal.

    Args:
        table: the table, which loses the keys that name the deal.
        ranks: cards per suit of a deck.

    Raises:
        RecordError: the deal is not named, or named twice, or a value is of the wrong type or contradicts the code.
        DealError: the code or the deck is none.
    """
    if "deal" in table and "deck" in table:
        raise RecordError("it names the deal twice, by 'deal' and by 'deck'")
    draw = _take(table, "draw", int) if "draw" in table else None
    if "deal" in table:
        deal = Deal.from_code(_take(table, "deal", str))
        if draw not in (None, deal.draw):
            raise RecordError(f"{deal.code} is a deal with draw {deal.draw}, and 'draw' is {draw}")
        return deal
    if "deck" not in table:
        raise RecordError("neither 'deal' nor 'deck' is there")
    return Deal.from_deck(_take(table, "deck", str), 3 if draw is None else draw, ranks)


def _read_rules(rules: str | dict[str, Any]) -> Rules:
    return Rules.named(rules) if isinstance(rules, str) else Rules.from_dict(rules)


def _take(table: dict[str, Any], key: str, *kinds: type) -> Any:
    """Takes a key's value out of the table. Raises RecordError where it is missing or of none of the types."""
    if key not in table:
        raise RecordError(f"{key!r} is missing")
    value = table.pop(key)
    if type(value) not in kinds:
        raise RecordError(f"{key!r} must be {' or '.join(_KIND_NAMES[kind] for kind in kinds)}, not {value!r}")
    return value


_KIND_NAMES: Final = {str: "text", int: "a whole number", float: "a number", dict: "an object"}


# ------------------------------------------------------------------ files


def read_records(path: str | Path) -> Iterator[Record]:
    """The records of a JSON Lines file, read one by one; empty lines are passed over.

    Raises:
        RecordError: the file cannot be read, or a line is no record; the text gives file, line number and reason.
        TornRecordError: the last line breaks off.
    """
    try:
        with open(path, "rb") as file:
            for number, line in enumerate(file, 1):
                if line.strip():
                    yield _read_line(path, number, line)
    except OSError as error:
        raise RecordError(f"{path}: cannot be read: {error.strerror}") from None


def _read_line(path: str | Path, number: int, line: bytes) -> Record:
    try:
        return Record.from_json(line)
    except ValueError as error:
        # A write that was stopped leaves the beginning of an object. Other text is somebody's, and not to be cut off.
        if line.startswith(b"{") and not line.endswith(b"\n") and not _is_json(line):
            raise TornRecordError(f"{path}:{number}: the last line breaks off: {error}") from None
        raise RecordError(f"{path}:{number}: {error}") from None


def _is_json(line: bytes) -> bool:
    try:
        orjson.loads(line)
    except orjson.JSONDecodeError:
        return False
    return True


def append_record(path: str | Path, record: Record) -> None:
    """Adds a record to a file, which is made where there is none; in one write, and as a whole or not at all.

    Raises:
        OSError: the file cannot be written. It is as it was then.
    """
    line = record.to_json() + b"\n"
    with open(path, "ab", buffering=0) as file:
        end = file.tell()
        if file.write(line) != len(line):  # the disk is full, or the file too large
            file.truncate(end)
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(path))


def recover_records(path: str | Path) -> list[Record]:
    """The records of a file that is to be continued; none where there is no file.

    A last line that is torn, as a kill in the middle of a write leaves it, is cut off. A whole record that only lacks
    its line break gets it.

    Raises:
        RecordError: the file cannot be read, or another line is no record. The file is as it was then.
        OSError: the file cannot be written.
    """
    if not Path(path).exists():
        return []
    records: list[Record] = []
    torn = False
    try:
        for record in read_records(path):
            records.append(record)  # noqa: PERF402 -- those before the torn line are wanted
    except TornRecordError:
        torn = True
    with open(path, "r+b") as file:
        content = file.read()
        if torn:
            file.truncate(content.rfind(b"\n") + 1)
        elif content and not content.endswith(b"\n"):
            file.write(b"\n")
    return records


# ------------------------------------------------------------------ replaying


class Step(NamedTuple):
    """A step of a replay.

    Attributes:
        game: the game after the move; the same object at every step.
        move: the move, or None where the deal has just been laid out.
        caption: the move as a frame's heading: its token and its annotation.
    """

    game: Game
    move: Move | None
    caption: str


def replay(record: Record) -> Iterator[Step]:
    """Plays a record again in the plain game, move by move, the deal first.

    Raises:
        DealError: the deck is not of the size that the rules need.
        IllegalMoveError: a move is against the rules; the text says at which place, and why.
    """
    game = Game(record.deal, record.rules)
    yield Step(game, None, "")
    for place, move in enumerate(record.moves, 1):
        try:
            caption = f"{move}   {game.annotate(move)}"
        except IllegalMoveError as error:
            raise IllegalMoveError(f"move {place}, {error}") from None
        game.push(move)
        yield Step(game, move, caption)


def verify(record: Record) -> Game:
    """Checks a record by replaying it, and returns the game at its end.

    Raises:
        DealError: the deck is not of the size that the rules need.
        IllegalMoveError: a move is against the rules; the text says at which place, and why.
        RecordError: the moves do not lead to the outcome, the cards up or the score that the record states.
    """
    game = Game(record.deal, record.rules).push_all(record.moves)
    if fault := _fault(record, game):
        raise RecordError(f"after {len(record.moves)} moves {fault}")
    return game


def _fault(record: Record, game: Game) -> str | None:
    """In what the record and the game at its end differ, or None."""
    stated = {"cards_up": record.cards_up, "score": record.score, **record.extra}
    for key, found in (("cards_up", game.cards_up), ("score", game.score), ("won", game.is_won)):
        if stated.get(key, found) != found:
            return f"{key} is {found}, not {stated[key]}"
    if (record.outcome == "won") != game.is_won:
        return f"the game is {'won' if game.is_won else 'not won'}, and the outcome is {record.outcome!r}"
    # A player may stop in a dead game for reasons of its own, so only the environment's outcomes tell.
    if record.outcome in OUTCOMES and (record.outcome == "dead") != game.is_dead:
        return f"the game is {'dead' if game.is_dead else 'not dead'}, and the outcome is {record.outcome!r}"
    return None
