"""What comes from outside: small files that unpack to huge ones, names that lead elsewhere, code in data."""

import ast
import bz2
import gzip
import hashlib
import io
import lzma
import os
import struct
import tracemalloc
import zipfile

import numpy as np
import pandas as pd
import pytest
from conftest import ROOT
from test_suite import line, write

from balanced_bandits.core.errors import InputError
from balanced_bandits.core.files import read_arrays, write_arrays
from balanced_bandits.datasets.formats import read_table
from balanced_bandits.datasets.prepare import Preparation, prepare
from balanced_bandits.datasets.sources import archive as source_archive
from balanced_bandits.datasets.sources import file as source_file
from balanced_bandits.datasets.sources import openml as source_openml
from balanced_bandits.datasets.suite import Row, read_suite

MEGABYTE = 2**20


def row(**changes):
    given = {"name": "ant", "source": "file", "locator": "a.csv", "target": "kind", "sha256": "0" * 64, "licence": "l",
             "n": 20, "d": 1, "K": 2}  # fmt: skip
    return Row(**(given | changes))


def pin(folder, archive, content):
    """Make the suite in a folder expect an archive with this content."""
    text = f"archive\tsha256\tbytes\n{archive}\t{hashlib.sha256(content).hexdigest()}\t{len(content)}\n"
    (folder / "archives.tsv").write_text(text)


def refused_in_little_memory(read, *arguments):
    """The sentence with which something is refused, in less memory than anything huge would take."""
    tracemalloc.start()
    try:
        with pytest.raises(InputError) as caught:
            read(*arguments)
        assert tracemalloc.get_traced_memory()[1] < 64 * MEGABYTE
    finally:
        tracemalloc.stop()
    return str(caught.value)


# Small files that unpack to huge ones


def npy(shape, content=b""):
    """An array file that states a shape, whatever follows."""
    header = f"{{'descr': '<f8', 'fortran_order': False, 'shape': {shape}, }}".encode().ljust(117) + b"\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header + content


def overlapping(member, names):
    """An archive in whose directory many names share the bytes of one member."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a", member)
    raw = packed.getvalue()
    start, end = raw.index(b"PK\x01\x02"), raw.index(b"PK\x05\x06")
    entry = raw[start:end]
    entries = [entry[:28] + struct.pack("<H", len(name)) + entry[30:46] + name for name in names]
    directory = b"".join(entries)
    tail = struct.pack("<4s4H2LH", b"PK\x05\x06", 0, 0, len(entries), len(entries), len(directory), start, 0)
    return raw[:start] + directory + tail


def in_a_zip(member, method=zipfile.ZIP_DEFLATED, name="X.npy"):
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", method) as archive:
        archive.writestr(name, member)
    return packed.getvalue()


BOMBS = {
    "members that share their bytes": overlapping(npy((MEGABYTE,), bytes(8 * MEGABYTE)), [b"%d" % i for i in range(9)]),
    "bzip2": in_a_zip(npy((25 * MEGABYTE,), bytes(200 * MEGABYTE)), zipfile.ZIP_BZIP2),
    "a stated shape": in_a_zip(npy((10**12,), bytes(80))),
    "a stated shape beyond all numbers": in_a_zip(npy((10**30,), bytes(80))),
}  # fmt: skip


@pytest.mark.parametrize("bomb", BOMBS)
def test_an_npz_that_unpacks_to_gigabytes_is_refused(bomb, tmp_path):
    assert len(BOMBS[bomb]) < 40_000
    (tmp_path / "a.npz").write_bytes(BOMBS[bomb])
    assert "can't be read" in refused_in_little_memory(read_arrays, tmp_path / "a.npz")
    assert "can't be read" in refused_in_little_memory(read_table, "a.npz", BOMBS[bomb], "X")


def test_an_archive_of_zeros_is_no_bomb(tmp_path):
    """Nothing honest is refused: deflate at its best stays within the bound."""
    write_arrays(tmp_path / "a.npz", {}, X=np.zeros(4 * MEGABYTE))
    assert (tmp_path / "a.npz").stat().st_size < 40_000
    assert len(read_arrays(tmp_path / "a.npz")[1]["X"]) == 4 * MEGABYTE


@pytest.mark.parametrize("name", ["members that share their bytes", "bzip2"])
def test_a_wheel_that_unpacks_to_gigabytes_is_refused(name, tmp_path):
    wheel = "tinydata-1.0-py3-none-any.whl"
    (tmp_path / wheel).write_bytes(BOMBS[name])
    pin(tmp_path, wheel, BOMBS[name])
    given = row(source="archive", locator=f"{wheel}:X.npy")
    said = refused_in_little_memory(source_archive.fetch, given, tmp_path, tmp_path)
    assert f"{wheel} can't be read as an archive" in said


@pytest.mark.parametrize(("ending", "compress"), [("gz", gzip.compress), ("bz2", bz2.compress), ("xz", lzma.compress)])
def test_what_unpacks_to_too_much_is_refused(ending, compress, monkeypatch):
    raw = compress(bytes(200 * MEGABYTE))
    assert len(raw) < MEGABYTE
    monkeypatch.setattr("balanced_bandits.datasets.reading.LARGEST_TEXT", 10 * MEGABYTE)
    said = refused_in_little_memory(read_table, f"a.csv.{ending}", raw, "y")
    assert said == f"a.csv.{ending} unpacks to more than {10 * MEGABYTE} bytes, the largest size allowed."


def test_xz_with_a_huge_dictionary_is_refused():
    filters = [{"id": lzma.FILTER_LZMA2, "preset": 1, "dict_size": 2**30}]
    raw = lzma.compress(b"u,kind\n1,a\n", filters=filters)
    assert "a.csv.xz is not a complete xz file" in refused_in_little_memory(read_table, "a.csv.xz", raw, "kind")


def test_gzip_unpacks_a_few_megabytes_at_most_from_10_kilobytes():
    raw = gzip.compress(bytes(10 * MEGABYTE))
    assert 9_000 < len(raw) < 12_000
    tracemalloc.start()
    try:
        with pytest.raises(InputError):
            read_table("a.csv.gz", raw, "y")
        assert tracemalloc.get_traced_memory()[1] < 128 * MEGABYTE
    finally:
        tracemalloc.stop()


def test_rows_that_are_shorter_than_a_huge_header_are_refused(monkeypatch):
    raw = b"," * 20_000 + b"kind\n" + b"1\n" * 20_000  # would fill 400 million cells
    assert "a.csv would expand to" in refused_in_little_memory(read_table, "a.csv", raw, "kind")
    monkeypatch.setattr("balanced_bandits.datasets.reading.LARGEST_FILLING", 10)
    assert (
        len(read_table("a.csv", b"u,v,kind\n" + b"1,2,x\n" * 50, "kind").labels) == 50
    )  # as many cells as are written
    text = "@relation r\n" + "".join(f"@attribute a{i} {{x,y}}\n" for i in range(4)) + "@data\n{}\n{}\n{}\n"
    assert "a.arff would expand to 3 rows and 4 columns" in refused_in_little_memory(
        read_table, "a.arff", text.encode(), "a0"
    )


@pytest.mark.parametrize("compression", [None, "zstd"])
def test_parquet_that_repeats_one_value_without_end_is_refused(compression):
    packed = io.BytesIO()
    pd.DataFrame({"u": np.zeros(2 * MEGABYTE), "kind": "x"}).to_parquet(packed, compression=compression)
    raw = packed.getvalue()
    assert len(raw) < 20_000
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("balanced_bandits.datasets.reading.LARGEST_FILLING", MEGABYTE)
        assert "a.parquet would expand to 2097152" in refused_in_little_memory(read_table, "a.parquet", raw, "kind")


# Names that lead elsewhere

NAMES = [
    "../a",
    "..",
    "/etc/passwd",
    "a/../../b",
    "a/b",
    ".hidden",
    "~root",
    "-rf",
    "a\x00b",
    "C:\\a",
    "%2e%2e%2fa",
    "{x}",
    "$HOME",
]


@pytest.mark.parametrize("name", NAMES)
def test_names_of_datasets_are_names_of_files(tmp_path, name):
    with pytest.raises(InputError, match=r"name is .*, but must be: at most 80 letters"):
        read_suite(write(tmp_path, line(name=name)))


@pytest.mark.parametrize(
    "wheel",
    ["../x-1.0-py3-none-any.whl", "/x-1.0-py3-none-any.whl", "x-1.0-py3-none-/../../any.whl", "x-1.0-py3-none-a/b.whl"],
)
def test_names_of_wheels_are_names_of_files(tmp_path, wheel):
    given = row(source="archive", locator=f"{wheel}:a.csv")
    pin(tmp_path, wheel, b"")
    with pytest.raises(InputError, match="is not the file name of a wheel"):
        source_archive.fetch(given, tmp_path, tmp_path / "cache" / "deep")
    assert [path.name for path in tmp_path.rglob("*")] == ["archives.tsv"]


@pytest.mark.parametrize("locator", ["../61@1", "61@1/../..", "/61@1", "61@1\n", "61", "-61@1", "٦١@1"])
def test_ids_of_openml_are_numbers(locator):
    with pytest.raises(InputError, match="must have the form ID@VERSION"):
        source_openml.parse_locator(row(source="openml", locator=locator))


def test_what_never_ends_is_no_file(tmp_path):
    os.mkfifo(tmp_path / "a.csv")
    for locator in ("a.csv", "/dev/zero"):
        with pytest.raises(InputError, match="is not a regular file; give the path of one"):
            source_file.fetch(row(locator=locator), tmp_path, tmp_path)


# What the disk made of it


def test_a_raw_file_that_is_not_what_was_fetched_is_refused(tmp_path):
    content = b"u,kind\n" + b"".join(b"%d,%s\n" % (i, b"ab"[i % 2 : i % 2 + 1]) for i in range(20))
    given, raw = row(sha256=hashlib.sha256(content).hexdigest()), tmp_path / "raw"
    raw.write_bytes(content)
    assert prepare(given, raw, tmp_path / "a.npz", Preparation(100))["n"] == 20
    for broken in (content.replace(b"3,b", b"7,b"), content[:-1], b""):
        raw.write_bytes(broken)
        with pytest.raises(InputError, match=f"^dataset ant: {raw} has changed since it was fetched; delete it"):
            prepare(given, raw, tmp_path / "b.npz", Preparation(100))
    raw.unlink()
    with pytest.raises(InputError, match=r"can't be read .*delete it and run again"):
        prepare(given, raw, tmp_path / "b.npz", Preparation(100))
    assert not (tmp_path / "b.npz").exists()


def test_an_archive_of_openml_that_is_not_what_was_fetched_is_refused():
    given = row(source="openml", locator="61@1", sha256="unknown")
    features = [{"name": name, "type": "numeric", "role": "feature"} for name in ("u", "kind")]
    arff = b"@relation r\n@attribute u numeric\n@attribute kind numeric\n@data\n" + b"1,2\n3,4\n" * 30
    whole = source_openml._packed(
        {"file": "data.arff", "features": features, "default_target": "kind"}, "data.arff", arff
    )
    assert len(source_openml.table(given, whole).labels) == 60
    refusals = 0
    for at in range(len(whole)):
        broken = whole[:at] + bytes([whole[at] ^ 1 << at % 8]) + whole[at + 1 :]
        try:
            table = source_openml.table(given, broken)
        except InputError as error:
            assert str(error).startswith("dataset ant: data/SUITE/raw/ant has changed since it was fetched")  # noqa: PT017
            refusals += 1
        else:  # a date or a flag
            assert table.features["u"].tolist() == [1.0, 3.0] * 30
    assert refusals > len(whole) / 2
    for length in range(0, len(whole), 7):
        with pytest.raises(InputError, match="has changed since it was fetched"):
            source_openml.table(given, whole[:length])


# Code in data

SOURCES = [path for top in ("balanced_bandits", "scripts") for path in sorted((ROOT / top).rglob("*.py"))]
FORBIDDEN = {"pickle", "cPickle", "dill", "joblib", "marshal", "shelve", "cloudpickle"}


def unsafe(tree):
    """Whatever executes or unpickles what it reads."""
    for node in ast.walk(tree):
        names = {alias.name for alias in node.names} if isinstance(node, ast.Import) else set()
        names |= {node.module or ""} if isinstance(node, ast.ImportFrom) else set()
        if {name.partition(".")[0] for name in names} & FORBIDDEN:
            yield f"line {node.lineno}: import of {names}"
        if not isinstance(node, ast.Call):
            continue
        called = ast.unparse(node.func)
        keywords = {word.arg: ast.unparse(word.value) for word in node.keywords}
        never = {
            "eval",
            "exec",
            "yaml.load",
            "yaml.unsafe_load",
            "yaml.full_load",
            "pd.read_pickle",
            "os.system",
            "os.popen",
        }
        if called in never or (called == "compile" and node.args) or keywords.get("shell", "False") != "False":
            yield f"line {node.lineno}: {called}"
        if called in ("np.load", "numpy.load") and keywords.get("allow_pickle") != "False":
            yield f"line {node.lineno}: {called} without allow_pickle=False"
        if called.endswith((".extractall", ".extract", "unpack_archive")):
            yield f"line {node.lineno}: {called} writes members of archives under their own names"


def test_nothing_that_is_read_is_executed_or_unpickled():
    assert len(SOURCES) > 80
    assert not [f"{path}, {found}" for path in SOURCES for found in unsafe(ast.parse(path.read_text()))]


@pytest.mark.parametrize(
    "code",
    ["import pickle", "from joblib import load", "np.load(path)", "np.load(path, allow_pickle=True)", "eval(text)",
     "yaml.load(text)", "archive.extractall(folder)", "subprocess.run(text, shell=True)"],
)  # fmt: skip
def test_code_that_would_be_found(code):
    assert len(list(unsafe(ast.parse(code)))) == 1
