"""The console script ``balanced-bandits``, and how every command line ends on bad input."""

import argparse
import sys
from collections.abc import Callable
from pathlib import Path

from balanced_bandits.errors import InputError


def guarded(main: Callable[[], None]) -> None:
    """Run a command line; bad input ends it with its sentence and code 1, without a traceback."""
    try:
        main()
    except InputError as error:
        sys.exit(f"error: {error}")


def suite(files: list[Path], target: str) -> None:
    """Print a suite of ``file`` rows for the files given, and for the data files in folders given."""
    from balanced_bandits.datasets.checksum import sha256
    from balanced_bandits.datasets.encoding import expected_columns
    from balanced_bandits.datasets.formats import READERS, read_table
    from balanced_bandits.datasets.suite import COLUMNS

    endings = tuple(ending + gz for ending in READERS for gz in ("", ".gz"))
    taken: set[str] = set()
    print(*COLUMNS, "columns", sep="\t")
    for given in files:
        found = sorted(p for p in given.iterdir() if p.name.lower().endswith(endings)) if given.is_dir() else [given]
        for path in found:
            try:
                raw = path.read_bytes()
            except OSError as error:
                raise InputError(f"{path} can't be read ({error.strerror}).") from error
            table = read_table(path.name, raw, target)
            ending = next((e for e in sorted(endings, key=len, reverse=True) if path.name.lower().endswith(e)), "")
            name = _dataset_name(path.name[: -len(ending)], taken)
            counts = int(table.labels.notna().sum()), table.features.shape[1], int(table.labels.nunique())
            print(
                name, "file", path, target, sha256(raw), "unknown", *counts, expected_columns(table.features), sep="\t"
            )


def _dataset_name(stem: str, taken: set[str]) -> str:
    """A name that a suite accepts and that no other row has."""
    clean = "".join(c if c.isascii() and (c.isalnum() or c in "_.-") else "_" for c in stem)
    clean = clean.lstrip("_.-")[:70] or "dataset"
    name, number = clean, 2
    while name.lower() in taken:
        name, number = f"{clean}_{number}", number + 1
    taken.add(name.lower())
    return name


def main() -> None:
    """Entry point of the console script."""
    parser = argparse.ArgumentParser(prog="balanced-bandits", description="Balanced linear contextual bandits.")
    commands = parser.add_subparsers(dest="command", required=True)
    about = (
        "Print a suite for data files of your own (folders are searched for them). Save it in the folder you call "
        "this from, since paths in a suite are relative to it, and put its path into config.yaml as `suite`."
    )
    make_suite = commands.add_parser("suite", help="print a suite for data files of your own", description=about)
    make_suite.add_argument("files", nargs="+", type=Path, metavar="FILE_OR_FOLDER")
    make_suite.add_argument("--target", required=True, help="column of the class: its name, or its number if no header")
    arguments = parser.parse_args()
    guarded(lambda: suite(arguments.files, arguments.target))
