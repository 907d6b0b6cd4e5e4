"""What a run of the workflow needs of its surroundings."""

import fcntl
import logging
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from balanced_bandits.errors import InputError

SILENCE = 30.0  # seconds at least between two words on the time left


def use_this_python(home: str) -> None:
    """Let the command ``python`` in jobs be this interpreter, activated or not, and let it find this package.

    In a conda environment made by Snakemake, ``python`` is that environment's, and the package is found all the same.
    """
    os.environ["PATH"] = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, [home, os.environ.get("PYTHONPATH")]))


def start_jobs_without_limit(workflow: Any) -> None:
    """Take Snakemake's limit on job starts, 100 a second, off its scheduler, unless another one was asked for.

    With a limit, the scheduler (of version 9.27) looks at all jobs that wait every second, and once more a second for
    each job that has ended: after some hundred, it takes a core for itself. No option of the command line takes the
    limit off, and Snakemake makes the scheduler just before ``onstart``.
    """
    limit = workflow.scheduling_settings.max_jobs_per_timespan
    if limit is not None and (limit.max_jobs, limit.timespan) == (100, 1):
        workflow.scheduler.job_rate_limiter = None


def hold_folder(folder: Path) -> None:
    """Keep other runs out of ``folder`` until this process ends, however it ends: the kernel lets go of the lock."""
    folder.mkdir(parents=True, exist_ok=True)
    handle = os.open(folder / "run.lock", os.O_RDWR | os.O_CREAT)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        raise InputError("another run is at work in this folder; wait until it ends, or end it.") from error


class TimeLeft(logging.Handler):
    """Says how long the rest of a run will take, on standard error, when Snakemake's log says that a job is done.

    ``left`` gives the predicted seconds of all jobs that are not done yet. Predictions are held against the time that
    has passed, so that only their ratios matter, on any number of cores.
    """

    def __init__(self, left: Callable[[], float]) -> None:
        super().__init__()
        self._left = left
        self._start, self._all = time.monotonic(), left()
        self._said = -SILENCE

    def emit(self, record: logging.LogRecord) -> None:
        """Look at a record; those that count jobs have ``done`` and ``total``."""
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
