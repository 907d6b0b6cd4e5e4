"""Check that every dataset can be played, for runs that are to have all of them or none.

Input: the suite, the npz files of the encoded datasets. Output: their names; or an error that names those that were
left out.
"""

import argparse
from pathlib import Path

from balanced_bandits.commands import guarded
from balanced_bandits.datasets.prepare import admit
from balanced_bandits.datasets.suite import add_options, asked_for
from balanced_bandits.files import write_text


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    add_options(parser)
    parser.add_argument("--datasets", required=True, help="where they are, with DATASET for the name")
    parser.add_argument("--output", required=True, type=Path)
    arguments = parser.parse_args()
    files = (Path(arguments.datasets.replace("DATASET", name)) for name in asked_for(arguments))
    write_text(arguments.output, "".join(f"{name}\n" for name in admit(files)))


if __name__ == "__main__":
    guarded(main)
