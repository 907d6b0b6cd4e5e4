"""Make the sensitivity atlas.

Input: the cells with the npz files of their jobs, as JSON. Output: percentages, orderings, statements and first fits
(CSV).
"""

import argparse
import json
from pathlib import Path

from balanced_bandits.analysis.atlas import atlas, statements
from balanced_bandits.commands import guarded
from balanced_bandits.files import whole_file


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cells", required=True, type=json.loads, help="the cells and their results, as JSON")
    parser.add_argument("--criteria", required=True, type=json.loads, help="criterion and alternatives, as JSON")
    parser.add_argument("--simulations", required=True, type=int, help="how many of each job to use")
    parser.add_argument("--atlas", required=True, type=Path)
    parser.add_argument("--orderings", required=True, type=Path)
    parser.add_argument("--statements", required=True, type=Path)
    parser.add_argument("--first-fits", required=True, type=Path)
    arguments = parser.parse_args()
    percentages, ordered, fits = atlas(arguments.cells, arguments.criteria, arguments.simulations)
    tables = {
        arguments.atlas: percentages,
        arguments.orderings: ordered,
        arguments.statements: statements(percentages, ordered),
        arguments.first_fits: fits,
    }
    for path, table in tables.items():
        with whole_file(path) as temporary:
            table.to_csv(temporary, index=False, lineterminator="\n")


if __name__ == "__main__":
    guarded(main)
