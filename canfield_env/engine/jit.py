"""How the kernels are compiled: by numba, cached on disk where a folder for that can be written."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numba
from llvmlite import ir
from numba.core import types
from numba.extending import intrinsic


def jit(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compiles a kernel on first use, to run without the interpreter lock, and caches it on disk where it can."""
    try:
        compiled: Callable[..., Any] = numba.njit(function, cache=True, nogil=True)
    except RuntimeError:  # numba finds no folder that it could write its cache to
        compiled = numba.njit(function, nogil=True)
    return compiled


def _lowest_bit(typing_context: Any, bits: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.cttz(args[0], ir.Constant(ir.IntType(1), 1))

    return types.int64(types.int64), generate


#: In kernels: the index of the lowest bit that is set in a nonzero int64.
lowest_bit: Any = intrinsic(_lowest_bit)
