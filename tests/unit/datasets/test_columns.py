"""How columns are read: nothing that is nearly a number, a date or an identifier is one-hot encoded in silence."""

import datetime
import io
from decimal import Decimal

import numpy as np
import pandas as pd
import pytest

from balanced_bandits.core.errors import InputError, RejectedError
from balanced_bandits.datasets.columns import Column, Rules, summary
from balanced_bandits.datasets.formats import read_table
from balanced_bandits.datasets.missing import AMONG_NUMBERS, EVERYWHERE
from balanced_bandits.datasets.prepare import Inspected, Preparation, changed, encoded_table, inspect
from balanced_bandits.datasets.tables import Table
from balanced_bandits.datasets.target import with_missing
from balanced_bandits.plan.config import checked_config

N = 120
RNG = np.random.default_rng(0)
SIZES = RNG.normal(40, 5, N).round(1)


def looked_at(values, name="c", labels=None, rules=Rules()) -> Inspected:  # noqa: B008
    frame = pd.DataFrame({name: values})
    labels = labels if labels is not None else ["u", "v", "w"] * (len(frame) // 3) + ["u"] * (len(frame) % 3)
    return inspect(Table(frame, pd.Series(labels, dtype=object)), rules)


def record(values, name="c", **more) -> Column:
    return looked_at(values, name, **more).columns[0]


def numbers(values) -> list[float]:
    """The column that is encoded."""
    return looked_at(values).table.features["c"].tolist()


def words(values, changes: dict[int, str]) -> list[str]:
    return [changes.get(i, str(value)) for i, value in enumerate(values)]


# Numbers in other notations


@pytest.mark.parametrize(
    ("written", "number"),
    [
        ("39,1", 39.1), ("-0,5", -0.5), ("1.234,5", 1234.5), ("1,234.5", 1234.5), ("1,234,567", 1234567.0),
        ("12 %", 12.0),
        ("$1,234.50", 1234.5), ("€7", 7.0), ("1e3", 1000.0), ("7", 7.0), (".5", 0.5), ("+3", 3.0),
        ("12345678901234567890123456", 12345678901234567890123456.0),
    ],
)  # fmt: skip
def test_notations_of_numbers(written, number):
    values = [written, "11", "12", "13"] * 5
    assert record(values).type == "number"
    assert numbers(values)[:2] == [number, 11.0]


@pytest.mark.parametrize("marker", ["unknown", "Unknown", "n/a", "-", "None", "#N/A", "."])
def test_markers_of_missing_values_among_numbers(marker):
    found = record(words(SIZES, {3: marker, 7: marker}))
    assert (found.type, found.missing, found.columns) == ("number", 2, 2)
    assert found.encoding == f"number, missing where it says {marker!r} (2)"
    assert np.isnan(numbers(words(SIZES, {3: marker}))[3])


def test_markers_are_levels_among_words_and_can_be_configured():
    job = ["clerk", "unknown", "nurse"] * 40
    assert (record(job).levels, record(job).missing) == (3, 0)
    assert record(job, rules=Rules(missing=(*EVERYWHERE, "unknown"))).missing == 40
    odd = words(SIZES, {3: "weg"})
    assert record(odd).refusal
    assert record(odd, rules=Rules(missing_among_numbers=("WEG",))).type == "number"
    assert record(words(SIZES, {3: "unknown"}), rules=Rules(missing_among_numbers=())).refusal


def test_the_configuration_has_the_markers_of_the_code():
    given = checked_config({})["missing_values"]
    assert (tuple(given["everywhere"]), tuple(given["among_numbers"])) == (EVERYWHERE, AMONG_NUMBERS)


def test_a_comma_that_may_mean_either_is_refused():
    found = record([f"{i},{100 + i}" for i in range(1, 100)])
    assert found.refusal == (
        "column 'c': 1,101 may be 1101 or 1.101; remove the commas, or write decimal points; or drop the column"
    )


# Nearly numbers


def test_a_column_of_numbers_with_some_words_is_refused_with_counts():
    found = looked_at(words(SIZES, {1: "about 40", 5: "39 mm", 6: "39 mm"}))
    assert found.columns[0].suspicion == "nearly numeric"
    assert found.refusals[0].startswith("column 'c': 117 of 120 values are numbers, but not 'about 40', '39 mm'; ")
    for advice in ("correct these values", "missing_values", "drop the column"):
        assert advice in found.refusals[0]


def test_a_few_levels_that_are_nearly_numbers_are_a_category_with_a_warning():
    found = looked_at(["1", "2", "3"] * 39 + ["4+"] * 3)
    assert found.columns[0].columns == 4
    assert found.warnings == ["column 'c': 117 of 120 values are numbers, but not '4+': encoded as 4 levels"]


def test_words_with_some_numbers_are_words():
    assert looked_at(["a", "b", "c", "1"] * 30).warnings == []


# Dates, times, durations, decimals


DAY = [datetime.date(2020, 1, 1) + datetime.timedelta(days=int(i)) for i in RNG.permutation(N)]


@pytest.mark.parametrize(
    "values",
    [
        pd.to_datetime(DAY),
        pd.to_datetime(DAY).tz_localize("UTC"),
        pd.PeriodIndex(DAY, freq="D"),
        pd.Series(DAY, dtype=object),
        [str(day) for day in DAY],
        [f"{day} 00:00:00" for day in DAY],
        [f"{day}T00:00:00Z" for day in DAY],
        [day.strftime("%d.%m.%Y") for day in DAY],
        [day.strftime("%m/%d/%Y") for day in DAY],
        [day.strftime("%d/%m/%Y 00:00") for day in DAY],
        [day.strftime("%d %B %Y") for day in DAY],
        [day.strftime("%b %d %Y") for day in DAY],
        [day.strftime("%d-%b-%y") for day in DAY],
    ],
)
def test_dates_become_days(values):
    found = record(values)
    assert (found.type, found.columns) == ("date", 1)
    assert "days since 1970" in found.encoding
    assert numbers(values) == [(day - datetime.date(1970, 1, 1)).days for day in DAY]


def test_dates_that_may_begin_with_day_or_month_are_refused():
    found = record([f"0{1 + i % 9}/0{1 + i % 7}/20{10 + i % 90}" for i in range(N)])
    assert "01/01/2010 may begin with the day or the month; write dates like 2019-01-31" in found.refusal


def test_months_and_quarters_are_dates():
    for values in (["2019-07", "2020-01"], ["Jul-19", "Jan-20"], ["July 2019", "January 2020"], ["2019Q3", "2020 q1"]):
        assert record(values * 30).type == "date"
        assert numbers(values * 30)[:2] == [18078, 18262]


def test_dates_before_nanoseconds_begin():
    assert (
        numbers([f"{1500 + i}-01-01" for i in range(N)])[0]
        == (datetime.date(1500, 1, 1) - datetime.date(1970, 1, 1)).days
    )


def test_the_century_of_years_of_two_digits_is_not_guessed():
    found = record([f"{1 + i % 28}-Jan-{45 + i % 50}" for i in range(N)])
    assert found.refusal.startswith("column 'c': the century of 1-Jan-45 is not known; write dates like 2019-01-31")


def test_dates_in_a_notation_that_is_not_known_are_left_out():
    found = looked_at([f"the {1 + i % 28}th of Jan. {1900 + i}" for i in range(N)])
    assert found.warnings == [
        "column 'c': looks like dates in an unknown notation, left out; write dates like 2019-01-31"
    ]
    assert found.columns[0].suspicion == "date"


@pytest.mark.parametrize(
    ("values", "seconds"),
    [
        (pd.to_timedelta(np.arange(N), unit="min"), 60.0),
        (pd.Series(pd.to_timedelta(np.arange(N), unit="min")).astype(str), 60.0),
        ([datetime.time(i // 60, i % 60) for i in range(N)], 60.0),
        ([f"{i // 60:02}:{i % 60:02}" for i in range(N)], 60.0),
        ([f"00:{i // 60:02}:{i % 60:02}" for i in range(N)], 1.0),
        ([f"{i // 60}h {i % 60}m" for i in range(N)], 60.0),
    ],
)
def test_times_and_durations_become_seconds(values, seconds):
    assert "seconds" in record(values).encoding
    assert numbers(values) == [seconds * i for i in range(N)]


def test_decimals_and_large_integers_become_numbers():
    assert record([Decimal(i) / 10 for i in range(N)]).type == "decimal"
    assert numbers([Decimal(i) / 10 for i in range(N)])[1] == 0.1
    assert numbers([10**26 + i // 2 for i in range(N)])[0] == 1e26


def test_nested_values_are_refused_and_can_be_dropped():
    for values in ([[1, 2]] * N, [{"a": 1}] * N, [np.arange(2)] * N):
        assert "column 'c' holds lists or other nested values" in looked_at(values).refusals[0]
    frame = pd.DataFrame({"c": [[1]] * N, "size": SIZES})
    table = Table(frame, pd.Series(["u", "v"] * 60, dtype=object))
    assert encoded_table(changed(table, ["c"], "", "a.csv"), "ant", Preparation(), {}).X.shape == (N, 1)


# Identifiers, free text, leaks, constants


@pytest.mark.parametrize("name", ["", "Unnamed: 0", "id", "ID", "index", "row", "customer_id", "pidnum", "rownames"])
def test_a_count_of_the_rows_under_a_telling_name_is_left_out(name):
    found = looked_at(range(N), name)
    assert found.columns[0].encoding == "left out"
    assert found.warnings == [f"column {name!r}: counts the rows: left out as an identifier"]
    assert found.table.features.shape == (N, 0)


def test_identifiers_that_are_numbers_are_used_but_named():
    shuffled = RNG.permutation(N)
    for values, name, said in (
        (range(N), "size", "counts the rows: looks like an identifier"),
        (shuffled, "size", "numbers the rows"),
        (shuffled * 7 + 1000, "pidnum", "a different integer in every row"),
    ):
        found = looked_at(values, name)
        assert (found.columns[0].suspicion, found.columns[0].columns) == ("identifier", 1)
        assert said in found.warnings[0]
    for long in ([10**18 + int(i) for i in shuffled], [str(10**25 + int(i)) for i in shuffled]):
        found = looked_at(long, "ticket")
        assert (found.columns[0].suspicion, found.columns[0].encoding) == ("identifier", "left out")
        assert "a different integer of more than 15 digits in every row" in found.warnings[0]
    assert looked_at(shuffled**2, "mass").warnings == []
    assert looked_at(SIZES, "id").warnings == []


@pytest.mark.parametrize("kind", [object, "category"])
def test_words_that_differ_in_every_row_are_left_out(kind):
    found = looked_at(pd.Series([f"name {i}" for i in range(N)], dtype=kind))
    assert found.warnings == ["column 'c': differs in every row: looks like an identifier, left out"]
    nearly = looked_at(pd.Series([f"name {i % 100}" for i in range(N)], dtype=kind))
    assert "100 different values in 120 rows: too many for a category, left out" in nearly.warnings[0]
    text = looked_at(pd.Series([f"a long sentence about the animal {i}" for i in range(N)], dtype=kind))
    assert text.columns[0].suspicion == "free text"


def test_many_levels_are_reported():
    found = looked_at([f"town {i % 110}" for i in range(400)])
    assert found.warnings == ["column 'c': has 110 levels and becomes 110 columns of 0/1"]
    assert found.columns[0].columns == 110


@pytest.mark.parametrize("values", [["yes", "no", "maybe"] * 40, [1.0, 2.0, 3.0] * 40, [1, 2, 3, 4, 5, 6] * 20])
def test_a_copy_of_the_class_is_named(values):
    found = looked_at(values)
    assert found.columns[0].suspicion == "leak"
    assert "occurs with one class only: it may give the class away" in found.warnings[0]
    assert looked_at(RNG.permutation(values)).warnings == []


def test_what_may_happen_by_chance_is_no_leak():
    rare = ["u"] * (N - 1) + ["v"]
    assert looked_at([i % 20 for i in range(N - 1)] + [99], labels=rare).warnings == []


def test_constants_are_no_warning():
    for values in ([1.0] * N, ["a"] * N, [None] * N):
        found = looked_at(values)
        assert (found.columns[0].suspicion, found.columns[0].columns, found.warnings) == ("constant", 0, [])


def test_warnings_of_equal_content_are_one():
    frame = pd.DataFrame({f"c{i}": ["yes", "no"] * 60 for i in range(9)})
    found = inspect(Table(frame, pd.Series(["u", "v"] * 60, dtype=object)), Rules())
    assert len(found.warnings) == 1
    assert found.warnings[0].startswith("columns 'c0', 'c1', 'c2', 'c3', 'c4' and 4 more: each of its 2 values")


def test_a_summary_has_all_but_plain_numbers():
    frame = pd.DataFrame({"size": SIZES, "mass": SIZES, "day": DAY, "colour": ["red", "blue", "green"] * 40})
    found = inspect(Table(frame, pd.Series(["u", "v"] * 60, dtype=object)), Rules())
    assert summary(found.columns) == (
        "2 numbers; day: date, number (days since 1970); colour: text, 0/1, 3 columns"
    )  # fmt: skip
    assert summary(found.columns, shown=1).endswith("number (days since 1970); and 1 more")


# The record of a dataset


def test_the_account_of_a_dataset_has_its_columns_and_warnings(capsys):
    frame = pd.DataFrame({"Unnamed: 0": range(N), "size": SIZES})
    account: dict[str, object] = {}
    encoded = encoded_table(Table(frame, pd.Series(["u", "v"] * 60)), "ant", Preparation(), account)
    assert encoded.X.shape == (N, 1)
    assert account["columns_left_out"] == 1
    assert account["columns_read"] == "1 number; Unnamed: 0: number, left out"
    assert account["warnings"] == "column 'Unnamed: 0': counts the rows: left out as an identifier"
    assert capsys.readouterr().err == f"warning: dataset ant: {account['warnings']}\n"


def test_all_refusals_are_told_at_once():
    frame = pd.DataFrame({"a": words(SIZES, {1: "x1"}), "b": words(SIZES, {2: "y2"})})
    with pytest.raises(RejectedError, match=r"column 'a': .*; column 'b': "):
        encoded_table(Table(frame, pd.Series(["u", "v"] * 60)), "ant", Preparation(), {})


# Columns to drop, targets to cut


def test_columns_are_dropped_by_name():
    table = read_table("a.csv", b"id,size,kind\n" + b"1,2,u\n" * 12, "kind")
    assert list(changed(table, ["id"], "", "a.csv").features.columns) == ["size"]
    with pytest.raises(InputError, match=r"a\.csv has no column 'mass' to drop; its first features are: id, size"):
        changed(table, ["mass"], "", "a.csv")
    with pytest.raises(InputError, match="all features are to be dropped"):
        changed(table, ["id", "size"], "", "a.csv")
    positions = read_table("a.csv", b"1,2,u\n" * 12, "-1")
    assert list(changed(positions, ["0"], "", "a.csv").features.columns) == ["1"]


@pytest.mark.parametrize(
    ("how", "expected"),
    [
        ("mean", {"below 30": 3, "30 or more": 1}),
        ("2", {"below 15": 2, "15 or more": 2}),
        ("4", {"below 7.5": 1, "7.5 to 15": 1, "15 to 37.5": 1, "37.5 or more": 1}),
    ],
)
def test_a_numeric_target_is_cut(how, expected):
    table = Table(pd.DataFrame({"a": range(5)}), pd.Series(["0", "10", "20", "90", None], dtype=object))
    labels = changed(table, (), how, "a.csv").labels
    assert labels.dropna().value_counts().to_dict() == expected
    assert labels.isna().tolist() == [False] * 4 + [True]


def test_a_value_on_a_cut_belongs_above_it():
    table = Table(pd.DataFrame({"a": range(3)}), pd.Series(["1", "2", "3"], dtype=object))
    assert changed(table, (), "mean", "a.csv").labels.tolist() == ["below 2", "2 or more", "2 or more"]


def test_targets_that_can_not_be_cut():
    for labels, said in ((["u", "v"], "numeric target, but this one has values such as 'u'"), (["1", "1"], "nowhere")):
        with pytest.raises(InputError, match=said):
            changed(Table(pd.DataFrame({"a": [1, 2]}), pd.Series(labels)), (), "mean", "a.csv")


def test_a_target_with_a_class_for_nearly_every_row_is_named():
    table = Table(pd.DataFrame({"a": SIZES}), pd.Series([str(size) for size in SIZES]))
    assert "different numbers in 120 rows, each a class: cut it with binarise" in inspect(table, Rules()).warnings[-1]
    assert inspect(changed(table, (), "mean", "a.csv"), Rules()).warnings == []


def test_a_file_is_encoded_alike_however_its_numbers_are_written():
    """The three files on which it was found that hundreds of columns were made in silence."""
    kinds = ["u", "v", "w"] * 40
    frame = pd.DataFrame({"size": SIZES, "mass": RNG.integers(100, 999, N), "kind": kinds})
    frame.loc[[3, 8], "size"] = np.nan
    plain = encoded(frame.to_csv(index=False))
    np.testing.assert_array_equal(encoded(frame.to_csv(index=False, sep=";", decimal=",")), plain)
    np.testing.assert_array_equal(
        encoded(frame.fillna({"size": -1}).replace({"size": {-1: "unknown"}}).to_csv()), plain
    )
    tickets = frame.assign(ticket=[str(10**25 + int(i)) for i in RNG.permutation(N)])
    np.testing.assert_array_equal(encoded(tickets.to_csv(index=False)), plain)


def encoded(text: str) -> np.ndarray:
    table = read_table("a.csv", io.BytesIO(text.encode()).getvalue(), "kind")
    return encoded_table(table, "ant", Preparation(), {}).X


# Values that mean missing in one dataset


def some_table():
    features = {"age": [31, -9, 40], "code": ["-9", "x", " -9 "], "share": [-9.0, 0.5, None],
                "old": [True, False, True], "kin": pd.Categorical(["-9", "y", None])}  # fmt: skip
    return Table(pd.DataFrame(features), pd.Series(["u", "-9", None], dtype=object))


def missing_in(table):
    found = {name: table.features[name].isna().tolist() for name in table.features}
    return found | {"labels": table.labels.isna().tolist()}


def test_words_that_mean_missing_in_every_column():
    before, after = missing_in(some_table()), missing_in(with_missing(some_table(), ["-9"], "kind", "a.csv"))
    assert after["age"] == [False, True, False]
    assert after["code"] == [True, False, True]
    assert after["share"] == [True, False, True]
    assert after["kin"] == [True, False, True]
    assert after["labels"] == [False, True, True]
    assert after["old"] == before["old"] == [False] * 3


@pytest.mark.parametrize("column", ["age", "code", "share", "kin"])
def test_words_that_mean_missing_in_one_column(column):
    table = some_table()
    before, after = missing_in(table), missing_in(with_missing(table, [f"{column}=-9"], "kind", "a.csv"))
    assert {name for name in before if before[name] != after[name]} == {column}
    assert missing_in(table) == before  # the given table is as it was


def test_words_that_mean_missing_in_the_target():
    before, after = missing_in(some_table()), missing_in(with_missing(some_table(), ["kind=-9"], "kind", "a.csv"))
    assert {name for name in before if before[name] != after[name]} == {"labels"}
    with_two = with_missing(some_table(), ["age=31.0", "kind=u", "x"], "kind", "a.csv")
    assert with_two.features["age"].tolist()[1:] == [-9, 40]
    assert with_two.labels.isna().tolist() == [True, False, True]
    assert with_two.features["code"].isna().tolist() == [False, True, False]


def test_a_word_in_a_column_that_is_not_there():
    with pytest.raises(InputError, match=r"a\.csv has no column 'mass', in which '0' is to mean missing; its first f"):
        with_missing(some_table(), ["mass=0"], "kind", "a.csv")


def test_missing_values_in_columns_of_a_sparse_file():
    text = "@relation r\n@attribute a numeric\n@attribute kind {u,v}\n@data\n{0 7}\n{0 -9, 1 v}\n{}\n"
    table = with_missing(read_table("a.arff", text.encode(), "kind"), ["-9"], "kind", "a.arff")
    assert table.features["a"].isna().tolist() == [False, True, False]
