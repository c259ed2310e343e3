"""The cards as drawings: outlines and strokes, no font and no picture file, so that they look alike everywhere.

A drawing is a list of ``Shape``. Its path is text in a small part of SVG's path language (absolute ``M L C Z``, numbers
separated by spaces or commas), which ``svg.py`` writes down as it is and ``image.py`` flattens into lines.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Final

from canfield_env.cards import RANKS, Card

#: Size and corner radius of a card, in the units of every drawing.
CARD_WIDTH: Final = 100
CARD_HEIGHT: Final = 140
CARD_RADIUS: Final = 9
#: How much of a card must stay uncovered for its rank and suit to be read, where others lie on it from below.
STRIP: Final = 34

#: The colours, by what they are for.
PALETTE: Final[dict[str, str]] = {
    "felt": "#1d6b4f",
    "felt-line": "#6fb596",
    "felt-text": "#f2f7f4",
    "paper": "#fffdf8",
    "edge": "#7b8580",
    "black": "#15181c",
    "red": "#c1121f",
    "black-tint": "#e9edf2",
    "red-tint": "#fbe7e4",
    "back": "#26437c",
    "back-line": "#8fa9dc",
    "mark": "#ffb703",
}


@dataclass(frozen=True, slots=True)
class Shape:
    """One outline of a drawing.

    Attributes:
        path: absolute ``M L C Z`` commands, in the shape's own units.
        colour: a key of ``PALETTE``.
        stroke: width of the line in the shape's own units; 0 fills the outline.
        x, y, scale: where the shape's origin lies in the drawing, and its size there.
    """

    path: str
    colour: str
    stroke: float = 0
    x: float = 0
    y: float = 0
    scale: float = 1


def _circle(x: int, y: int, radius: int) -> str:
    """A circle of four Bezier arcs."""
    r, k = radius, round(0.5523 * radius)
    return (
        f"M {x - r} {y} C {x - r} {y - k} {x - k} {y - r} {x} {y - r} C {x + k} {y - r} {x + r} {y - k} {x + r} {y} "
        f"C {x + r} {y + k} {x + k} {y + r} {x} {y + r} C {x - k} {y + r} {x - r} {y + k} {x - r} {y} Z"
    )


def rounded(x: int, y: int, width: int, height: int, radius: int) -> str:
    """The path of a rectangle with round corners."""
    r, k = radius, round(0.4477 * radius)
    right, bottom = x + width, y + height
    return (
        f"M {x + r} {y} L {right - r} {y} C {right - k} {y} {right} {y + k} {right} {y + r} "
        f"L {right} {bottom - r} C {right} {bottom - k} {right - k} {bottom} {right - r} {bottom} "
        f"L {x + r} {bottom} C {x + k} {bottom} {x} {bottom - k} {x} {bottom - r} "
        f"L {x} {y + r} C {x} {y + k} {x + k} {y} {x + r} {y} Z"
    )


#: The suits (clubs, diamonds, hearts, spades), in a box from -50 to 50 both ways.
SUIT_PATHS: Final[tuple[str, ...]] = (
    f"{_circle(0, -25, 24)} {_circle(-25, 12, 24)} {_circle(25, 12, 24)} "
    "M -12 -12 L 12 -12 L 12 8 L 6 10 C 6 28 10 40 18 50 L -18 50 C -10 40 -6 28 -6 10 L -12 8 Z",
    "M 0 -50 C 10 -30 24 -12 39 0 C 24 12 10 30 0 50 C -10 30 -24 12 -39 0 C -24 -12 -10 -30 0 -50 Z",
    "M 0 47 C -10 31 -49 6 -49 -20 C -49 -38 -37 -46 -25 -46 C -12 -46 -3 -38 0 -25 "
    "C 3 -38 12 -46 25 -46 C 37 -46 49 -38 49 -20 C 49 6 10 31 0 47 Z",
    "M 0 -50 C 8 -30 47 -10 47 16 C 47 31 37 39 26 39 C 17 39 9 35 5 28 C 6 38 10 45 18 50 L -18 50 "
    "C -10 45 -6 38 -5 28 C -9 35 -17 39 -26 39 C -37 39 -47 31 -47 16 C -47 -10 -8 -30 0 -50 Z",
)

_ROUND_ZERO = "M 34 50 C 34 20 41 4 54 4 C 67 4 74 20 74 50 C 74 80 67 96 54 96 C 41 96 34 80 34 50 Z"
#: The ranks as strokes, 100 high; ``RANK_WIDTHS`` tells how wide.
RANK_PATHS: Final[dict[str, str]] = {
    "A": "M 4 97 L 30 4 L 56 97 M 14 66 L 46 66",
    "2": "M 6 29 C 6 10 18 4 30 4 C 46 4 55 14 55 28 C 55 52 22 64 6 96 L 57 96",
    "3": "M 6 4 L 53 4 L 28 39 C 45 38 56 50 56 67 C 56 85 44 96 28 96 C 16 96 8 90 4 80",
    "4": "M 43 97 L 43 4 L 4 70 L 59 70",
    "5": "M 52 4 L 13 4 L 9 45 C 16 39 23 37 31 37 C 46 37 56 49 56 66 C 56 84 45 96 29 96 C 17 96 8 91 4 82",
    "6": "M 47 4 C 23 16 5 40 5 66 C 5 86 16 96 31 96 C 46 96 56 86 56 68 C 56 51 46 42 32 42 C 20 42 10 49 6 60",
    "7": "M 4 4 L 56 4 C 40 32 27 60 23 97",
    "8": "M 30 46 C 16 46 8 38 8 25 C 8 12 17 4 30 4 C 43 4 52 12 52 25 C 52 38 44 46 30 46 "
    "C 14 46 4 56 4 71 C 4 87 14 96 30 96 C 46 96 56 87 56 71 C 56 56 46 46 30 46 Z",
    "9": "M 13 96 C 37 84 55 60 55 34 C 55 14 44 4 29 4 C 14 4 4 14 4 32 C 4 49 14 58 28 58 C 40 58 50 51 54 40",
    "T": f"M 3 20 L 16 5 L 16 97 {_ROUND_ZERO}",
    "J": "M 24 4 L 56 4 M 42 4 L 42 68 C 42 87 34 96 21 96 C 10 96 4 89 4 78",
    "Q": "M 30 4 C 12 4 4 22 4 50 C 4 78 12 96 30 96 C 48 96 56 78 56 50 C 56 22 48 4 30 4 Z M 36 72 L 58 98",
    "K": "M 8 4 L 8 97 M 54 4 L 8 62 M 24 43 L 57 97",
}
RANK_WIDTHS: Final[dict[str, int]] = {rank: 78 if rank == "T" else 60 for rank in RANKS}
_RANK_STROKE: Final = 14

# A shield, a coronet and a crown, in a box from -50 to 50 both ways.
_EMBLEMS: Final[dict[str, str]] = {
    "J": "M -38 -42 L 0 -50 L 38 -42 L 38 0 C 38 26 20 42 0 50 C -20 42 -38 26 -38 0 Z",
    "Q": "M -42 36 L -46 -14 L -24 10 L -13 -26 L 0 8 L 13 -26 L 24 10 L 46 -14 L 42 36 Z "
    f"{_circle(-46, -20, 8)} {_circle(-13, -33, 8)} {_circle(13, -33, 8)} {_circle(46, -20, 8)}",
    "K": "M -42 36 L -48 -24 L -20 2 L 0 -28 L 20 2 L 48 -24 L 42 36 Z "
    "M -4 -50 L 4 -50 L 4 -43 L 11 -43 L 11 -35 L 4 -35 L 4 -22 L -4 -22 L -4 -35 L -11 -35 L -11 -43 L -4 -43 Z",
}
_EMBLEM_LINES: Final[dict[str, str]] = {
    "J": "M 0 -49 L 0 49 M -37 -8 L 37 -8",
    "Q": "M -40 22 L 40 22",
    "K": "M -40 22 L 40 22",
}

_CARD_OUTLINE: Final = rounded(1, 1, CARD_WIDTH - 2, CARD_HEIGHT - 2, CARD_RADIUS - 1)


def colour_of(card: Card) -> str:
    """The palette's colour of a card's suit."""
    return "red" if card.is_red else "black"


@cache
def card_face(card: Card) -> tuple[Shape, ...]:
    """The front of a card. Its left and its upper strip, ``STRIP`` wide, each show both rank and suit."""
    colour, suit, rank = colour_of(card), SUIT_PATHS[card.suit], RANKS[card.rank]
    shapes = [
        Shape(_CARD_OUTLINE, "paper"),
        Shape(RANK_PATHS[rank], colour, _RANK_STROKE, x=8, y=7, scale=0.24),
        Shape(suit, colour, x=17, y=48, scale=0.22),
        Shape(suit, colour, x=82, y=20, scale=0.26),
    ]
    if rank in _EMBLEMS:
        shapes += [
            Shape(rounded(36, 40, 56, 92, 5), f"{colour}-tint"),
            Shape(_EMBLEMS[rank], colour, x=64, y=65, scale=0.42),
            Shape(_EMBLEM_LINES[rank], f"{colour}-tint", 8, x=64, y=65, scale=0.42),
            Shape(suit, colour, x=64, y=109, scale=0.38),
        ]
    else:
        shapes.append(Shape(suit, colour, x=60, y=90, scale=0.64))
    return (*shapes, Shape(_CARD_OUTLINE, "edge", 1.5))


@cache
def card_back() -> tuple[Shape, ...]:
    """The back of a card: a lattice in a frame."""
    lattice = [
        f"M {x + 9.5} {y} L {x + 19} {y + 9.5} L {x + 9.5} {y + 19} L {x} {y + 9.5} Z"
        for y in range(13, 127, 19)
        for x in range(12, 88, 19)
    ]
    return (
        Shape(_CARD_OUTLINE, "paper"),
        Shape(rounded(6, 6, CARD_WIDTH - 12, CARD_HEIGHT - 12, 5), "back"),
        Shape(" ".join(lattice), "back-line", 1.5),
        Shape(_CARD_OUTLINE, "edge", 1.5),
    )


def empty_slot(ghost: Card | None = None) -> tuple[Shape, ...]:
    """A place where no card lies, with the rank and suit of the card it waits for, if it is one certain card."""
    shapes = [Shape(_CARD_OUTLINE, "felt-line", 2)]
    if ghost is not None:
        rank = RANKS[ghost.rank]
        shapes += [
            Shape(RANK_PATHS[rank], "felt-line", 12, x=50 - 0.2 * RANK_WIDTHS[rank], y=22, scale=0.4),
            Shape(SUIT_PATHS[ghost.suit], "felt-line", x=50, y=96, scale=0.44),
        ]
    return tuple(shapes)


#: A frame around a card that has just moved.
MARK: Final = Shape(rounded(1, 1, CARD_WIDTH - 2, CARD_HEIGHT - 2, CARD_RADIUS - 1), "mark", 5)

Point = tuple[float, float]
_COMMAND: Final = re.compile(r"([MLCZ])([^MLCZ]*)")


def flatten(path: str, steps: int = 8) -> Iterator[tuple[list[Point], bool]]:
    """The lines that a path comes to: for each of its parts, the corners and whether it is closed.

    Args:
        path: absolute ``M L C Z`` commands.
        steps: straight pieces that stand for one Bezier arc.
    """
    points: list[Point] = []
    for command, text in _COMMAND.findall(path):
        numbers = [float(word) for word in text.replace(",", " ").split()]
        pairs = list(zip(numbers[::2], numbers[1::2], strict=True))
        if command == "Z":
            yield points, True
            points = []
        elif command == "M":
            if points:
                yield points, False
            points = pairs
        elif command == "L":
            points += pairs
        else:
            points += _bezier(points[-1], pairs, steps)
    if points:
        yield points, False


def _bezier(start: Point, arms: list[Point], steps: int) -> Iterator[Point]:
    """Points along a cubic Bezier arc, its start left out."""
    (x0, y0), ((x1, y1), (x2, y2), (x3, y3)) = start, arms
    for k in range(1, steps + 1):
        t = k / steps
        a, b, c, d = (1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t * t * (1 - t), t**3
        yield a * x0 + b * x1 + c * x2 + d * x3, a * y0 + b * y1 + c * y2 + d * y3
