"""What all runs do alike: stopping on a signal, and multiplying matrices fast."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

import torch


@contextmanager
def fast_products() -> Iterator[None]:
    """Lets torch choose how it multiplies matrices; on some processors its default is half as fast as it could be."""
    before = torch.get_float32_matmul_precision()
    torch.set_float32_matmul_precision("medium")
    try:
        yield
    finally:
        torch.set_float32_matmul_precision(before)


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
