"""What ``canfield render`` writes: a page, a film, or a picture of one position."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, BinaryIO, Literal

from canfield_env.render.frames import Film, Frame
from canfield_env.render.svg import render_svg
from canfield_env.view import PlayerView

if TYPE_CHECKING:
    from PIL.Image import Image


Kind = Literal["html", "gif", "png", "svg"]


def write_drawing(
    file: BinaryIO, kind: Kind, shown: Film, number: int = 0, full: bool = False, scale: float = 1
) -> None:
    """Draws an episode into a file open for writing.

    Args:
        file: the file.
        kind: a page with all of it, a film of all of it, or the table after one move.
        shown: the episode.
        number: the move, for ``png`` and ``svg``; 0 is the start.
        full: whether all cards are shown, and not only what the player knew; a page has both.
        scale: the size of ``png`` and ``gif``, where 1 draws cards of 100 by 140 pixels.

    Raises:
        ValueError: there is no such move.
        OSError: the file cannot be written.
    """
    if kind == "html":
        from canfield_env.render.html import render_html

        file.write(render_html(shown).encode())
    elif kind == "svg":
        file.write(frame_svg(shown, number, full).encode())
    else:
        from canfield_env.render.image import write_gif, write_png

        if kind == "png":
            write_png(file, frame_image(shown, number, full, scale))
        else:
            write_gif(file, (frame_image(shown, k, full, scale) for k in range(len(shown.frames))))


def frame_after(shown: Film, number: int) -> Frame:
    """The frame after a move, 0 for the start.

    Raises:
        ValueError: the episode has fewer moves, or cannot be replayed so far.
    """
    if not 0 <= number < len(shown.frames):
        raise ValueError(f"there is no move {number}: the episode can be shown up to move {len(shown.frames) - 1}")
    return shown.frames[number]


def frame_svg(shown: Film, number: int, full: bool = False) -> str:
    """The table after a move as the text of an ``<svg>`` element; in ``full``, all cards are shown.

    Raises:
        ValueError: there is no such move.
    """
    frame = frame_after(shown, number)
    return render_svg(_view(frame, full), **_details(shown, frame), spread=full)


def frame_image(shown: Film, number: int, full: bool = False, scale: float = 1) -> Image:
    """The table after a move as a Pillow image; in ``full``, all cards are shown.

    Raises:
        ValueError: there is no such move.
    """
    from canfield_env.render.image import render_image

    frame = frame_after(shown, number)
    return render_image(_view(frame, full), **_details(shown, frame), spread=full, scale=scale)


def _view(frame: Frame, full: bool) -> PlayerView:
    return frame.everything if full else frame.view


def _details(shown: Film, frame: Frame) -> dict[str, Any]:
    return {"title": shown.title, "marked": frame.moved, "footer": f"{frame.token}   {frame.annotation}".strip()}
