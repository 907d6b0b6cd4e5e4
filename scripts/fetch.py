"""Fetch the raw bytes of one dataset.

Input: its row in the suite (and, for source `file`, the file). Output: the bytes, exactly as published.
"""

import argparse
from pathlib import Path

from balanced_bandits.core.command_line import guarded
from balanced_bandits.core.files import write_bytes
from balanced_bandits.datasets import source_of
from balanced_bandits.datasets.sources.registry import show_progress
from balanced_bandits.datasets.suite import Row


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--row", required=True, help="its row in the suite, as JSON")
    parser.add_argument("--folder", required=True, type=Path, help="folder of the suite")
    parser.add_argument("--cache", required=True, type=Path, help="folder for downloads")
    parser.add_argument("--output", required=True, type=Path)
    arguments = parser.parse_args()
    show_progress()
    row = Row.from_json(arguments.row)
    write_bytes(arguments.output, source_of(row).fetch(row, arguments.folder, arguments.cache))


if __name__ == "__main__":
    guarded(main)
