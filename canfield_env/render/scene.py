"""Where everything lies on the drawn table: one layout for SVG, pixels and the browser replay.

Lengths are in the units of ``art.py``, where a card is 100 by 140. The size of a scene depends on the rules alone, so
all pictures of a game fit one film.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Literal, NamedTuple

from canfield_env.cards import RANKS, Card, card_at
from canfield_env.notation import Pile, Position
from canfield_env.render.art import CARD_HEIGHT, CARD_WIDTH, STRIP
from canfield_env.render.describe import cards_up, next_needed
from canfield_env.rules import Rules
from canfield_env.view import PlayerView

_MARGIN: Final = 20
_STEP: Final = CARD_WIDTH + 16
_TOP: Final = 56
_ROW: Final = 230  # top of reserve and columns
_TALL: Final = 512  # height left for them
_WASTE_FAN: Final = 3
_RESERVE_STEP: Final = 31
_COLUMNS_AT: Final = 352
_STRIP_SCALE: Final = 0.6

#: Colour of text on the table: its key in ``art.PALETTE``.
TEXT_COLOUR: Final = "felt-text"


@dataclass(frozen=True, slots=True)
class Placed:
    """A card on the table; those listed later lie on top.

    Attributes:
        card: None where it is face down.
        x, y, scale: its upper left corner, and its size where 1 is the usual one.
        marked: whether it is framed as having just moved.
    """

    card: Card | None
    x: float
    y: float
    scale: float = 1
    marked: bool = False


@dataclass(frozen=True, slots=True)
class Slot:
    """A place for a pile, drawn below the cards; ``ghost`` is the one card that may come there."""

    x: float
    y: float
    ghost: Card | None = None


@dataclass(frozen=True, slots=True)
class Label:
    """Text; ``x`` and ``y`` are the place of its anchor on the base line, ``size`` its height."""

    text: str
    x: float
    y: float
    size: int = 17
    anchor: Literal["start", "middle", "end"] = "middle"


@dataclass(frozen=True, slots=True)
class Scene:
    """A drawn table."""

    width: int
    height: int
    slots: tuple[Slot, ...]
    cards: tuple[Placed, ...]
    labels: tuple[Label, ...]


class Spot(NamedTuple):
    """Where a card of a position belongs.

    Attributes:
        card: None where it is not known.
        x, y, scale: as for ``Placed``.
        depth: among overlapping cards, the one with the larger number lies on top. It does not change while a card
            stays where it is.
    """

    card: Card | None
    x: float
    y: float
    scale: float
    depth: int


def scene_size(rules: Rules, spread: bool = False) -> tuple[int, int]:
    """Width and height of the table, both even; ``spread`` adds a strip below for the stock."""
    width = _COLUMNS_AT + _STEP * max(4, rules.columns) + 4
    return width, _ROW + _TALL + (16 + round(CARD_HEIGHT * _STRIP_SCALE) + 30 if spread else 16)


def table_scene(
    view: PlayerView, title: str = "", *, marked: Collection[Card] = (), spread: bool = False, footer: str = ""
) -> Scene:
    """The table as a player sees it.

    Args:
        view: what the player knows; of a full position, everything is shown.
        title: text at the upper left, such as the deal's code.
        marked: cards to be framed as having just moved.
        spread: whether the stock is laid out below the table, in the order of turning, as far as it is known.
        footer: text at the lower edge, such as the last move.
    """
    position, rules = view.position, view.rules
    cards = tuple(
        Placed(spot.card, spot.x, spot.y, spot.scale, spot.card in marked)
        for spot in place_cards(position, rules, spread)
    )
    width, height = scene_size(rules, spread)
    labels = [Label(title, _MARGIN, 32, 20, "start")] if title else []
    summary = (
        f"score {view.score}   cards up {cards_up(position, rules.ranks)} of {rules.cards}   moves {position.actions}"
    )
    labels += [Label(summary, width - _MARGIN, 32, 17, "end"), *pile_labels(position, rules)]
    if footer:
        labels.append(Label(footer, _MARGIN + _STEP, _ROW + _TALL + 4, 20, "start"))
    if spread:
        labels.append(stock_label(rules))
        if position.stock:
            cards = (Placed(None, _MARGIN, _TOP), *cards)
    return Scene(width, height, tuple(table_slots(position.base, rules)), cards, tuple(labels))


def place_cards(position: Position, rules: Rules, spread: bool = False) -> Iterator[Spot]:
    """Where each card of a position belongs: stock, waste, reserve, columns, foundations; covered cards come first.

    The order and the places do not depend on which cards are known. The stock without ``spread`` is one face-down pile.
    """
    width, _ = scene_size(rules, spread)
    yield from _place_stock(position.stock, rules, width) if spread else _pile_up([None] * len(position.stock), _MARGIN)
    fan = max(len(position.waste) - _WASTE_FAN, 0)
    for k, card in enumerate(position.waste):
        yield Spot(card, _MARGIN + _STEP + max(k - fan, 0) * STRIP, _TOP, 1, k)
    yield from _fan_down(position.reserve, _MARGIN, _RESERVE_STEP)
    for k, column in enumerate(position.columns):
        yield from _fan_down(column, _COLUMNS_AT + _STEP * k, STRIP)
    for suit, pile in enumerate(position.foundations(rules.ranks)):
        yield from _pile_up(pile, _COLUMNS_AT + _STEP * suit)


def _place_stock(stock: Pile, rules: Rules, width: int) -> Iterator[Spot]:
    """The stock laid out, from the card turned next to the one turned last, which stands at the right."""
    right = width - _MARGIN - CARD_WIDTH * _STRIP_SCALE
    step = min(STRIP * _STRIP_SCALE, (right - _MARGIN) / max(rules.stock - 1, 1))
    for k in range(len(stock) - 1, -1, -1):
        yield Spot(stock[k], right - step * k, _ROW + _TALL + 32, _STRIP_SCALE, rules.stock - k)


def _pile_up(pile: Sequence[Card | None], x: float) -> Iterator[Spot]:
    for k, card in enumerate(pile):
        yield Spot(card, x, _TOP, 1, k)


def _fan_down(pile: Pile, x: float, step: float) -> Iterator[Spot]:
    """The cards of a pile downwards, closer together where they would leave the table."""
    if len(pile) > 1:
        step = min(step, (_TALL - CARD_HEIGHT) / (len(pile) - 1))
    for k, card in enumerate(pile):
        yield Spot(card, x, _ROW + step * k, 1, k)


def table_slots(base: int, rules: Rules) -> Iterator[Slot]:
    """The places of all piles, in a game with that base rank."""
    for x, y in ((_MARGIN, _TOP), (_MARGIN + _STEP, _TOP), (_MARGIN, _ROW)):
        yield Slot(x, y)
    for suit in range(4):
        yield Slot(_COLUMNS_AT + _STEP * suit, _TOP, card_at(suit, base))
    for k in range(rules.columns):
        yield Slot(_COLUMNS_AT + _STEP * k, _ROW)


def pile_labels(position: Position, rules: Rules) -> Iterator[Label]:
    """What is written beside stock, waste, reserve and foundations, in this order and at places that do not change."""
    below = _TOP + CARD_HEIGHT + 22
    stock = str(len(position.stock)) if position.stock else "turn back" if position.waste else "empty"
    yield Label(f"stock {stock}" if position.stock else stock, _MARGIN + CARD_WIDTH / 2, below)
    yield Label(f"waste {len(position.waste)}", _MARGIN + _STEP + CARD_WIDTH / 2, below)
    yield Label(f"reserve {len(position.reserve)}", _MARGIN + _STEP, _ROW + 24, 17, "start")
    for suit, needed in enumerate(next_needed(position, rules.ranks)):
        text = "full" if needed is None else f"next {RANKS[needed.rank].replace('T', '10')}"
        yield Label(text, _COLUMNS_AT + _STEP * suit + CARD_WIDTH / 2, below)


def stock_label(rules: Rules) -> Label:
    """The heading of the stock where it is laid out."""
    return Label("stock, in the order of turning", scene_size(rules)[0] - _MARGIN, _ROW + _TALL + 22, 15, "end")
