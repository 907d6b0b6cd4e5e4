"""Ten thousand broken inputs for each reader: what is no input is refused with a sentence; nothing else ever happens.

The inputs are drawn by fixed seeds, so that they are the same in every run.
"""

import copy
import io
import math
import random
import re
import time
import zipfile
from pathlib import Path

import numpy as np
import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st
from test_formats import VALID
from test_suite import COLUMNS, line

from balanced_bandits.core.errors import InputError, RejectedError
from balanced_bandits.core.files import read_arrays, write_arrays
from balanced_bandits.datasets.formats import READERS, read_table
from balanced_bandits.datasets.prepare import Preparation, encoded_table
from balanced_bandits.datasets.suite import SCHEMA, read_suite
from balanced_bandits.plan.config import SCHEMA as CONFIG_SCHEMA
from balanced_bandits.plan.config import checked_config

INPUTS = 10_000
LONGEST = 20.0  # seconds of this process for one input, however busy the machine is; a hang is what it finds
TOKENS = [
    b"", b"\n", b"\r\n", b"\n\n\n", b"\x00", b"\xff", b"\xef\xbb\xbf", b"\xe2\x80\xa8", b'"', b"'", b"\\", b"%", b"#",
    b"{", b"}", b"?", b",", b",,,,,,,,", b":", b";", b"\t", b" ", b"nan", b"-inf", b"1e999", b"-0", b"9" * 400,
    b"0x1p9", b"1_000", b"True", b"a" * 3000, "größe".encode(), "größe".encode("latin-1"), b"class", b"@data",
    b"@relation", b"\n@attribute a numeric\n", b"\n@attribute b {x, y}\n", b"\n@attribute c string\n",
    b"\n@attribute d date\n", b"\n@attribute e relational\n", b"\n@end e\n", b"{0 1, 99999999 2}", b"{1 x, 1 y}",
]  # fmt: skip


SCHEMAS = {path.read_text(): yaml.safe_load(path.read_text()) for path in (SCHEMA, CONFIG_SCHEMA)}
PARSE = yaml.safe_load


@pytest.fixture(autouse=True, scope="module")
def each_schema_is_parsed_once():
    """And not for each input, which would take longer than all else; what else there is is parsed as ever."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(yaml, "safe_load", lambda text: SCHEMAS[text] if text in SCHEMAS else PARSE(text))
        yield


def mutated(rng, valid, tokens=TOKENS):
    """A valid text of which some parts were replaced, taken out, doubled or moved, or whose end is missing."""
    raw = bytearray(valid)
    for _ in range(rng.randrange(1, 5)):
        at, length = rng.randrange(len(raw) + 1), rng.choice((0, 0, 1, 1, 2, 5, 30))
        kind = rng.randrange(6)
        if kind == 0:
            raw[at : at + length] = rng.choice(tokens)
        elif kind == 1:
            raw[at : at + 1] = bytes([rng.randrange(256)])
        elif kind == 2:
            del raw[at : at + length]
        elif kind == 3:
            raw[at:at] = raw[at : at + length] * rng.randrange(1, 4)
        elif kind == 4:
            lines = raw.split(b"\n")
            lines.insert(rng.randrange(len(lines)), lines.pop(rng.randrange(len(lines))))
            raw = bytearray(b"\n".join(lines))
        elif rng.random() < 0.3:
            del raw[at:]
    return bytes(raw)


def within_time(read, *arguments):
    """What a reader gives, or None where it refuses; anything else it raises ends the test."""
    started = time.process_time()
    try:
        return read(*arguments)
    except InputError as error:
        assert str(error).strip()  # noqa: PT017
        return None
    finally:
        assert time.process_time() - started < LONGEST, arguments


@pytest.mark.parametrize("ending", READERS)
def test_readers_of_data_files(ending):
    if ending in (".tsv", ".data", ".labels"):
        return  # read as .csv and .txt
    seeds = [file for file in VALID if file[0].endswith(ending)]
    rng = random.Random(ending)
    tables = 0
    for number in range(INPUTS):
        name, valid, target = rng.choice(seeds)
        raw = mutated(rng, valid)
        try:
            table = within_time(read_table, name, raw, target)
        except Exception:
            print(f"{name}, target {target!r}: {raw!r}")
            raise
        if table is None:
            continue
        tables += 1
        assert len(table.features) == len(table.labels)
        assert all(isinstance(label, str) for label in table.labels.dropna())
        if number % 20 == 0:
            try:
                encoded = encoded_table(table, "ant", Preparation(100), {})
            except RejectedError:
                continue
            assert np.isfinite(encoded.X).all()
    assert tables > 100  # the inputs are not all hopeless


def test_the_reader_of_suites(tmp_path):
    rows = [
        line(),
        line(name="two", target="-1"),
        line(name="three", source="openml", locator="61@1", sha256="unknown"),
        line(name="four", source="archive", locator="tinydata-1.0-py3-none-any.whl:a.dat"),
    ]
    more = ["-9,u=0", "skip=1,label=^a"]
    rows = ["\t".join([row, *(["", ""] if "openml" in row else more)]) for row in rows]
    valid = "\n".join(["\t".join([*COLUMNS, "missing", "reading"]), *rows]).encode()
    tokens = [*TOKENS, b"../", b"/etc", b"..", b"\x85", b"\x1c", b"{x}", b"$(x)", b"-1", b"1.5", b"openml", b"one"]
    rng = random.Random("suite")
    path, accepted = tmp_path / "suite.tsv", 0
    for _ in range(INPUTS):
        raw = mutated(rng, valid, tokens)
        path.write_bytes(raw)
        try:
            found = within_time(read_suite, path)
        except Exception:
            print(raw)
            raise
        for name, row in (found or {}).items():
            assert re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,79}", name)
            assert min(row.n, row.d, row.K) >= 1
        accepted += found is not None
    assert accepted > 100


JUNK = [
    None, True, -1, 0, 1.5, math.nan, math.inf, 10**400, "", "x", "1e999", "{", "[", "&a *a", "\x00", "../..", [],
    [None], {}, {"a": {}}, {1: 2}, {None: 1}, [[[[]]]], "all", "literal", "every_step", "1" * 5000,
]  # fmt: skip


def spoilt(rng, config):
    """A configuration in which some values at any depth were replaced, taken out, wrapped, or given another name."""
    config = copy.deepcopy(config)
    for _ in range(rng.randrange(1, 4)):
        part = config
        while True:
            keys = list(part) if isinstance(part, dict) else list(range(len(part)))
            if not keys:
                break
            key = rng.choice(keys)
            if isinstance(part[key], dict | list) and rng.random() < 0.7:
                part = part[key]
                continue
            kind = rng.randrange(5)
            if kind < 2:
                part[key] = copy.deepcopy(rng.choice(JUNK))
            elif kind == 2:
                del part[key]
            elif kind == 3:
                part[key] = [part[key]]
            elif isinstance(part, dict):
                part[rng.choice(["x", "", 1, None, "seeed", f"{key}s"])] = part[key]
            break
    return config


def test_the_configuration():
    default = checked_config({})
    rng = random.Random("config")
    accepted = 0
    for _ in range(INPUTS):
        config = spoilt(rng, default)
        before = repr(config)
        try:
            checked = within_time(checked_config, config)
        except Exception:
            print(before)
            raise
        assert repr(config) == before
        if checked is not None:
            assert set(checked) == set(default)
            numbers = checked | {"suite": None, "missing_values": None}  # words that may be nan
            assert not re.search(r"\b(nan|inf)\b", repr(numbers))
            assert all(type(checked[key]) is int for key in ("seed", "shuffles", "max_levels"))
            accepted += 1
    assert accepted > 100


def repacked(rng, members):
    """An archive with right checksums whose members are spoilt, of which one may be missing or have another name."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", rng.choice((zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED))) as archive:
        for name, content in members.items():
            if rng.random() < 0.9:
                content = mutated(rng, content, [*TOKENS, b"'|O'", b"'<f8'", b"(9999999999,)", b"True", b"\x93NUMPY"])
            archive.writestr(name if rng.random() < 0.95 else rng.choice(["X.npy", "../X.npy", "/y", "y.NPY"]), content)
    return packed.getvalue()


@pytest.mark.filterwarnings("ignore")  # of NumPy and zipfile, on what they are given here
def test_the_reader_of_arrays(tmp_path):
    arrays = {"X": np.arange(12.0).reshape(4, 3), "y": np.arange(4)}
    write_arrays(tmp_path / "a.npz", {"name": "ant", "rejected": None}, **arrays)
    valid = (tmp_path / "a.npz").read_bytes()
    with zipfile.ZipFile(tmp_path / "a.npz") as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    rng = random.Random("npz")
    path, refused = tmp_path / "b.npz", 0
    for number in range(INPUTS):
        raw = mutated(rng, valid) if number % 2 else repacked(rng, members)
        path.write_bytes(raw)
        try:
            found = within_time(read_arrays, path)
        except Exception:
            print(raw)
            raise
        if found is None:
            refused += 1
        elif number % 2:  # the bytes of a date or a flag; never other numbers
            assert all(np.array_equal(found[1][name], array) for name, array in arrays.items())
        assert [file.name for file in sorted(tmp_path.iterdir())] == ["a.npz", "b.npz"]
    assert refused > INPUTS / 2


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=12), inner, max_size=3),
    max_leaves=6,
)
keys = sorted(SCHEMAS[CONFIG_SCHEMA.read_text()]["properties"])


@settings(max_examples=200, deadline=None, derandomize=True)
@given(st.dictionaries(st.sampled_from(keys) | st.text(max_size=8), values, max_size=4))
def test_configurations_of_any_shape(config):
    within_time(checked_config, config)


@settings(max_examples=200, deadline=None, derandomize=True)
@given(st.lists(st.lists(st.text(max_size=12), min_size=8, max_size=10), max_size=4))
def test_suites_of_any_fields(tmp_path_factory, rows):
    path = Path(tmp_path_factory.getbasetemp()) / "any.tsv"
    text = "\n".join("\t".join(row) for row in [COLUMNS, *rows])
    path.write_text(text, encoding="utf-8", errors="replace", newline="")
    within_time(read_suite, path)
