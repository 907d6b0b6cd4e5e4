"""Publish the results of a run: copy its tables to published/, with an account of where they are from.

Input: results/SUITE and results/synthetic, of one run of a committed revision. Output: published/source.json,
published/SUITE and published/synthetic, which replace those published before.
"""

import argparse
from pathlib import Path

from balanced_bandits.core.command_line import guarded
from balanced_bandits.plan.config import checked_config
from balanced_bandits.verification.publishing import publish


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--suite", required=True, help="the name of its folder in results/")
    parser.add_argument("--results", type=Path, default=Path("results"))
    parser.add_argument("--published", type=Path, default=Path("published"))
    arguments = parser.parse_args()
    files = publish(arguments.results, arguments.published, arguments.suite, checked_config({}))
    size = sum(file.stat().st_size for file in files)
    print(f"published {len(files)} files, {size / 1e6:.2f} MB, in {arguments.published}; commit them")


if __name__ == "__main__":
    guarded(main)
