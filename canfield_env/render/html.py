"""An episode as one self-contained HTML file: the table, a slider, and every move. It asks no network for anything."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape
from pathlib import Path
from string import Template
from typing import Any, Final

import orjson

from canfield_env.cards import Card, full_deck
from canfield_env.render.art import MARK, PALETTE, card_back, card_face, empty_slot
from canfield_env.render.describe import cards_up, describe_piles
from canfield_env.render.frames import Film, Frame
from canfield_env.render.scene import (
    Label,
    pile_labels,
    place_cards,
    scene_size,
    stock_label,
    table_slots,
)
from canfield_env.render.svg import shapes_svg
from canfield_env.render.text import printable, with_symbols
from canfield_env.rules import Rules

_ASSETS: Final = Path(__file__).parent / "assets"
#: How colours are written, so that the page's style sheet says what they are.
_COLOUR: Final = "var(--{})"

# The table's own heading is left out: the page has one.
_TOP: Final = 36


def render_html(shown: Film) -> str:
    """The page for an episode. One that does not replay is shown up to the bad move, with the reason."""
    first, rules = shown.frames[0], shown.record.rules
    width, height = scene_size(rules, spread=True)
    texts = _Texts()
    return _asset("replay.html").substitute(
        title=escape(shown.title),
        copy=' <button id="copy" type="button">Copy code</button>' if shown.record.deal.code else "",
        summary=escape(_summary(shown)),
        fault=f'<p class="fault" role="alert">{escape(_fault_text(shown))}</p>' if shown.fault else "",
        style=_asset("replay.css").substitute(palette=_palette()),
        box=f"0 {_TOP} {width} {height - _TOP}",
        felt=f'y="{_TOP}" width="{width}" height="{height - _TOP}"',
        described=escape(" ".join(describe_piles(first.view.position, rules))),
        definitions=_definitions(rules),
        table="\n".join(_table(first, rules)),
        last=len(shown.frames) - 1,
        moves="\n".join(map(_move_item, range(len(shown.frames)), shown.frames)),
        data=_json({"frames": list(_frames(shown, texts)), "texts": texts.known}),
        script=(_ASSETS / "replay.js").read_text(encoding="utf-8"),
    )


def _asset(name: str) -> Template:
    return Template((_ASSETS / name).read_text(encoding="utf-8"))


def _json(value: Any) -> str:
    """JSON that may stand inside a ``<script>`` element."""
    return orjson.dumps(value).decode().replace("<", "\\u003c")


def _palette() -> str:
    return "\n".join(f"  --{name}: {colour};" for name, colour in PALETTE.items())


def _summary(shown: Film) -> str:
    record = shown.record
    by = f"played by {record.agent}, " if record.agent else ""
    rules = f"rules {record.rules.name or 'own'}, draw {record.deal.draw}"
    result = f"{record.outcome}, {record.cards_up} cards up, score {record.score}, {len(record.moves)} moves"
    return printable(f"{rules}, {by}{result}")


def _fault_text(shown: Film) -> str:
    played = len(shown.frames) - 1
    where = f" It is shown up to move {played}." if played < len(shown.record.moves) else ""
    return f"This record does not replay: {shown.fault}.{where}"


# ------------------------------------------------------------------ the table


def _definitions(rules: Rules) -> str:
    cards = "".join(
        f'<g id="face-{card}">{shapes_svg(card_face(card), _COLOUR)}</g>' for card in full_deck(rules.ranks)
    )
    back, mark = shapes_svg(card_back(), _COLOUR), shapes_svg([MARK], _COLOUR)
    return f'{cards}<g id="face-back">{back}</g><g id="face-mark">{mark}</g>'


def _table(first: Frame, rules: Rules) -> Iterable[str]:
    """Places, labels and cards, as they stand before the first move, so that they show without the script too."""
    for slot in table_slots(first.full.base, rules):
        yield f'<g transform="translate({slot.x:g} {slot.y:g})">{shapes_svg(empty_slot(slot.ghost), _COLOUR)}</g>'
    stock = next(table_slots(first.full.base, rules))
    yield f'<use id="pile" href="#face-back" transform="translate({stock.x:g} {stock.y:g})"></use>'
    yield _label(stock_label(rules), "")
    for label in pile_labels(first.full, rules):
        yield _label(label, "label")
    known = _known(first)
    spots = {spot.card: spot for spot in place_cards(first.full, rules, spread=True)}
    for card in full_deck(rules.ranks):
        spot = spots[card]
        place = f"transform: translate({spot.x:g}px, {spot.y:g}px) scale({spot.scale:g})"
        side = "card" if card in known else "card down"
        yield (
            f'<g class="{side}" style="{place}"><use class="front" href="#face-{card}"></use>'
            '<use class="back" href="#face-back"></use><use class="frame" href="#face-mark"></use></g>'
        )


def _label(label: Label, kind: str) -> str:
    return (
        f'<text class="{kind}" x="{label.x:g}" y="{label.y:g}" font-size="{label.size}" '
        f'text-anchor="{label.anchor}">{escape(label.text)}</text>'
    )


def _known(frame: Frame) -> set[Card]:
    """The cards whose places the player knows."""
    return set(full_deck(frame.view.rules.ranks)).difference(frame.view.unseen)


# ------------------------------------------------------------------ what the script reads


class _Texts:
    """Texts that recur in many frames, each kept once."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}

    @property
    def known(self) -> list[str]:
        return list(self._numbers)

    def number(self, text: str) -> int:
        return self._numbers.setdefault(text, len(self._numbers))


def _frames(shown: Film, texts: _Texts) -> Iterable[dict[str, Any]]:
    """The frames as ``replay.js`` wants them; of each, only the cards that have changed since the one before."""
    rules = shown.record.rules
    numbers = {card: number for number, card in enumerate(full_deck(rules.ranks))}
    before: dict[Card, list[Any]] = {}
    for frame in shown.frames:
        known = _known(frame)
        places = {
            spot.card: [round(spot.x, 1), round(spot.y, 1), spot.scale, spot.depth, int(spot.card in known)]
            for spot in place_cards(frame.full, rules, spread=True)
            if spot.card is not None
        }
        yield {
            "changes": [[numbers[card], *place] for card, place in places.items() if before.get(card) != place],
            "moved": sorted(numbers[card] for card in frame.moved),
            "score": frame.view.score,
            "up": cards_up(frame.full, rules.ranks),
            "stock": len(frame.full.stock),
            "labels": [texts.number(label.text) for label in pile_labels(frame.full, rules)],
            "known": [texts.number(text) for text in describe_piles(frame.view.position, rules)],
            "all": [texts.number(text) for text in describe_piles(frame.full, rules, full=True)],
        }
        before = places


def _move_item(number: int, frame: Frame) -> str:
    """An item of the list of moves."""
    annotation = with_symbols(frame.annotation) if number else "the deal"
    said = f"{frame.token} {annotation}".strip()
    value = (
        f'<span class="value" title="the agent\'s value">{frame.value:.3g}</span>' if frame.value is not None else ""
    )
    return (
        f'<li><button type="button" data-said="{escape(said)}"><span class="number">{number or ""}</span> '
        f'<span class="token">{escape(frame.token)}</span> <span>{escape(annotation)}</span>{value}</button></li>'
    )
