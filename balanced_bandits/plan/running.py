"""The surroundings of a run: the interpreter of its jobs, the lock of its folder, and the time left."""

import fcntl
import logging
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path

from balanced_bandits.core.errors import InputError

SILENCE = 30.0  # minimum number of seconds between two messages


def use_this_python(home: str) -> None:
    """Make jobs use this interpreter as ``python``, whether its environment is active or not, and this package.

    In a conda environment created by Snakemake, ``python`` is the one of that environment, which finds this package.
    """
    os.environ["PATH"] = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, [home, os.environ.get("PYTHONPATH")]))


def hold_folder(folder: Path) -> None:
    """Lock ``folder`` for this process; the kernel releases the lock when the process ends in any way."""
    folder.mkdir(parents=True, exist_ok=True)
    handle = os.open(folder / "run.lock", os.O_RDWR | os.O_CREAT)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        raise InputError("another run is active in this folder; wait until it ends, or stop it.") from error


class TimeLeft(logging.Handler):
    """Prints the time left on standard error when a job is done according to Snakemake's log.

    ``left`` returns the predicted seconds of all jobs that are not done yet. Predictions are scaled by the elapsed
    time, so that only their ratios matter, on any number of cores.
    """

    def __init__(self, left: Callable[[], float]) -> None:
        super().__init__()
        self._left = left
        self._start, self._all = time.monotonic(), left()
        self._said = -SILENCE

    def emit(self, record: logging.LogRecord) -> None:
        """Handle a log record; those that count jobs have ``done`` and ``total``."""
        now = time.monotonic()
        if not getattr(record, "total", 0) or now - self._said < SILENCE:
            return
        left = self._left()
        if 0.0 < left < self._all:
            self._said = now
            words = duration((now - self._start) * left / (self._all - left))
            print(f"About {words} left.", file=sys.stderr, flush=True)


def duration(seconds: float) -> str:
    """Seconds in words.

    >>> duration(3.2), duration(75), duration(7260)
    ('3 s', '1 min 15 s', '2 h 1 min')
    """
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3600} h {whole % 3600 // 60} min"
