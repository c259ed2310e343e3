"""The ``tokens`` observation as the networks read it, said the same way of every card, suit and column."""

from __future__ import annotations

from typing import Final, NamedTuple

import torch
from torch import Tensor

from canfield_env.engine import observe as at

#: What is said of each card, in order.
CARD_FEATURES: Final = (
    "on its foundation",
    "has been on its foundation",
    "next for its foundation",
    "how far above its foundation's top, /13",
    "in a column",
    "root of a column",
    "last of a column",
    "cards on top of it in its column, /13",
    "cards under it in its column, /13",
    "top of the reserve",
    "unseen",
    "seen in waste or stock",
    "place in the order of play, /34",
    "up now",
    "up later in this pass",
    "up after the next redeal only",
    "in the waste",
    "one card past the last one that turning brings up",
    "two cards past the last one that turning brings up",
)
#: The counts that belong to no suit, and what divides them.
COUNTS: Final = at.COUNT_PEAK
_COUNT_SCALE: Final = torch.tensor([13.0, 34, 34, 3, 255, 40])
COLUMNS: Final = 4
#: Stands for "no card" where a card is pointed at.
NO_CARD: Final = 52


def _neighbours(suits: tuple[int, int, int, int], step: int) -> list[int]:
    """For every card, the number of the card of suit ``suits[its suit]`` that is ``step`` ranks higher, wrapping."""
    return [13 * suits[card // 13] + (card % 13 + step) % 13 for card in range(52)]


# Suits are c, d, h, s; so the twin of a suit is 3 minus it.
_SAME, _TWIN, _OTHERS = (0, 1, 2, 3), (3, 2, 1, 0), ((1, 0, 0, 1), (2, 3, 3, 2))
#: The fixed relations of a card: which cards stand in each, summed up where they are two.
RELATIONS: Final = (
    ("the next lower of its suit", [_neighbours(_SAME, -1)]),
    ("the next higher of its suit", [_neighbours(_SAME, 1)]),
    ("the same rank and colour", [_neighbours(_TWIN, 0)]),
    ("those that it goes on in columns", [_neighbours(suits, 1) for suits in _OTHERS]),
    ("those that go on it in columns", [_neighbours(suits, -1) for suits in _OTHERS]),
)


class Table(NamedTuple):
    """What an observation says.

    Attributes:
        cards: ``float[N, 52, len(CARD_FEATURES)]``.
        columns: ``float[N, 4, 52]``, 1 where a card is in a column.
        counts: ``float[N, COUNTS]``, the counts of the observation that belong to no suit, scaled.
        beneath: ``int64[N, 52]``, the card directly beneath each one in its column, or in the waste once it is up;
            ``NO_CARD`` where there is none.
        above: likewise, the card directly on top, or next in the order of play.
    """

    cards: Tensor
    columns: Tensor
    counts: Tensor
    beneath: Tensor
    above: Tensor


_RANKS = torch.arange(52) % 13


def read(tokens: Tensor) -> Table:
    """Reads observations.

    Args:
        tokens: ``[N, 62]``, of any number type.
    """
    tokens = tokens.long()
    token, counts = tokens[:, :52], tokens[:, 52:]
    in_column = token >= at.TOKEN_COLUMN
    column = torch.where(in_column, (token - at.TOKEN_COLUMN) // 52, -1)
    under = (token - at.TOKEN_COLUMN) % 52
    columns = (column[:, None, :] == torch.arange(COLUMNS)[:, None]).float()
    on_top = columns.sum(2).gather(1, column.clamp(min=0)) - 1 - under
    height = (token == at.TOKEN_FOUNDATION).view(-1, 4, 13).sum(2).repeat_interleave(13, 1)
    talon = (token >= at.TOKEN_TALON) & ~in_column
    waste = counts[:, at.COUNT_WASTE, None]
    stock = counts[:, at.COUNT_STOCK, None]
    draw = counts[:, at.COUNT_DRAW, None]
    place = token - at.TOKEN_TALON + 1
    ahead = place - waste
    now = talon & (ahead == 0)
    later = talon & (ahead > 0) & ((ahead % draw == 0) | (ahead == stock))
    redeal = talon & ~now & ~later & ((place % draw == 0) | (place == waste + stock))
    step = torch.where(ahead > 0, ahead, place) % draw
    cards = torch.stack(
        [
            token == at.TOKEN_FOUNDATION,
            counts[:, at.COUNT_PEAK :].repeat_interleave(13, 1) > _RANKS,
            height == _RANKS,
            (_RANKS - height) / 13,
            in_column,
            in_column & (under == 0),
            in_column & (on_top == 0),
            torch.where(in_column, on_top, 0) / 13,
            torch.where(in_column, under, 0) / 13,
            token == at.TOKEN_RESERVE,
            token == at.TOKEN_UNSEEN,
            talon,
            torch.where(talon, place, 0) / 34,
            now,
            later,
            redeal,
            talon & (ahead <= 0),
            talon & (step == 1),
            talon & (step == 2),
        ],
        dim=2,
    ).float()
    beneath, above = _stacking(
        token,
        has_beneath=(in_column & (under > 0)) | (talon & (place > 1)),
        has_above=(in_column & (on_top > 0)) | (talon & (place < talon.sum(1, keepdim=True))),
    )
    return Table(cards, columns, counts[:, :COUNTS] / _COUNT_SCALE, beneath, above)


def _stacking(token: Tensor, has_beneath: Tensor, has_above: Tensor) -> tuple[Tensor, Tensor]:
    """The cards directly beneath and on top: places next to each other have tokens next to each other."""
    card_at = torch.full((len(token), 258), NO_CARD)
    card_at.scatter_(1, token + 1, torch.arange(52).expand_as(token))
    beneath = torch.where(has_beneath, card_at.gather(1, token), NO_CARD)
    above = torch.where(has_above, card_at.gather(1, token + 2), NO_CARD)
    return beneath, above
