"""Encode one dataset.

Input: its raw bytes and its row in the suite. Output: an npz with contexts X, labels y and a record of the encoding, or
the reason why the dataset can't be played.
"""

import argparse
import json
from pathlib import Path

from balanced_bandits.core.command_line import guarded
from balanced_bandits.datasets.prepare import Preparation, prepare
from balanced_bandits.datasets.suite import Row


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--row", required=True, help="its row in the suite, as JSON")
    parser.add_argument("--raw", required=True, type=Path)
    parser.add_argument(
        "--how", required=True, type=json.loads, help="max_levels, standardise, missing values, caps and seed, as JSON"
    )
    parser.add_argument("--output", required=True, type=Path)
    arguments = parser.parse_args()
    row, how = Row.from_json(arguments.row), Preparation(**arguments.how)
    record = prepare(row, arguments.raw, arguments.output, how)
    print(json.dumps({"rejected": record["rejected"], **record["encoding"]}))


if __name__ == "__main__":
    guarded(main)
