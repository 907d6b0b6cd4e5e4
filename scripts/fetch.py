"""Fetch the raw bytes of one dataset.

Input: a row of a suite (and, for source `file`, the file). Output: the bytes, exactly as published.
"""

import argparse
from pathlib import Path

from balanced_bandits.commands import guarded
from balanced_bandits.datasets import source_of
from balanced_bandits.datasets.suite import Row
from balanced_bandits.files import write_bytes


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--row", required=True, help="the suite's row, as JSON")
    parser.add_argument("--folder", required=True, type=Path, help="the suite's folder")
    parser.add_argument("--cache", required=True, type=Path, help="folder for downloaded archives")
    parser.add_argument("--output", required=True, type=Path)
    arguments = parser.parse_args()
    row = Row.from_json(arguments.row)
    write_bytes(arguments.output, source_of(row).fetch(row, arguments.folder, arguments.cache))


if __name__ == "__main__":
    guarded(main)
