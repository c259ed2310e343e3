"""What all runs do alike: stopping on a signal, multiplying matrices fast, and the optimizer of what is fitted."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

import torch
from torch import nn


@contextmanager
def fast_products() -> Iterator[None]:
    """Lets torch choose how it multiplies matrices; on some processors its default is half as fast as it could be."""
    before = torch.get_float32_matmul_precision()
    torch.set_float32_matmul_precision("medium")
    try:
        yield
    finally:
        torch.set_float32_matmul_precision(before)


def make_adamw(module: nn.Module, learning_rate: float, weight_decay: float) -> torch.optim.AdamW:
    """AdamW (Loshchilov and Hutter 2019) for all that a module learns; only its matrices decay."""
    matrices = [values for values in module.parameters() if values.ndim > 1]
    others = [values for values in module.parameters() if values.ndim < 2]
    groups = [{"params": matrices, "weight_decay": weight_decay}, {"params": others, "weight_decay": 0.0}]
    return torch.optim.AdamW(groups, lr=learning_rate)


@contextmanager
def on_signal(stop: Callable[[], None]) -> Iterator[None]:
    """Calls ``stop`` on the first Ctrl-C or SIGTERM; a second one does what it did before."""
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}

    def restore() -> None:
        for number, handler in before.items():
            signal.signal(number, handler)

    def handle(number: int, frame: FrameType | None) -> None:
        restore()
        stop()

    try:
        for number in before:
            signal.signal(number, handle)
        yield
    finally:
        restore()
