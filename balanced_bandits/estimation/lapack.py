"""LAPACK and BLAS routines that Numba does not offer, called by name so that the compiled code can be cached.

The machine code in the cache refers to symbols; this module gives them the addresses of SciPy's routines.
Matrices are symmetric, in C order, and only their lower triangle (LAPACK's "upper" one, by columns) is read or written.
"""

from typing import Any

import llvmlite.binding as llvm  # type: ignore[import-untyped]
import numpy as np
from numba import types
from numba.extending import get_cython_function_address

from balanced_bandits.core.kernels import fused, kernel


def _routine(module: str, name: str, arguments: int) -> Any:
    """A routine of scipy.linalg as an external function; all of its arguments are addresses."""
    symbol = f"balanced_bandits_{name}"
    llvm.add_symbol(symbol, get_cython_function_address(f"scipy.linalg.{module}", name))
    return types.ExternalFunction(symbol, types.void(*[types.intp] * arguments))


_dgemm = _routine("cython_blas", "dgemm", 13)
_dsyrk = _routine("cython_blas", "dsyrk", 10)
_dpotrf = _routine("cython_lapack", "dpotrf", 5)
_dsytrd = _routine("cython_lapack", "dsytrd", 10)
_dorgtr = _routine("cython_lapack", "dorgtr", 8)
BLOCK = 32  # columns that dsytrd and dorgtr process together
PANEL = 32  # columns of a triangular factor that are multiplied together


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
def add_product(total, left, right):
    """Add left'right to ``total`` (k, p), for ``left`` (n, k) and ``right`` (n, p)."""
    letters, one = np.array([78, 84], dtype=np.uint8), np.ones(1)  # N, T
    sizes = np.array([right.shape[1], left.shape[1], left.shape[0]], dtype=np.int32)
    text, width, number = letters.ctypes.data, sizes.ctypes.data, one.ctypes.data
    _dgemm(
        text, text + 1, width, width + 4, width + 8, number, right.ctypes.data, width, left.ctypes.data, width + 4,
        number, total.ctypes.data, width,
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


@kernel
def cholesky(matrix):
    """Overwrite the lower triangle of ``matrix`` (p, p) with L, where matrix = LL'; returns whether L exists."""
    letters, sizes = np.array([85], dtype=np.uint8), np.array([matrix.shape[0], 0], dtype=np.int32)
    width = sizes.ctypes.data
    _dpotrf(letters.ctypes.data, width, matrix.ctypes.data, width, width + 4)
    return sizes[1] == 0


@fused
def add_squares(images, number, width, squares):
    """Add the sum of squares of each row of ``images``, up to ``width``, to ``squares`` (n,)."""
    for i in range(number):
        total = 0.0
        for j in range(width):
            total += images[i, j] * images[i, j]
        squares[i] += total


@kernel
def triangular_forms(part, factor, squares):
    """Write |L'z|^2 of each row z of ``part`` (n, p) to ``squares`` (n,), for a lower triangular ``factor`` L.

    The columns of L are multiplied in panels, so that its zeros above a panel are skipped: about half of the products.
    """
    n, size = part.shape
    letters, numbers = np.array([78], dtype=np.uint8), np.array([1.0, 0.0])
    sizes = np.array([size, PANEL, n, 0, 0], dtype=np.int32)
    images = np.empty((n, PANEL))
    text, width, one = letters.ctypes.data, sizes.ctypes.data, numbers.ctypes.data
    for i in range(n):
        squares[i] = 0.0
    for j in range(0, size, PANEL):
        sizes[3], sizes[4] = min(PANEL, size - j), size - j
        _dgemm(
            text, text, width + 12, width + 8, width + 16, one, factor.ctypes.data + 8 * j * (size + 1), width,
            part.ctypes.data + 8 * j, width, one + 8, images.ctypes.data, width + 4,
        )  # fmt: skip
        add_squares(images, n, sizes[3], squares)
