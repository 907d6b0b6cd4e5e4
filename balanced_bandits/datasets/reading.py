"""What the readers of file formats share: limits, text and lines, markers of missing values, and the target."""

import bz2
import codecs
import gzip
import io
import lzma
import re
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from balanced_bandits.core.errors import InputError
from balanced_bandits.datasets.missing import EVERYWHERE
from balanced_bandits.datasets.tables import Table

LARGEST_TEXT = 2**31  # bytes after decompression; larger files are refused
LARGEST_FILLING = 2**27  # cells of a table that its file does not write out in full; larger tables are refused
BYTE_ORDER_MARKS = {  # the longest first, since that of UTF-32 begins like that of UTF-16
    codecs.BOM_UTF32_LE: "utf-32", codecs.BOM_UTF32_BE: "utf-32", codecs.BOM_UTF8: "utf-8-sig",
    codecs.BOM_UTF16_LE: "utf-16", codecs.BOM_UTF16_BE: "utf-16",
}  # fmt: skip


@dataclass(frozen=True)
class How:
    """How a file is read: what the suite or the user says about it."""

    target: str | None = None  # the column with the class; None if it is not known or not in this file
    missing: Sequence[str] = EVERYWHERE  # words that mean a missing value
    ending: str = ".csv"  # the extension that says how it is read
    header: bool = True  # whether a file of a format that may have a header has one
    skip: int = 0  # lines above the header
    short: bool = False  # whether rows of delimited text may end early
    labels: bool = False  # whether only the target is wanted, so that one column is enough
    rows: int | None = None  # the number of rows, if it is known; the leading axes of an array make as many


COMPRESSED = (".gz", ".bz2", ".xz")
LARGEST_DICTIONARY = 2**28  # bytes that unpacking xz may need, besides its output


def unpacked(name: str, raw: bytes) -> bytes:
    """Return ``raw``, decompressed if the name ends in .gz, .bz2 or .xz."""
    ending = next((ending for ending in COMPRESSED if name.lower().endswith(ending)), None)
    if ending is None:
        return raw
    text = bytearray()
    try:
        for part in _parts(ending, raw):  # in parts, so that the size is checked as it grows
            text += part
            if len(text) > LARGEST_TEXT:
                raise InputError(f"{name} unpacks to more than {LARGEST_TEXT} bytes, the largest size allowed.")
    except (OSError, EOFError, zlib.error, lzma.LZMAError) as error:
        kind = {".gz": "gzip", ".bz2": "bzip2", ".xz": "xz"}[ending]
        raise InputError(f"{name} is not a complete {kind} file ({error}).") from error
    return bytes(text)


def _parts(ending: str, raw: bytes) -> Iterator[bytes]:
    if ending == ".xz":
        yield from _xz_parts(raw)
        return
    with gzip.open(io.BytesIO(raw)) if ending == ".gz" else bz2.open(io.BytesIO(raw)) as opened:
        while part := opened.read(2**20):
            yield part


def _xz_parts(raw: bytes) -> Iterator[bytes]:
    """Like LZMAFile, but with a limit: a few bytes may ask for a dictionary of gigabytes."""
    while raw:
        stream = lzma.LZMADecompressor(memlimit=LARGEST_DICTIONARY)
        part = stream.decompress(raw, 2**20)
        while not stream.eof:
            if stream.needs_input:
                raise EOFError("it ends too early")
            yield part
            part = stream.decompress(b"", 2**20)
        yield part
        raw = stream.unused_data.lstrip(b"\0")  # padding


def check_filling(name: str, rows: int, columns: int, written: int = 0) -> None:
    """Refuse a small file that declares a huge table; as many cells as bytes ``written`` are fine."""
    if rows * columns > max(LARGEST_FILLING, written):
        raise InputError(f"{name} would expand to {rows} rows and {columns} columns from few bytes, so it is not read.")


def lines_of(name: str, raw: bytes) -> list[str]:
    """The lines of a file, with any line ending; str.splitlines would also split at 0x85 and other characters.

    The encoding is the one of the byte order mark, or else UTF-8 or, failing that, Windows-1252 or Latin-1. Zeros at
    the end are padding.
    """
    text = _decoded(name, raw).rstrip("\0")
    if "\0" in text:
        line = text[: text.index("\0")].count("\n") + 1
        raise InputError(
            f"{name} has a zero byte in line {line}, so it is not text, or it is UTF-16 without a byte order mark; "
            "save it as UTF-8."
        )
    return io.StringIO(text, newline=None).read().split("\n")


def _decoded(name: str, raw: bytes) -> str:
    marked = next((encoding for mark, encoding in BYTE_ORDER_MARKS.items() if raw.startswith(mark)), None)
    if marked and marked != "utf-8-sig":
        try:
            return raw.decode(marked)
        except UnicodeDecodeError as error:
            raise InputError(f"{name} begins like {marked.upper()}, but is not ({error}); save it as UTF-8.") from error
    for encoding in ("utf-8-sig", "cp1252"):
        try:
            return raw.decode(encoding)
        except UnicodeDecodeError:
            continue
    return raw.decode("latin-1")


def is_position(target: str | None) -> bool:
    """Whether a target is the number of a column, which means that the file has no header."""
    return target is not None and re.fullmatch(r"-?\d+", target) is not None


def split_target(name: str, frame: pd.DataFrame, target: str | None, missing: Sequence[str] = EVERYWHERE) -> Table:
    """Separate the target from the features; labels become strings, equal numbers equal strings.

    Without a target, all columns are features, and no row has a label. ``missing`` are the markers of missing values,
    which readers of text have replaced already. Blanks around the name of a column are not part of it.
    """
    columns = [str(column).strip() for column in frame.columns]
    if len(frame) == 0:
        raise InputError(f"{name} has no rows.")
    if target is None:
        frame.columns = pd.Index(columns)
        return Table(frame, pd.Series([None] * len(frame), index=frame.index, dtype=object))
    if is_position(target) and target not in columns:
        position = int(target)
        if not -len(columns) <= position < len(columns):
            raise InputError(f"{name} has {len(columns)} columns, so column {target} can't be the target.")
        target_at = position % len(columns)
    elif columns.count(target) == 1:
        target_at = columns.index(target)
    else:
        near = ", ".join(columns[:10])
        raise InputError(f"{name} must have exactly one column {target!r}, the target; its first columns are: {near}.")
    labels = frame.iloc[:, target_at]
    declared = isinstance(labels.dtype, pd.CategoricalDtype)
    features = frame.iloc[:, [i for i in range(len(columns)) if i != target_at]]
    features.columns = pd.Index([column for i, column in enumerate(columns) if i != target_at])
    labels = labels.astype(object).map(as_word, na_action="ignore").astype(object)
    return Table(features, labels if declared else labels.mask(labels.isin(missing), None))


def without(table: Table, drop: Sequence[str], name: str) -> Table:
    """The table without the features of these names."""
    there = list(table.features.columns)
    if absent := [column for column in drop if column not in there]:
        raise InputError(
            f"{name} has no column {absent[0]!r} to drop; its first features are: {', '.join(map(str, there[:10]))}."
        )
    if not drop:
        return table
    kept = [i for i, column in enumerate(there) if column not in drop]
    if not kept:
        raise InputError(f"{name}: all features are to be dropped; keep at least one.")
    return Table(table.features.iloc[:, kept], table.labels)


def labelled(name: str, frame: pd.DataFrame, labels: Any, target: str | None) -> Table:
    """A table from features that were named here and labels, which are called ``target``."""
    if target in frame.columns:
        raise InputError(f"{name}: {target!r} is the name of a feature; choose another name for the target.")
    return split_target(name, frame.assign(**{str(target): labels}), target)


def as_word(value: object) -> str:
    """A value as a string; floats with integer values become integers, so that 1 and 1.0 are the same label."""
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace").strip()
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value).strip()
