"""Check that every dataset can be played, for runs with `strict`.

Input: the suite and the npz files of the encoded datasets. Output: the names of the datasets, or an error that names
those that can't be played.
"""

import argparse
from pathlib import Path

from balanced_bandits.core.command_line import guarded
from balanced_bandits.core.files import write_text
from balanced_bandits.datasets.prepare import admit
from balanced_bandits.datasets.suite import add_options, asked_for


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    add_options(parser)
    parser.add_argument("--datasets", required=True, help="their path, with DATASET in place of the name")
    parser.add_argument("--output", required=True, type=Path)
    arguments = parser.parse_args()
    files = (Path(arguments.datasets.replace("DATASET", name)) for name in asked_for(arguments))
    write_text(arguments.output, "".join(f"{name}\n" for name in admit(files)))


if __name__ == "__main__":
    guarded(main)
