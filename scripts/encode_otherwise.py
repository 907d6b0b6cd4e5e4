"""Encode datasets otherwise than in the experiment, for a universe of the multiverse.

Input: the suite, the raw bytes and the datasets as the experiment encodes them. Output: a folder with an npz for each.
"""

import argparse
import json
from pathlib import Path

from balanced_bandits.core.command_line import guarded
from balanced_bandits.datasets.prepare import Preparation
from balanced_bandits.datasets.recoding import prepare_otherwise
from balanced_bandits.datasets.suite import chosen, read_suite


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--suite", required=True, type=Path, help="path of the suite")
    parser.add_argument("--datasets", required=True, nargs="+", help="names of the datasets to encode")
    parser.add_argument("--raw", required=True, help="such as data/raw/DATASET")
    parser.add_argument("--usual", required=True, help="such as data/DATASET.npz")
    parser.add_argument("--how", required=True, type=json.loads, help="as of encode.py, and categoricals, as JSON")
    parser.add_argument("--folder", required=True, type=Path)
    arguments = parser.parse_args()
    categoricals = arguments.how.pop("categoricals")
    how = Preparation(**arguments.how)
    for name, row in chosen(read_suite(arguments.suite), arguments.datasets, arguments.suite).items():
        raw, usual = (Path(path.replace("DATASET", name)) for path in (arguments.raw, arguments.usual))
        prepare_otherwise(row, raw, usual, arguments.folder / f"{name}.npz", how, categoricals)


if __name__ == "__main__":
    guarded(main)
