"""Make the sensitivity atlas.

Input: the cells with the npz files of their jobs, as JSON. Output: tables of percentages, orderings, statements and
first fits (CSV).
"""

import argparse
import json
from pathlib import Path

from balanced_bandits.analysis.synthetic.atlas import atlas, statements
from balanced_bandits.core.command_line import guarded
from balanced_bandits.core.tables import write_table


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cells", required=True, type=json.loads, help="the cells and their result files, as JSON")
    parser.add_argument("--criteria", required=True, type=json.loads, help="criterion and alternatives, as JSON")
    parser.add_argument("--simulations", required=True, type=int, help="number of simulations of each job to use")
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
        write_table(path, table)


if __name__ == "__main__":
    guarded(main)
