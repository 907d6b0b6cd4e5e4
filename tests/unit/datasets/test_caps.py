"""What bounds the size of a dataset: caps by configuration, the bound on dense tables, and rotation."""

import tracemalloc

import numpy as np
import pandas as pd
import pytest

from balanced_bandits.bandits import bandit_class
from balanced_bandits.core.errors import RejectedError
from balanced_bandits.core.rotation import rotated
from balanced_bandits.datasets import encoding
from balanced_bandits.datasets.arff_files import arff_frame
from balanced_bandits.datasets.caps import fewer_features, fewer_rows
from balanced_bandits.datasets.encoding import encode, labelled_rows
from balanced_bandits.datasets.prepare import Preparation, encoded_table
from balanced_bandits.datasets.tables import Table


def tall(n: int = 300, d: int = 8) -> Table:
    """Labels tell the row, and values row and column; every tenth row has no label."""
    frame = pd.DataFrame(np.arange(n)[:, None] + np.arange(d) / 100, columns=[f"x{i}" for i in range(d)])
    return Table(frame, pd.Series([None if i % 10 == 0 else str(i) for i in range(n)], dtype=object))


def test_without_caps_nothing_changes():
    given = labelled_rows(tall())
    for most in (None, 270):
        assert fewer_rows(given, most, 0, "a") is given
        assert fewer_features(given, most, 0, "a") is given


def test_rows_are_drawn_by_the_seed_and_keep_order_and_label():
    given = labelled_rows(tall())
    table = fewer_rows(given, 50, 0, "a")
    assert len(table.labels) == 50
    assert table.features["x0"].astype(int).astype(str).tolist() == table.labels.tolist()
    assert table.features["x0"].is_monotonic_increasing
    again = [fewer_rows(given, 50, seed, name).labels.tolist() for seed, name in ((0, "a"), (1, "a"), (0, "b"))]
    assert again[0] == table.labels.tolist()
    assert again[1] != again[0] != again[2]


def test_features_are_drawn_by_the_seed_and_keep_their_order():
    table = fewer_features(tall(), 3, 0, "a")
    columns = list(table.features.columns)
    assert len(columns) == 3
    assert columns == sorted(columns)
    assert len(table.labels) == 300
    assert len({tuple(fewer_features(tall(), 3, seed, "a").features.columns) for seed in range(20)}) > 5


def test_the_account_tells_what_was_cut():
    account = {}
    encoded = encoded_table(tall(), "a", Preparation(max_rounds=50, max_features=3), account)
    assert encoded.X.shape == (50, 3)
    assert (account["rows_capped_from"], account["features_capped_from"]) == (270, 8)
    assert account["rows_without_label"] == 30
    encoded_table(tall(), "a", Preparation(), account)
    assert (account["rows_capped_from"], account["features_capped_from"]) == (None, None)


@pytest.mark.parametrize("rounds", [None, 300])
def test_levels_are_judged_before_rows_are_cut(rounds):
    """A column of 1,310 names does not become 300 columns of 0/1 because 300 rows are drawn."""
    frame = pd.DataFrame({"size": np.arange(2620) ** 2 % 97, "name": [f"name {i // 2}" for i in range(2620)]})
    labels = pd.Series(["u", "v"] * 1310, dtype=object)
    with pytest.raises(RejectedError, match="'name' is categorical with 1310 levels, more than max_levels = 1000"):
        encoded_table(Table(frame, labels), "a", Preparation(max_rounds=rounds), {})
    unique = frame.iloc[::2].reset_index(drop=True)
    encoded = encoded_table(Table(unique, labels[:1310]), "a", Preparation(max_rounds=rounds), account := {})
    assert encoded.X.shape == (rounds or 1310, 1)
    assert "'name': differs in every row" in account["warnings"]


def test_tables_beyond_the_bound_are_refused_before_they_are_made_dense(monkeypatch):
    monkeypatch.setattr(encoding, "LARGEST_TABLE", 270 * 8 - 1)
    with pytest.raises(
        RejectedError, match=r"^270 rows and 8 columns are more than 2159 cells, the limit of a dense table; "
    ):
        encode(tall())
    monkeypatch.setattr(encoding, "LARGEST_TABLE", 270 * 8)
    assert encode(tall()).X.shape == (270, 8)
    levels = pd.DataFrame({"a": [f"l{i % 20}" for i in range(100)], "b": np.arange(100.0)})
    labels = pd.Series(["u", "v"] * 50, dtype=object)
    monkeypatch.setattr(encoding, "LARGEST_TABLE", 1999)
    with pytest.raises(RejectedError, match=r"^100 rows and 20 columns after encoding are more than"):
        encode(Table(levels, labels))


def test_sparse_tables_are_not_made_dense_by_the_reader():
    rows, columns = 2000, 2000  # 32 MB if dense
    header = "@relation r\n" + "".join(f"@attribute x{i} numeric\n" for i in range(columns)) + "@data\n"
    raw = (header + "".join(f"{{{i} 1.5,{(7 * i + 1) % columns} 2}}\n" for i in range(rows))).encode()
    tracemalloc.start()
    frame = arff_frame("a.arff", raw)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert frame.shape == (rows, columns)
    assert frame["x1"].tolist()[:3] == [2.0, 1.5, 0.0]
    assert peak < 8 * rows * columns / 2


def test_dense_files_are_read_into_arrays_and_not_into_lists_of_numbers():
    rows, columns = 4000, 100
    values = np.random.default_rng(0).standard_normal((rows, columns)).round(3)
    header = "@relation r\n" + "".join(f"@attribute x{i} numeric\n" for i in range(columns)) + "@data\n"
    raw = (header + "\n".join(",".join(map(str, row)) for row in values)).encode()
    tracemalloc.start()
    frame = arff_frame("a.arff", raw)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    np.testing.assert_array_equal(frame.to_numpy(), values)
    # The text twice and the values twice, and a part of the rows as Python's numbers.
    assert peak < 2.5 * len(raw) + 2 * values.nbytes + 1000 * columns * 100


@pytest.mark.parametrize("seed", range(3))
def test_a_bandit_chooses_the_same_arms_with_and_without_rotation(seed):
    rng = np.random.default_rng(seed)
    contexts = rng.standard_normal((60, 150))
    labels = (contexts @ rng.standard_normal((150, 3)) + rng.standard_normal((60, 3))).argmax(axis=1)

    def arms(X: np.ndarray) -> list[int]:
        streams = [np.random.default_rng(seed)]
        runs = bandit_class("LinUCB").play([{"alpha": 1.0}], X, np.eye(3)[labels], np.arange(60), streams)
        return next(iter(runs))[0].tolist()

    turned = rotated(contexts)
    assert turned.shape == (60, 60)
    assert arms(turned) == arms(contexts)
    assert set(arms(contexts)) == {0, 1, 2}
    assert arms(turned[:, :30]) != arms(contexts)  # half of it would show
