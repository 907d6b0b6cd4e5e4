"""Draw one figure.

Input: the tables that it shows (CSV or npz). Output: the figure, in the formats given by the file extensions.
"""

import argparse
import importlib
import json
from pathlib import Path

from balanced_bandits.core.command_line import guarded
from balanced_bandits.core.tables import read
from balanced_bandits.figures.style import save


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--figure", required=True, help="its module in balanced_bandits.figures")
    parser.add_argument("--tables", required=True, nargs="+", type=Path)
    parser.add_argument("--options", required=True, type=json.loads, help="its other arguments, as JSON")
    parser.add_argument("--outputs", required=True, nargs="+", type=Path)
    arguments = parser.parse_args()
    module = importlib.import_module(f"balanced_bandits.figures.{arguments.figure}")
    save(module.draw(*map(read, arguments.tables), **arguments.options), arguments.outputs)


if __name__ == "__main__":
    guarded(main)
