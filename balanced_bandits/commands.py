"""How every command line ends on bad input."""

import sys
from collections.abc import Callable

from balanced_bandits.errors import InputError


def guarded(main: Callable[[], None]) -> None:
    """Run a command line; bad input ends it with its sentence and code 1, without a traceback."""
    try:
        main()
    except InputError as error:
        sys.exit(f"error: {error}")
