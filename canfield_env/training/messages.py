"""Rounds of messages: each card is told by those that have to do with it how they stand, and adds that up.

After one round a card knows of its neighbours, after two of theirs as well. A message is a kind's matrix times the
card that tells. These products take nearly all of a network's time, so they are made of sums where that is less work:
of all the cards that tell another one the same kind of thing; and once for the two cards of a rank and colour, to which
the same cards fit in columns. Gathering and handing out is compiled, as in torch it takes longer than the products.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from canfield_env.engine.jit import jit
from canfield_env.training.links import GOES_ON, KINDS, MEMBERS, PLACED, Links

Array = NDArray[Any]

#: Games whose messages are made at a time: so few that these stay in the processor's cache.
_PART: Final = 32
#: The kinds, in order: those of which each card has one teller; those of which each rank and colour has two; the rest.
_SINGLE: Final = 1 + GOES_ON
_PAIRS: Final = len(KINDS) - _SINGLE - len(PLACED)


class Round(nn.Module):
    """One round. To each card ``relu(context + messages)`` is added, the sum of the messages that it is sent.

    Args:
        width: size of the cards' embeddings.
        context: size of what all cards of a game are told alike.
        norm: whether the cards are normalised afterwards (Ba, Kiros and Hinton 2016).
    """

    def __init__(self, width: int, context: int, *, norm: bool = False) -> None:
        super().__init__()
        self.messages = nn.Linear(width, len(KINDS) * width, bias=False)
        self.context = nn.Linear(context, width)
        self.norm = nn.LayerNorm(width) if norm else nn.Identity()
        nn.init.normal_(self.messages.weight, std=0.5 / (len(KINDS) * width) ** 0.5)  # a card is sent dozens of them

    def forward(self, cards: Tensor, context: Tensor, links: Links) -> Tensor:
        """Tells the cards.

        Args:
            cards: ``float32[N, 52, width]``.
            context: ``float32[N, context]``, what all cards of a game are told.
            links: between the cards.

        Returns:
            ``float32[N, 52, width]``, the cards.
        """
        told: Tensor = self.norm(_Tell.apply(cards, self.messages.weight, self.context(context), links))  # type: ignore[no-untyped-call]
        return told


class _Tell(torch.autograd.Function):
    """What ``Round`` does, given the weights and the context, which is the same for all cards of a game."""

    @staticmethod
    def forward(ctx: Any, cards: Tensor, weight: Tensor, context: Tensor, links: Links) -> Tensor:
        cards = cards.contiguous()
        told, rose = torch.empty_like(cards), torch.empty(cards.shape, dtype=torch.bool)
        single, pair, others = _matrices(weight)
        for games, part in _parts(cards, links):
            torch.mm(cards[games].flatten(0, 1), single.t(), out=part.single)
            of_pairs, of_others = part.pair @ pair.t(), torch.empty_like(part.others)
            for rows, matrix in zip(part.kinds, others, strict=True):
                torch.mm(part.others[rows], matrix.t(), out=of_others[rows])
            _receive(
                MEMBERS,
                part.to,
                *(array.numpy() for array in (part.single, of_pairs, of_others)),
                *(array[games].numpy() for array in (context.detach(), cards, told, rose)),
            )
        ctx.links = links
        ctx.save_for_backward(cards, weight, rose)
        return told

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor, Tensor, Tensor, None]:
        cards, weight, rose = ctx.saved_tensors
        of_told = gradients[0].contiguous()
        of_cards, of_context = torch.empty_like(cards), torch.empty(len(cards), cards.shape[2])
        single, pair, others = _matrices(weight)
        of_single, of_pair, of_others = (torch.zeros_like(matrix) for matrix in (single, pair, others))
        for games, part in _parts(cards, ctx.links):
            of_pairs, of_sums = torch.empty(len(part.pair), cards.shape[2]), torch.empty_like(part.others)
            _rise(
                MEMBERS,
                part.to,
                *(array[games].numpy() for array in (of_told, rose, of_context)),
                *(array.numpy() for array in (part.single, of_pairs, of_sums)),
            )
            of_single.addmm_(part.single.t(), cards[games].flatten(0, 1))
            of_pair.addmm_(of_pairs.t(), part.pair)
            for rows, matrix, of_matrix in zip(part.kinds, others, of_others, strict=True):
                of_matrix.addmm_(of_sums[rows].t(), part.others[rows])
                torch.mm(of_sums[rows], matrix, out=part.others[rows])  # in place of what is no longer needed
            torch.mm(of_pairs, pair, out=part.pair)
            torch.mm(part.single, single, out=of_cards[games].flatten(0, 1))
            _send_back(
                ctx.links.starts[games.start : games.stop + 1],
                ctx.links.others,
                MEMBERS,
                part.rows,
                *(array.numpy() for array in (part.pair, part.others)),
                *(array[games].numpy() for array in (of_told, of_cards)),
            )
        of_kinds = [of_single, _by_kind(of_pair).flatten(0, 1), of_others.flatten(0, 1)]
        return of_cards, torch.cat(of_kinds), of_context, None


class _Part(NamedTuple):
    """What the messages of some games come from, by the kinds' groups.

    Attributes:
        single: ``[52 * games, _SINGLE * width]``, room for what each card tells.
        pair: ``[26 * games, _PAIRS * width]``, the sum of the two cards that tell those of a rank and colour.
        others: ``[R, width]``, the sums of the cards that tell one the same kind of thing.
        to: ``int64[R]``, ``52 * game + card``, the card that each of the ``others`` is for.
        firsts: ``int64[len(PLACED) + 1]``, where each kind begins among the ``others``.
        rows: ``int64[L]``, which of the ``others`` each link of these games belongs to.
    """

    single: Tensor
    pair: Tensor
    others: Tensor
    to: Array
    firsts: Array
    rows: Array

    @property
    def kinds(self) -> list[slice]:
        """Where each kind is among the ``others``."""
        return [slice(first, last) for first, last in zip(self.firsts[:-1], self.firsts[1:], strict=True)]


def _parts(cards: Tensor, links: Links) -> Iterator[tuple[slice, _Part]]:
    """The games in parts, each of which is overwritten by the next."""
    count, _, width = cards.shape
    size = min(count, _PART)
    single, pair = torch.empty(52 * size, _SINGLE * width), torch.empty(26 * size, _PAIRS * width)
    others = torch.empty(52 * size * len(PLACED), width)
    to = np.empty(len(others), np.int64)
    for first in range(0, count, _PART):
        games = slice(first, first + _PART)
        here = cards[games]
        room = single[: 52 * len(here)], pair[: 26 * len(here)]
        found = (array.numpy() for array in (here, room[1], others))
        starts = links.starts[games.start : games.stop + 1]
        rows = np.empty(starts[-1] - starts[0], np.int64)
        firsts = np.insert(links.counts[games].sum(0).cumsum(), 0, 0)
        _gather(starts, links.cards, links.kinds, links.others, MEMBERS, firsts, *found, to, rows)
        yield games, _Part(*room, others[: firsts[-1]], to[: firsts[-1]], firsts, rows)


def _matrices(weight: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """``[_SINGLE * width, width]``, ``[width, _PAIRS * width]`` and ``[others, width, width]``, the kinds' matrices."""
    each = weight.reshape(len(KINDS), -1, weight.shape[1])
    placed = _SINGLE + _PAIRS
    return each[:_SINGLE].flatten(0, 1), each[_SINGLE:placed].transpose(0, 1).flatten(1), each[placed:]


def _by_kind(matrices: Tensor) -> Tensor:
    """``[kinds, width, width]`` of ``[width, kinds * width]``."""
    return matrices.reshape(len(matrices), -1, len(matrices)).transpose(0, 1)


@jit
def _gather(
    starts: Array,
    told: Array,
    kinds: Array,
    tellers: Array,
    members: Array,
    firsts: Array,
    cards: Array,
    pair: Array,
    others: Array,
    to: Array,
    rows: Array,
) -> None:
    """Fills ``pair``, ``others``, ``to`` and ``rows`` of a ``_Part``."""
    games, _, width = cards.shape
    nexts = firsts.copy()
    for game in range(games):
        here = cards[game]
        for card in range(26):  # of clubs and diamonds
            for k in range(_PAIRS):
                first, second = members[GOES_ON + k, :, card]
                for i in range(width):
                    pair[26 * game + card, k * width + i] = here[first, i] + here[second, i]
        row = 0
        for link in range(starts[game], starts[game + 1]):
            card, kind = told[link], kinds[link]
            if link == starts[game] or card != told[link - 1] or kind != kinds[link - 1]:
                row = nexts[kind]
                nexts[kind] += 1
                to[row] = 52 * game + card
                others[row, :] = 0
            rows[link - starts[0]] = row
            teller = here[tellers[link]]
            for i in range(width):
                others[row, i] += teller[i]


@jit
def _receive(
    members: Array,
    to: Array,
    single: Array,
    of_pairs: Array,
    of_others: Array,
    context: Array,
    cards: Array,
    told: Array,
    rose: Array,
) -> None:
    """Fills ``told``, and where relu let something through ``rose``. ``single`` is what each card tells, kind by kind:
    as itself, and as the first three of ``RELATIONS``, which have one member each."""
    games, _, width = cards.shape
    by_kind = single.reshape(games, 52, _SINGLE, width)
    for game in range(games):
        here = by_kind[game]
        for card in range(52):
            total, of_pair = told[game, card], of_pairs[26 * game + _pair_of(card)]
            lower, higher, twin = members[0, 0, card], members[1, 0, card], members[2, 0, card]
            for i in range(width):
                told_by_one = here[card, 0, i] + here[lower, 1, i] + here[higher, 2, i] + here[twin, 3, i]
                total[i] = told_by_one + of_pair[i] + context[game, i]
    for row in range(len(to)):
        total = told[to[row] // 52, to[row] % 52]
        for i in range(width):
            total[i] += of_others[row, i]
    for game in range(games):
        for card in range(52):
            for i in range(width):
                message = told[game, card, i]
                rose[game, card, i] = message > 0
                told[game, card, i] = cards[game, card, i] + max(message, np.float32(0))


@jit
def _pair_of(card: int) -> int:
    """The club or diamond of the same rank and colour."""
    return card if card < 26 else 13 * (3 - card // 13) + card % 13


@jit
def _rise(
    members: Array,
    to: Array,
    of_told: Array,
    rose: Array,
    of_context: Array,
    of_single: Array,
    of_pairs: Array,
    of_others: Array,
) -> None:
    """Fills the gradients of the context and of what the products come to; ``of_single`` kind by kind, as above."""
    games, _, width = of_told.shape
    by_kind = of_single.reshape(games, 52, _SINGLE, width)
    of_context[:] = 0
    of_pairs[:] = 0
    for game in range(games):
        here = by_kind[game]
        for card in range(52):
            of_pair = of_pairs[26 * game + _pair_of(card)]
            lower, higher, twin = members[0, 0, card], members[1, 0, card], members[2, 0, card]
            for i in range(width):
                value = of_told[game, card, i] if rose[game, card, i] else np.float32(0)
                here[card, 0, i] = here[lower, 1, i] = here[higher, 2, i] = here[twin, 3, i] = value
                of_pair[i] += value
                of_context[game, i] += value
    for row in range(len(to)):
        total = by_kind[to[row] // 52, to[row] % 52, 0]
        for i in range(width):
            of_others[row, i] = total[i]


@jit
def _send_back(
    starts: Array,
    tellers: Array,
    members: Array,
    rows: Array,
    of_pair: Array,
    of_others: Array,
    of_told: Array,
    of_cards: Array,
) -> None:
    """Adds to the gradients of the cards those that came by other ways than ``single``."""
    games, _, width = of_told.shape
    for game in range(games):
        here = of_cards[game]
        for card in range(52):
            for i in range(width):
                here[card, i] += of_told[game, card, i]
        for card in range(26):
            for k in range(_PAIRS):
                first, second = members[GOES_ON + k, :, card]
                for i in range(width):
                    here[first, i] += of_pair[26 * game + card, k * width + i]
                    here[second, i] += of_pair[26 * game + card, k * width + i]
        for link in range(starts[game], starts[game + 1]):
            teller = here[tellers[link]]
            for i in range(width):
                teller[i] += of_others[rows[link - starts[0]], i]
