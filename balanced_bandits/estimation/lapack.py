"""LAPACK and BLAS routines that Numba does not offer, called by name so that the compiled code can be cached.

The machine code in the cache refers to symbols; this module gives them the addresses of SciPy's routines.
Matrices are symmetric, in C order, and only their lower triangle (LAPACK's "upper" one, by columns) is read or written.
"""

from typing import Any

import llvmlite.binding as llvm  # type: ignore[import-untyped]
import numpy as np
from numba import types
from numba.extending import get_cython_function_address

from balanced_bandits.core.kernels import kernel


def _routine(module: str, name: str, arguments: int) -> Any:
    """A routine of scipy.linalg as an external function; all of its arguments are addresses."""
    symbol = f"balanced_bandits_{name}"
    llvm.add_symbol(symbol, get_cython_function_address(f"scipy.linalg.{module}", name))
    return types.ExternalFunction(symbol, types.void(*[types.intp] * arguments))


_dsyrk = _routine("cython_blas", "dsyrk", 10)
_dsytrd = _routine("cython_lapack", "dsytrd", 10)
_dorgtr = _routine("cython_lapack", "dorgtr", 8)
BLOCK = 32  # columns that dsytrd and dorgtr process together


@kernel
def add_gram(total, part):
    """Add part'part to the lower triangle of ``total`` (p, p), for ``part`` (n, p)."""
    letters, sizes = (
        np.array([85, 78], dtype=np.uint8),
        np.array([part.shape[1], part.shape[0]], dtype=np.int32),
    )  # U, N
    one = np.ones(1)
    text, width, number = letters.ctypes.data, sizes.ctypes.data, one.ctypes.data
    _dsyrk(
        text, text + 1, width, width + 4, number, part.ctypes.data, width, number, total.ctypes.data, width
    )  # fmt: skip


@kernel
def tridiagonalise(matrix):
    """Overwrite ``matrix`` S (m, m) with Q, where S = Q'TQ; returns the diagonal of T, and the entries beside it."""
    size = matrix.shape[0]
    letters, sizes = np.array([85], dtype=np.uint8), np.array([size, BLOCK * size, 0], dtype=np.int32)
    diagonal, beside, reflections, work = np.empty(size), np.empty(size), np.empty(size), np.empty(BLOCK * size)
    text, width, place = letters.ctypes.data, sizes.ctypes.data, matrix.ctypes.data
    length, info = width + 4, width + 8
    _dsytrd(
        text, width, place, width, diagonal.ctypes.data, beside.ctypes.data, reflections.ctypes.data,
        work.ctypes.data, length, info,
    )  # fmt: skip
    _dorgtr(text, width, place, width, reflections.ctypes.data, work.ctypes.data, length, info)
    return diagonal, beside
