"""The audit: planted leaks and duplicates are found, honest data is left alone, and no order matters."""

import itertools

import numpy as np
import pandas as pd
import pytest
from conftest import ROOT
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_iris

from balanced_bandits.core.errors import InputError, RejectedError
from balanced_bandits.datasets.audit import audit
from balanced_bandits.datasets.audit.findings import (
    DECIDED,
    KINDS,
    MANY,
    OPEN,
    SEVERITIES,
    STALE,
    Finding,
    decided,
    decisions_path,
    grouped,
    ordered,
    page,
    read_decisions,
)
from balanced_bandits.datasets.audit.leaks import _left_out_fit, one_feature
from balanced_bandits.datasets.audit.quality import missing_code
from balanced_bandits.datasets.audit.view import Variable
from balanced_bandits.datasets.columns import Rules
from balanced_bandits.datasets.prepare import changed
from balanced_bandits.datasets.suite import Row, read_suite
from balanced_bandits.datasets.tables import Table

N = 200
ABOUT_ORDER = {"row order", "identifier"}


def row_of(name, **more) -> Row:
    return Row(name, "file", f"{name}.csv", "y", "unknown", "unknown", 1, 1, 2, **more)


def audited(*tables, **more):
    """The findings on tables (name, features, labels[, binarise])."""
    rows, contents = {}, {}
    for name, features, labels, *binarise in tables:
        rows[name] = row_of(name, binarise=binarise[0] if binarise else "", **more)
        contents[name] = Table(pd.DataFrame(features), pd.Series(list(map(str, labels)), dtype=object))
    return audit(rows, lambda row: contents[row.name], Rules())


def keys(findings, *kinds):
    return {finding.key for finding in findings if not kinds or finding.kind in kinds}


def noise(seed=0, n=N, columns=4):
    """Independent columns of several kinds, and labels."""
    rng = np.random.default_rng(seed)
    frame = {f"number {i}": rng.normal(size=n) for i in range(columns)}
    frame["colour"] = rng.choice(["red", "green", "blue"], n)
    frame["count"] = rng.poisson(3, n)
    return frame, rng.integers(0, 2, n), rng


# Leaks


def test_noise_has_no_findings():
    for seed in range(40):
        n = int(np.random.default_rng(seed).integers(10, 300))
        frame, y, rng = noise(seed, n)
        labels = y if seed % 2 else rng.normal(size=n)
        assert audited(("noise", frame, labels, *([] if seed % 2 else ["mean"]))) == []


def test_strong_but_fair_features_and_small_samples_are_no_leaks():
    iris = load_iris(as_frame=True)
    assert keys(audited(("iris", iris.data, iris.target)), "one feature", "determines target") == set()
    y = np.repeat([0, 1], 10)
    perfect = {"x": np.arange(20) * 1.5 + 0.3 * y, "colour": np.where(y == 1, "red", "blue")}
    assert audited(("small", perfect, y)) == []


@pytest.mark.parametrize("classes", [2, 3, 7])
def test_a_numeric_column_with_one_interval_per_class_is_a_leak(classes):
    frame, _, rng = noise()
    y = rng.integers(0, classes, N)
    frame["spy"] = y + rng.uniform(0, 0.9, N)
    assert keys(audited(("d", frame, y))) == {("d", "one feature", "spy")}
    frame["spy"] = y + rng.uniform(0, 2.0, N)  # overlaps
    assert audited(("d", frame, y)) == []


def test_a_class_in_the_middle_and_a_column_that_is_only_missing_for_one_class_are_leaks():
    frame, _, rng = noise()
    middle = rng.normal(size=N)
    y = (np.abs(middle) < 0.6).astype(int)
    holes = np.where(y == 1, np.nan, rng.normal(size=N))
    assert keys(audited(("d", frame | {"middle": middle, "holes": holes}, y))) == {
        ("d", "one feature", "middle"), ("d", "one feature", "holes")
    }  # fmt: skip


def test_a_column_of_which_each_value_has_one_class_is_reported_once():
    frame, y, rng = noise()
    frame["spy"] = np.where(y == 1, rng.choice(["a", "b"], N), rng.choice(["c", "d"], N))
    assert keys(audited(("d", frame, y))) == {("d", "determines target", "spy")}


def test_the_majority_class_does_not_make_a_useless_column_look_good():
    frame, _, rng = noise(n=1000)
    y = (np.arange(1000) < 10).astype(int)  # 99 % are right without any feature
    frame["useless"] = rng.choice(["u", "v"], 1000)
    assert keys(audited(("d", frame, y)), "one feature", "determines target") == set()
    assert keys(audited(("d", frame | {"spy": y + rng.uniform(0, 0.5, 1000)}, y))) == {("d", "one feature", "spy")}


@pytest.mark.parametrize("spy", [np.log, lambda t: -3 * t + 1, lambda t: t**3, lambda t: np.round(t, 2)])
def test_a_monotone_function_of_a_target_that_is_cut(spy):
    frame, _, rng = noise()
    target = rng.lognormal(size=N)
    assert keys(audited(("d", frame | {"spy": spy(target)}, target, "mean"))) == {("d", "monotone", "spy")}
    assert audited(("d", frame | {"fair": target + 0.5 * rng.normal(size=N)}, target, "mean")) == []


@pytest.mark.parametrize(
    ("of", "names"),
    [
        (lambda a, b, c: a + b + c, "a & b & c"), (lambda a, b, c: a - b, "a & b"),
        (lambda a, b, c: a * b, "log a & log b"), (lambda a, b, c: a / b**2, "log a & log b"),
        (lambda a, b, c: np.exp(a - b), "a & b"),
    ],
)  # fmt: skip
def test_a_formula_of_several_columns(of, names):
    frame, _, rng = noise()
    a, b, c = rng.uniform(1, 3, (3, N))
    target = of(a, b, c)
    assert keys(audited(("d", frame | {"a": a, "b": b, "c": c}, target, "mean"))) == {("d", "formula", names)}
    noisy = target + 0.1 * target.std() * rng.normal(size=N)
    assert audited(("d", frame | {"a": a, "b": b, "c": c}, noisy, "mean")) == []


def test_more_columns_than_rows_are_no_formula():
    rng = np.random.default_rng(0)
    for columns in (25, 29, 40):
        frame = {f"x{i}": rng.normal(size=30) for i in range(columns)}
        assert audited(("wide", frame, rng.normal(size=30), "mean")) == []


def test_left_out_fit_is_that_of_refits():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(12, 3))
    X -= X.mean(axis=0)
    y = X @ [1.0, 2.0, 0.0] + 0.3 * rng.normal(size=12)
    errors, plain = [], []
    for i in range(12):
        others = np.arange(12) != i
        design = np.column_stack([np.ones(11), X[others]])
        fitted = np.linalg.lstsq(design, y[others], rcond=None)[0]
        errors.append(y[i] - np.r_[1.0, X[i]] @ fitted)
        plain.append(y[i] - y[others].mean())
    assert _left_out_fit(X, y) == pytest.approx(1 - np.square(errors).sum() / np.square(plain).sum())


def test_identifiers_and_columns_that_follow_sorted_rows():
    frame, _, rng = noise()
    y = np.repeat([0, 1], N // 2)
    y[rng.choice(N, 30, replace=False)] ^= 1
    time = np.sort(rng.uniform(0, 10, N))
    found = audited(("d", frame | {"case": rng.permutation(N), "time": time}, y))
    assert keys(found) == {("d", "identifier", "case"), ("d", "row order", "time")}
    shuffled = rng.permutation(N)
    assert keys(audited(("d", {k: v[shuffled] for k, v in frame.items()} | {"time": time[shuffled]}, y[shuffled]))) == (
        set()
    )
    assert audited(("d", frame | {"time": time}, rng.integers(0, 2, N))) == []


def test_one_feature_is_leave_one_out_by_level():
    rng = np.random.default_rng(2)
    codes, y = rng.integers(-1, 6, 60), rng.integers(0, 3, 60)
    wrong = 0
    for i in range(60):
        others = np.bincount(y[(codes == codes[i]) & (np.arange(60) != i)], minlength=3)
        wrong += not (others[y[i]] > np.delete(others, y[i]).max())
    always = 60 - np.bincount(y).max()
    assert one_feature(Variable("c", codes, list("abcdef")), y, 3)[0] == pytest.approx(1 - wrong / always)


@pytest.mark.parametrize("levels", [None, list("abcd")])
def test_the_probability_of_a_coincidence_is_not_understated(levels):
    """Over all orders of the labels, a probability of at most p occurs in at most a share p of them."""
    n = 22
    column = Variable("c", np.arange(n, dtype=float) if levels is None else np.arange(n) % 4, levels)
    said = []
    for ones in itertools.combinations(range(n), 3):
        y = np.zeros(n, dtype=np.int64)
        y[list(ones)] = 1
        said.append(one_feature(column, y, 2)[1])
    said = np.sort(said)
    share = np.arange(1, len(said) + 1) / len(said)
    last_of_each = np.append(np.diff(said) > 0, True)
    assert (share[last_of_each] <= np.exp(said[last_of_each]) + 1e-12).all()


# Faults within a dataset


def test_a_constant_target_and_classes_of_one_row():
    frame, y, _ = noise()
    assert keys(audited(("d", frame, np.zeros(N, dtype=int)))) == {("d", "constant target", "")}
    y[7], y[9] = 5, 6
    (finding,) = audited(("d", frame, y))
    assert finding.key == ("d", "small class", "")
    assert finding.detail == "2 classes have one row each: 5, 6"


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ([1, 2, 3, 9, 9, 9], "9 (3 times); all other values are from 1 to 3"),
        ([*range(40), 98, 98, 98, 99, 99, 99], "98 (3 times), 99 (3 times); all other values are from 0 to 39"),
        ([*range(40), 99, 99], ""),  # too few
        ([*range(90), 99, 99, 99], ""),  # not far
        ([95, 96, 97, 97, 97], ""),  # years
        ([-999.0, -999, -999, 0.1, 0.5, -0.4], "-999 (3 times); all other values are from -0.4 to 0.5"),
        ([-1, -1, -1, *range(12)], "-1 (3 times); all other values are from 0 to 11"),
        ([-1, -1, -1, -2, -3, *range(12)], ""),
        ([-1, 0, 1] * 5, ""),
        ([0, 0, 0, *np.linspace(18, 60, 50)], "0 (3 times); all other values are from 18 to 60"),
        ([0, 0, 0, *range(50)], ""),
        ([*[0] * 50, *np.linspace(18, 60, 50)], ""),  # mostly zero
        ([1, 2, 3, 4, 7, 7, 7], ""),
        ([1, 2, 8, 8, 8, 9, 9, 9], "8 (3 times), 9 (3 times); all other values are from 1 to 2"),
        ([1.0, np.nan, 1.0], ""),
    ],
)
def test_codes_for_missing_values(values, said):
    assert missing_code(Variable("c", np.array(values, dtype=float))) == said


def test_equal_columns_and_duplicated_rows():
    frame, y, rng = noise()
    more = {"celsius": frame["number 1"] * 1.8 + 32, "Farbe": pd.Series(frame["colour"]).map(str.upper),
            "square": frame["count"] ** 2}  # fmt: skip
    found = audited(("d", frame | more, y))
    assert keys(found) == {("d", "equal columns", "number 1"), ("d", "equal columns", "colour")}
    twice = rng.permutation(np.append(np.arange(N), np.arange(15)))
    (finding,) = audited(("d", {name: values[twice] for name, values in frame.items()}, y[twice]))
    assert (finding.kind, finding.detail) == ("duplicated rows", "15 of 215 rows (7.0%) repeat another row")
    coarse = {"a": rng.integers(0, 3, N), "b": rng.integers(0, 3, N)}
    assert audited(("d", coarse, y)) == []  # equal rows are to be expected
    rare = {f"word {i}": (np.arange(N) == 7).astype(int) for i in range(3)}
    assert audited(("d", frame | rare, y)) == []  # one row of 200 agrees by chance


# Across datasets


def test_a_copy_is_found_however_it_was_changed():
    frame, y, rng = noise(n=150)
    order = rng.permutation(150)
    copies = {
        "rows": ({name: values[order] for name, values in frame.items()}, y[order]),
        "columns": (dict(reversed(frame.items())), y),
        "names": ({f"V{i}": values for i, values in enumerate(frame.values())}, y),
        "levels": (frame | {"colour": pd.Series(frame["colour"]).map({"red": 3, "green": 1, "blue": 2})}, y),
        "scaled": (frame | {f"number {i}": 25.4 * frame[f"number {i}"] + i for i in range(4)}, y),
        "target": (frame, rng.integers(0, 3, 150)),
    }
    for what, (copy, labels) in copies.items():
        found = audited(("a", frame, y), (f"b {what}", copy, labels), ("c", *noise(1, 150)[:2]))
        assert keys(found) == {(f"b {what}", "equal tables", "a")}, what
        assert found[0].detail == f"the same 150 rows as a, with {'another' if what == 'target' else 'the same'} target"


def test_columns_that_two_datasets_share():
    frame, y, rng = noise()
    other = noise(1)[0] | {"Size": -2.5 * rng.permutation(frame["number 2"])}
    (finding,) = audited(("a", frame, y), ("b", other, rng.integers(0, 2, N)))
    assert finding.key == ("b", "shared columns", "a")
    assert finding.detail == "1 of 7 columns have the values of columns of a: Size (number 2)"


def test_the_target_of_one_dataset_may_be_a_column_of_another():
    frame, y, rng = noise()
    target = rng.normal(size=N)
    found = audited(("a", frame, target, "mean"), ("b", noise(1)[0] | {"yield": target}, y))
    assert keys(found) == {("b", "shared columns", "a")}


@pytest.mark.parametrize("rename", [False, True])
def test_rows_that_two_datasets_share(rename):
    frame, y, rng = noise(n=400, columns=3)
    part = rng.choice(400, 150, replace=False)
    some = {(name[::-1] if rename else name): values[part] for name, values in frame.items()}
    (finding,) = audited(("all", frame, y), ("part", some, y[part]))
    assert finding.key == ("part", "shared rows", "all")
    assert finding.detail.startswith("150 of 150 rows")
    fewer = rng.choice(400, 30, replace=False)
    mixed = {name: np.append(values[fewer], noise(2)[0][name]) for name, values in frame.items() if name != "number 3"}
    assert audited(("all", frame, y), ("few", mixed, np.append(y[fewer], noise(2)[1]))) == []  # 30 of 230


def test_rows_of_categories_are_compared_by_the_names_of_columns():
    rng = np.random.default_rng(0)
    votes = {f"about {word}": rng.choice(["y", "n"], 300) for word in ("tax", "war", "law", "oil", "sea", "art", "sun",
                                                                       "ice", "sky", "tin", "fog", "elm")}  # fmt: skip
    part, y = rng.choice(300, 250, replace=False), rng.integers(0, 2, 300)
    found = audited(("a", votes, y), ("b", {name: values[part] for name, values in votes.items()}, y[part]))
    assert keys(found) == {("b", "shared rows", "a")}
    fresh = {name: rng.choice(["y", "n"], 250) for name in votes}
    assert audited(("a", votes, y), ("b", fresh, rng.integers(0, 2, 250))) == []
    few = dict(itertools.islice(votes.items(), 4))  # all 16 rows occur everywhere
    assert audited(("a", few, y), ("b", {name: values[part] for name, values in few.items()}, y[part])) == []


def test_designs_counters_and_logarithms_are_no_evidence():
    rng = np.random.default_rng(0)

    def panel(n):
        size = rng.integers(1, 400, n).astype(float)
        years = np.resize(np.arange(1980, 1990), n)
        return {"year": years, "dose": np.resize([0.5, 1, 2], n), "size": size, "log size": np.log(size)}

    assert audited(("a", panel(300), rng.integers(0, 2, 300)), ("b", panel(300), rng.integers(0, 2, 300))) == []


def test_the_same_classes_and_as_many_columns():
    frame, _, rng = noise()
    y = np.repeat([0, 1, 2], [30, 70, 100])
    other = noise(1)[0]
    assert keys(audited(("a", frame, y), ("b", other, rng.permutation(y)))) == {("b", "same classes", "a")}
    del other["count"]
    assert audited(("a", frame, y), ("b", other, rng.permutation(y))) == []


def test_one_family_is_a_decision():
    frame, y, _ = noise()
    found = audited(("a", frame, y), ("b", frame, y), family="twins")
    assert [(finding.status, finding.decision) for finding in found] == [(DECIDED, "one family, twins")]
    assert [finding.status for finding in audited(("kc.v1", frame, y), ("kc.v2", frame, y))] == [DECIDED]


def test_a_group_has_one_finding_less_than_datasets_and_the_strongest_ones():
    rng = np.random.default_rng(0)
    shared = rng.normal(size=N)
    tables = [
        (name, noise(seed)[0] | {"extra": shared}, noise(seed)[1])
        for name, seed in zip("abcd", (1, 1, 2, 2), strict=True)
    ]
    assert keys(audited(*tables)) == {("b", "equal tables", "a"), ("d", "equal tables", "c"),
                                      ("c", "shared columns", "a")}  # fmt: skip


def test_of_many_copies_each_is_compared_with_the_first():
    frame, y, _ = noise()
    found = audited(*[(f"copy {i}", frame, y) for i in (3, 1, 2, 0)])
    assert keys(found) == {(f"copy {i}", "equal tables", "copy 0") for i in (1, 2, 3)}


# All of it


def test_what_cannot_be_read_is_a_finding():
    frame, y, _ = noise()
    good = Table(pd.DataFrame(frame), pd.Series(y.astype(str), dtype=object))
    nested = Table(pd.DataFrame({"x": [[1], [2]] * 10}), pd.Series(["a", "b"] * 10, dtype=object))

    def table(row):
        if row.name == "wrong":
            raise InputError("wrong.csv has no rows.")
        if row.name == "gone":
            raise RejectedError("it was withdrawn")
        return changed(nested if row.name == "nested" else good, row.drop, "", row.locator)

    rows = {name: row_of(name) for name in ("good", "wrong", "gone", "nested")}
    rows["dropped"] = row_of("dropped", drop=("absent",))
    found = {finding.dataset: finding for finding in audit(rows, table, Rules())}
    assert {finding.kind for finding in found.values()} == {"unreadable"}
    assert set(found) == {"wrong", "gone", "nested", "dropped"}
    assert found["gone"].detail == "it was withdrawn"
    assert "column 'x' holds lists" in found["nested"].detail
    assert "no column 'absent' to drop" in found["dropped"].detail


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 2**32 - 1), st.sampled_from([30, 120]), st.booleans())
def test_the_order_of_rows_and_columns_does_not_matter(seed, n, cut):
    frame, y, rng = noise(seed, n, columns=3)
    target = rng.lognormal(size=n)
    labels = target if cut else y
    planted = {
        "log": np.log(target), "half": frame["number 0"] / 2, "spy": np.where(y == 1, "u", "v"),
        "code": np.where(rng.random(n) < 0.2, 999, rng.integers(0, 30, n)),
        "ratio": target / np.exp(frame["number 1"]), "level": np.exp(frame["number 1"]),
    }  # fmt: skip
    frame |= {name: values for name, values in planted.items() if rng.random() < 0.6}
    rows = rng.integers(0, n, n) if rng.random() < 0.3 else np.arange(n)
    frame, labels = {name: np.asarray(values)[rows] for name, values in frame.items()}, labels[rows]
    order, names = rng.permutation(n), rng.permutation(list(frame))
    turned = {name: frame[name][order] for name in names}
    cutting = ["mean"] if cut else []
    first, second = audited(("d", frame, labels, *cutting)), audited(("d", turned, labels[order], *cutting))
    assert [f for f in first if f.kind not in ABOUT_ORDER] == [f for f in second if f.kind not in ABOUT_ORDER]
    both = audited(("d", frame, labels, *cutting), ("e", turned, labels[order], *cutting))
    assert ("e", "equal tables", "d") in keys(both)


# Findings and decisions


def test_findings_on_many_columns_are_one():
    some = [Finding("d", "one feature", f"t{i:02}", f"detail {i}") for i in range(MANY + 1)]
    (one,) = grouped(reversed(some))
    assert one.key == ("d", "one feature", "*")
    assert one.detail.startswith(f"{MANY + 1} columns: t00, t01")
    assert one.detail.endswith("detail 0")
    assert grouped(some[:-1]) == some[:-1]


def test_findings_are_sorted_by_severity():
    some = [Finding("d", kind, "", "") for kind in reversed(KINDS)]
    severities = [finding.severity for finding in ordered(some)]
    assert severities == sorted(severities, key=SEVERITIES.index)
    assert set(severities) == set(SEVERITIES)


FOUND = [Finding("a", "one feature", "x", "said"), Finding("a", "one feature", "y", "said"),
         Finding("b", "duplicated rows", "", "half | of_them")]  # fmt: skip


def test_decisions(tmp_path):
    path = decisions_path(tmp_path / "my.tsv")
    assert path == tmp_path / "my.decisions.tsv"
    assert read_decisions(path) == {}
    path.write_text("dataset\tkind\tcolumn\tdecision\na\tone feature\tx\tfair\n\nb\tsmall class\t\tgone\n")
    found = decided(FOUND, read_decisions(path))
    assert {(f.dataset, f.kind, f.column): (f.status, f.decision) for f in found} == {
        ("a", "one feature", "x"): (DECIDED, "fair"), ("a", "one feature", "y"): (OPEN, ""),
        ("b", "duplicated rows", ""): (OPEN, ""), ("b", "small class", ""): (STALE, "gone"),
    }  # fmt: skip
    path.write_text("dataset\tkind\tcolumn\tdecision\na\tone feature\t*\tboth are fair\n")
    assert [f.status for f in decided(FOUND, read_decisions(path))] == [DECIDED, DECIDED, OPEN]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "line 1: the columns must be dataset, kind, column, decision"),
        ("dataset,kind,column,decision\n", "line 1: the columns must be"),
        ("{h}a\tone feature\tx\n", "line 2: 3 columns instead of 4"),
        ("{h}a\tone fature\tx\tfair\n", "line 2: there is no kind 'one fature'; it must be one of unreadable, "),
        ("{h}a\tone feature\tx\t \n", "line 2: the decision is empty"),
        ("{h}a\tone feature\tx\tu\na\tone feature\tx\tv\n", "line 3: there is already a decision about a, one feature"),
    ],
)
def test_a_wrong_file_of_decisions(tmp_path, text, said):
    path = tmp_path / "my.decisions.tsv"
    path.write_text(text.format(h="dataset\tkind\tcolumn\tdecision\n"))
    with pytest.raises(InputError, match=f"my.decisions.tsv.*(\n.*)?{said}"):
        read_decisions(path)


@pytest.mark.parametrize("path", sorted((ROOT / "workflow/suites").glob("*.decisions.tsv")), ids=lambda path: path.name)
def test_the_decisions_of_the_project_are_about_datasets_of_their_suite(path):
    suite = path.with_name(path.name.replace(".decisions", ""))
    assert decisions_path(suite) == path
    assert {dataset for dataset, _, _ in read_decisions(path)} <= set(read_suite(suite))


def test_the_page_is_stable_and_complete():
    found = decided(FOUND, {("a", "one feature", "x"): "fair"})
    text = page("my", 2, found)
    assert text == page("my", 2, found[::-1])
    assert "| a | one feature | x | said | fair |" in text
    assert "| b | duplicated rows |  | half \\| of\\_them | *open* |" in text
    assert "| one feature | high | the column alone predicts the class nearly perfectly | 2 | 1 |" in text
