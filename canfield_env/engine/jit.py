"""How the kernels are compiled: by numba, on first use, and cached on disk where a folder for that can be written."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

import numba
from llvmlite import ir
from numba.core import event, types
from numba.core.caching import FunctionCache
from numba.extending import intrinsic


def jit(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compiles a kernel on first use, to run without the interpreter lock, and caches it on disk where it can."""
    compiled: Any = numba.njit(function, nogil=True)
    with suppress(RuntimeError):  # numba finds no folder that it could write to
        compiled._cache = _Cache(function)
    kernel: Callable[..., Any] = compiled
    return kernel


class _Cache(FunctionCache):
    """What ``njit(cache=True)`` uses, but that a file which cannot be read or written is no error: it goes without."""

    def load_overload(self, sig, target_context):
        try:
            return super().load_overload(sig, target_context)
        except Exception:  # a damaged file can raise anything
            with suppress(OSError):
                self.flush()
            return None

    def save_overload(self, sig, data):
        with suppress(OSError):
            super().save_overload(sig, data)


@contextmanager
def announced() -> Iterator[None]:
    """Says in one line on standard error if anything is compiled meanwhile, and how long that takes."""
    begun = time.monotonic()
    announcement = _Announcement()
    with event.install_listener("numba:compile", announcement):
        yield
    if announcement.made:
        print(f"{time.monotonic() - begun:.0f} s", file=sys.stderr, flush=True)


class _Announcement(event.Listener):
    """Says that something is compiled, when the first thing is."""

    made = False

    def on_start(self, event: Any) -> None:
        if not self.made:
            self.made = True
            print("canfield_env: compiling for this machine ... ", end="", file=sys.stderr, flush=True)

    def on_end(self, event: Any) -> None:
        pass


def _lowest_bit(typing_context: Any, bits: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.cttz(args[0], ir.Constant(ir.IntType(1), 1))

    return types.int64(types.int64), generate


#: In kernels: the index of the lowest bit that is set in a nonzero int64.
lowest_bit: Any = intrinsic(_lowest_bit)
