"""How the kernels are compiled: by numba, cached on disk where a folder for that can be written."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numba


def jit(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compiles a kernel on first use, to run without the interpreter lock, and caches it on disk where it can."""
    try:
        compiled: Callable[..., Any] = numba.njit(function, cache=True, nogil=True)
    except RuntimeError:  # numba finds no folder that it could write its cache to
        compiled = numba.njit(function, nogil=True)
    return compiled
