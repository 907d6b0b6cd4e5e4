"""``balanced-bandits suite``: print a suite for your own data files."""

import os
import sys
from collections.abc import Sequence
from pathlib import Path

from balanced_bandits.cli.inspect import read_file
from balanced_bandits.core.errors import InputError
from balanced_bandits.datasets.checksum import sha256
from balanced_bandits.datasets.formats import READERS
from balanced_bandits.datasets.prepare import Preparation
from balanced_bandits.datasets.reading import COMPRESSED
from balanced_bandits.datasets.sources.archive import PINS
from balanced_bandits.datasets.suite import COLUMNS, DECISIONS, cell_of, is_suite
from balanced_bandits.plan.config import checked_config, given_config
from balanced_bandits.plan.datasets import how_to_prepare

ENDINGS = tuple(ending + packed for ending in READERS for packed in ("", *COMPRESSED))
NOTES = (".txt", PINS, DECISIONS)  # of a folder, these files are data only if they are named
INCOMPLETE = 3  # exit status if some files could not be read


def suite(files: list[Path], target: str, drop: Sequence[str] = (), binarise: str = "") -> None:
    """Print a suite with rows of source ``file`` for the given files and for the data files in given folders.

    Files that can't be read are skipped and named at the end, with an exit status of their own. Other suites, and the
    file that the output goes to, are no data files.
    """
    how = Preparation(**how_to_prepare(checked_config(given_config())))
    taken: set[str] = set()
    rows, unread = [], []
    for path in _data_files(files):
        try:
            rows.append(_row(path, target, drop, binarise, how, taken))
        except InputError as error:
            unread.append(str(error) if str(path) in str(error) else f"{path}: {error}")
    if not rows:
        raise InputError("there is no data file that can be read:\n  " + "\n  ".join(unread or map(str, files)))
    more = (["drop"] if drop else []) + (["binarise"] if binarise else [])
    given = ([cell_of(drop)] if drop else []) + ([binarise] if binarise else [])
    print(*COLUMNS, "columns", *more, sep="\t")
    for row in rows:
        print(*row, *given, sep="\t")
    if unread:
        sys.stdout.flush()
        print(
            f"error: {len(unread)} of {len(rows) + len(unread)} files were skipped:",
            *unread,
            sep="\n  ",
            file=sys.stderr,
        )
        sys.exit(INCOMPLETE)


def _data_files(given: list[Path]) -> list[Path]:
    """The given files, and the data files in the given folders."""
    found = []
    for path in given:
        if not path.is_dir():
            found.append(path)
            continue
        inside = sorted(p for p in path.iterdir() if p.name.lower().endswith(ENDINGS) and p.is_file())
        found += [p for p in inside if not p.name.endswith(NOTES) and not _is_output(p) and not _is_suite(p)]
    return found


def _is_output(path: Path) -> bool:
    """Whether standard output goes to this file, as in `suite . > my.tsv`."""
    try:
        return os.path.samestat(path.stat(), os.fstat(1))
    except OSError:
        return False


def _is_suite(path: Path) -> bool:
    try:
        with open(path, "rb") as file:
            found = is_suite(file.read(200))
    except OSError:
        return False
    if found:
        print(f"{path} is a suite, not a data file", file=sys.stderr)
    return found


def _row(
    path: Path, target: str, drop: Sequence[str], binarise: str, how: Preparation, taken: set[str]
) -> tuple[object, ...]:
    """The row of a file, except for the columns that are the same in all rows."""
    found = read_file(path, target, drop, binarise, how)
    labels = found.table.labels
    counts = int(labels.notna().sum()), len(found.columns), int(labels.nunique())
    if not all(counts):
        raise InputError(f"{path} has {counts[0]} rows with a class and {counts[1]} features; at least one is needed.")
    name = dataset_name(path.name, taken)
    for warning in found.warnings:
        print(f"warning: dataset {name}: {warning}", file=sys.stderr)
    for refusal in found.refusals:
        print(f"warning: dataset {name} will be left out: {refusal}", file=sys.stderr)
    columns = max(sum(column.columns for column in found.columns), 1)
    return name, "file", path, target, sha256(path.read_bytes()), "unknown", *counts, columns


def dataset_name(file: str, taken: set[str]) -> str:
    """A valid and unique name for the dataset in a file."""
    ending = next((e for e in sorted(ENDINGS, key=len, reverse=True) if file.lower().endswith(e)), "")
    stem = file[: len(file) - len(ending)]
    clean = "".join(c if c.isascii() and (c.isalnum() or c in "_.-") else "_" for c in stem)
    clean = clean.lstrip("_.-")[:70] or "dataset"
    name, number = clean, 2
    while name.lower() in taken:
        name, number = f"{clean}_{number}", number + 1
    taken.add(name.lower())
    return name
