"""Rounds of messages: each card is told by those that have to do with it how they stand, and adds that up.

After one round a card knows of its neighbours, after two of theirs as well. Compiled, forwards and backwards: in torch,
moving the messages about takes several times as long as making them.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from canfield_env.engine.jit import jit
from canfield_env.training.links import KINDS, Links

Array = NDArray[Any]

#: Games whose messages are made at a time: so few that these stay in the processor's cache.
_PART: Final = 32


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
        for part, messages in _parts(cards):
            torch.mm(cards[part].flatten(0, 1), weight.t(), out=messages)
            _receive(
                *_links_of(part, links),
                messages.numpy(),
                *(array[part].numpy() for array in (context.detach(), cards, told, rose)),
            )
        ctx.links = links
        ctx.save_for_backward(cards, weight, rose)
        return told

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor, Tensor, Tensor, None]:
        cards, weight, rose = ctx.saved_tensors
        of_told = gradients[0].contiguous()
        of_cards, of_weight = torch.empty_like(cards), torch.zeros_like(weight)
        of_context = torch.empty(len(cards), cards.shape[2])
        for part, of_messages in _parts(cards):
            _send_back(
                *_links_of(part, ctx.links),
                *(array[part].numpy() for array in (of_told, rose, of_context)),
                of_messages.numpy(),
            )
            torch.mm(of_messages, weight, out=of_cards[part].flatten(0, 1))
            of_weight.addmm_(of_messages.t(), cards[part].flatten(0, 1))
        return of_cards.add_(of_told), of_weight, of_context, None


def _parts(cards: Tensor) -> list[tuple[slice, Tensor]]:
    """The games in parts, with room for the messages of each: ``float32[52 * games, len(KINDS) * width]``."""
    count, _, width = cards.shape
    room = torch.empty(52 * min(count, _PART), len(KINDS) * width)
    firsts = range(0, count, _PART)
    return [(slice(first, first + _PART), room[: 52 * min(_PART, count - first)]) for first in firsts]


def _links_of(part: slice, links: Links) -> tuple[Array, Array, Array]:
    """The links of some of the games."""
    return links.starts[part.start : part.stop + 1], links.senders, links.receivers


@jit
def _receive(
    starts: Array,
    senders: Array,
    receivers: Array,
    messages: Array,
    context: Array,
    cards: Array,
    told: Array,
    rose: Array,
) -> None:
    """Fills ``told``, and where relu let something through ``rose``."""
    width = cards.shape[2]
    by_sender = messages.reshape(len(cards), -1, width)
    sums = np.empty((52, width), np.float32)
    for game in range(len(cards)):
        for card in range(52):
            sums[card] = context[game]
        for link in range(starts[game], starts[game + 1]):
            message, total = by_sender[game, senders[link]], sums[receivers[link]]
            for i in range(width):
                total[i] += message[i]
        for card in range(52):
            for i in range(width):
                rose[game, card, i] = sums[card, i] > 0
                told[game, card, i] = cards[game, card, i] + max(sums[card, i], np.float32(0))


@jit
def _send_back(
    starts: Array,
    senders: Array,
    receivers: Array,
    of_told: Array,
    rose: Array,
    of_context: Array,
    of_messages: Array,
) -> None:
    """Fills the gradients of the context and of the messages."""
    width = of_told.shape[2]
    by_sender = of_messages.reshape(len(of_told), -1, width)
    of_sums = np.empty((52, width), np.float32)
    of_messages[:] = 0
    of_context[:] = 0
    for game in range(len(of_told)):
        for card in range(52):
            for i in range(width):
                of_sums[card, i] = of_told[game, card, i] if rose[game, card, i] else np.float32(0)
                of_context[game, i] += of_sums[card, i]
        for link in range(starts[game], starts[game + 1]):
            of_message, of_sum = by_sender[game, senders[link]], of_sums[receivers[link]]
            for i in range(width):
                of_message[i] += of_sum[i]
