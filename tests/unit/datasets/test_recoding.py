"""Other encodings of categorical columns than that of the experiment."""

import hashlib

import numpy as np
import pandas as pd
import pytest

from balanced_bandits.core.files import read_arrays
from balanced_bandits.datasets.encoding import encode
from balanced_bandits.datasets.prepare import Preparation, prepare
from balanced_bandits.datasets.recoding import prepare_otherwise, recoded
from balanced_bandits.datasets.suite import Row
from balanced_bandits.datasets.tables import Table


def table(column, **more):
    labels = pd.Series(["yes", "no"] * (len(column) // 2))
    return Table(pd.DataFrame({"x": np.arange(len(column), dtype=float), "c": column} | more), labels)


def test_ordinal_codes_are_places_in_alphabetical_order():
    found = recoded(table(["low", "high", None, "mid"]), "ordinal").features
    assert found.iloc[:, 0].tolist() == [0, 1, 2, 3]
    np.testing.assert_array_equal(found.iloc[:, 1], [1, 0, np.nan, 2])


def test_reference_coding_leaves_out_the_first_level_and_flags_missing_values_once():
    found = recoded(table(["b", "a", None, "c", "b", "a", "b", "c"]), "reference").features
    assert found.iloc[:, 1:].to_numpy().T.tolist() == [
        [1, 0, 1, 0, 1, 0, 1, 0],  # b, which a missing value counts as, since it is the most frequent
        [0, 0, 0, 1, 0, 0, 0, 1],
        [0, 0, 1, 0, 0, 0, 0, 0],
    ]


def test_indicators_are_left_to_the_experiment():
    given = table(["a", "b"] * 5)
    assert recoded(given, "indicators") is given


def test_two_levels_are_encoded_alike_by_all():
    given = table(["a", "b", "b"] * 6)
    first = encode(given).X
    for categoricals in ("reference", "ordinal"):
        np.testing.assert_allclose(encode(recoded(given, categoricals)).X, first)


def test_a_column_with_one_level_or_none_is_dropped():
    given = table(["a"] * 12, d=[None] * 12)
    for categoricals in ("reference", "ordinal"):
        assert encode(recoded(given, categoricals)).X.shape == (12, 1)


@pytest.fixture
def dataset(tmp_path):
    rng = np.random.default_rng(1)
    frame = pd.DataFrame({"u": rng.standard_normal(40).round(3), "c": rng.choice(["p", "q", "r"], 40)})
    frame["kind"] = np.where(frame["u"] > 0, "yes", "no")
    raw = tmp_path / "raw.csv"
    frame.to_csv(raw, index=False)
    row = Row("small", "file", "small.csv", "kind", hashlib.sha256(raw.read_bytes()).hexdigest(), "none", 40, 2, 2)
    prepare(row, raw, tmp_path / "usual.npz")
    return row, raw, tmp_path / "usual.npz"


def test_prepared_as_usual_is_the_same_file(dataset, tmp_path):
    prepare_otherwise(*dataset, tmp_path / "again.npz", Preparation())
    assert (tmp_path / "again.npz").read_bytes() == dataset[2].read_bytes()


def test_rows_and_labels_stay_and_columns_change(dataset, tmp_path):
    usual = read_arrays(dataset[2])
    for how, categoricals, columns in ((Preparation(), "ordinal", 2), (Preparation(), "reference", 3),
                                       (Preparation(standardise="none"), "indicators", 4)):  # fmt: skip
        prepare_otherwise(*dataset, tmp_path / "other.npz", how, categoricals)
        record, arrays = read_arrays(tmp_path / "other.npz")
        assert arrays["X"].shape == (40, columns)
        np.testing.assert_array_equal(arrays["y"], usual[1]["y"])
        assert record["encoding"]["standardise"] == how.standardise
        assert record["encoding"]["encoded_columns"] == columns
        assert {key: record[key] for key in ("n", "d", "K")} == {"n": 40, "d": 2, "K": 2}


def test_caps_draw_the_same_rows(dataset, tmp_path):
    how = Preparation(max_rounds=20, seed=3)
    row, raw, _ = dataset
    prepare(row, raw, tmp_path / "capped.npz", how)
    prepare_otherwise(row, raw, tmp_path / "capped.npz", tmp_path / "other.npz", how, "ordinal")
    first, other = (read_arrays(tmp_path / name)[1] for name in ("capped.npz", "other.npz"))
    np.testing.assert_array_equal(first["y"], other["y"])
    np.testing.assert_allclose(first["X"][:, 0], other["X"][:, 0])


def test_a_dataset_that_cannot_be_played_stays_so(tmp_path):
    raw = tmp_path / "dull.csv"
    pd.DataFrame({"u": np.arange(12.0), "kind": "same"}).to_csv(raw, index=False)
    row = Row("dull", "file", "dull.csv", "kind", hashlib.sha256(raw.read_bytes()).hexdigest(), "none", 12, 1, 1)
    assert "one class" in prepare(row, raw, tmp_path / "usual.npz")["rejected"]
    prepare_otherwise(row, raw, tmp_path / "usual.npz", tmp_path / "other.npz", Preparation(), "ordinal")
    assert (tmp_path / "other.npz").read_bytes() == (tmp_path / "usual.npz").read_bytes()
