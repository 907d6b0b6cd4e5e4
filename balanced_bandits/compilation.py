"""The decorator of every compiled function, and where their machine code is kept.

Numba's cache looks at the file of the function it compiles and not at the files of the functions it
calls, so after an edit of a callee the caller would go on with the old code. Ours is therefore kept in a
folder named by a digest of all of the package's sources: any edit starts afresh, and a second process
with the same sources compiles nothing.
"""

import functools
import hashlib
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numba

PACKAGE = Path(__file__).resolve().parent


@functools.cache
def _cache_folder() -> str:
    """Folder of the compiled code of exactly these sources (inside $NUMBA_CACHE_DIR where that is set)."""
    digest = hashlib.sha256()
    for folder in ("bandits", "estimation", "simulation"):
        for source in sorted((PACKAGE / folder).glob("*.py")):
            digest.update(f"{source.name}\0".encode() + source.read_bytes() + b"\0")
    parent = os.environ.get("NUMBA_CACHE_DIR") or str(PACKAGE / "__pycache__")
    return os.path.join(parent, f"kernels-{digest.hexdigest()[:16]}")


def is_kept(name: str) -> bool:
    """Whether machine code of the function of that qualified name is in the cache, for exactly these sources."""
    return any(Path(_cache_folder()).glob(f"*/*.{name}-*.nbi"))


def kernel(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compile ``function`` on its first call, and keep the machine code for later processes.

    Floating-point arithmetic stays as written (no ``fastmath``), but in ``reordered`` kernels.
    """
    return _compiled(function)


def written_out(function: Callable[..., Any]) -> Callable[..., Any]:
    """A kernel that Numba writes out where it is called, for short ones between long ones.

    Each level of calls has everything below it optimised once more, which takes seconds.
    """
    return _compiled(function, inline="always")


def uncounted(function: Callable[..., Any]) -> Callable[..., Any]:
    """A kernel that does not count references to arrays, for the innermost loop.

    Counting costs more than the arithmetic of a small problem. Such a function must not make arrays.
    """
    return _compiled(function, _nrt=False)


def tight(function: Callable[..., Any]) -> Callable[..., Any]:
    """An uncounted kernel whose machine code is put where it is called."""
    return _compiled(function, _nrt=False, forceinline=True)


def reordered(function: Callable[..., Any]) -> Callable[..., Any]:
    """A tight kernel whose sums may be added up in another order, several terms at a time, as the processor likes best.

    Like sums by BLAS, they can then differ in the last digit from one kind of processor to another.
    """
    return _compiled(function, _nrt=False, forceinline=True, fastmath={"reassoc"})


def _compiled(function: Callable[..., Any], **flags: Any) -> Callable[..., Any]:
    settings: Any = numba.config
    previous = settings.CACHE_DIR
    # Numba picks the folder when the decorator runs; if this one can't be written to, it uses its own.
    settings.CACHE_DIR = _cache_folder()
    try:
        compiled: Callable[..., Any] = numba.njit(cache=True, error_model="numpy", **flags)(function)
    finally:
        settings.CACHE_DIR = previous
    return compiled
