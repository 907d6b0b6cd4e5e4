"""Make Table 1.

Input: the npz files of the synthetic jobs. Output: the find rate of every setting, and of the best one for each
bandit and specification (CSV).
"""

import argparse
from pathlib import Path

from balanced_bandits.analysis.table1 import find_rates, table1
from balanced_bandits.commands import guarded
from balanced_bandits.files import whole_file


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--results", required=True, nargs="+", type=Path)
    parser.add_argument("--agreement", required=True, type=float, help="the share of contexts that counts as found")
    parser.add_argument("--rates", required=True, type=Path)
    parser.add_argument("--table", required=True, type=Path)
    arguments = parser.parse_args()
    rates = find_rates(arguments.results, arguments.agreement)
    for table, path in ((rates, arguments.rates), (table1(rates), arguments.table)):
        with whole_file(path) as temporary:
            table.to_csv(temporary, index=False, lineterminator="\n")


if __name__ == "__main__":
    guarded(main)
