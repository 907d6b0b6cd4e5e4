"""Decorators for compiled functions, and the cache of their machine code.

Numba's own cache checks only the file of the function that it compiles, not the files of the functions that it calls:
after an edit of a callee, the caller would keep using the old code. Our cache is therefore a folder named after a
digest of all sources that contain kernels, so that any edit starts a new one. Nothing in it depends on the location of
the package: clones, test copies and the nodes of a cluster share what one of them has compiled.

Loading code from the cache skips what only compilation needs (``Cache``, ``load_blas``). Otherwise it would take three
times as long, and half of the time of a small job.

The cache is in $NUMBA_CACHE_DIR or, if that is not set, in the user's cache folder (~/.cache/balanced-bandits). If
that is not writable, it is in the package's ``__pycache__``.
"""

import functools
import hashlib
import importlib.util
import os
import shutil
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from importlib.machinery import PathFinder
from pathlib import Path
from typing import Any

import numba
import scipy
from numba.core import caching

try:
    from numba.core.runtime.nrt import rtsys
except ImportError:  # another version of Numba has it elsewhere
    rtsys = None  # type: ignore[assignment]

PACKAGE = Path(__file__).resolve().parents[1]
KERNEL_FOLDERS = ("core", "estimation", "bandits", "simulation")
UNUSED_DAYS = 60  # caches of other sources are removed after this time
_DAY = 86400.0


@functools.cache
def cache_folder() -> Path:
    """The cache folder of exactly these sources."""
    digest = hashlib.sha256()
    for room in KERNEL_FOLDERS:
        for source in sorted((PACKAGE / room).glob("*.py")):
            digest.update(f"{room}/{source.name}\0".encode() + source.read_bytes() + b"\0")
    name = f"kernels-{digest.hexdigest()[:16]}"
    for parent in (_users_folder(), PACKAGE / "__pycache__"):
        folder = parent / name
        try:
            folder.mkdir(parents=True, exist_ok=True)
            if time.time() - folder.stat().st_mtime > _DAY:
                os.utime(folder)  # still in use
            _remove_unused(parent)
        except OSError:
            continue
        if os.access(folder, os.W_OK):
            return folder
    return folder  # not writable: nothing is cached


def _users_folder() -> Path:
    """The folder that holds the caches of all versions of the sources."""
    given = os.environ.get("NUMBA_CACHE_DIR")
    if given:
        return Path(given)
    cache = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return Path(cache) / "balanced-bandits"


def _remove_unused(parent: Path) -> None:
    """Remove caches that have not been used for a long time."""
    for other in parent.glob("kernels-*"):
        if time.time() - other.stat().st_mtime > UNUSED_DAYS * _DAY:
            shutil.rmtree(other, ignore_errors=True)


class Locator(caching.UserProvidedCacheLocator):
    """Tells Numba where to cache the code of a function: by the name of the source's folder, not by its full path.

    The digest in the name of the cache folder identifies the sources that the code was compiled from. The stamp of a
    single file, in some versions of Numba its date, would say less.
    """

    @classmethod
    def get_suitable_cache_subpath(cls, py_file: str) -> str:
        """The folder within the cache."""
        return Path(py_file).parent.name

    def get_source_stamp(self) -> str:
        """The stamp that must match for cached code to be used."""
        return cache_folder().name


class Cache(caching.FunctionCache):
    """Numba's cache of a function, for kernels: loading code does not load the compiler.

    Numba's own cache first imports and registers everything that can be compiled. Cached code needs only the runtime
    that counts references to arrays. (It would need more for parallel loops and hashing, which no kernel uses.) A
    function that is not in the cache is compiled as usual: the compiler loads the rest itself. If a version of Numba
    does not have the internals that this uses, the code is loaded as Numba does it, more slowly.
    """

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """The compiled function for a signature, or None if it is not in the cache."""
        if not (hasattr(rtsys, "initialize") and hasattr(self, "_load_overload")):
            return super().load_overload(sig, target_context)  # type: ignore[no-untyped-call]
        rtsys.initialize(target_context)
        return self._load_overload(sig, target_context)  # type: ignore[no-untyped-call]


def load_blas() -> None:
    """Load SciPy's BLAS and LAPACK for kernels, without the rest of ``scipy.linalg``, which takes 0.2 seconds.

    Numba calls these two modules and nothing else of ``scipy.linalg``, and finds them where they are put here. Call it
    before a bandit is imported, which looks up routines of both. For processes that run kernels of this package only:
    although other code can still import ``scipy.linalg``, the two modules are then not among its attributes.
    """
    folders = [os.path.join(folder, "linalg") for folder in scipy.__path__]
    for name in ("scipy.linalg.cython_blas", "scipy.linalg.cython_lapack"):
        found = None if "scipy.linalg" in sys.modules else PathFinder.find_spec(name, folders)
        if found is not None and found.loader is not None and name not in sys.modules:
            sys.modules[name] = module = importlib.util.module_from_spec(found)
            found.loader.exec_module(module)


def is_cached(name: str) -> bool:
    """Whether the function with that qualified name is in the cache, compiled from exactly these sources."""
    return any(cache_folder().glob(f"*/*.{name}-*.nbi"))


def kernel(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compile ``function`` on its first call, and cache the machine code for later processes.

    Floating-point arithmetic stays as written (no ``fastmath``), except in ``reordered`` kernels.
    """
    return _compiled(function)


def written_out(function: Callable[..., Any]) -> Callable[..., Any]:
    """A kernel that Numba inlines at the call site before compiling, for short kernels between long ones.

    Every level of calls is optimised again together with everything below it, which costs seconds of compilation.
    """
    return _compiled(function, inline="always")


def uncounted(function: Callable[..., Any]) -> Callable[..., Any]:
    """A kernel without reference counting of arrays, for the innermost loop. It must not create arrays.

    Reference counting costs more than the arithmetic of a small problem.
    """
    return _compiled(function, _nrt=False)


def tight(function: Callable[..., Any]) -> Callable[..., Any]:
    """An uncounted kernel whose machine code is inlined into the caller."""
    return _compiled(function, _nrt=False, forceinline=True)


def reordered(function: Callable[..., Any]) -> Callable[..., Any]:
    """A tight kernel whose sums may be reordered, so that several terms are added at a time.

    As with BLAS, the last digit of a sum can differ between kinds of processor.
    """
    return _compiled(function, _nrt=False, forceinline=True, fastmath={"reassoc"})


def fused(function: Callable[..., Any]) -> Callable[..., Any]:
    """A reordered kernel in which a product and the sum that it enters may be rounded once instead of twice."""
    return _compiled(function, _nrt=False, forceinline=True, fastmath={"reassoc", "contract"})


def _compiled(function: Callable[..., Any], **flags: Any) -> Callable[..., Any]:
    """Numba's dispatcher for ``function``; its code is cached where ``Locator`` says, if a folder is writable."""
    ours = {"CACHE_DIR": str(cache_folder()), "CACHE_LOCATOR_CLASSES": f"{__name__}.Locator"}
    settings: Any = numba.config  # read when the decorator runs
    before = {name: getattr(settings, name) for name in ours}
    compiled: Any = numba.njit(error_model="numpy", **flags)(function)
    try:
        for name, value in ours.items():
            setattr(settings, name, value)
        with suppress(RuntimeError):  # no folder is writable
            if hasattr(compiled, "_cache"):
                compiled._cache = Cache(function)  # type: ignore[no-untyped-call]  # as enable_caching, with our class
            else:
                compiled.enable_caching()
    finally:
        for name, value in before.items():
            setattr(settings, name, value)
    return compiled  # type: ignore[no-any-return]
