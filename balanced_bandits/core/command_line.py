"""How every command line reports bad input."""

import ctypes
import sys
from collections.abc import Callable

from balanced_bandits.core.errors import InputError


def guarded(main: Callable[[], None]) -> None:
    """Run a command line; on bad input, print the message without a traceback and exit with code 1."""
    try:
        main()
    except InputError as error:
        sys.exit(f"error: {error}")


def keep_memory() -> None:
    """Have the C library keep memory that is freed, for kernels that allocate the same arrays again and again.

    Otherwise glibc returns large arrays to the system at once, and getting their pages again takes as long as the
    arithmetic on them. Other C libraries are left alone.
    """
    options = {-1: 2**30, -3: 2**25}  # M_TRIM_THRESHOLD, and M_MMAP_THRESHOLD at the largest value that is allowed
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is not None:
        for option, value in options.items():
            mallopt(option, value)
