"""What a run needs of its surroundings."""

from types import SimpleNamespace

import pytest
from snakemake.settings.types import MaxJobsPerTimespan

from balanced_bandits.running import start_jobs_without_limit


@pytest.mark.parametrize(("given", "kept"), [("100/1s", False), ("50/1m", True), ("100/1m", True), (None, True)])
def test_the_default_limit_on_job_starts_is_taken_off_and_no_other(given, kept):
    limit = MaxJobsPerTimespan.parse_choice(given) if given else None
    limiter = object()
    workflow = SimpleNamespace(
        scheduling_settings=SimpleNamespace(max_jobs_per_timespan=limit),
        scheduler=SimpleNamespace(job_rate_limiter=limiter),
    )
    start_jobs_without_limit(workflow)
    assert workflow.scheduler.job_rate_limiter is (limiter if kept else None)
