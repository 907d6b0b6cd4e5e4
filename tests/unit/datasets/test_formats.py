"""Readers: what each makes of good files, and that bad ones end in an InputError and nothing else."""

import bz2
import gzip
import io
import lzma
import pickle
import re

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from balanced_bandits.core.errors import InputError
from balanced_bandits.datasets.formats import READERS, Part, read_parts, read_table
from balanced_bandits.datasets.options import Options
from balanced_bandits.datasets.reading import COMPRESSED
from balanced_bandits.datasets.tables import Table

CSV = "size,colour,class\n1,red,yes\n2.5,blue,no\n"
KEEL = """@relation test
@attribute size real[0,1]
@attribute colour {red, blue}
@attribute 'two words' integer [0, 9]
@attribute class{yes,no}
@inputs size, colour, two words
@outputs class
@data
0.5, red, 3, yes
<null>, blue, 4, no
0.25, <null>, ?, yes
"""
ARFF = """% a comment
@RELATION test
@ATTRIBUTE size NUMERIC
@ATTRIBUTE 'hue or tint' {red, 'dark blue'}
@ATTRIBUTE class {yes, no}
@DATA
1,red,yes
2.5,'dark blue',no
?,?,yes
"""
SPARSE_ARFF = """@RELATION test
@ATTRIBUTE size REAL
@ATTRIBUTE colour {red, blue}
@ATTRIBUTE class {yes, no}
@DATA
% what a row leaves out is 0, or the first value of a nominal attribute
{0 1.5, 1 blue}
{2 no}
{0 ?, 2 no}
"""
TS = """# a comment
@problemName test
@classLabel true a b
@data
1,2:3,4:a
5,?:7,8:b
@problemName test
@data
9,10:11,12:a
"""


TAB = "size\thue\tnote\tclass\nc\tred blue\tstring\td\n\t\tmeta\tclass\n1\tred\tx\tyes\n2.5\tblue\ty\tno\n"
LIBSVM = "# a comment\n1 1:0.5 3:2 # another\n-1 2:1\n0,4 1:7\n"


def packed(text: str) -> bytes:
    return gzip.compress(text.encode(), mtime=0)


def npz(**arrays: object) -> bytes:
    file = io.BytesIO()
    np.savez_compressed(file, **arrays)
    return file.getvalue()


def npy(array: object) -> bytes:
    file = io.BytesIO()
    np.save(file, array)
    return file.getvalue()


def parquet(**columns: object) -> bytes:
    file = io.BytesIO()
    pd.DataFrame(columns).to_parquet(file)
    return file.getvalue()


def excel(**columns: object) -> bytes:
    file = io.BytesIO()
    pd.DataFrame(columns).to_excel(file, index=False)
    return file.getvalue()


def stata(**columns: object) -> bytes:
    file = io.BytesIO()
    pd.DataFrame(columns).to_stata(file, write_index=False)
    return file.getvalue()


TABLE = {"size": [1.0, None, 2.5], "colour": ["red", "", "blue"], "kind": ["yes", "no", ""]}
JSONL = '{"size": 1, "colour": "red", "kind": "yes"}\n{"colour": null, "kind": "no"}\n{"size": 2.5, "colour": "blue"}\n'
NPZ = npz(images=np.arange(12.0).reshape(3, 2, 2), label=np.array([1, 0, 1]))
PARQUET = parquet(size=[1.0, None, 2.5], colour=["red", None, "blue"], kind=["yes", "no", None])


def rows(table: Table) -> list[list[object]]:
    """The features as lists, None for what is missing."""
    return [[None if pd.isna(value) else value for value in row] for row in table.features.to_numpy(dtype=object)]


def labels(table: Table) -> list[str | None]:
    return [None if pd.isna(label) else label for label in table.labels]


# Delimited text


@pytest.mark.parametrize(("name", "separator"), [("a.csv", ","), ("a.csv", ";"), ("a.csv", "\t"), ("a.TSV", "\t")])
def test_delimited_with_header(name, separator):
    table = read_table(name, CSV.replace(",", separator).encode(), "class")
    assert list(table.features.columns) == ["size", "colour"]
    assert rows(table) == [[1, "red"], [2.5, "blue"]]
    assert labels(table) == ["yes", "no"]


def test_tsv_keeps_commas_in_fields():
    table = read_table("a.tsv", b"size,or,mass\tclass\n1\ta\n2\tb\n", "class")
    assert list(table.features.columns) == ["size,or,mass"]


def test_target_need_not_be_last():
    table = read_table("a.csv", CSV.encode(), "colour")
    assert list(table.features.columns) == ["size", "class"]
    assert labels(table) == ["red", "blue"]


@pytest.mark.parametrize(
    ("target", "expected", "features"), [("-1", ["a", "b"], [[1, 2], [3, 4]]), ("0", ["1", "3"], [[2, "a"], [4, "b"]])]
)
def test_headerless(target, expected, features):
    table = read_table("a.csv", b"1,2,a\n3,4,b\n", target)
    assert labels(table) == expected
    assert rows(table) == features


@pytest.mark.parametrize(
    ("name", "raw"),
    [("a.csv", CSV.encode()), ("a.dat", KEEL.encode()), ("a.ts", b"1,2:a\n3,4:b\n"), ("a.arff", SPARSE_ARFF.encode())],
)
def test_byte_order_mark_is_no_part_of_the_text(name, raw):
    plain, marked = read_table(name, raw, "class"), read_table(name, b"\xef\xbb\xbf" + raw, "class")
    pd.testing.assert_frame_equal(marked.features, plain.features)
    assert labels(marked) == labels(plain)


@pytest.mark.parametrize(
    ("name", "text", "end"),
    [
        ("a.csv", CSV, "\r\n"),
        ("a.csv", CSV, "\r"),
        ("a.dat", KEEL, "\r\n"),
        ("a.arff", ARFF, "\r\n"),
        ("a.ts", TS, "\r\n"),
    ],
)
def test_other_line_ends(name, text, end):
    unix = read_table(name, text.encode(), "class")
    other = read_table(name, text.replace("\n", end).encode(), "class")
    assert labels(other) == labels(unix)
    pd.testing.assert_frame_equal(other.features, unix.features)


def test_missing_values_also_after_a_blank():
    table = read_table("a.csv", b"a,b,c,class\n1, ?,x,u\nNA,2,?,?\n3,,<null>, v \n4,5,None,v\n", "class")
    assert rows(table) == [[1, None, "x"], [None, 2, None], [3, None, None], [4, 5, "None"]]
    assert labels(table) == ["u", None, "v", "v"]


def test_windows_1252_is_read_as_such():
    table = read_table("a.csv", "price,class\n5 €,u\n– €,v\n".encode("cp1252"), "class")
    assert rows(table) == [["5 €"], ["– €"]]


@pytest.mark.parametrize("encoding", ["utf-8", "latin-1"])
def test_names_and_values_beyond_ascii(encoding):
    table = read_table("a.csv", "größe,class\nweiß,ä\nschwarz,b\n".encode(encoding), "class")
    assert list(table.features.columns) == ["größe"]
    assert rows(table) == [["weiß"], ["schwarz"]]
    assert labels(table) == ["ä", "b"]


@pytest.mark.parametrize(
    ("name", "raw"),
    [
        ("a.csv", b"name,class\nand so on\x85,u\nx,v\n"),
        ("a.dat", b"@attribute name {x}\n@attribute class {u,v}\n@data\nand so on\x85,u\nx,v\n"),
    ],
)
def test_only_line_ends_end_lines(name, raw):
    # 0x85 is an ellipsis in Windows-1252 and a line end to str.splitlines
    assert labels(read_table(name, raw, "class")) == ["u", "v"]


def test_quoted_fields_keep_separators_and_line_ends():
    table = read_table("a.csv", b'a,class\n"x, y",u\n"two\r\nlines",v\n', "class")
    assert rows(table) == [["x, y"], ["two\nlines"]]


@pytest.mark.parametrize("number", ["1", "1.0", "1e0"])
def test_equal_numbers_are_equal_labels(number):
    table = read_table("a.csv", f"a,class\n1,{number}\n2,2\n3,?\n".encode(), "class")
    assert labels(table) == ["1", "2", None]


@pytest.mark.parametrize(("target", "columns"), [("3", 3), ("-4", 3)])
def test_no_column_of_that_number(target, columns):
    with pytest.raises(InputError, match=rf"a\.csv has {columns} columns, so column {target} can't be the target"):
        read_table("a.csv", b"1,2,a\n3,4,b\n", target)


@pytest.mark.parametrize(
    ("name", "raw"),
    [("a.csv", CSV), ("a.dat", KEEL.replace("class", "kind")), ("a.arff", ARFF), ("a.parquet", PARQUET)],
)
def test_missing_target_names_the_columns_there_are(name, raw):
    raw = raw if isinstance(raw, bytes) else raw.encode()
    with pytest.raises(InputError, match=rf"^{re.escape(name)} must have .* column 'sort'.*first columns are: size, "):
        read_table(name, raw, "sort")


def test_target_that_two_columns_have():
    with pytest.raises(InputError, match="exactly one column 'class'"):
        read_table("a.dat", b"@attribute class {a}\n@attribute class {a}\n@data\na,a\n", "class")


@pytest.mark.parametrize("raw", [b"", b"\n\n", b'a,class\n"open,u\n', b"a,class\n1,u\n1,2,3,u\n"])
def test_broken_csv(raw):
    with pytest.raises(InputError, match=r"^a\.csv[ ,]"):
        read_table("a.csv", raw, "class")


# Compression


@pytest.mark.parametrize(
    ("name", "text"), [("a.csv.gz", CSV), ("a.DAT.GZ", KEEL), ("a.arff.gz", ARFF), ("a.ts.gz", TS)]
)
def test_compressed_text(name, text):
    assert labels(read_table(name, packed(text), "class"))[:2] in (["yes", "no"], ["a", "b"])


@pytest.mark.parametrize(
    "raw", [b"no gzip", packed(CSV)[:-9], packed(CSV)[:5],
            packed(CSV)[:10] + b"\xff" * 9,
            packed(CSV)[:-8] + bytes(8)]
)  # fmt: skip
def test_broken_gzip(raw):
    with pytest.raises(InputError, match=r"^a\.csv\.gz is not a complete gzip file"):
        read_table("a.csv.gz", raw, "class")


def test_text_that_unpacks_to_too_much(monkeypatch):
    monkeypatch.setattr("balanced_bandits.datasets.reading.LARGEST_TEXT", 100)
    assert len(read_table("a.csv.gz", packed(CSV), "class").labels) == 2
    with pytest.raises(InputError, match="unpacks to more than 100 bytes"):
        read_table("a.csv.gz", packed(CSV * 3), "class")


# KEEL


def test_keel():
    table = read_table("a.dat", KEEL.encode(), "class")
    assert list(table.features.columns) == ["size", "colour", "two words"]
    assert rows(table) == [[0.5, "red", 3.0], [None, "blue", 4.0], [0.25, None, None]]
    assert [pd.api.types.is_numeric_dtype(kind) for kind in table.features.dtypes] == [True, False, True]
    assert labels(table) == ["yes", "no", "yes"]


def test_keel_target_by_number():
    assert labels(read_table("a.dat", KEEL.encode(), "-1")) == ["yes", "no", "yes"]


def test_keel_nominal_numbers_are_nominal():
    table = read_table("a.dat", b"@attribute a {1,2}\n@attribute b {x}\n@data\n1,x\n2,x\n", "b")
    assert rows(table) == [["1"], ["2"]]


def test_keel_without_header():
    table = read_table("a.dat", b"1,2,a\n3,4,b\n", "-1")
    assert rows(table) == [[1, 2], [3, 4]]
    assert labels(table) == ["a", "b"]


@pytest.mark.parametrize("row", ["0.5, red, yes", "0.5, red, 3, yes, 4", "0.5, r"])
def test_keel_row_with_another_number_of_fields(row):
    with pytest.raises(InputError, match=rf"^a\.dat: row 4 has {row.count(',') + 1} fields, but 4 attributes"):
        read_table("a.dat", (KEEL + row).encode(), "class")


def test_keel_header_without_data_line():
    with pytest.raises(InputError, match="no @data line"):
        read_table("a.dat", KEEL.partition("@data")[0].encode(), "class")


def test_keel_text_in_a_numeric_column():
    with pytest.raises(InputError, match=r"column 'size' is declared numeric, but: .*'large'"):
        read_table("a.dat", KEEL.replace("0.25", "large").encode(), "class")


# ARFF


def test_arff():
    table = read_table("a.arff", ARFF.encode(), "class")
    assert list(table.features.columns) == ["size", "hue or tint"]
    assert rows(table) == [[1.0, "red"], [2.5, "dark blue"], [None, None]]
    assert table.features["size"].dtype == float
    assert labels(table) == ["yes", "no", "yes"]


def test_sparse_arff():
    table = read_table("a.arff", SPARSE_ARFF.encode(), "class")
    assert rows(table) == [[1.5, "blue"], [0.0, "red"], [None, "red"]]
    assert table.features["size"].dtype == pd.SparseDtype(float, 0.0)
    assert labels(table) == ["yes", "no", "no"]


@pytest.mark.parametrize(
    "text", ["", "garbage", ARFF.partition("@DATA")[0], ARFF[:-6], ARFF + "1,green,yes\n", ARFF + "'5%,x\n",
             ARFF.replace("2.5", "large"), ARFF.replace("NUMERIC", "COMPLEX"), SPARSE_ARFF + "{9 1}\n"]
)  # fmt: skip
def test_broken_arff(text):
    with pytest.raises(InputError, match=r"^a\.arff[ ,]"):
        read_table("a.arff", text.encode(), "class")


DATES = """@relation r
@attribute when date "yyyy-MM-dd HH:mm:ss"
@attribute 'the day' DATE 'dd.MM.yyyy'
@attribute plain date
@attribute class {yes, no}
@data
"2020-01-31 12:00:00",31.01.2020,2020-01-31T12:00:00,yes
?,"01.02.2020",?,no
"""


def test_arff_dates():
    table = read_table("a.arff", DATES.encode(), "class")
    assert table.features["when"].tolist() == [pd.Timestamp("2020-01-31 12:00"), pd.NaT]
    assert table.features["the day"].tolist() == [pd.Timestamp("2020-01-31"), pd.Timestamp("2020-02-01")]
    assert table.features["plain"].tolist() == [pd.Timestamp("2020-01-31 12:00"), pd.NaT]


def test_arff_dates_in_another_format_than_declared():
    with pytest.raises(InputError, match=r"a\.arff: attribute 'the day' is a date of format 'dd\.MM\.yyyy', but: "):
        read_table("a.arff", DATES.replace("31.01", "31/01").encode(), "class")


def test_arff_relational_attributes_are_named():
    text = (
        "@relation r\n@attribute bag relational\n@attribute x numeric\n@end bag\n@attribute class {u}\n@data\n'1',u\n"
    )
    with pytest.raises(InputError, match=r"^a\.arff, line 2: attribute 'bag' is relational, .*multi-instance data"):
        read_table("a.arff", text.encode(), "class")


@pytest.mark.parametrize(
    ("row", "said"),
    [("1,green,yes", "line 10: Data value green not found in nominal declaration"),
     ("large,red,yes", "line 10: Invalid numerical value"), ("1,red", "line 10: Bad @DATA instance format")],
)  # fmt: skip
def test_arff_errors_name_the_line(row, said):
    with pytest.raises(InputError) as caught:
        read_table("a.arff", f"{ARFF}{row}\n".encode(), "class")
    assert str(caught.value).startswith(f"a.arff, {said}")
    assert "-1" not in str(caught.value)


def test_arff_without_data():
    with pytest.raises(InputError, match=r"^a\.arff is not a complete ARFF file: it has no @data line\.$"):
        read_table("a.arff", ARFF.partition("@DATA")[0].encode(), "class")


def test_arff_nominal_values_stay_what_was_declared():
    text = "@relation r\n@attribute a {1, 2, NA}\n@attribute class {u, NA}\n@data\n1,u\nNA,NA\n"
    table = read_table("a.arff", text.encode(), "class")
    assert table.features["a"].tolist() == ["1", "NA"]
    assert isinstance(table.features["a"].dtype, pd.CategoricalDtype)
    assert labels(table) == ["u", "NA"]


# Time series


def test_ts_joins_dimensions_and_passes_over_repeated_headers():
    table = read_table("a.ts", TS.encode(), "class")
    assert rows(table) == [[1, 2, 3, 4], [5, None, 7, 8], [9, 10, 11, 12]]
    assert list(table.features.columns) == ["t0", "t1", "t2", "t3"]
    assert labels(table) == ["a", "b", "a"]


@pytest.mark.parametrize("line", ["1,2:3:a", "1,2:3,4,5:a", "1,2,3:a", "1,2:3"])
def test_ts_of_unequal_lengths(line):
    with pytest.raises(InputError, match="differ in length"):
        read_table("a.ts", f"{TS}{line}\n".encode(), "class")


@pytest.mark.parametrize("text", ["", "# nothing\n@data\n", "a\nb\n", "1,x:a\n", "\x00"])
def test_broken_ts(text):
    with pytest.raises(InputError, match=r"^a\.ts"):
        read_table("a.ts", text.encode(), "class")


# NumPy


def test_npz_is_flattened():
    table = read_table("a.npz", NPZ, "label")
    assert rows(table) == [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9, 10, 11]]
    assert labels(table) == ["1", "0", "1"]


@pytest.mark.parametrize("given_labels", [np.array(["a", "b"]), np.array([b"a", b"b"]), np.array([["a"], ["b"]])])
def test_npz_with_labels_of_text(given_labels):
    assert labels(read_table("a.npz", npz(x=np.eye(2), y=given_labels), "y")) == ["a", "b"]


def test_npz_with_objects_is_refused_and_not_unpickled(tmp_path):
    class Trap:
        def __reduce__(self):
            return (open, (str(tmp_path / "sprung"), "w"))

    for raw in (npz(x=np.eye(1), y=np.array([Trap()], dtype=object)), pickle.dumps(Trap())):
        with pytest.raises(InputError, match=r"^a\.npz can't be read"):
            read_table("a.npz", raw, "y")
        assert not (tmp_path / "sprung").exists()


@pytest.mark.parametrize(
    ("raw", "said"),
    [
        (npz(x=np.eye(2), y=np.arange(2), z=np.arange(2)), "holds x, y, z; expected two arrays, one called 'y'"),
        (npz(x=np.eye(2), labels=np.arange(2)), "holds x, labels; expected two arrays"),
        (npz(x=np.eye(2), y=np.arange(3)), r"3 labels do not match features of shape \(2, 2\)"),
        (npz(x=np.float64(1), y=np.arange(1)), r"1 labels do not match features of shape \(\)"),
    ],
)
def test_npz_with_other_arrays(raw, said):
    with pytest.raises(InputError, match=rf"^a\.npz:? {said}"):
        read_table("a.npz", raw, "y")


def test_broken_npz():
    single = io.BytesIO()
    np.save(single, np.arange(3))
    for raw in (b"", b"garbage", NPZ[:-20], NPZ[: len(NPZ) // 2], single.getvalue()):
        with pytest.raises(InputError, match=r"^a\.npz can't be read"):
            read_table("a.npz", raw, "label")


# Parquet


def test_parquet():
    table = read_table("a.parquet", PARQUET, "kind")
    assert rows(table) == [[1.0, "red"], [None, None], [2.5, "blue"]]
    assert labels(table) == ["yes", "no", None]


def test_parquet_with_numbers_and_categories_as_labels():
    assert labels(read_table("a.parquet", parquet(a=[1, 2], y=[1.0, 2.0]), "y")) == ["1", "2"]
    assert labels(read_table("a.parquet", parquet(a=[1, 2], y=pd.Categorical(["u", None])), "y")) == ["u", None]


@pytest.mark.parametrize("raw", [b"", b"PAR1", b"garbage" * 9, PARQUET[:-1], PARQUET[: len(PARQUET) // 2]])
def test_broken_parquet(raw):
    with pytest.raises(InputError, match=r"^a\.parquet can't be read"):
        read_table("a.parquet", raw, "kind")


def test_parquet_keeps_the_columns_that_pandas_made_an_index():
    file = io.BytesIO()
    pd.DataFrame({"a": [1, 2], "kind": ["u", "v"], "size": [3, 4]}).set_index(["kind", "size"]).to_parquet(file)
    table = read_table("a.parquet", file.getvalue(), "kind")
    assert labels(table) == ["u", "v"]
    assert sorted(table.features.columns) == ["a", "size"]


# JSON lines, Excel, Stata


@pytest.mark.parametrize(
    ("name", "raw"), [("a.jsonl", JSONL.encode()), ("a.xlsx", excel(**TABLE)), ("a.dta", stata(**TABLE))]
)
def test_other_formats(name, raw):
    table = read_table(name, raw, "kind")
    assert table.features["size"].tolist()[::2] == [1.0, 2.5]
    assert table.features["size"].isna().tolist() == [False, True, False]
    assert table.features["colour"].tolist()[::2] == ["red", "blue"]
    assert labels(table) == ["yes", "no", None]


@pytest.mark.parametrize(
    ("raw", "said"),
    [(b'{"a": 1}\n{"a": \n', r"^a\.jsonl, line 2 is not JSON"), (b'{"a": 1}\n[1]\n', "line 2 is not a JSON object")],
)
def test_broken_json_lines_are_named(raw, said):
    with pytest.raises(InputError, match=said):
        read_table("a.jsonl", raw, "a")


def test_labelled_values_of_stata_are_categories():
    file = io.BytesIO()
    pd.DataFrame({"a": [1, 2], "kind": pd.Categorical(["u", "v"])}).to_stata(file, write_index=False)
    assert labels(read_table("a.dta", file.getvalue(), "kind")) == ["u", "v"]


# NumPy arrays, LIBSVM


def test_npy_with_the_target_by_number():
    table = read_table("a.npy", npy(np.array([[1.5, 0], [2, 1]])), "-1")
    assert rows(table) == [[1.5], [2.0]]
    assert labels(table) == ["0", "1"]


@pytest.mark.parametrize("array", [np.arange(4.0), np.zeros((2, 2, 2)), np.float64(3)])
def test_npy_that_is_no_table(array):
    with pytest.raises(InputError, match=r"^a\.npy h.* shape \("):
        read_table("a.npy", npy(array), "0")


@pytest.mark.parametrize(
    "array",
    [np.array([[1, "x"]], dtype=object), np.zeros(2, dtype=[("a", "f8")])],
)
def test_npy_of_objects_is_not_unpickled(array):
    with pytest.raises(InputError, match=r"^a\.npy"):
        read_table("a.npy", npy(array), "0")


def test_npy_that_claims_to_be_larger_than_it_is():
    raw = npy(np.zeros((2, 2))).replace(b"(2, 2)", b"(9, 9)")
    with pytest.raises(InputError, match="claims to be larger than it is"):
        read_table("a.npy", raw, "0")


def test_libsvm():
    table = read_table("a.libsvm", LIBSVM.encode(), "class")
    assert table.features.columns.tolist() == ["x1", "x2", "x3"]
    assert rows(table) == [[0.5, 0, 2], [0, 1, 0], [7, 0, 0]]
    assert labels(table) == ["1", "-1", "0,4"]
    assert labels(read_table("a.libsvm", b"1:2\n? 1:3\n5 1:2\n", "class")) == [None, None, "5"]


@pytest.mark.parametrize("line", ["1 1", "1 1:x", "1 x:1", "1 1:2:3", "1 0:1", "1 -1:1", "1 2:1 2:1", "1 :1"])
def test_lines_that_are_not_libsvm(line):
    with pytest.raises(InputError, match=r"^a\.libsvm, line 2"):
        read_table("a.libsvm", f"1 1:1\n{line}\n".encode(), "class")


def test_libsvm_of_a_huge_index():
    with pytest.raises(InputError, match="would expand to 1 rows and 9999999999 columns"):
        read_table("a.libsvm", b"1 9999999999:1\n", "class")


# Several files, labels in files of their own, options


def part(name: str, raw: bytes | str) -> Part:
    return Part(name, raw.encode() if isinstance(raw, str) else raw)


def test_rows_of_several_files():
    table = read_parts([part("a.csv", CSV), part("b.csv", CSV.replace("red", "green"))], [], "class")
    assert rows(table) == [[1, "red"], [2.5, "blue"], [1, "green"], [2.5, "blue"]]
    assert labels(table) == ["yes", "no", "yes", "no"]
    assert table.features.index.tolist() == [0, 1, 2, 3]


def test_categories_of_several_files_stay_categories():
    more = KEEL.replace("{red, blue}", "{5, 6}").replace("red,", "5,").replace("blue,", "6,")
    table = read_parts([part("a.dat", KEEL), part("b.dat", more)], [], "class")
    assert isinstance(table.features["colour"].dtype, pd.CategoricalDtype)
    assert table.features["colour"].dropna().tolist() == ["red", "blue", "5", "6"]


def test_a_column_that_is_numeric_in_one_file_only():
    """The files together are read as one file would be."""
    parts = [part("a.csv", "x,y,kind\n1,2,u\n,3,v\n"), part("b.csv", "x,y,kind\n1,none,u\nred,4,v\n")]
    table = read_parts(parts, [], "kind")
    assert rows(table) == [["1", "2"], [None, "3"], ["1", "none"], ["red", "4"]]
    whole = read_table("c.csv", b"x,y,kind\n1,2,u\n,3,v\n1,none,u\nred,4,v\n", "kind")
    assert rows(table) == rows(whole)


@pytest.mark.parametrize(
    ("header", "said"),
    [("size,hue,class", "colour, hue"), ("colour,size,class", "their order"), ("size,class", "colour")],
)
def test_files_with_other_columns(header, said):
    other = "\n".join([header, ",".join("1" for _ in header.split(","))])
    with pytest.raises(InputError, match=rf"^a\.csv and b\.csv must have the same columns, but differ in: {said}\.$"):
        read_parts([part("a.csv", CSV), part("b.csv", other)], [], "class")


def test_labels_of_a_file_of_their_own():
    answer = part("l.csv", "who,kind\nann,u\nbob,?\n")
    table = read_parts([part("a.csv", CSV)], [answer], "kind")
    assert table.features.columns.tolist() == ["size", "colour", "class"]
    assert labels(table) == ["u", None]
    one = read_parts([part("a.data", "1 2\n3 4\n")], [part("a.labels", "-1\n1\n")], "0")
    assert rows(one) == [[1, 2], [3, 4]]
    assert labels(one) == ["-1", "1"]


def test_labels_of_several_files():
    parts = [part("a.csv", "x,y\n1,2\n"), part("b.csv", "x,y\n3,4\n")]
    answers = [part("c.csv", "k\nu\n"), part("d.csv", "k\nv\n")]
    assert labels(read_parts(parts, answers, "k")) == ["u", "v"]
    assert labels(read_parts(parts, [part("e.csv", "k\nu\nw\n")], "k")) == ["u", "w"]


def test_too_few_or_too_many_labels():
    for count in (1, 3):
        with pytest.raises(InputError, match=rf"^l\.csv has {count} labels for the 2 rows of a\.csv"):
            read_parts([part("a.csv", CSV)], [part("l.csv", "k\n" + "u\n" * count)], "k")


def test_an_image_with_a_label_for_each_pixel():
    image, truth = np.arange(24).reshape(2, 3, 4), np.array([[0, 1, 2], [2, 1, 0]])
    table = read_parts([part("a.npy", npy(image))], [part("l.npy", npy(truth))], "0")
    assert rows(table) == image.reshape(6, 4).tolist()
    assert labels(table) == ["0", "1", "2", "2", "1", "0"]
    pictures = read_parts([part("a.npy", npy(image))], [part("l.npy", npy(np.array(["u", "v"])))], "0")
    assert pictures.features.shape == (2, 12)
    assert labels(pictures) == ["u", "v"]
    with pytest.raises(InputError, match=r"^a\.npy: 5 labels do not match features of shape \(2, 3, 4\)"):
        read_parts([part("a.npy", npy(image))], [part("l.npy", npy(np.zeros(5)))], "0")


def test_a_transposed_table():
    genes = part("a.txt", "gene\ts1\ts2\tnote\na\t1\t2\tx\nb\t3\t\ty\nc\t5\t6\tz\n")
    answer = part("l.csv", "sample,kind\ns1,u\ns2,v\n")
    table = read_parts([genes], [answer], "kind", options=Options(transpose=True), drop=["gene", "note"])
    assert rows(table) == [[1, 3, 5], [2, None, 6]]
    assert labels(table) == ["u", "v"]
    with pytest.raises(InputError, match="column 'gene' is not numeric; drop it or correct it"):
        read_parts([genes], [answer], "kind", options=Options(transpose=True), drop=["note"])
    with pytest.raises(InputError, match="has no column 'absent' to drop"):
        read_parts([genes], [answer], "kind", options=Options(transpose=True), drop=["absent"])
    with pytest.raises(InputError, match=r"^a\.txt: a transposed table needs its labels in a file"):
        read_parts([genes], [], "kind", options=Options(transpose=True))


def test_rows_that_end_early():
    raw = b"a\tb\tkind\tnote\n1\t2\tu\n3\t4\tv\tx\n"
    with pytest.raises(InputError, match="line 2: 3 fields, but line 1 has 4"):
        read_table("a.tsv", raw, "kind")
    assert rows(read_table("a.tsv", raw, "kind", options=Options(short=True))) == [[1, 2, None], [3, 4, "x"]]


@pytest.mark.parametrize("name", ["a.csv", "a.xlsx"])
def test_lines_above_the_header(name):
    raw = b"a title,,\n" + CSV.encode()
    if name == "a.xlsx":
        file = io.BytesIO()
        above = pd.DataFrame(
            [["a title", None, None], ["size", "colour", "class"], [1, "red", "yes"], [2.5, "blue", "no"]]
        )
        above.to_excel(file, index=False, header=False)
        raw = file.getvalue()
    table = read_table(name, raw, "class", options=Options(skip=1))
    assert rows(table) == [[1, "red"], [2.5, "blue"]]


def test_a_format_that_the_name_does_not_say():
    assert labels(read_table("a.arff.txt", ARFF.encode(), "class", options=Options(format="arff"))) == [
        "yes",
        "no",
        "yes",
    ]
    assert labels(read_table("a.bz2", bz2.compress(CSV.encode()), "class", options=Options(format="csv"))) == [
        "yes",
        "no",
    ]
    with pytest.raises(InputError, match=r"^a\.csv: unknown format 'rtf'; it must be one of \.csv"):
        read_table("a.csv", CSV.encode(), "class", options=Options(format="rtf"))


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        ("^(ALL|AML)", ["ALL", "AML", "other", None]),
        ("^A.L", ["ALL", "AML", "other", None]),
        (r"_(\d+)", ["1", "2", "3", None]),
        (r"(ALL)?_", ["ALL", "other", "other", None]),
        ("(ALL)|(AML)", ["ALL", "AML", "other", None]),
    ],
)
def test_a_part_of_the_label(pattern, expected):
    raw = b"x,kind\n1,ALL_1_B\n2,AML_2\n3,CML_3\n4,?\n"
    assert labels(read_table("a.csv", raw, "kind", options=Options(label=pattern))) == expected


@pytest.mark.parametrize("compress", [gzip.compress, bz2.compress, lzma.compress])
def test_compressed_files_of_several_streams(compress):
    ending = {gzip.compress: "gz", bz2.compress: "bz2", lzma.compress: "xz"}[compress]
    raw = compress(CSV[:20].encode()) + compress(CSV[20:].encode())
    assert labels(read_table(f"a.csv.{ending}", raw, "class")) == ["yes", "no"]
    kind = {"gz": "gzip", "bz2": "bzip2", "xz": "xz"}[ending]
    with pytest.raises(InputError, match=rf"^a\.csv\.{ending} is not a complete {kind} file"):
        read_table(f"a.csv.{ending}", raw[:-9], "class")
    with pytest.raises(InputError, match=rf"^a\.csv\.{ending} is not a complete {kind} file"):
        read_table(f"a.csv.{ending}", CSV.encode(), "class")


# All of them


@pytest.mark.parametrize("name", ["a", "a.rtf", "a.csv.zip", "csv", "a.gz", "a.csv.zst", ""])
def test_unknown_ending(name):
    with pytest.raises(InputError, match=r"unknown file extension; it must be one of \.csv, \.tsv, "):
        read_table(name, CSV.encode(), "class")


VALID = [
    ("a.csv", CSV.encode(), "class"),
    ("a.csv", CSV.encode(), "-1"),
    ("a.tsv", CSV.replace(",", "\t").encode(), "class"),
    ("a.csv.gz", packed(CSV), "class"),
    ("a.dat", KEEL.encode(), "class"),
    ("a.dat", b"1,2,a\n3,4,b\n", "-1"),
    ("a.arff", ARFF.encode(), "class"),
    ("a.arff", SPARSE_ARFF.encode(), "class"),
    ("a.ts", TS.encode(), "class"),
    ("a.npz", NPZ, "label"),
    ("a.parquet", PARQUET, "kind"),
    ("a.jsonl", JSONL.encode(), "kind"),
    ("a.xlsx", excel(**TABLE), "kind"),
    ("a.dta", stata(**TABLE), "kind"),
    ("a.tab", TAB.encode(), "class"),
    ("a.txt", CSV.replace(",", "  ").encode(), "class"),
    ("a.data", CSV.partition("\n")[2].replace(",", " ").encode(), "0"),
    ("a.labels", CSV.encode(), "class"),
    ("a.npy", npy(np.arange(12.0).reshape(4, 3)), "-1"),
    ("a.libsvm", LIBSVM.encode(), "class"),
    ("a.csv.bz2", bz2.compress(CSV.encode()), "class"),
    ("a.csv.xz", lzma.compress(CSV.encode()), "class"),
]


def read_or_refuse(name: str, raw: bytes, target: str) -> None:
    try:
        table = read_table(name, raw, target)
    except InputError as error:
        assert str(error).startswith(name)  # noqa: PT017
    else:
        assert len(table.features) == len(table.labels)
        assert all(isinstance(label, str) for label in table.labels.dropna())


def test_every_reader_is_fuzzed():
    assert {f".{name.split('.')[1]}" for name, _, _ in VALID} == set(READERS)
    assert {f".{name.split('.')[2]}" for name, _, _ in VALID if name.count(".") > 1} == set(COMPRESSED)


@settings(max_examples=100, deadline=None, derandomize=True)
@given(
    raw=st.binary(max_size=200),
    ending=st.sampled_from([*READERS, ".csv.gz", ".csv.bz2", ".csv.xz"]),
    target=st.sampled_from(["y", "-1"]),
)
def test_random_bytes_give_a_table_or_an_input_error(raw, ending, target):
    read_or_refuse(f"a{ending}", raw, target)


@st.composite
def mutated(draw: st.DrawFn) -> tuple[str, bytes, str]:
    """A valid file of which some bytes were replaced, taken out or doubled, or whose end is missing."""
    name, valid, target = draw(st.sampled_from(VALID))
    raw = bytearray(valid)
    for _ in range(draw(st.integers(0, 4))):
        at = draw(st.integers(0, len(raw)))
        length = draw(st.integers(0, 4))
        raw[at : at + length] = draw(st.one_of(st.binary(max_size=4), st.sampled_from([b'"', b"'", b"{", b"%", b"\n"])))
    return name, bytes(raw[: draw(st.one_of(st.just(len(raw)), st.integers(0, len(raw))))]), target


@settings(max_examples=400, deadline=None, derandomize=True)
@given(mutated())
def test_mutated_files_give_a_table_or_an_input_error(file):
    read_or_refuse(*file)


@pytest.mark.parametrize(("name", "raw", "target"), VALID)
def test_flipped_bits_give_a_table_or_an_input_error(name, raw, target):
    for at in np.linspace(0, len(raw) - 1, 60).astype(int):
        for bit in (0, 3, 6):
            read_or_refuse(name, raw[:at] + bytes([raw[at] ^ (1 << bit)]) + raw[at + 1 :], target)


@pytest.mark.parametrize(("name", "raw", "target"), VALID)
def test_truncated_files_give_a_table_or_an_input_error(name, raw, target):
    for length in np.linspace(0, len(raw) - 1, 40).astype(int):
        read_or_refuse(name, raw[:length], target)


def test_gzip_is_unpacked_for_every_format():
    buffer = io.BytesIO()
    np.savez(buffer, X=np.arange(6.0).reshape(3, 2), y=np.array([0, 1, 1]))
    table = read_table("a.npz.gz", gzip.compress(buffer.getvalue()), "y")
    assert list(table.labels) == ["0", "1", "1"]


def test_rows_longer_than_the_header_are_refused():
    with pytest.raises(InputError, match=r"^a\.csv, line 2: 3 fields, but line 1 has 2; if the first col"):
        read_table("a.csv", b"u,kind\n1,2,yes\n3,4,no\n", "kind")


def test_a_target_with_the_name_of_a_feature_made_here_is_refused():
    with pytest.raises(InputError, match="choose another name for the target"):
        read_table("a.ts", b"@data\n1,2:x\n3,4:y\n", "t0")
