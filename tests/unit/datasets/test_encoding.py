"""Encoding of tables: by hand on small frames, by properties on random ones; and what ``prepare`` writes."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from balanced_bandits.core.errors import InputError, RejectedError
from balanced_bandits.core.files import read_arrays
from balanced_bandits.core.rotation import rotated
from balanced_bandits.datasets.checksum import sha256
from balanced_bandits.datasets.columns import Rules
from balanced_bandits.datasets.encoding import Encoded
from balanced_bandits.datasets.prepare import Preparation, encoded_table, inspect, prepare
from balanced_bandits.datasets.suite import Row
from balanced_bandits.datasets.tables import Table

NAN = float("nan")


def table(features: dict[str, object], labels: list[object] | None = None) -> Table:
    frame = pd.DataFrame(features)
    if labels is None:
        labels = [str(i % 2) for i in range(len(frame))]
    return Table(frame, pd.Series(labels, dtype=object))


def encode(given_table: Table, max_levels: int) -> Encoded:
    """As a job does, without caps."""
    account: dict[str, object] = {}
    encoded = encoded_table(given_table, "ant", Preparation(max_levels), account)
    encoded.account |= {"rows_without_label": account["rows_without_label"]}
    return encoded


def column(values: object, **more: object) -> Encoded:
    return encode(table({"c": values, **more}), max_levels=100)


def standardised(*columns: list[float]) -> np.ndarray:
    """The columns, each with mean 0 and variance 1."""
    X = np.array(columns, dtype=float).T
    return (X - X.mean(axis=0)) / X.std(axis=0)


@pytest.mark.parametrize("levels", [1, 2, 3, 7])
@pytest.mark.parametrize("gap", [False, True])
def test_the_number_of_columns_is_foreseen(levels, gap):
    frame = pd.DataFrame({"x": np.arange(20.0), "colour": [f"c{i % levels}" for i in range(20)]})
    if gap:
        frame.loc[3, ["x", "colour"]] = None
    table = Table(frame, pd.Series(["no", "yes"] * 10))
    foreseen = sum(found.columns for found in inspect(table, Rules()).columns)
    assert foreseen == encode(table, max_levels=100).account["encoded_columns"]


def test_by_hand():
    features = {
        "number": [1, 2, 3, 4, 5, 6, 7, 8, 90, NAN],  # median of those there: 5
        "two": [*"ababababa", None],  # most frequent: a
        "three": list("pqrpqrpqrp"),
        "constant": [7.0] * 10,
        "one": ["same"] * 10,
    }
    encoded = encode(table(features, ["10", "9", "9", "9", "9", "2", "2", "2", "10", "9"]), max_levels=100)
    last = [0] * 9 + [1]
    expected = standardised(
        [1, 2, 3, 4, 5, 6, 7, 8, 90, 5],
        last,
        [0, 1, 0, 1, 0, 1, 0, 1, 0, 0],
        last,
        [1, 0, 0, 1, 0, 0, 1, 0, 0, 1],
        [0, 1, 0, 0, 1, 0, 0, 1, 0, 0],
        [0, 0, 1, 0, 0, 1, 0, 0, 1, 0],
    )
    np.testing.assert_allclose(encoded.X, expected, atol=1e-13)
    np.testing.assert_allclose(encoded.X.mean(axis=0), 0, atol=1e-13)
    np.testing.assert_allclose(encoded.X.var(axis=0), 1)
    assert encoded.classes == ["2", "9", "10"]
    assert encoded.y.tolist() == [2, 1, 1, 1, 1, 0, 0, 0, 2, 1]
    assert encoded.account == {
        "rows_without_label": 0, "numeric_columns": 2, "categorical_columns": 3, "missing_cells": 2,
        "indicators_of_missing": 2, "constant_columns_dropped": 2, "encoded_columns": 7, "rotated_from": None,
        "standardise": "whole",
    }  # fmt: skip


# Labels


@pytest.mark.parametrize(
    ("given_labels", "classes"),
    [
        (["10", "9", "-1", "2.5"], ["-1", "2.5", "9", "10"]),
        (["10", "9", "b", "a"], ["10", "9", "a", "b"]),
        (["größe", "Zahl", "ähnlich", "a"], ["Zahl", "a", "größe", "ähnlich"]),
        (["no", "yes"], ["no", "yes"]),
    ],
)
def test_order_of_classes(given_labels, classes):
    labels = given_labels * 5
    encoded = encode(table({"a": range(len(labels))}, labels), max_levels=100)
    assert encoded.classes == classes
    assert [encoded.classes[i] for i in encoded.y] == labels


def test_class_of_one_row():
    encoded = encode(table({"a": range(10)}, ["often"] * 9 + ["once"]), max_levels=100)
    assert encoded.classes == ["often", "once"]
    assert np.bincount(encoded.y).tolist() == [9, 1]


def test_rows_without_label_are_dropped_and_leave_no_trace():
    kept = [0, 1, 2, 4, 5, 6, 7, 8, 9, 11]
    whole = table({"a": np.arange(12.0) ** 2, "b": list("pqrzpqrpqrpq")}, [str(i % 2) for i in range(12)])
    whole.labels.iloc[[3, 10]] = [None, NAN]
    part = Table(whole.features.iloc[kept], whole.labels.iloc[kept])
    encoded, expected = encode(whole, 100), encode(part, 100)
    np.testing.assert_array_equal(encoded.X, expected.X)
    np.testing.assert_array_equal(encoded.y, expected.y)
    assert encoded.account == expected.account | {"rows_without_label": 2}


# Columns


def test_all_missing_column_goes():
    encoded = column([NAN] * 10, d=[None] * 10, a=range(10))
    assert encoded.X.shape == (10, 1)
    assert encoded.account["missing_cells"] == 20
    assert encoded.account["indicators_of_missing"] == 0


def test_constant_with_missing_values_leaves_its_indicator():
    np.testing.assert_allclose(column([3.0] * 5 + [NAN] * 5).X, standardised([0] * 5 + [1] * 5))
    np.testing.assert_allclose(column(["x"] * 5 + [None] * 5).X, standardised([0] * 5 + [1] * 5))


def test_infinite_values_are_missing():
    with_infinite = column([1, 2, 3, 4, 5, 6, 7, 8, np.inf, -np.inf])
    np.testing.assert_array_equal(with_infinite.X, column([1, 2, 3, 4, 5, 6, 7, 8, NAN, NAN]).X)
    assert with_infinite.account["missing_cells"] == 2


@pytest.mark.parametrize("scale", [1e300, 1e-300, -1e308, 5e-324])
def test_scale_does_not_matter(scale):
    pattern = np.array([0, 1, 1, 0, 1, 0, 0, 0, 1, 1.0])
    np.testing.assert_allclose(column(pattern * scale).X, column(pattern * np.sign(scale)).X, atol=1e-13)


def test_huge_and_tiny_values_in_one_column():
    encoded = column([1e300, -1e300, 1e-300, 0, 1, 2, 3, 4, 5, 6])
    assert np.isfinite(encoded.X).all()
    np.testing.assert_allclose(encoded.X.var(axis=0), 1)


def test_numbers_that_differ_by_rounding_alone_are_constant():
    encoded = column([0.1 + 0.2, 0.3] * 5, a=range(10))
    assert encoded.account["constant_columns_dropped"] == 1


HALF = [0, 1] * 5


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        (pd.array([0, 1] * 5, dtype="Int64"), "numeric"),
        (pd.array([0, 1] * 5, dtype="Float64"), "numeric"),
        (np.array(HALF, dtype=np.uint8), "numeric"),
        (np.array(HALF, dtype=np.float16), "numeric"),
        (pd.array([0, 1] * 5, dtype="int64[pyarrow]"), "numeric"),
        ([False, True] * 5, "categorical"),
        (pd.array([False, True] * 5, dtype="boolean"), "categorical"),
        (pd.array(["a", "b"] * 5, dtype="string"), "categorical"),
        (pd.Series(["a", "b"] * 5, dtype=object), "categorical"),
        (pd.Categorical(["a", "b"] * 5, categories=["b", "a", "unused"]), "categorical"),
        (pd.Categorical([3, 5] * 5), "categorical"),
        (pd.to_datetime(["2020-01-01", "2021-01-01"] * 5), "numeric"),
    ],
)
def test_types(values, kind):
    encoded = column(values)
    np.testing.assert_allclose(encoded.X, standardised(HALF))
    assert encoded.account[f"{kind}_columns"] == 1


@pytest.mark.parametrize(
    "values",
    [
        pd.array([0, 1, None, 0, 1] * 2, dtype="Int64"),
        pd.array([0.0, 1.0, None, 0.0, 1.0] * 2, dtype="Float64"),
        pd.array([False, True, None, False, False] * 2, dtype="boolean"),
        pd.Series([False, True, None, False, False] * 2, dtype=object),
        pd.array(["a", "b", None, "a", "a"] * 2, dtype="string"),
        pd.Categorical(["a", "b", None, "a", "a"] * 2),
    ],
)
def test_types_with_missing_values(values):
    encoded = column(values)
    assert encoded.X.shape == (10, 2)
    np.testing.assert_allclose(encoded.X[:, 1], standardised([0, 0, 1, 0, 0] * 2)[:, 0])
    assert np.isfinite(encoded.X).all()


def test_most_frequent_level_is_first_by_name_among_equals():
    for order in (["b", "a"], ["a", "b"]):
        encoded = column([*order * 4, None, "c"])
        np.testing.assert_array_equal(encoded.X[8, :3], encoded.X[order.index("a"), :3])


def test_names_beyond_ascii():
    frame = {"größe": range(10), "色": ["赤", "青", "緑", "赤", "青"] * 2}
    assert encode(table(frame), max_levels=100).X.shape == (10, 4)


def test_columns_of_the_same_name():
    frame = pd.DataFrame([[i, "pq"[i % 2], i * i] for i in range(10)], columns=["a", "a", "a"])
    encoded = encode(Table(frame, pd.Series(["0", "1"] * 5)), max_levels=100)
    expected = standardised(list(range(10)), HALF, [i * i for i in range(10)])
    np.testing.assert_allclose(encoded.X, expected)


# Rejections


def rejection(features: dict[str, object], labels: list[object] | None = None, max_levels: int = 100) -> str:
    with pytest.raises(RejectedError) as caught:
        encode(table(features, labels), max_levels)
    return str(caught.value)


def test_too_many_levels_are_refused_with_advice():
    said = rejection({"a": range(1000), "town": [f"town {i % 400}" for i in range(1000)]})
    assert said.startswith("column 'town' is categorical with 400 levels, more than max_levels = 100")
    assert "raise max_levels" in said


def test_as_many_levels_as_allowed():
    values = [f"level {i % 100}" for i in range(200)]
    assert column(values).X.shape == (200, 100)
    assert "101 levels" in rejection({"c": [*values, "another", "another"]})


def test_one_class():
    assert rejection({"a": range(10)}, ["yes"] * 10) == "all rows are of one class, 'yes'"


def test_too_few_rows():
    assert "only 9 rows have a label; at least 10" in rejection({"a": range(9)})
    assert "only 9 rows" in rejection({"a": range(12)}, ["0", "1", "2"] * 3 + [None] * 3)
    assert "no row has a label" in rejection({"a": range(12)}, [None] * 12)
    assert encode(table({"a": range(10)}), 100).X.shape == (10, 1)


def test_no_usable_feature():
    assert "no usable feature" in rejection({"a": [1] * 10, "b": ["x"] * 10, "c": [NAN] * 10})
    with pytest.raises(RejectedError, match="no usable feature"):
        encode(Table(pd.DataFrame(index=range(10)), pd.Series(["0", "1"] * 5)), 100)


# Determinism and rotation


@pytest.fixture(scope="module")
def mixed() -> Table:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {"a": rng.standard_normal(60), "b": rng.choice(list("pqrs"), 60), "c": rng.exponential(size=60)}
    )
    frame.loc[rng.random(60) < 0.2, "a"] = NAN
    frame.loc[rng.random(60) < 0.2, "b"] = None
    return Table(frame, pd.Series(rng.choice(["x", "y", "z"], 60), dtype=object))


def test_twice_the_same_bytes(mixed):
    first, second = encode(mixed, 100), encode(mixed, 100)
    assert first.X.tobytes() == second.X.tobytes()
    assert first.y.tobytes() == second.y.tobytes()
    assert (first.classes, first.account) == (second.classes, second.account)


def test_the_table_stays_as_it_was(mixed):
    before = mixed.features.copy(deep=True)
    encode(mixed, 100)
    pd.testing.assert_frame_equal(mixed.features, before)


def test_order_of_rows_does_not_matter(mixed):
    order = np.random.default_rng(1).permutation(60)
    other = encode(Table(mixed.features.iloc[order], mixed.labels.iloc[order]), 100)
    plain = encode(mixed, 100)
    np.testing.assert_allclose(other.X, plain.X[order], atol=1e-12)
    np.testing.assert_array_equal(other.y, plain.y[order])


def test_labels_do_not_matter_to_contexts(mixed):
    other = Table(mixed.features, pd.Series(["u", "v"] * 30, dtype=object))
    assert encode(other, 100).X.tobytes() == encode(mixed, 100).X.tobytes()


def test_wide_tables_are_rotated():
    features = np.random.default_rng(0).standard_normal((20, 70))
    encoded = encode(table({f"x{i}": features[:, i] for i in range(70)}), 100)
    plain = standardised(*features.T)
    assert encoded.X.shape == (20, 20)
    assert encoded.account["rotated_from"] == encoded.account["encoded_columns"]
    assert encoded.account["encoded_columns"] == 70
    np.testing.assert_allclose(encoded.X @ encoded.X.T, plain @ plain.T, atol=1e-10)


def test_square_tables_are_not_rotated():
    features = np.random.default_rng(0).standard_normal((20, 20))
    encoded = encode(table({f"x{i}": features[:, i] for i in range(20)}), 100)
    assert encoded.account["rotated_from"] is None
    np.testing.assert_allclose(encoded.X, standardised(*features.T), atol=1e-12)


def test_rotation_changes_no_ridge_prediction():
    rng = np.random.default_rng(0)
    X, r = rng.standard_normal((30, 80)), rng.standard_normal(20)

    def predictions(Z: np.ndarray) -> np.ndarray:
        seen, new = Z[:20], Z[20:]
        return new @ np.linalg.solve(seen.T @ seen + 0.5 * np.eye(Z.shape[1]), seen.T @ r)

    turned = rotated(X)
    assert turned.shape == (30, 30)
    np.testing.assert_allclose(predictions(turned), predictions(X), atol=1e-10)


def test_rotation_fixes_the_signs():
    turned = rotated(np.random.default_rng(0).standard_normal((10, 30)))
    largest = np.abs(turned).argmax(axis=0)
    assert (turned[largest, range(10)] > 0).all()


# Random frames


@st.composite
def random_tables(draw: st.DrawFn) -> Table:
    n = draw(st.integers(8, 30))
    number = st.one_of(st.none(), st.integers(-3, 3).map(float), st.floats(width=32), st.sampled_from([1e300, 1e-300]))
    text = st.one_of(st.none(), st.sampled_from(["a", "b", "größe", "", "nan"]), st.text(max_size=2))
    truth = st.sampled_from([True, False, None])
    kinds = draw(st.lists(st.sampled_from(["number", "text", "truth"]), min_size=1, max_size=5))
    columns = []
    for kind in kinds:
        values = {"number": number, "text": text, "truth": truth}[kind]
        drawn = draw(st.lists(values, min_size=n, max_size=n))
        columns.append(pd.Series(drawn, dtype={"number": float, "text": object, "truth": "boolean"}[kind]))
    labels = draw(st.lists(st.sampled_from(["1", "2", "b", None]), min_size=n, max_size=n))
    frame = pd.concat(columns, axis=1)
    frame.columns = [f"c{i // 2}" for i in range(len(columns))]
    return Table(frame, pd.Series(labels, dtype=object))


@settings(max_examples=200, deadline=None, derandomize=True)
@given(random_tables())
def test_random_tables_are_standardised_or_rejected(given_table):
    try:
        encoded = encode(given_table, max_levels=20)
    except RejectedError as reason:
        assert str(reason)  # noqa: PT017
        return
    n = int(given_table.labels.notna().sum())
    assert encoded.X.shape == (n, min(n, encoded.account["encoded_columns"]))
    assert encoded.X.dtype == np.float64
    assert np.isfinite(encoded.X).all()
    # A column whose spread is small beside its values loses digits, hence the wide tolerance.
    np.testing.assert_allclose(encoded.X.mean(axis=0), 0, atol=1e-3)
    if encoded.account["rotated_from"]:
        np.testing.assert_allclose(np.square(encoded.X).sum() / n, encoded.account["encoded_columns"], rtol=1e-3)
    else:
        np.testing.assert_allclose(encoded.X.var(axis=0), 1, atol=1e-3)
    assert [encoded.classes[i] for i in encoded.y] == list(given_table.labels.dropna())


# prepare


def written(folder, text: str, **changes: object) -> tuple[Row, object]:
    raw = folder / "raw"
    raw.write_text(text)
    row = {"name": "mine", "source": "file", "locator": "a.csv", "target": "class", "licence": "CC0"}
    return Row(**(row | {"sha256": sha256(raw.read_bytes()), "n": 12, "d": 2, "K": 3} | changes)), raw


GOOD = "a,b,class\n" + "".join(f"{i},{'pq'[i % 2]},{'xyz'[i % 3]}\n" for i in range(12)) + "13,p,?\n"


def test_prepare(tmp_path):
    row, raw = written(tmp_path, GOOD)
    given_record = prepare(row, raw, tmp_path / "mine.npz", Preparation(100))
    record, arrays = read_arrays(tmp_path / "mine.npz")
    assert record == given_record
    assert record["name"] == "mine"
    assert record["rejected"] is None
    assert record["classes"] == ["x", "y", "z"]
    assert record["encoding"]["rows_without_label"] == 1
    np.testing.assert_allclose(arrays["X"], standardised(list(range(12)), [0, 1] * 6))
    assert arrays["y"].tolist() == [0, 1, 2] * 4


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"n": 13}, "n = 12 where the suite says 13;"),
        ({"d": 3}, "d = 2 where the suite says 3;"),
        ({"K": 2}, "K = 3 where the suite says 2;"),
        ({"n": 1, "K": 4}, "n = 12 where the suite says 1, K = 3 where the suite says 4;"),
    ],
)
def test_prepare_compares_the_counts(tmp_path, changes, said):
    row, raw = written(tmp_path, GOOD, **changes)
    with pytest.raises(InputError) as caught:
        prepare(row, raw, tmp_path / "mine.npz", Preparation(100))
    assert str(caught.value).startswith(f"dataset mine: {said}")
    assert not (tmp_path / "mine.npz").exists()


def test_prepare_writes_rejected_datasets_with_their_reason(tmp_path):
    row, raw = written(tmp_path, GOOD.replace("11,q", "11,r"))
    prepare(row, raw, tmp_path / "mine.npz", Preparation(max_levels=2))
    record, arrays = read_arrays(tmp_path / "mine.npz")
    assert record["rejected"].startswith("column 'b' is categorical with 3 levels, more than max_levels = 2")
    assert record["name"] == "mine"
    assert arrays["X"].shape == (0, 0)
    assert arrays["y"].shape == (0,)
