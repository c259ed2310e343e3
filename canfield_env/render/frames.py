"""An episode as the frames of a film: what the browser replay, GIF and PNG pictures, and ``canfield watch`` show."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from canfield_env.cards import Card
from canfield_env.errors import IllegalMoveError, RecordError
from canfield_env.notation import Position
from canfield_env.records import Record, replay, verify
from canfield_env.view import PlayerView


@dataclass(frozen=True, slots=True)
class Frame:
    """The table after a move, or at the start.

    Attributes:
        token: the move's token, empty at the start.
        annotation: the move as people read it, empty at the start.
        view: what the player knows.
        full: the whole position.
        moved: the cards that have come to another pile; none where the waste has been turned back.
        value: the agent's value of the move, or None.
    """

    token: str
    annotation: str
    view: PlayerView
    full: Position
    moved: frozenset[Card]
    value: float | None

    @property
    def everything(self) -> PlayerView:
        """The table for someone who sees all cards."""
        return PlayerView(self.full, self.view.rules, self.view.draw, self.view.score)


@dataclass(frozen=True, slots=True)
class Film:
    """An episode that can be shown.

    Attributes:
        record: where it comes from.
        frames: the start, and the table after each move.
        fault: what keeps the record from replaying, or None. The frames go up to there.
    """

    record: Record
    frames: tuple[Frame, ...]
    fault: str | None

    @property
    def title(self) -> str:
        """The code, or what stands for it where the deck was given."""
        return self.record.deal.code or "own deck"


def film(record: Record) -> Film:
    """Replays a record, up to the move that is against the rules if there is one.

    A record may hold ``"values"``, a list with a number or null for each move: how good its agent thought it.

    Raises:
        DealError: the deck is not of the size that the rules need, so there is nothing to show.
    """
    frames: list[Frame] = []
    fault = None
    try:
        for frame in _frames(record):
            frames.append(frame)  # noqa: PERF402 -- those before a bad move are wanted
        verify(record)
    except (IllegalMoveError, RecordError) as error:
        fault = str(error)
    return Film(record, tuple(frames), fault)


def _frames(record: Record) -> Iterator[Frame]:
    before: dict[Card, str] = {}
    values = _values(record)
    for number, (game, move, caption) in enumerate(replay(record)):
        token = "" if move is None else str(move)
        full = game.full_position()
        piles = _piles(full, record.rules.ranks)
        turned_back = token == "D" and not full.waste
        moved = frozenset() if turned_back else {card for card, pile in piles.items() if before.get(card, pile) != pile}
        annotation = caption.removeprefix(token).strip()
        yield Frame(token, annotation, game.player_view(), full, frozenset(moved), values[number])
        before = piles


def _piles(position: Position, ranks: int) -> dict[Card, str]:
    """The pile in which each card lies, by its name."""
    named = [("R", position.reserve), ("D", position.stock), ("W", position.waste)]
    named += [(str(k), pile) for k, pile in enumerate(position.columns, 1)]
    named += [("F", pile) for pile in position.foundations(ranks)]
    return {card: name for name, pile in named for card in pile if card is not None}


def _values(record: Record) -> list[float | None]:
    """The agent's values, beginning with None for the start; all None where the record has none that fit."""
    values = record.extra.get("values")
    if not isinstance(values, list) or len(values) != len(record.moves) or not all(map(_is_value, values)):
        return [None] * (len(record.moves) + 1)
    return [None, *values]


def _is_value(value: object) -> bool:
    return value is None or (isinstance(value, int | float) and not isinstance(value, bool))
