"""All uses of Snakemake's undocumented interface, in one place.

They were written for and tested with Snakemake 9.27. If another version lacks a part of it, the function that needs it
does nothing and says so on standard error. Nothing here affects results.
"""

import logging
import sys
from collections.abc import Iterable
from typing import Any

LOGGER = "snakemake.logging"  # the logger that reports on jobs


def given_on_the_command_line(workflow: Any) -> dict[str, Any]:
    """The values of ``--config``, which Snakemake merges with config.yaml before rules can tell them apart."""
    try:
        given: dict[str, Any] = dict(workflow.config_settings.overwrite_config)
    except (AttributeError, TypeError):
        _missing("the values of --config", "a schedule given there is merged with the one in config.yaml")
        return {}
    return given


def lift_limit_on_job_starts(workflow: Any) -> None:
    """Remove the default limit of Snakemake's scheduler on job starts, 100 per second; keep any other limit.

    With a limit, the scheduler checks all waiting jobs every second, and once more per second for each job that has
    ended, so after some hundred jobs it takes a whole core. No command-line option removes the limit, and the scheduler
    is created just before ``onstart``.
    """
    try:
        limit = workflow.scheduling_settings.max_jobs_per_timespan
        if limit is not None and (limit.max_jobs, limit.timespan) == (100, 1):
            _ = workflow.scheduler.job_rate_limiter
            workflow.scheduler.job_rate_limiter = None
    except AttributeError:
        _missing("the limit on job starts", "the scheduler may be slower")


def jobs_to_run(workflow: Any) -> Iterable[Any]:
    """The jobs of this run that are not done yet, each with its ``rule.name`` and ``wildcards``."""
    try:
        jobs: Iterable[Any] = workflow.dag.needrun_jobs()
    except AttributeError:
        _missing("the list of jobs", "the time left is not shown")
        return ()
    return jobs


def listen(handler: logging.Handler) -> None:
    """Add ``handler`` to Snakemake's log; ``event_of`` returns what a record reports."""
    logging.getLogger(LOGGER).addHandler(handler)


def event_of(record: logging.LogRecord) -> str:
    """The event that a record reports: job_error, group_error, progress, ...; "" if it has none."""
    return str(getattr(getattr(record, "event", None), "value", None) or "")


def _missing(part: str, consequence: str) -> None:
    """Report a part that this version of Snakemake does not have."""
    print(f"this version of Snakemake does not expose {part}: {consequence}.", file=sys.stderr)
