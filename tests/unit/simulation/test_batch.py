"""A job of the multiverse plays as the jobs of the experiment do."""

import importlib.util

import numpy as np
import pytest
from conftest import ROOT

from balanced_bandits.analysis.classification.multiverse import faults_of_batch
from balanced_bandits.core.files import read_arrays, write_arrays
from balanced_bandits.simulation.classification import play

spec = importlib.util.spec_from_file_location("simulate_universe", ROOT / "scripts/simulate_universe.py")
simulate_universe = importlib.util.module_from_spec(spec)
spec.loader.exec_module(simulate_universe)
play_batch = simulate_universe.play_batch

LINTS = "balanced_bandits.bandits.lints:LinTS"
LITERAL, RESIDUAL = {"variance": "literal"}, {"variance": "residual"}


@pytest.fixture
def datasets(tmp_path):
    """Two datasets and one that was rejected."""
    rng = np.random.default_rng(0)
    paths = []
    for name in ("a", "b"):
        X = rng.standard_normal((50, 2))
        record = {"name": name, "n": 50, "d": 2, "K": 2, "rejected": None, "encoding": {"standardise": "whole"}}
        write_arrays(tmp_path / f"{name}.npz", record, X=X, y=(X[:, 0] > 0).astype(np.int64))
        paths.append(tmp_path / f"{name}.npz")
    record = {"name": "c", "n": 50, "d": 2, "K": 1, "rejected": "dull", "encoding": {}}
    write_arrays(tmp_path / "c.npz", record, X=np.empty((0, 0)), y=np.empty(0, dtype=np.int64))
    return [*paths, tmp_path / "c.npz"]


def options(shuffles, copies, readings):
    return {"seed": 3, "shuffles": shuffles, "copies": copies, "choices": {"ties": "largest"}, "readings": readings,
            "grid": {"alpha": [0.5, 1]}}  # fmt: skip


def test_its_runs_are_those_of_the_experiment_with_more_readings_copies_and_shuffles(datasets, tmp_path):
    ours = options(2, 1, {"residual": RESIDUAL})
    play_batch(datasets, {"LinTS": {"class": LINTS, "options": ours}}, tmp_path / "batch.npz")
    record, arrays = read_arrays(tmp_path / "batch.npz")
    assert [dataset["name"] for dataset in record["datasets"]] == ["a", "b", "c"]
    assert sorted(arrays) == ["wrong_0_0", "wrong_1_0"]
    assert not list(faults_of_batch(record, arrays))
    for i, dataset in enumerate(datasets[:2]):
        play(dataset, "LinTS", LINTS, options(3, 2, {"literal": LITERAL, "residual": RESIDUAL}), tmp_path / "main.npz")
        np.testing.assert_array_equal(
            arrays[f"wrong_{i}_0"], read_arrays(tmp_path / "main.npz")[1]["curve"][1, :, 0, :2, -1]
        )


def test_the_same_universe_has_the_same_bytes(datasets, tmp_path):
    players = {"LinTS": {"class": LINTS, "options": options(2, 1, {"residual": RESIDUAL})}}
    for name in ("one", "two"):
        play_batch(datasets, players, tmp_path / f"{name}.npz")
    assert (tmp_path / "one.npz").read_bytes() == (tmp_path / "two.npz").read_bytes()
