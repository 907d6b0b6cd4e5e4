"""Real runs of a changed experiment must not pass for the rounding of another processor."""

import json

import pytest

from balanced_bandits.analysis.classification.collect import collect
from balanced_bandits.core.tables import write_table
from balanced_bandits.datasets import source_of
from balanced_bandits.datasets.prepare import prepare
from balanced_bandits.plan.plan import Plan
from balanced_bandits.simulation.classification import play
from balanced_bandits.verification.comparison import DIFFERENT, IDENTICAL, compare_runs
from balanced_bandits.verification.contents import wrong_rounds

DATASETS = ["iris", "wine"]


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    """The wrong rounds of LinTS and LinUCB on two datasets under a configuration, as they are played."""
    folder = tmp_path_factory.mktemp("changes")

    def of(**changes):
        plan = Plan({"datasets": DATASETS, "shuffles": 4, "play": ["LinTS", "LinUCB"]} | changes)
        jobs = []
        for name, row in plan.datasets.rows.items():
            data = folder / f"{name}.npz"
            if not data.exists():
                (folder / name).write_bytes(source_of(row).fetch(row, folder, folder))
                prepare(row, folder / name, data)
            for bandit in plan.classification.bandits:
                jobs.append(folder / f"{len(jobs)}.npz")
                options = json.loads(plan.classification.options(name, bandit))
                play(data, bandit, plan.players.path(bandit), options, jobs[-1])
        write_table(folder / "classification.parquet", collect(jobs, plan.datasets.families).runs)
        return wrong_rounds(folder / "classification.parquet")

    return of


def test_the_same_experiment_is_identical(runs):
    assert compare_runs("runs", runs(), runs()).verdict == IDENTICAL


@pytest.mark.parametrize(
    "change",
    [
        {"seed": 2020},
        {"ridge": {"ties": "largest"}},
        {"ridge": {"prior_weight": 0.11}},
        {"schedule": {"geometric": 0.06}},
        {"bandits": {"LinTS": {"alpha": [0.25, 0.5, 0.9]}, "LinUCB": {"alpha": [1, 2, 4]}}},
        {"shuffles": 3},
    ],
    ids=str,
)
def test_a_changed_experiment_is_different(runs, change):
    assert compare_runs("runs", runs(**change), runs()).verdict == DIFFERENT
