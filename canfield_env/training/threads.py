"""A network in several threads, each with a part of the games: the same result, but for rounding.

Torch by itself divides each product among threads. Here a thread takes its games through all of the network, compiled
kernels included, and the threads wait for each other once a pass.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any, TypeAlias, TypeVar

import torch
from torch import Tensor

from canfield_env.training.network import Network

#: What is called with observations and masks, and gives logits and values: a network, alone or in threads.
Scorer: TypeAlias = Callable[[Tensor, Tensor], tuple[Tensor, Tensor]]
#: The observations and the masks, each in parts.
Parts: TypeAlias = tuple[Sequence[Tensor], Sequence[Tensor]]
T = TypeVar("T")


def in_threads(network: Network, threads: int) -> Scorer:
    """The network, to be called in the same way; its gradients are added up in the order of the parts.

    Args:
        network: it is not copied, so what it learns by either is the same.
        threads: how many; with 1 it is the network itself.
    """
    return network if threads == 1 else _Threads(network, threads)


class _Threads:
    def __init__(self, network: Network, threads: int) -> None:
        self._network, self._threads = network, threads
        self._pool = ThreadPoolExecutor(threads, "network", initializer=torch.set_num_threads, initargs=(1,))

    def __call__(self, tokens: Tensor, masks: Tensor) -> tuple[Tensor, Tensor]:
        parts = tokens.chunk(self._threads), masks.chunk(self._threads)
        if torch.is_grad_enabled():
            learned = [values for values in self._network.parameters() if values.requires_grad]
            both: tuple[Tensor, Tensor] = _InParts.apply(self, parts, learned, *learned)  # type: ignore[no-untyped-call]
            return both
        return _join(self.look(parts, with_graph=False))

    def look(self, parts: Parts, *, with_graph: bool) -> list[tuple[Tensor, Tensor]]:
        """Each part's logits and values, with what their gradients follow from or without."""

        def score(tokens: Tensor, masks: Tensor) -> tuple[Tensor, Tensor]:
            with torch.set_grad_enabled(with_graph):  # every thread has a mode of its own
                both: tuple[Tensor, Tensor] = self._network(tokens, masks)
            return both

        return self.each(score, *parts)

    def each(self, function: Callable[..., T], *arguments: Iterable[Any]) -> list[T]:
        """As ``map``, with the calls side by side."""
        return list(self._pool.map(function, *arguments))


class _InParts(torch.autograd.Function):
    """The network's logits and values, of which each part keeps its own graph until the gradients are asked for."""

    @staticmethod
    def forward(ctx: Any, threads: _Threads, parts: Parts, learned: list[Tensor], *_: Tensor) -> tuple[Tensor, Tensor]:
        ctx.threads, ctx.learned = threads, learned
        ctx.looks = threads.look(parts, with_graph=True)
        return _join([(logits.detach(), values.detach()) for logits, values in ctx.looks])

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor | None, ...]:
        sizes = [len(logits) for logits, _ in ctx.looks]
        of_looks = zip(*(torch.split(gradient, sizes) for gradient in gradients), strict=True)
        each = ctx.threads.each(partial(_gradients, ctx.learned), ctx.looks, of_looks)
        return (None, None, None, *(_add(of_one) for of_one in zip(*each, strict=True)))


def _gradients(
    learned: list[Tensor], outputs: Sequence[Tensor], of_outputs: Sequence[Tensor]
) -> Sequence[Tensor | None]:
    """The gradients of what is learned; None where nothing depends on it."""
    with_graph = [pair for pair in zip(outputs, of_outputs, strict=True) if pair[0].requires_grad]
    outputs, of_outputs = zip(*with_graph, strict=True)
    return torch.autograd.grad(outputs, learned, of_outputs, allow_unused=True)


def _add(gradients: Sequence[Tensor | None]) -> Tensor | None:
    there = [gradient for gradient in gradients if gradient is not None]
    return sum(there[1:], there[0]) if there else None


def _join(parts: Sequence[tuple[Tensor, Tensor]]) -> tuple[Tensor, Tensor]:
    logits, values = zip(*parts, strict=True)
    return torch.cat(logits), torch.cat(values)
