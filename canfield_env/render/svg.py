"""Positions as SVG, for documents and notebooks: one element that needs no font, no file and no style sheet."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from hashlib import sha256
from html import escape
from typing import Final

from canfield_env.cards import Card
from canfield_env.render.art import MARK, PALETTE, Shape, card_back, card_face, empty_slot
from canfield_env.render.describe import describe_table
from canfield_env.render.scene import TEXT_COLOUR, Label, Scene, table_scene
from canfield_env.view import PlayerView

FONTS: Final = "system-ui, 'Segoe UI', 'DejaVu Sans', sans-serif"


def render_svg(
    view: PlayerView, title: str = "", *, marked: Collection[Card] = (), spread: bool = False, footer: str = ""
) -> str:
    """A position as the text of an ``<svg>`` element, described in words for those who do not see it.

    Args:
        view: what the player knows; unknown cards lie face down.
        title: text at the upper left, such as the deal's code.
        marked: cards to be framed as having just moved.
        spread: whether the stock is laid out below the table, as far as it is known.
        footer: text at the lower edge, such as the last move.
    """
    scene = table_scene(view, title, marked=marked, spread=spread, footer=footer)
    # Several pictures may stand on one page, where an id must mean one thing.
    prefix = "c" + sha256(f"{view} {spread}".encode()).hexdigest()[:8]
    heading = f"Canfield {title}".strip()
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {scene.width} {scene.height}" role="img" '
            f'aria-labelledby="{prefix}-title {prefix}-desc" '
            f'style="max-width: {scene.width}px; width: 100%; height: auto">',
            f'<title id="{prefix}-title">{escape(heading)}</title>',
            f'<desc id="{prefix}-desc">{escape(describe_table(view.position, view.rules))}</desc>',
            f"<defs>{_definitions(scene, prefix)}</defs>",
            f'<rect width="{scene.width}" height="{scene.height}" rx="12" fill="{PALETTE["felt"]}"/>',
            *_table(scene, prefix),
            "</svg>",
        ]
    )


def _definitions(scene: Scene, prefix: str) -> str:
    """Each card that lies on the table once, whatever it is used for."""
    faces = sorted({placed.card for placed in scene.cards if placed.card is not None})
    parts = [f'<g id="{prefix}-{card}">{shapes_svg(card_face(card))}</g>' for card in faces]
    return f'<g id="{prefix}-back">{shapes_svg(card_back())}</g>' + "".join(parts)


def _table(scene: Scene, prefix: str) -> Iterable[str]:
    for slot in scene.slots:
        yield f'<g transform="translate({slot.x:g} {slot.y:g})">{shapes_svg(empty_slot(slot.ghost))}</g>'
    for placed in scene.cards:
        transform = f"translate({placed.x:g} {placed.y:g})" + (f" scale({placed.scale:g})" if placed.scale != 1 else "")
        use = f'<use href="#{prefix}-{placed.card or "back"}" transform="{transform}"/>'
        yield use + (f'<g transform="{transform}">{shapes_svg([MARK])}</g>' if placed.marked else "")
    for label in scene.labels:
        yield label_svg(label)


def shapes_svg(shapes: Iterable[Shape], colour: str = "") -> str:
    """The shapes as ``<path>`` elements.

    Args:
        shapes: what to draw.
        colour: how to write a colour, with ``{}`` for its name in the palette; by default its value is written.
    """
    return "".join(_path(shape, colour.format(shape.colour) if colour else PALETTE[shape.colour]) for shape in shapes)


def _path(shape: Shape, colour: str) -> str:
    transform = ""
    if (shape.x, shape.y, shape.scale) != (0, 0, 1):
        transform = f' transform="translate({shape.x:g} {shape.y:g}) scale({shape.scale:g})"'
    paint = f'fill="{colour}"'
    if shape.stroke:
        paint = f'fill="none" stroke="{colour}" stroke-width="{shape.stroke:g}" stroke-linejoin="round"'
        paint += ' stroke-linecap="round"'
    return f'<path d="{shape.path}" {paint}{transform}/>'


def label_svg(label: Label) -> str:
    """A label as a ``<text>`` element."""
    return (
        f'<text x="{label.x:g}" y="{label.y:g}" font-family="{FONTS}" font-size="{label.size}" '
        f'text-anchor="{label.anchor}" fill="{PALETTE[TEXT_COLOUR]}">{escape(label.text)}</text>'
    )
