"""What each move makes possible next, and what it takes away, as far as the player knows.

A card's embedding tells how it stands now. That a move frees a card for a column, or covers one that another was to go
onto, follows from the rules, so a network need not find it out.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from canfield_env.engine import kernels, layout
from canfield_env.engine.imagine import find_known_moves, imagine
from canfield_env.engine.jit import jit, lowest_bit
from canfield_env.env.options import EnvOptions

Array = NDArray[Any]

#: What a move changes for other cards, by the rules of ``app``, the stock being turned as often as it takes.
KINDS: Final = (
    "may go to its foundation then",
    "may go onto a column then",
    "may no longer go to its foundation",
    "may no longer go onto any column",
)
_SETTINGS: Final = EnvOptions.of("app", stock="auto").settings()


class Prospects(NamedTuple):
    """Which cards M moves of N games make a difference to, each move being one of the mask, by game and then by action.

    Attributes:
        cards: ``int64[K]``, ``52 * game + card``.
        starts: ``int64[M * len(KINDS)]``, where those of each move and kind begin.
    """

    cards: NDArray[np.int64]
    starts: NDArray[np.int64]


def find_prospects(tokens: NDArray[np.uint8], masks: NDArray[np.bool_]) -> Prospects:
    """What moves change.

    Args:
        tokens: ``uint8[N, 62]`` observations.
        masks: ``bool[N, 261]``, the moves that are asked for. One that is not legal changes nothing.
    """
    moves = int(masks.sum())
    cards = np.empty(52 * len(KINDS) * moves, np.int64)  # touched only as far as there are any
    starts = np.empty(len(KINDS) * moves, np.int64)
    now, then = np.empty(1, layout.GAME), np.empty(1, layout.GAME)
    count = _find_prospects(np.ascontiguousarray(tokens), masks, _SETTINGS, now, then, cards, starts)
    return Prospects(cards[:count], starts)


@jit
def _find_prospects(
    tokens: Array, masks: Array, settings: Array, now: Array, then: Array, cards: Array, starts: Array
) -> int:
    """Fills ``cards`` and ``starts``, and returns how many cards there are; ``now`` and ``then`` are room for that."""
    rules = settings[0]
    sets = count = 0
    for row in range(len(tokens)):
        unseen = imagine(tokens[row], rules, np.uint64(0), now[0])
        up, onto = _known_moves(now[0], rules, unseen)
        for action in range(layout.ACTIONS):
            if not masks[row, action]:
                continue
            changes = (0, 0, 0, 0)
            if action > 0 and kernels.is_legal(now[0], rules, action):
                then[0] = now[0]
                kernels.play(then[0], action)
                others = ~kernels.bit((action - 1) // 5)
                up_then, onto_then = _known_moves(then[0], rules, unseen)
                changes = (up_then & ~up, onto_then & ~onto, up & ~up_then & others, onto & ~onto_then & others)
            for change in changes:
                starts[sets] = count
                sets += 1
                while change:
                    cards[count] = 52 * row + lowest_bit(change)
                    change &= change - 1
                    count += 1
    return count


@jit
def _known_moves(game: Any, settings: Any, unseen: int) -> tuple[int, int]:
    """The sets of the known cards that may go to their foundations, and onto columns."""
    find_known_moves(game, settings, unseen)
    onto = 0
    for column in range(settings.columns):
        onto |= game.legal[1 + column]
    return game.legal[0], onto
