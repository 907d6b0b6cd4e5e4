"""Suites: what is accepted, and what a person is told about what is not."""

import io
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest

from balanced_bandits.analysis.classification.table2 import table2
from balanced_bandits.cli.suite import suite
from balanced_bandits.core.errors import InputError
from balanced_bandits.core.files import read_arrays
from balanced_bandits.datasets import SOURCES, source_of
from balanced_bandits.datasets.checksum import digest
from balanced_bandits.datasets.options import Options
from balanced_bandits.datasets.prepare import Preparation, prepare
from balanced_bandits.datasets.sources.openml import parse_locator as parse_openml
from balanced_bandits.datasets.suite import COLUMNS, Row, cell_of, chosen, names_in, read_suite
from balanced_bandits.plan.config import checked_config
from balanced_bandits.plan.datasets import Datasets

ROOT = Path(__file__).resolve().parents[3]
REGISTRY = ROOT / "workflow/suites/registry300.tsv"
GOOD = {
    "name": "one", "source": "file", "locator": "one.csv", "target": "class", "sha256": "0" * 64, "licence": "CC0",
    "n": "100", "d": "4", "K": "3",
}  # fmt: skip


def lists() -> bytes:
    """A Parquet file with a column of lists."""
    packed = io.BytesIO()
    pd.DataFrame({"u": [[1, 2]] * 12, "v": range(12), "class": ["a", "b"] * 6}).to_parquet(packed)
    return packed.getvalue()


def line(**changes: str) -> str:
    return "\t".join((GOOD | changes).values())


def write(folder: Path, *lines: str, header: str = "\t".join(COLUMNS), end: str = "\n") -> Path:
    path = folder / "suite.tsv"
    path.write_text(end.join([header, *lines]) + end, encoding="utf-8", newline="")
    return path


def complaint(path: Path) -> str:
    with pytest.raises(InputError) as caught:
        read_suite(path)
    assert str(path) in str(caught.value)
    return str(caught.value)


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_good_suite_is_read_in_the_order_of_the_file(tmp_path, end):
    path = write(tmp_path, line(name="two", target="-1"), "", line(licence="Größe: 'any'"), end=end)
    rows = read_suite(path)
    assert list(rows) == ["two", "one"]
    assert rows["one"] == Row("one", "file", "one.csv", "class", "0" * 64, "Größe: 'any'", 100, 4, 3)
    assert rows["two"].target == "-1"


@pytest.mark.parametrize(
    "header",
    ["", ",".join(COLUMNS), "\t".join(COLUMNS[:-1]), "\t".join(reversed(COLUMNS)), "\t".join([*COLUMNS, "more"])],
)
def test_wrong_header(tmp_path, header):
    said = complaint(write(tmp_path, line(), header=header))
    assert "line 1" in said
    assert "name, source, locator, target, sha256, licence, n, d, K" in said


@pytest.mark.parametrize(("fields", "count"), [(line() + "\tmore", 10), (line().rpartition("\t")[0], 8)])
def test_wrong_number_of_columns(tmp_path, fields, count):
    assert f"line 3: {count} columns instead of 9" in complaint(write(tmp_path, line(), fields))


@pytest.mark.parametrize(
    ("column", "value", "expected"),
    [
        ("name", "", "letters, digits"),
        ("name", "a/b", "letters, digits"),
        ("name", "..", "letters, digits"),
        ("name", "../a", "letters, digits"),
        ("name", ".hidden", "letters, digits"),
        ("name", "-a", "letters, digits"),
        ("name", "größe", "letters, digits"),
        ("name", "a" * 81, "at most 80"),
        ("source", "web", "one of sklearn, archive, file, openml"),
        ("locator", "", "the location of the dataset"),
        ("target", "", "the column that holds the class"),
        ("sha256", "0" * 63, "64 hexadecimal digits"),
        ("sha256", "0" * 65, "64 hexadecimal digits"),
        ("sha256", "A" * 64, "lower case"),
        ("sha256", "g" * 64, "64 hexadecimal digits"),
        ("sha256", "unknown", "is for openml only"),
        ("licence", "", "the licence"),
        ("n", "-1", "an integer of at least 1"),
        ("n", "0", "an integer of at least 1"),
        ("n", "1.5", "an integer of at least 1"),
        ("n", "²", "an integer of at least 1"),
        ("d", "four", "an integer of at least 1"),
        ("K", "", "an integer of at least 1"),
    ],
)
def test_bad_field_is_named_with_line_and_expectation(tmp_path, column, value, expected):
    said = complaint(write(tmp_path, line(name="good"), line(**{column: value})))
    shown = 0 if value == "0" else value
    assert f"line 3: {column} is {shown!r}, but must be: " in said
    assert expected in said
    assert "line 2" not in said


@pytest.mark.parametrize("again", ["one", "ONE"])
def test_names_must_differ_by_more_than_case(tmp_path, again):
    said = complaint(write(tmp_path, line(name="zero"), line(), line(name=again)))
    assert f"line 4: the name {again!r} is already used in line 3" in said


def test_all_bad_rows_are_reported_at_once(tmp_path):
    said = complaint(write(tmp_path, line(sha256="x", n="-3"), line(name="good"), "", "one\ttwo", line(source="web")))
    assert [part.partition(":")[0] for part in said.split("\n")[1:]] == ["  line 2", "  line 5", "  line 6"]
    assert "n is '-3'" in said
    assert "sha256 is 'x'" in said
    assert "good" not in said


def test_not_utf8(tmp_path):
    path = tmp_path / "suite.tsv"
    path.write_bytes(("\t".join(COLUMNS) + "\n" + line(licence="größe") + "\n").encode("latin-1"))
    assert "UTF-8" in complaint(path)


def test_missing_file(tmp_path):
    said = complaint(tmp_path / "missing.tsv")
    assert "no such suite. Give the path of a .tsv file, which 'balanced-bandits suite' makes" in said
    assert "or the name of a suite of the project: openml300, registry300, registry60." in said


def test_empty_file(tmp_path):
    path = tmp_path / "suite.tsv"
    path.write_bytes(b"")
    assert "line 1" in complaint(path)


def test_header_alone(tmp_path):
    assert "no row" in complaint(write(tmp_path))


def test_quotes_are_plain_characters_and_survive_json(tmp_path):
    licence = '"any" use, it\'s größer & $x'
    row = read_suite(write(tmp_path, line(licence=licence)))["one"]
    assert row.licence == licence
    assert Row.from_json(row.to_json()) == row


@pytest.fixture(scope="module")
def rows() -> list[Row]:
    return list(read_suite(REGISTRY).values())


class TestRegistry:
    """The suite that comes with the project; tests/system/test_registry.py has more."""

    def test_is_sorted_and_without_doubles(self, rows):
        assert [row.name for row in rows] == sorted((row.name for row in rows), key=str.lower)
        assert len({(row.sha256, row.target) for row in rows}) == len(rows)
        assert len({(row.locator, row.target) for row in rows}) == len(rows)

    def test_every_row_says_what_it_is_about_and_what_was_done(self, rows):
        assert all(row.domain and row.remark and row.licence != "unknown" for row in rows)

    def test_every_source_has_a_module(self, rows):
        assert {row.source for row in rows} <= set(SOURCES)
        for row in rows:
            assert callable(source_of(row).fetch)


@pytest.mark.parametrize("order", [("family", "columns"), ("columns", "family"), ("columns",), ("family",)])
def test_optional_columns_come_in_any_order(tmp_path, order):
    values = {"family": "kin", "columns": "12"}
    header = "\t".join([*COLUMNS, *order])
    filled, empty = line() + "".join(f"\t{values[name]}" for name in order), line(name="two") + "\t" * len(order)
    rows = read_suite(write(tmp_path, filled, empty, header=header))
    expected = {"family": "kin", "columns": 12}
    assert all(getattr(rows["one"], name) == expected[name] for name in order)
    assert (rows["two"].family, rows["two"].columns) == ("", 0)
    assert Row.from_json(rows["one"].to_json()) == Row(**(GOOD | {"n": 100, "d": 4, "K": 3}))


def test_columns_to_drop_are_separated_by_commas(tmp_path):
    header = "\t".join([*COLUMNS, "drop", "binarise"])
    rows = read_suite(write(tmp_path, line() + '\tid, "a, b"\t4', line(name="two") + "\t\t", header=header))
    assert (rows["one"].drop, rows["one"].binarise) == (("id", "a, b"), "4")
    assert (rows["two"].drop, rows["two"].binarise) == ((), "")
    assert names_in(cell_of(rows["one"].drop)) == rows["one"].drop
    for wrong in ("median", "1", "100"):
        said = complaint(write(tmp_path, line() + f"\t\t{wrong}", header=header))
        assert f"line 2: binarise is {wrong!r}, but must be: mean, an integer from 2 to 99" in said


MORE = ("labels", "missing", "reading", "remark")


def test_how_a_dataset_is_read(tmp_path):
    header = "\t".join([*COLUMNS, *MORE])
    cells = ("x/l.csv+y.zip:l.csv", '-9,"age=a, b"', r"format=csv,skip=2,short,transpose,label=^(A|B)", "why, and how")
    given = {"source": "archive", "locator": "tinydata-1.0.tar.gz:a.csv"}
    empty = line(name="two", **given) + "\t" * len(MORE)
    rows = read_suite(write(tmp_path, "\t".join([line(**given), *cells]), empty, header=header))
    one, two = rows["one"], rows["two"]
    assert (one.labels, one.missing, one.remark) == (cells[0], ("-9", "age=a, b"), "why, and how")
    assert one.options == Options("csv", 2, True, True, "^(A|B)")
    assert two.options == Options()
    assert Row.from_json(one.to_json()) == replace(one, remark="")


def test_a_remark_makes_nothing_stale():
    row = Row(**(GOOD | {"n": 100, "d": 4, "K": 3}))
    for key in ("remark", "family"):
        assert replace(row, **{key: "text"}).to_json() == row.to_json()
    for key, value in (("labels", "l.csv"), ("missing", ("-9",)), ("reading", ("short",))):
        assert replace(row, **{key: value}).to_json() != row.to_json()


@pytest.mark.parametrize(
    ("cell", "said"),
    [
        ("format=CSV", "reading has 'format=CSV', but must be any of format=EXTENSION"),
        ("format", "reading has 'format', but must be"),
        ("skip=0", "reading has 'skip=0'"),
        ("skip=-1", "reading has 'skip=-1'"),
        ("skip=1000", "reading has 'skip=1000'"),
        ("transpose=yes", "reading has 'transpose=yes'"),
        ("header=no", "reading has 'header=no'"),
        ("short,short", "reading has 'short' twice"),
        ("label=", "reading has 'label='"),
        ("label=(", "reading: '(' is not a regular expression"),
    ],
)
def test_wrong_ways_to_read(tmp_path, cell, said):
    header = "\t".join([*COLUMNS, "reading"])
    given = {"source": "archive", "locator": "tinydata-1.0.tar.gz:a.csv"}
    assert f"line 2: {said}" in complaint(write(tmp_path, line(**given) + f"\t{cell}", header=header))


@pytest.mark.parametrize(
    ("source", "column", "accepted"),
    [
        ("archive", "labels", True), ("file", "labels", False), ("sklearn", "labels", False),
        ("openml", "labels", False), ("archive", "reading", True), ("file", "reading", True),
        ("sklearn", "reading", False), ("openml", "reading", False), ("openml", "missing", True),
        ("sklearn", "missing", True),
    ],
)  # fmt: skip
def test_columns_that_only_some_sources_have(tmp_path, source, column, accepted):
    path = write(tmp_path, line(source=source) + "\tshort", header="\t".join([*COLUMNS, column]))
    if accepted:
        assert read_suite(path)
    else:
        assert f"line 2: {column} is 'short', but must be: empty, since" in complaint(path)


def test_wrong_optional_columns(tmp_path):
    twice = "\t".join([*COLUMNS, "family", "family"])
    assert "followed by any of family, columns, drop, binarise" in complaint(
        write(tmp_path, line() + "\ta\tb", header=twice)
    )
    header = "\t".join([*COLUMNS, "columns"])
    said = complaint(write(tmp_path, line() + "\t0", line(name="two") + "\tmany", header=header))
    assert "line 2: columns is 0, but must be: " in said
    assert "line 3: columns is 'many', but must be: " in said


def test_without_a_checksum_from_openml_alone(tmp_path):
    row = read_suite(write(tmp_path, line(source="openml", locator="61@1", sha256="unknown")))["one"]
    assert not row.has_checksum
    assert read_suite(write(tmp_path, line(source="openml", locator="61@1")))["one"].has_checksum
    said = complaint(write(tmp_path, line(source="openml", locator="61@1", sha256="Unknown")))
    assert "line 2: sha256 is 'Unknown', but must be: " in said


class TestOpenML300:
    """The suite of the paper's size."""

    @pytest.fixture
    def paper(self) -> list[Row]:
        return list(read_suite(ROOT / "workflow/suites/openml300.tsv").values())

    def test_names_300_datasets_of_openml(self, paper):
        assert len({parse_openml(row)[0] for row in paper}) == len(paper) == 300
        assert {row.source for row in paper} == {"openml"}
        assert not any(row.has_checksum for row in paper)

    def test_versions_of_one_dataset_are_a_family(self, paper):
        families = {row.name: row.family for row in paper}
        assert families["letter-6"] == families["letter-977"]
        assert len({family for name, family in families.items() if name.startswith("mfeat-")}) == 1
        assert 250 <= len(set(families.values())) < 300

    def test_has_the_margins_of_table_2(self, paper):
        counted = table2(pd.DataFrame([{"n": row.n, "d": row.d, "K": row.K, "left_out": ""} for row in paper]))
        counted = counted.dropna()
        assert counted["datasets"].tolist() == counted["paper"].tolist()


class TestCommand:
    """``balanced-bandits suite``."""

    @pytest.fixture
    def here(self, tmp_path, monkeypatch) -> Path:
        monkeypatch.chdir(tmp_path)
        (tmp_path / "data").mkdir()
        first = "".join(f"{i},{'red' if i % 3 else 'blue'},{'no' if i % 2 else 'yes'}\n" for i in range(20))
        (tmp_path / "data/first set.csv").write_text("size,colour,class\n" + first)
        second = "".join(f"{i};{'abc'[i % 3]}\n" for i in range(12)) + "99;?\n"
        (tmp_path / "data/second.csv").write_text("größe;class\n" + second)
        (tmp_path / "data/notes.txt").write_text("no data")
        return tmp_path

    def test_prints_a_suite_whose_rows_fetch_and_prepare_well(self, here, capsys):
        suite([Path("data")], "class")
        path = here / "own.tsv"
        path.write_text(capsys.readouterr().out)
        rows = read_suite(path)
        assert {name: (row.n, row.d, row.K) for name, row in rows.items()} == {
            "first_set": (20, 2, 2), "second": (12, 1, 3),
        }  # fmt: skip
        assert {name: row.columns for name, row in rows.items()} == {"first_set": 2, "second": 1}
        for name, row in rows.items():
            raw = here / f"{name}.raw"
            raw.write_bytes(source_of(row).fetch(row, path.parent, here / "cache"))
            prepare(row, raw, here / f"{name}.npz", Preparation(100))
            record, arrays = read_arrays(here / f"{name}.npz")
            assert record["rejected"] is None
            assert arrays["X"].shape == (row.n, row.d)
            assert set(arrays["y"]) == set(range(row.K))

    def test_takes_single_files_too(self, here, capsys):
        suite([Path("data/second.csv")], "class")
        assert [text.split("\t")[0] for text in capsys.readouterr().out.splitlines()] == ["name", "second"]

    def test_passes_over_suites_and_over_its_own_output(self, here, capsys):
        code = "from balanced_bandits.cli import main; main()"
        command = [sys.executable, "-c", code, "suite", "data", "--target", "class"]
        for _ in range(2):  # the second time, the output of the first is there as well
            with open(here / "data/my.tsv", "a") as output:
                done = subprocess.run(command, stdout=output, stderr=subprocess.PIPE, text=True, check=False)
            assert done.returncode == 0, done.stderr
        (here / "data/my.tsv").rename(here / "data/old.tsv")
        suite([Path("data")], "class")
        printed = capsys.readouterr()
        assert [text.split("\t")[0] for text in printed.out.splitlines()] == ["name", "first_set", "second"]
        assert "old.tsv is a suite, not a data file" in printed.err

    def test_skips_what_it_can_not_read_and_says_so_at_the_end(self, here, capsys):
        (here / "data/bare.csv").write_text("size,class\n")
        (here / "data/cut.parquet").write_bytes(b"PAR1")
        (here / "data/lists.parquet").write_bytes(lists())
        with pytest.raises(SystemExit) as ended:
            suite([Path("data")], "class")
        assert ended.value.code == 3
        printed = capsys.readouterr()
        assert [text.split("\t")[0] for text in printed.out.splitlines()] == ["name", "first_set", "lists", "second"]
        for said in ("error: 2 of 5 files were skipped:", "bare.csv has no rows", "cut.parquet can't be read",
                     "dataset lists will be left out: column 'u' holds lists"):  # fmt: skip
            assert said in printed.err

    def test_writes_what_to_drop_and_how_to_cut(self, here, capsys):
        suite([Path("data/first set.csv")], "size", ["class"], "mean")
        path = here / "own.tsv"
        path.write_text(capsys.readouterr().out)
        row = read_suite(path)["first_set"]
        assert (row.drop, row.binarise, row.d, row.K) == (("class",), "mean", 1, 2)
        assert Row.from_json(row.to_json()) == replace(row, columns=0)
        raw = here / "raw"
        raw.write_bytes(source_of(row).fetch(row, path.parent, here / "cache"))
        assert prepare(row, raw, here / "a.npz")["classes"] == ["9.5 or more", "below 9.5"]

    def test_names_the_file_it_can_not_read(self, here):
        with pytest.raises(InputError, match=r"absent\.csv can't be read"):
            suite([Path("absent.csv")], "class")
        with pytest.raises(InputError, match=r"notes\.txt has no rows"):
            suite([Path("data/notes.txt")], "class")
        with pytest.raises(InputError, match=r"first set\.csv must have .* column 'kind'.*size, colour, class"):
            suite([Path("data")], "kind")

    def test_a_folder_is_searched_in_the_order_of_names(self, here, capsys, monkeypatch):
        listing = sorted(Path("data").iterdir(), reverse=True)
        monkeypatch.setattr(Path, "iterdir", lambda self: iter(listing))
        suite([Path("data")], "class")
        names = [text.split("\t")[2] for text in capsys.readouterr().out.splitlines()[1:]]
        assert names == [os.path.join("data", "first set.csv"), os.path.join("data", "second.csv")]


def test_the_command_gives_every_row_a_name_of_its_own(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("a.csv", "a.tsv", f"{'x' * 90}.csv", "-é.csv"):
        separator = "\t" if name.endswith(".tsv") else ","
        Path(name).write_text(separator.join(["u", "kind"]) + "\n" + f"1{separator}yes\n")
    suite([Path()], "kind")
    Path("my.tsv").write_text(capsys.readouterr().out)
    assert len(read_suite(Path("my.tsv"))) == 4


def test_a_folder_is_no_suite(tmp_path):
    with pytest.raises(InputError, match="can't be read"):
        read_suite(tmp_path)


# What scripts are told of a suite


def test_rows_are_chosen_by_name_in_the_order_of_the_suite(tmp_path):
    path = write(tmp_path, line(), line(name="two"), line(name="three"))
    rows = read_suite(path)
    assert list(chosen(rows, None, path)) == ["one", "two", "three"]
    assert list(chosen(rows, ["three", "one"], path)) == ["one", "three"]
    with pytest.raises(InputError, match=r"datasets: .*suite\.tsv does not contain four"):
        chosen(rows, ["one", "four"], path)


def test_a_suite_that_changes_during_a_run_is_noticed_before_anything_is_collected(tmp_path):
    path = write(tmp_path, line(), line(name="two"))
    command = [sys.executable, ROOT / "scripts/collect.py", "--suite", path,
               "--families", digest({"one": "one"}), "--jobs", tmp_path / "DATASET.npz", "--runs", tmp_path / "runs",
               "--curves", tmp_path / "curves", "--accounts", tmp_path / "accounts"]  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.stderr == f"error: {path} has changed since this run began; run again.\n"
    assert not (tmp_path / "runs").exists()
    of_one = subprocess.run([*command, "--only", "one"], capture_output=True, text=True, check=False)
    assert "has changed" not in of_one.stderr  # these are the families that were planned, and no results are there
    assert "one.npz" in of_one.stderr


@pytest.mark.parametrize("path", ["results", "data/registry60"])
def test_a_file_where_a_run_writes_a_folder_is_named(tmp_path, monkeypatch, path):
    monkeypatch.chdir(tmp_path)
    datasets = Datasets(checked_config({}))
    datasets.check_folders()
    Path(path).parent.mkdir(exist_ok=True)
    Path(path).write_text("")
    with pytest.raises(
        InputError, match=f"^{path} is a file, but a run writes a folder of this name; move or rename it"
    ):
        datasets.check_folders()
