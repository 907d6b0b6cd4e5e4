"""benchmarks/fit_cost.py: the constants of the cost model, from the times of a run."""

import importlib.util
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from conftest import ROOT

from balanced_bandits.plan import cost


@pytest.fixture(scope="module")
def fit_cost():
    spec = importlib.util.spec_from_file_location("fit_cost", ROOT / "benchmarks/fit_cost.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def jobs_of(start_up, factor=1.0):
    """A table of jobs that take exactly as long as the model says, times ``factor`` outside the start-up."""
    rng = np.random.default_rng(0)
    rows = []
    for _ in range(60):
        n, columns, K = int(10 ** rng.uniform(2, 4.5)), int(10 ** rng.uniform(0.3, 2.5)), int(rng.integers(2, 30))
        for bandit in [*cost.PAPER, "Greedy", "Mine"]:
            seconds = start_up + factor * cost.play_seconds(bandit, n, columns, K, 240)
            rows.append({"bandit": bandit, "n": n, "columns": columns, "K": K, "runs": 240, "cpu_seconds": seconds})
    return pd.DataFrame(rows)


def test_the_constants_of_times_that_follow_the_model_are_found(fit_cost):
    start_up, constants = fit_cost.fit(jobs_of(0.53, factor=3.0))
    assert start_up == 0.53
    assert list(constants) == list(cost.PAPER)
    for name, values in constants.items():
        assert values == pytest.approx(3.0 * np.array(cost.PAPER[name]), rel=0.05, abs=1e-9)


def test_a_few_jobs_that_compiled_their_bandits_change_little(fit_cost):
    jobs = jobs_of(0.5)
    jobs.loc[jobs.index[:7], "cpu_seconds"] += 30.0
    start_up, constants = fit_cost.fit(jobs)
    assert start_up == pytest.approx(0.5, rel=0.1)
    shares = fit_cost.within_two(jobs, start_up, constants)
    assert set(shares) == {*cost.PAPER, "Greedy", "Mine"}  # the latter two with the constants of others
    assert min(shares.values()) >= 0.95


def test_shares_count_jobs_predicted_within_a_factor_of_two(fit_cost):
    jobs = jobs_of(0.5)
    slow = jobs["n"] > 3000
    jobs.loc[slow, "cpu_seconds"] *= 2.1
    jobs.loc[~slow, "cpu_seconds"] *= 1.9
    assert fit_cost.within_two(jobs, 0.5, cost.PAPER)["LinTS"] == pytest.approx(1.0 - slow.mean())


def test_the_command_prints_constants_and_shares(tmp_path):
    jobs_of(0.5).to_csv(tmp_path / "timing.csv", index=False)
    command = [sys.executable, ROOT / "benchmarks/fit_cost.py", tmp_path / "timing.csv"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    assert "START_UP = 0.5\n" in done.stdout
    first, second = cost.PAPER["LinTS"][:2]
    assert f'    "LinTS": ({first}, {second},' in done.stdout
    assert "    ILTCB: 100.0%, 100.0% of 60 jobs\n" in done.stdout
