"""The undocumented parts of Snakemake: that they are where we look for them, and what happens where they are not."""

import inspect
import logging
from types import SimpleNamespace

import pytest
import snakemake.api  # before its modules, which import each other
import snakemake.logging
from snakemake.dag import DAG
from snakemake.scheduling.job_scheduler import JobScheduler
from snakemake.settings.types import ConfigSettings, MaxJobsPerTimespan
from snakemake.workflow import Workflow
from snakemake_interface_logger_plugins.common import LogEvent

from balanced_bandits.plan import snakemake_internals as internals


def test_this_is_the_version_they_were_written_for():
    """If this fails after an upgrade, run the tests of tests/workflow and look at each function of the module."""
    assert snakemake.__version__.startswith("9.")


def test_they_are_where_they_are_looked_for():
    assert "self.job_rate_limiter" in inspect.getsource(JobScheduler)
    assert callable(DAG.needrun_jobs)
    of_workflow = set(Workflow.__annotations__) | set(dir(Workflow))
    assert {"scheduling_settings", "config_settings", "scheduler", "dag"} <= of_workflow
    assert "overwrite_config" in inspect.getsource(ConfigSettings)
    assert LogEvent.JOB_ERROR.value == "job_error"
    assert LogEvent.GROUP_ERROR.value == "group_error"
    assert logging.getLogger(internals.LOGGER) is snakemake.logging.logger


@pytest.mark.parametrize(("given", "kept"), [("100/1s", False), ("50/1m", True), ("100/1m", True), (None, True)])
def test_the_default_limit_on_job_starts_is_taken_off_and_no_other(given, kept):
    limit = MaxJobsPerTimespan.parse_choice(given) if given else None
    limiter = object()
    workflow = SimpleNamespace(
        scheduling_settings=SimpleNamespace(max_jobs_per_timespan=limit),
        scheduler=SimpleNamespace(job_rate_limiter=limiter),
    )
    internals.lift_limit_on_job_starts(workflow)
    assert workflow.scheduler.job_rate_limiter is (limiter if kept else None)


def test_where_a_part_is_gone_the_run_goes_on_and_says_so(capsys):
    nothing = SimpleNamespace()
    assert internals.given_on_the_command_line(nothing) == {}
    internals.lift_limit_on_job_starts(nothing)
    assert list(internals.jobs_to_run(nothing)) == []
    said = capsys.readouterr().err.splitlines()
    assert len(said) == 3
    assert all(line.startswith("this version of Snakemake does not expose ") for line in said)


def test_the_event_of_a_record():
    record = logging.LogRecord("x", logging.INFO, "", 0, "", None, None)
    assert internals.event_of(record) == ""
    record.event = SimpleNamespace(value="job_error")
    assert internals.event_of(record) == "job_error"
