"""``balanced-bandits suite``: print a suite for your own data files."""

from pathlib import Path

from balanced_bandits.core.errors import InputError
from balanced_bandits.datasets.checksum import sha256
from balanced_bandits.datasets.encoding import expected_columns
from balanced_bandits.datasets.formats import READERS, read_table
from balanced_bandits.datasets.suite import COLUMNS

ENDINGS = tuple(ending + gz for ending in READERS for gz in ("", ".gz"))


def suite(files: list[Path], target: str) -> None:
    """Print a suite with rows of source ``file`` for the given files and for the data files in given folders."""
    taken: set[str] = set()
    print(*COLUMNS, "columns", sep="\t")
    for given in files:
        found = sorted(p for p in given.iterdir() if p.name.lower().endswith(ENDINGS)) if given.is_dir() else [given]
        for path in found:
            try:
                raw = path.read_bytes()
            except OSError as error:
                raise InputError(f"{path} can't be read ({error.strerror}).") from error
            table = read_table(path.name, raw, target)
            name = dataset_name(path.name, taken)
            counts = int(table.labels.notna().sum()), table.features.shape[1], int(table.labels.nunique())
            print(
                name, "file", path, target, sha256(raw), "unknown", *counts, expected_columns(table.features), sep="\t"
            )


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
