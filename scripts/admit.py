"""Check that every dataset can be played, for runs that are to have all of them or none.

Input: the npz files of the encoded datasets. Output: their names; or an error that names those that were left out.
"""

import argparse
from pathlib import Path

from balanced_bandits.commands import guarded
from balanced_bandits.datasets.prepare import admit
from balanced_bandits.files import write_text


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--datasets", required=True, nargs="+", type=Path)
    parser.add_argument("--output", required=True, type=Path)
    arguments = parser.parse_args()
    write_text(arguments.output, "".join(f"{name}\n" for name in admit(arguments.datasets)))


if __name__ == "__main__":
    guarded(main)
