"""One job of the classification experiment, the readings of the variance, and what a job is predicted to cost."""

import numpy as np
import pandas as pd
import pytest

from balanced_bandits.bandits import BANDITS, bandit_class, import_path
from balanced_bandits.core.files import read_arrays, write_arrays
from balanced_bandits.core.streams import stream
from balanced_bandits.environments.classification import rewards_of, shuffled, spaced_rounds, standardised_so_far
from balanced_bandits.plan import cost
from balanced_bandits.plan.timing import report, timing
from balanced_bandits.simulation.classification import play
from balanced_bandits.vocabulary import READINGS

N, K = 70, 3


def written(path, standardise="whole"):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((N, 2))
    y = (X[:, 0] + 0.3 * rng.standard_normal(N) > 0).astype(np.int64) + (X[:, 1] > 1)
    record = {"name": "toy", "n": N, "K": K, "rejected": None, "encoding": {"standardise": standardise}}
    write_arrays(path, record, X=X, y=y)
    return path


@pytest.fixture
def dataset(tmp_path):
    return written(tmp_path / "data.npz")


def options(**changes):
    return {"seed": 1, "shuffles": 1, "copies": 1, "choices": {}, "readings": {"residual": {"variance": "residual"}},
            "grid": {"alpha": [0.5, 1]}} | changes  # fmt: skip


def played(dataset, bandit="LinTS", **changes):
    output = dataset.parent / "run.npz"
    play(dataset, bandit, import_path(bandit), options(**changes), output)
    return read_arrays(output)[1]


@pytest.mark.parametrize("standardise", ["whole", "running"])
@pytest.mark.parametrize("copy", [0, 2])
def test_a_run_is_that_of_the_bandit_on_its_shuffle_with_its_stream(standardise, copy, tmp_path):
    dataset = written(tmp_path / "data.npz", standardise)
    arrays = played(dataset, shuffles=2, copies=3)
    _, data = read_arrays(dataset)
    order = shuffled(N, 1, "toy", 1)
    contexts = standardised_so_far(data["X"][order]) if standardise == "running" else data["X"][order]
    rng = stream(1, "classification", "toy", "LinTS", "alpha=1", 1, *((copy,) if copy else ()))
    choices = [{"alpha": 1.0, "variance": "residual"}]
    rewards = rewards_of(data["y"], K)[order]
    chosen, _, penalties, _ = next(bandit_class("LinTS").play(choices, contexts, rewards, np.arange(N), [rng]))
    right = chosen == data["y"][order]
    at = 0, 1, copy, 1
    wrong = [int((~right[:t]).sum()) for t in arrays["rounds"]]
    assert arrays["curve"][at].tolist() == wrong
    np.testing.assert_array_equal(arrays["rounds"], spaced_rounds(N))
    np.testing.assert_array_equal(arrays["pulls"][at], np.bincount(chosen, minlength=K))
    np.testing.assert_array_equal(arrays["penalties"][at], penalties)
    assert np.isnan(arrays["clipped"]).all()  # LinTS has no propensities


@pytest.mark.parametrize(("bandit", "grid"), [("EpsilonGreedy", {"epsilon": [0.02, 0.1]}), ("Greedy", {})])
def test_reference_bandits_play_as_the_others_do(bandit, grid, dataset):
    arrays = played(dataset, bandit, grid=grid, readings={"any": {}}, shuffles=2)
    assert arrays["pulls"].shape == (1, max(len(values) for values in [*grid.values(), [0]]), 1, 2, K)
    assert (arrays["pulls"].sum(axis=-1) == N).all()


def test_running_standardisation_does_not_see_the_rows_to_come(tmp_path):
    """The last row is an outlier of the whole dataset, but of no earlier round."""
    X = np.random.default_rng(1).standard_normal((20, 2))
    other = X.copy()
    other[-1] = 1e3
    np.testing.assert_allclose(standardised_so_far(X)[:-1], standardised_so_far(other)[:-1], atol=1e-9)


def test_shuffles_are_other_orders_of_the_same_rows():
    orders = [shuffled(N, 1, "toy", shuffle) for shuffle in range(3)]
    assert all(sorted(order) == list(range(N)) for order in orders)
    assert len({tuple(order) for order in orders}) == 3
    assert tuple(shuffled(N, 1, "toy", 0)) == tuple(orders[0])
    assert tuple(shuffled(N, 1, "other", 0)) != tuple(orders[0])
    assert tuple(shuffled(N, 2, "toy", 0)) != tuple(orders[0])


def test_more_copies_shuffles_readings_or_settings_leave_runs_as_they_are(dataset):
    alone = played(dataset)["curve"][0, :, 0, 0]
    more = played(dataset, copies=3, shuffles=2, grid={"alpha": [0.5, 1, 2]},
                  readings={name: READINGS[name].choices for name in ("literal", "residual")})  # fmt: skip
    np.testing.assert_array_equal(more["curve"][1, :2, 0, 0], alone)
    assert more["curve"].shape == (2, 3, 3, 2, len(spaced_rounds(N)))
    runs = more["curve"].reshape(2 * 3 * 3 * 2, -1)
    assert len(np.unique(runs, axis=0)) > 30  # no run is that of another one, but by chance


def test_rounds_are_spaced_from_the_first_to_the_last():
    for n in (1, 2, 9, 1000, 54321):
        rounds = spaced_rounds(n)
        assert (rounds[0], rounds[-1]) == (1, n)
        assert (np.diff(rounds) > 0).all()
    assert 40 < len(spaced_rounds(54321)) < 60


@pytest.mark.parametrize("bandit", [name for name, entry in BANDITS.items() if "variance" in entry.parameters])
def test_readings_make_other_runs(bandit, dataset):
    _, data = read_arrays(dataset)
    runs = []
    for reading in READINGS.values():
        rounds = bandit_class(bandit).play(
            [{"alpha": 2.0} | reading.choices], data["X"], rewards_of(data["y"], K), np.arange(N), [stream(1, "x")]
        )
        runs.append(tuple(next(rounds)[0]))
    assert len(set(runs)) >= len(READINGS) - 1  # in so few rounds, two of them may choose the same arms


# Costs


@pytest.mark.parametrize("bandit", [*cost.STEP, "Uniform"])
def test_a_job_costs_more_with_more_rows_columns_classes_or_runs(bandit):
    sizes = (1000, 10, 3, 12)
    for place in range(4):
        larger = tuple(2 * size if i == place else size for i, size in enumerate(sizes))
        if place != 2 or cost.STEP.get(bandit, (0, 1))[1]:
            assert cost.seconds(bandit, *larger) > cost.seconds(bandit, *sizes)
        assert cost.megabytes(bandit, *larger) >= cost.megabytes(bandit, *sizes)


def test_more_columns_than_rows_cost_no_more_time_than_as_many():
    assert cost.seconds("BLTS", 100, 5000, 2, 12) == cost.seconds("BLTS", 100, 100, 2, 12)


def test_timing_holds_predictions_against_benchmarks_the_slowest_first(tmp_path):
    pd.DataFrame([
        {"name": "a", "n": 100, "d": 3, "encoded_columns": 5, "K": 2, "shuffles": 10, "left_out": ""},
        {"name": "b", "n": 900, "d": 3, "encoded_columns": 5, "K": 2, "shuffles": 2, "left_out": ""},
        {"name": "bad", "n": 9, "d": 3, "encoded_columns": np.nan, "K": 1, "shuffles": 10, "left_out": "one class"},
    ]).to_csv(tmp_path / "datasets.csv", index=False)  # fmt: skip
    for name, seconds in (("a", 2.0), ("b", 6.0), ("bad", 1.0)):
        (tmp_path / name).mkdir()
        (tmp_path / name / "LinTS.tsv").write_text(f"s\tmax_rss\tcpu_time\n{seconds}\t250.5\t{seconds - 1}\n")
        (tmp_path / name / "LinTS.log").write_text(
            f"LinTS a residual: 1.00 microseconds per step\nplayed for {seconds / 2} seconds\n"
        )
    with open(tmp_path / "a" / "LinTS.log", "a") as log:  # more exact than the benchmark
        log.write("used 1.625 CPU seconds\n")
    table = timing(tmp_path / "datasets.csv", {"LinTS": 6, "BLTS": 6}, tmp_path)  # BLTS has no benchmark
    assert list(table["dataset"]) == ["b", "a"]
    assert list(table["runs"]) == [12, 60]
    assert list(table["play_seconds"]) == [3.0, 1.0]
    assert list(table["cpu_seconds"]) == [5.0, 1.625]
    assert table["predicted_seconds"].iloc[0] == pytest.approx(cost.seconds("LinTS", 900, 5, 2, 12), abs=1e-3)
    words = report(table, slowest=1)
    assert words.startswith("The 1 slowest of 2 jobs")
    assert "LinTS plays b (n = 900, columns = 5, K = 2, 12 runs)" in words
    assert "plays a" not in words
    assert "All jobs: 8 seconds" in words
    assert "4 in the bandits' loops, 50 % outside them" in words
