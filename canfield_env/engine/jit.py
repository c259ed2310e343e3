"""How the kernels are compiled: by numba, on first use, and cached on disk where a folder for that can be written."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

import numba
from llvmlite import ir
from numba.core import event, types
from numba.core.caching import FunctionCache, IndexDataCacheFile
from numba.extending import intrinsic

#: The packages that have kernels, and where they are.
_PACKAGES: Final = ("canfield_env", "agents")
_ROOT: Final = Path(__file__).parents[2]


def jit(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compiles a kernel on first use, to run without the interpreter lock, and caches it on disk where it can."""
    compiled: Any = numba.njit(function, nogil=True)
    with suppress(RuntimeError, OSError):  # numba finds no folder that it could write to, or sources cannot be read
        compiled._cache = _Cache(function)
    kernel: Callable[..., Any] = compiled
    return kernel


class _Cache(FunctionCache):
    """What ``njit(cache=True)`` uses, with two differences.

    A file which cannot be read or written is no error: it goes without. And what is cached holds only as long as no
    kernel has changed: numba looks at the file of the function itself, but not at those of the functions that are
    compiled into it.
    """

    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__(function)
        stamp = self._impl.locator.get_source_stamp(), digest_of_kernels(_ROOT)
        self._cache_file = IndexDataCacheFile(self._cache_path, self._impl.filename_base, stamp)

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


@cache
def digest_of_kernels(root: Path) -> str:
    """A digest of all files with kernels below a folder, and of the engine's others, which have nearly all constants; a
    few come from elsewhere, but are those of the rules and the game codes, which never change."""
    files = [path for package in _PACKAGES for path in sorted((root / package).rglob("*.py")) if path.is_file()]
    texts = ((path.parent.name, path.read_bytes()) for path in files)
    return sha256(b"".join(text for folder, text in texts if folder == "engine" or b"engine.jit" in text)).hexdigest()


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
