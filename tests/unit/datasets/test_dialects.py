"""One table in many dialects: it is encoded to the same contexts, or refused with the name of a column or line."""

import csv
import io
from typing import NamedTuple

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from balanced_bandits.core.errors import InputError, RejectedError
from balanced_bandits.datasets.delimited import separator_of
from balanced_bandits.datasets.encoding import Encoded
from balanced_bandits.datasets.formats import read_table
from balanced_bandits.datasets.missing import AMONG_NUMBERS, EVERYWHERE
from balanced_bandits.datasets.options import Options
from balanced_bandits.datasets.prepare import Preparation, encoded_table


class Dialect(NamedTuple):
    """How a frame is written as text."""

    separator: str
    decimal: str = "."
    quoting: int = csv.QUOTE_MINIMAL
    encoding: str = "utf-8"
    end: str = "\n"
    missing: str = ""
    name: str = "a.csv"


DIALECTS = [
    Dialect(","),
    Dialect(",", encoding="utf-8-sig", end="\r\n", missing="NA"),
    Dialect(",", decimal=",", quoting=csv.QUOTE_ALL, missing="?"),
    Dialect(",", quoting=csv.QUOTE_NONNUMERIC, encoding="latin-1", missing="unknown"),
    Dialect(";", decimal=",", encoding="utf-8-sig", end="\r\n"),
    Dialect(";", decimal=",", quoting=csv.QUOTE_ALL, encoding="utf-16", missing="NaN"),
    Dialect(";", encoding="cp1252", missing="null"),
    Dialect("\t", quoting=csv.QUOTE_ALL, encoding="utf-16", end="\r\n", name="a.tsv"),
    Dialect("\t", decimal=",", end="\r", missing="N/A"),
    Dialect("|", decimal=",", missing="missing"),
]
NAMES = ["size", "größe", "x, y", "a;b", 'the "best"', "two words", "1", "c|d", "#"]
WORDS = ["red", "blue", "weiß", "a,b", "x;y", 'say "so"', "two words", " padded ", "p|q", "unknown", "none", "1",
         "2.5", "3,5", "12:30", "2020-01-31", "31/01/2020", "True", "False", "1,234", "$5", "7 %", "inf", "-",
         "#1"]  # fmt: skip


def numbers(bound: float) -> st.SearchStrategy[float]:
    """Numbers of few digits, so that standardisation does not magnify what a decimal notation rounds."""
    return st.floats(-bound, bound).map(lambda value: round(value, 3) + 0.0)


KINDS = {
    "float": st.none() | numbers(1e4),
    "integer": st.integers(-(10**6), 10**6),
    "truth": st.booleans() | st.none(),
    "word": st.none() | st.sampled_from(WORDS),
    "few words": st.none() | st.sampled_from(WORDS[:6]),
    "date": st.none() | st.datetimes(pd.Timestamp("1970-01-01"), pd.Timestamp("2050-01-01")).map(
        lambda date: pd.Timestamp(date).floor("s")),
    "day": st.none() | st.dates().map(lambda day: day.replace(year=1950 + day.year % 100, day=1 + day.day % 28)),
    "duration": st.none() | st.integers(0, 10**6).map(lambda seconds: pd.Timedelta(seconds, unit="s")),
    "thousandths": st.none() | st.integers(1000, 10**6).map(lambda number: number / 1000),
    "words that are numbers": st.none() | st.sampled_from(["1", "2.5", "3e1", "-4", "007"]),
    "numbers and markers": st.sampled_from(["1", "2", "3.5", "unknown", "n/a", "-"]),
    "words that are days": st.sampled_from(["01/02/2020", "03/04/2020", "31/12/2019", "12/11/2020"]),
    "words that are times": st.sampled_from(["12:30", "1:15", "13:05:10"]),
    "names": st.text("abcdefgh", min_size=4, max_size=8),
    "decimal": st.none() | st.decimals(-100, 100, places=2),
}  # fmt: skip


@st.composite
def frames(draw: st.DrawFn) -> pd.DataFrame:
    n = draw(st.integers(12, 40))
    names = draw(st.lists(st.sampled_from(NAMES), min_size=1, max_size=4, unique=True))
    frame = {}
    for name in names:
        kind = draw(st.sampled_from(sorted(KINDS)))
        values = draw(st.lists(KINDS[kind], min_size=n, max_size=n))
        types = {
            "float": float,
            "thousandths": float,
            "integer": "int64",
            "date": "datetime64[s]",
            "duration": "timedelta64[s]",
        }
        frame[name] = pd.Series(values, dtype=types.get(kind, object))
    frame["kind"] = pd.Series(draw(st.lists(st.sampled_from(["u", "v", "größer"]), min_size=n, max_size=n)))
    return pd.DataFrame(frame)


def as_text(frame: pd.DataFrame, dialect: Dialect) -> bytes:
    text = frame.to_csv(sep=dialect.separator, decimal=dialect.decimal, quoting=dialect.quoting, index=False,
                        na_rep=dialect.missing, lineterminator=dialect.end)  # fmt: skip
    return text.encode(dialect.encoding)


def as_parquet(frame: pd.DataFrame) -> bytes:
    file = io.BytesIO()
    frame.to_parquet(file)
    return file.getvalue()


def outcome(name: str, raw: bytes, missing: str = "") -> Encoded | str:
    """The encoded table, or the sentence with which it is refused."""
    everywhere = (*EVERYWHERE, missing)
    how = Preparation(missing_values={"everywhere": everywhere, "among_numbers": AMONG_NUMBERS})
    try:
        return encoded_table(read_table(name, raw, "kind", everywhere), "ant", how, {})
    except (InputError, RejectedError) as refusal:
        return str(refusal)


ABOUT_ALL = ("no usable feature", "all rows are of one class")


@settings(max_examples=100, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
@given(frames(), st.lists(st.sampled_from(DIALECTS), min_size=3, max_size=3, unique=True))
def test_a_frame_means_the_same_in_every_dialect(frame, dialects):
    parquet = outcome("a.parquet", as_parquet(frame))
    for dialect in dialects:
        # A word that means missing in this dialect must not be a level of the frame.
        if dialect.missing == "unknown" and frame.isin(["unknown"]).any(axis=None):
            continue
        found = outcome(dialect.name, as_text(frame, dialect), dialect.missing)
        refusals = [said for said in (parquet, found) if isinstance(said, str)]
        for said in refusals:
            assert "column " in said or "line " in said or said.startswith(ABOUT_ALL), (dialect, said)
        if not refusals:
            assert found.classes == parquet.classes
            np.testing.assert_array_equal(found.y, parquet.y)
            assert found.X.shape == parquet.X.shape, dialect
            np.testing.assert_allclose(found.X, parquet.X, atol=1e-6, err_msg=str(dialect))


# Where rows are broken, and what is not a table


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("My penguins\nsize,kind\n1,u\n2,v\n", "line 2: 2 fields, but line 1 has 1; remove titles and comments"),
        ("# by me\n# today\nsize,mass,kind\n1,2,u\n", "line 3: 3 fields, but line 1 has 1; remove titles and comments"),
        ("size,kind\n1,u\n2,v,w\n3,v\n", "line 3: 3 fields, but line 1 has 2; correct the row, or quote fields"),
        ("size,mass,kind\n1,2,u\n3,v\n4,5,v\n", "line 3: 2 fields, but line 1 has 3; correct the row"),
        ('size,kind\n"1\n1",u\n2,v,w\n', "line 4: 3 fields"),
        ("size,kind\n1,2,u\n3,4,v\n", "line 2: 3 fields, but line 1 has 2; if the first column holds row names"),
    ],
)
def test_broken_tables_name_the_line(text, said):
    with pytest.raises(InputError) as caught:
        read_table("a.csv", text.encode(), "kind")
    assert str(caught.value).startswith("a.csv")
    assert said in str(caught.value)


@pytest.mark.parametrize("name", ["a.tab", "a.csv", "a.tsv"])
def test_the_three_lines_of_orange(name):
    raw = b"size\tcode\tnote\tkind\nc\td\tstring\td\n\t\tmeta\tclass\n1\t7\tx\tu\n?\t8\ty\tv\n"
    table = read_table(name, raw, "kind")
    assert table.features.columns.tolist() == ["size", "code"]
    assert table.features["size"].isna().tolist() == [False, True]
    assert table.features["code"].tolist() == ["7", "8"]
    assert isinstance(table.features["code"].dtype, pd.CategoricalDtype)
    assert table.labels.tolist() == ["u", "v"]
    assert read_table(name, raw, "note").labels.tolist() == ["x", "y"]  # also if it is a meta attribute


def test_types_of_orange_may_be_lists_and_flags_may_be_left_out():
    table = read_table("a.tab", b"size\thue\tkind\ncontinuous\tred blue\tu v\nclass\n1\tred\tu\n2\tblue\tv\n", "kind")
    assert [str(kind) for kind in table.features.dtypes] == ["int64", "category"]
    assert len(read_table("a.tab", b"size\tkind\nc\td\n\n1\tu\n2\tv\n", "kind").labels) == 2


@pytest.mark.parametrize(
    ("name", "raw"),
    [
        ("a.csv", b"x,y,kind\nc,d,s\nc,m,i\nc,m,i\n"),  # letters
        ("a.csv", b"x,y,kind\nred hue,dark hue,u v\n,,class\nred,dark,u\n"),
        ("a.tab", b"x\ty\tkind\n1\t2\tu\n3\t4\tv\n5\t6\tv\n"),
        ("a.tab", b"x\ty\tkind\nc\td\td\n3\t4\tv\n5\t6\tv\n"),
    ],
)
def test_files_that_are_not_of_orange(name, raw):
    assert len(read_table(name, raw, "kind").labels) == 3


@pytest.mark.parametrize("name", ["a.txt", "a.data", "a.dat", "a.labels"])
@pytest.mark.parametrize(
    "raw",
    [
        b"  1.0   2e0 u\n  3.0 -4e0  v \n",
        b"1 2 u\n3 -4 v\n",
        b"1\t2\t\tu\n3\t-4\tv\n",
        b"1,2,u\n3,-4,v\n",
        b"1\t2\tu\n3\t-4\tv\n",
    ],
)
def test_blanks_as_separators(name, raw):
    table = read_table(name, raw, "-1")
    assert table.features.to_numpy().tolist() == [[1, 2], [3, -4]]
    assert table.labels.tolist() == ["u", "v"]


def test_blanks_inside_of_fields_are_no_separators():
    table = read_table("a.txt", b"long name\tkind\n1 2\tu\n3 4\tv\n", "kind")
    assert table.features.columns.tolist() == ["long name"]
    named = read_table("a.csv", b"size kind\n1 u\n2 v\n", "kind", options=Options(format="txt"))
    assert named.labels.tolist() == ["u", "v"]


def test_a_header_above_a_target_given_by_number():
    raw = b"size,mass,kind\n1,2,u\n3,4,v\n5,,v\n"
    with pytest.raises(InputError, match="line 1 looks like a header, since it has 'size' above numbers"):
        read_table("a.csv", raw, "-1")
    assert len(read_table("a.csv", raw.partition(b"\n")[2], "-1").labels) == 3


def test_utf_16_without_a_mark_is_named():
    with pytest.raises(InputError, match=r"zero byte in line 1.*UTF-16 without a byte order mark; save it as UTF-8"):
        read_table("a.csv", "size,kind\n1,u\n".encode("utf-16-le"), "kind")
    with pytest.raises(InputError, match="begins like UTF-16, but is not"):
        read_table("a.csv", "size,kind\n1,u\n".encode("utf-16")[:-1], "kind")


def test_a_table_of_one_column_has_another_separator():
    with pytest.raises(
        InputError, match=r"^a\.csv has only one column, 'size kind'; columns must be separated by commas"
    ):
        read_table("a.csv", b"size kind\n1 u\n2 v\n", "kind")


def test_a_file_of_a_header_alone():
    for name, raw in (("a.csv", b"size,kind\n"), ("a.arff", b"@relation r\n@attribute kind {a}\n@data\n")):
        with pytest.raises(InputError, match=rf"^{name} has no rows"):
            read_table(name, raw, "kind")


@pytest.mark.parametrize(
    ("lines", "separator"),
    [
        (["a;b;c", "1,5;2,5;x"], ";"),
        (["1,5;2,5;3,5", "2,5;3,5;4,5"], ";"),
        (["a,b", "x;y,1"], ","),
        (['"a;b",c', '"1;2",3'], ","),
        (["a|b|c", "1|2|3"], "|"),
        (["genre,b", "x|y,1"], ","),
        (["title", "a;b", "1;2"], ";"),
        (["a", "1"], ","),
        ([], ","),
    ],
)
def test_the_separator_is_the_one_that_all_lines_share(lines, separator):
    assert separator_of(lines) == separator


def test_points_between_thousands_beside_decimal_commas_are_not_guessed():
    rows = "".join(f"{i},5;{i}.{100 + i};u\n" for i in range(1, 12))
    with pytest.raises(InputError, match=r"a\.csv, column 'mass': 1\.101 may be a number of thousands"):
        read_table("a.csv", f"size;mass;kind\n{rows}".encode(), "kind")
