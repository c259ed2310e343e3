"""Positions as pixels: frames for ``rgb_array``, PNG pictures and GIF films. Needs Pillow, no window and no pygame."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from functools import cache
from typing import BinaryIO, Final

import numpy as np
import numpy.typing as npt
from PIL import Image, ImageDraw, ImageFont

from canfield_env.cards import Card
from canfield_env.render.art import (
    CARD_HEIGHT,
    CARD_WIDTH,
    MARK,
    PALETTE,
    Shape,
    card_back,
    card_face,
    empty_slot,
    flatten,
)
from canfield_env.render.scene import TEXT_COLOUR, Label, Scene, table_scene
from canfield_env.view import PlayerView

# Outlines are drawn this much larger and then reduced, which smooths their edges.
_SUPERSAMPLING: Final = 4
_ANCHORS: Final = {"start": "ls", "middle": "ms", "end": "rs"}


def render_rgb(
    view: PlayerView, title: str = "", *, scale: float = 1, marked: Collection[Card] = (), footer: str = ""
) -> npt.NDArray[np.uint8]:
    """A position as a fresh array ``uint8[height, width, 3]``; the size depends on the rules and the scale alone.

    Args:
        view: what the player knows; unknown cards lie face down.
        title: text at the upper left, such as the deal's code.
        scale: size, where 1 draws a card of 100 by 140 pixels and the usual table of 820 by 720.
        marked: cards to be framed as having just moved.
        footer: text at the lower edge, such as the last move.
    """
    image = render_image(view, title, scale=scale, marked=marked, footer=footer)
    return np.array(image, dtype=np.uint8)


def render_image(
    view: PlayerView,
    title: str = "",
    *,
    scale: float = 1,
    marked: Collection[Card] = (),
    spread: bool = False,
    footer: str = "",
) -> Image.Image:
    """A position as a Pillow image; the arguments are those of ``render_rgb`` and ``svg.render_svg``."""
    scene = table_scene(view, title, marked=marked, spread=spread, footer=footer)
    image = _felt(scene.width, scene.height, scale).copy()
    _draw_scene(image, scene, scale)
    return image


def write_png(file: BinaryIO, image: Image.Image) -> None:
    """Writes a picture as PNG into a file open for writing."""
    image.save(file, format="PNG", optimize=True)


def write_gif(file: BinaryIO, images: Iterable[Image.Image], seconds: float = 0.7, last: float = 3.0) -> None:
    """Writes pictures as a GIF film that starts again at its end.

    Args:
        file: a file open for writing.
        images: pictures of one size, at least one; they are drawn one by one.
        seconds: how long each is shown, but for the last.
        last: how long the last one is shown.
    """
    colours = _all_colours()
    frames = [image.quantize(palette=colours, dither=Image.Dither.NONE) for image in images]
    durations = [round(1000 * seconds)] * (len(frames) - 1) + [round(1000 * last)]
    frames[0].save(file, format="GIF", save_all=True, append_images=frames[1:], duration=durations, loop=0)


@cache
def _all_colours() -> Image.Image:
    """A picture with all colours that a table can have, as the palette of a film."""
    shown = _felt(4 * CARD_WIDTH, CARD_HEIGHT, 1).copy()
    sprites = [_card_sprite(card, 1) for card in (None, Card("Qh"), Card("Ks"))]
    for k, sprite in enumerate([*sprites, _slot_sprite(Card("7d"), 1)]):
        _paste(shown, sprite, k * CARD_WIDTH, 0, 1)
    _paste(shown, _sprite((MARK,), 1), CARD_WIDTH, 0, 1)
    ImageDraw.Draw(shown).text((310, 130), "Canfield", fill=PALETTE[TEXT_COLOUR], font=_font(20), anchor="ls")
    return shown.quantize(colors=64)


def _draw_scene(image: Image.Image, scene: Scene, scale: float) -> None:
    for slot in scene.slots:
        _paste(image, _slot_sprite(slot.ghost, scale), slot.x, slot.y, scale)
    for placed in scene.cards:
        size = scale * placed.scale
        _paste(image, _card_sprite(placed.card, size), placed.x, placed.y, scale)
        if placed.marked:
            _paste(image, _sprite((MARK,), size), placed.x, placed.y, scale)
    draw = ImageDraw.Draw(image)
    for label in scene.labels:
        _write(draw, label, scale)


def _paste(image: Image.Image, sprite: Image.Image, x: float, y: float, scale: float) -> None:
    image.paste(sprite, (round(x * scale), round(y * scale)), sprite)


def _write(draw: ImageDraw.ImageDraw, label: Label, scale: float) -> None:
    at = (label.x * scale, label.y * scale)
    font = _font(max(round(label.size * scale), 1))
    draw.text(at, label.text, fill=PALETTE[TEXT_COLOUR], font=font, anchor=_ANCHORS[label.anchor])


@cache
def _font(size: int) -> ImageFont.FreeTypeFont | ImageFont.ImageFont:
    return ImageFont.load_default(size)


@cache
def _felt(width: int, height: int, scale: float) -> Image.Image:
    return Image.new("RGB", (round(width * scale), round(height * scale)), PALETTE["felt"])


@cache
def _card_sprite(card: Card | None, scale: float) -> Image.Image:
    return _sprite(card_back() if card is None else card_face(card), scale)


@cache
def _slot_sprite(ghost: Card | None, scale: float) -> Image.Image:
    return _sprite(empty_slot(ghost), scale)


@cache
def _sprite(shapes: tuple[Shape, ...], scale: float) -> Image.Image:
    """Shapes within a card's outline as a picture with transparency."""
    width, height = max(round(CARD_WIDTH * scale), 1), max(round(CARD_HEIGHT * scale), 1)
    large = Image.new("RGBA", (width * _SUPERSAMPLING, height * _SUPERSAMPLING))
    for shape in shapes:
        # Each shape gets a layer of its own: drawing lines straight onto a transparent picture would darken edges.
        _draw_shape(ImageDraw.Draw(large), shape, large.width / CARD_WIDTH)
    return large.reduce(_SUPERSAMPLING)


def _draw_shape(draw: ImageDraw.ImageDraw, shape: Shape, zoom: float) -> None:
    colour = PALETTE[shape.colour]
    width = shape.stroke * shape.scale * zoom
    for points, closed in flatten(shape.path):
        corners = [((shape.x + x * shape.scale) * zoom, (shape.y + y * shape.scale) * zoom) for x, y in points]
        if not shape.stroke:
            draw.polygon(corners, fill=colour)
            continue
        line = [*corners, corners[0]] if closed else corners
        draw.line(line, fill=colour, width=max(round(width), 1))
        for x, y in corners:  # round joints and ends
            draw.ellipse((x - width / 2, y - width / 2, x + width / 2, y + width / 2), fill=colour)
