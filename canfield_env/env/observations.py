"""The observations: what a player who remembers everything seen may know, ranks counted from the base rank.

Cards are in action numbering, ``card = 13*suit + rank_above_base``.

``observation="planes"`` (default): ``float32[738]`` in [0, 1]. Index ``52*plane + card`` for the planes of ``PLANES``,
then the counts of ``COUNTS``, scaled.

``observation="tokens"``: ``uint8[62]``. Index ``card`` says where the card is, by ``TOKENS``; then the same counts as
whole numbers.
"""

from __future__ import annotations

from typing import Final, Literal

import numpy as np
from gymnasium import spaces

from canfield_env.engine import observe as at

#: The observation forms.
Form = Literal["planes", "tokens"]

#: Rises whenever what an index means changes; models are bound to it.
VERSION: Final = 1

#: The planes, in order: 52 values each, one per card.
PLANES: Final = (
    ("foundation", "1 where the card is on its foundation"),
    ("next", "1 where the card is the next that its foundation takes"),
    ("column 1", "1 where the card is in column 1"),
    ("column 2", "1 where the card is in column 2"),
    ("column 3", "1 where the card is in column 3"),
    ("column 4", "1 where the card is in column 4"),
    ("last", "1 where the card is the last of a column, the one in play"),
    ("root", "1 where the card is the first of a column"),
    ("reserve top", "1 where the card is the top of the reserve"),
    ("unseen", "1 where the player has not seen the card"),
    ("place", "place of a stock or waste card that was seen, in the order of play, 1/34 to 34/34"),
    ("up now", "1 where the card is the top of the waste"),
    ("up later", "1 where turning the stock brings the card up in this pass"),
    ("up after redeal", "1 where turning brings the card up only after the next redeal"),
)

#: The counts, in order: name, and what divides it in the planes form.
COUNTS: Final = (
    ("cards in the reserve", "13"),
    ("cards in the stock", "34"),
    ("cards in the waste", "34"),
    ("cards a turn brings", "3"),
    ("redeals left (255, or 1 in the planes: without limit)", "the limit"),
    ("steps in a row without progress (255 or more: 255)", "max_idle"),
    ("most clubs ever on the foundation", "13"),
    ("most diamonds ever on the foundation", "13"),
    ("most hearts ever on the foundation", "13"),
    ("most spades ever on the foundation", "13"),
)

#: Places in waste and stock that the tokens tell apart.
MOST_TOKEN_PLACES: Final = at.TOKEN_COLUMN - at.TOKEN_TALON

#: The first token of each column.
_COLUMNS: Final = range(at.TOKEN_COLUMN, at.TOKEN_COLUMN + 52 * 4, 52)

#: The card tokens: first value, last value, meaning.
TOKENS: Final = (
    (at.TOKEN_UNSEEN, at.TOKEN_UNSEEN, "not seen"),
    (at.TOKEN_FOUNDATION, at.TOKEN_FOUNDATION, "on its foundation"),
    (at.TOKEN_RESERVE, at.TOKEN_RESERVE, "top of the reserve"),
    (at.TOKEN_TALON, at.TOKEN_COLUMN - 1, "in waste or stock, seen: 3 + place in the order of play, waste first"),
    *((first, first + 51, f"in column {k}: {first} + place from its root") for k, first in enumerate(_COLUMNS, 1)),
)


def observation_space(form: Form) -> spaces.Box:
    """The space of an observation form: ``float32[738]`` in [0, 1], or ``uint8[62]``."""
    if form == "planes":
        return spaces.Box(0.0, 1.0, (at.PLANES_SIZE,), np.float32)
    return spaces.Box(0, 255, (at.TOKENS_SIZE,), np.uint8)
