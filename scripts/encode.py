"""Encode one dataset.

Input: its raw bytes and its row of the suite. Output: an npz with contexts X, labels y and a record of what was
done; or, for a dataset that can't be played, the reason.
"""

import argparse
import json
from pathlib import Path

from balanced_bandits.commands import guarded
from balanced_bandits.datasets.caps import Caps
from balanced_bandits.datasets.prepare import prepare
from balanced_bandits.datasets.suite import Row


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--row", required=True, help="the suite's row, as JSON")
    parser.add_argument("--raw", required=True, type=Path)
    parser.add_argument("--max-levels", required=True, type=int)
    parser.add_argument("--caps", required=True, type=json.loads, help="max_rounds, max_features and seed, as JSON")
    parser.add_argument("--output", required=True, type=Path)
    arguments = parser.parse_args()
    row, caps = Row.from_json(arguments.row), Caps(**arguments.caps)
    record = prepare(row, arguments.raw, arguments.output, arguments.max_levels, caps)
    print(json.dumps({"rejected": record["rejected"], **record["encoding"]}))


if __name__ == "__main__":
    guarded(main)
