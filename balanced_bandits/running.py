"""What a run of the workflow needs of its surroundings."""

import fcntl
import os
import sys
from pathlib import Path
from typing import Any

from balanced_bandits.errors import InputError


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
