"""Collecting results by hand: the tables of runs, of curves and of datasets."""

import numpy as np
import pytest

from balanced_bandits.analysis.classification.collect import CURVE_COLUMNS, RUN_COLUMNS, collect
from balanced_bandits.core.files import write_arrays
from balanced_bandits.core.tables import read_table, write_table

N = 5
ABOUT = {"source": "file", "locator": "x", "licence": "l", "sha256": "s", "n": N, "d": 2, "K": 2}
JOB = {"bandit": "LinTS", "settings": [{"alpha": 1.0}, {"alpha": 2.0}], "readings": ["literal", "residual"]}


def write(path, name, shuffles=2, rejected=None, wrong=None, **more):
    """A result in which all rounds are wrong, but for ``wrong``: curves by reading, setting, copy and shuffle."""
    shape = (2, 2, 2, shuffles)
    curve = np.tile(np.array([1, 3, 5], dtype=np.int32), (*shape, 1))
    for at, rounds in (wrong or {}).items():
        curve[at] = rounds
    record = JOB | {"dataset": ABOUT | {"name": name, "rejected": rejected} | more,
                    "options": {"copies": 2, "shuffles": shuffles}}  # fmt: skip
    clipped = np.linspace(0.0, 1.0, 8 * shuffles, endpoint=False).reshape(shape)
    arrays = {"rounds": np.array([1, 3, 5]), "curve": curve, "pulls": np.full((*shape, 2), [2, 3]),
              "penalties": np.full((*shape, 2), np.nan), "clipped": clipped}  # fmt: skip
    write_arrays(path, record, **({} if rejected else arrays))
    return path


@pytest.fixture
def found(tmp_path):
    wrong = {(0, 0, 0, 0): [0, 1, 2], (0, 0, 0, 1): [1, 2, 4], (1, 1, 1, 0): [0, 0, 1]}
    good = write(tmp_path / "good.npz", "good", wrong=wrong, encoding={"numeric_columns": 2})
    bad = write(tmp_path / "bad.npz", "bad", rejected="all rows are of one class, 'x'")
    return collect([good, bad], {"good": "g", "bad": "b"})


def test_one_row_per_reading_setting_copy_and_shuffle(found):
    assert list(found.runs.columns) == RUN_COLUMNS
    assert len(found.runs) == 16
    by = found.runs.set_index(["reading", "setting", "copy", "shuffle"])
    assert by.index.is_unique
    assert by.loc[("literal", "alpha=1", 0, 0), "regret"] == 2 / 5
    assert by.loc[("literal", "alpha=1", 0, 1), "regret"] == 4 / 5
    assert by.loc[("residual", "alpha=2", 1, 0), "regret"] == 1 / 5
    assert (by["regret"] == 1.0).sum() == 13
    assert by["clipped"].tolist() == [i / 16 for i in range(16)]
    assert set(found.runs["n"]) == {N}


def test_curves_are_means_over_the_shuffles_of_the_first_copy(found):
    assert list(found.curves.columns) == CURVE_COLUMNS
    by = found.curves.set_index(["dataset", "bandit", "reading", "setting"])
    assert list(by.index) == [("good", "LinTS", reading, setting)
                              for reading in ("literal", "residual") for setting in ("alpha=1", "alpha=2")]  # fmt: skip
    first = by.loc[("good", "LinTS", "literal", "alpha=1")]
    assert list(first["mean"]) == [0.5, 1.5, 3.0]
    assert list(first["error"]) == [0.5, 0.5, 1.0]
    # That of copy 1 is not in it.
    assert list(by.loc[("good", "LinTS", "residual", "alpha=2"), "mean"]) == [1, 3, 5]
    assert list(by.loc[("good", "LinTS", "residual", "alpha=2"), "error"]) == [0, 0, 0]


def test_curves_of_a_single_shuffle_have_no_error(tmp_path):
    curves = collect([write(tmp_path / "one.npz", "one", shuffles=1)], {"one": "one"}).curves
    assert list(curves["mean"][0]) == [1, 3, 5]
    assert np.isnan(curves["error"][0]).all()


def test_curves_are_the_same_after_a_round_trip(found, tmp_path):
    write_table(tmp_path / "curves.parquet", found.curves)
    again = read_table(tmp_path / "curves.parquet")
    np.testing.assert_array_equal(np.stack(again["mean"]), np.stack(found.curves["mean"]))


def test_datasets_have_their_shuffles_family_and_reason_to_be_left_out(found, tmp_path):
    table = found.datasets.set_index("name")
    assert list(table.index) == ["good", "bad"]
    assert table["family"].tolist() == ["g", "b"]
    assert table["left_out"].tolist() == ["", "all rows are of one class, 'x'"]
    assert table["shuffles"].tolist() == [2, 2]
    assert table.loc["good", "numeric_columns"] == 2
    files = [write(tmp_path / f"{name}.npz", name, shuffles=of) for name, of in (("a", 7), ("b", 1))]
    assert collect(files, {"a": "a", "b": "b"}).datasets["shuffles"].tolist() == [7, 1]


def test_a_dataset_that_is_left_out_has_no_runs(found):
    assert set(found.runs["dataset"]) == set(found.curves["dataset"]) == {"good"}
