"""The console script ``balanced-bandits``. Modules of commands are imported when called, so that help is fast."""

import argparse
import importlib
import os
import sys
from pathlib import Path

from balanced_bandits.core.command_line import guarded

PUBLISHED = Path(__file__).resolve().parents[2] / "published"
COMMANDS = {
    "list": "listing:show",
    "run": "run:run",
    "inspect": "inspect:inspect",
    "suite": "suite:suite",
    "verify": "verify:verify",
    "audit": "audit:audit",
    "doctor": "doctor:doctor",
}
EXAMPLES = """examples:
  balanced-bandits list                              the suites and the bandits
  balanced-bandits list registry60                   the datasets of a suite
  balanced-bandits run iris --bandit BLTS            play a dataset of the configured suite
  balanced-bandits run iris --bandit BLTS --alpha 0.5 --gamma 0.05 --shuffles 5
  balanced-bandits run my.csv --target label         play a file of your own
  balanced-bandits inspect my.csv --target label     how a file of your own will be read and encoded
  balanced-bandits suite my_data --target label > my.tsv
  balanced-bandits verify                            compare your results with the published ones
  balanced-bandits audit my.tsv                      look for leaks and duplicates in a suite
  balanced-bandits doctor                            check the installation, servers and caches
"""


def parser() -> argparse.ArgumentParser:
    """The command line."""
    layout = argparse.RawDescriptionHelpFormatter
    top = argparse.ArgumentParser(
        prog="balanced-bandits",
        description="Balanced linear contextual bandits.",
        epilog=EXAMPLES,
        formatter_class=layout,
    )
    commands = top.add_subparsers(dest="command", required=True, metavar="COMMAND")

    listing = commands.add_parser("list", help="list the suites and the bandits, or the datasets of a suite")
    listing.add_argument("suite", nargs="?", help="the name of a suite, or the path of a .tsv file")
    listing.add_argument("--markdown", action="store_true", help="as a table in Markdown, with licences and remarks")

    run = commands.add_parser(
        "run",
        help="let a bandit play one dataset",
        description="Let a bandit play one dataset and show its regret. Options that are not given are taken from "
        "config.yaml in this folder, or from the default configuration. The pipeline plays the same rounds.",
    )
    run.add_argument("dataset", help="a dataset of the suite, or a data file (with --target)")
    run.add_argument(
        "--bandit", default="BLTS", help="a name shown by `list`, one of own_bandits, or MODULE:CLASS (default: BLTS)"
    )
    run.add_argument("--alpha", type=float, help="amount of exploration")
    run.add_argument("--gamma", type=float, help="lower bound at which propensities are clipped")
    run.add_argument("--reading", help="the reading of the variance: residual, literal, plain or mean")
    run.add_argument(
        "--set",
        dest="choices",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="any other choice; can be repeated",
    )
    run.add_argument("--seed", type=int, help="the seed of all random numbers")
    run.add_argument("--shuffles", type=int, help="number of times the dataset is played, each in another random order")
    run.add_argument("--suite", help="the suite of the dataset")
    run.add_argument("--target", help="the class column of a data file")
    _add_changes(run)

    inspect = commands.add_parser(
        "inspect",
        help="show how a data file will be read and encoded",
        description="Show what each column of a data file is, how it will be encoded and what looks wrong; and, with "
        "--target, the size of the dataset and the predicted time to play it.",
    )
    inspect.add_argument("file", type=Path, metavar="FILE")
    inspect.add_argument("--target", help="the class column: its name, or its number if there is no header")
    _add_changes(inspect)

    make_suite = commands.add_parser(
        "suite",
        help="print a suite for your own data files",
        description="Print a suite for your own data files, or for those in a folder. Save it in the current folder, "
        "since paths in a suite are relative to its location, and set `suite` in config.yaml to its path. Files that "
        "can't be read are skipped and named at the end, and the exit status is then 3.",
    )
    make_suite.add_argument("files", nargs="+", type=Path, metavar="FILE_OR_FOLDER")
    make_suite.add_argument(
        "--target", required=True, help="the class column: its name, or its number if there is no header"
    )

    _add_changes(make_suite)

    verify = commands.add_parser(
        "verify",
        help="compare your results with the published ones",
        description="Compare your results with the published ones, table by table. Results of a part of the datasets "
        "are compared on these. The exit status is 1 if they differ by more than the rounding of another processor.",
    )
    verify.add_argument(
        "--results", type=Path, default=Path("results"), metavar="FOLDER", help="your results (default: results)"
    )
    verify.add_argument(
        "--published",
        type=Path,
        default=PUBLISHED,
        metavar="FOLDER",
        help="the published results (default: those of the project)",
    )
    audit = commands.add_parser(
        "audit",
        help="look for leaks and duplicates in the datasets of a suite",
        description="Look for columns that give the class away, for rows and columns that occur twice, within a "
        "dataset or in several, and for other faults, in all datasets of a suite. Decisions about findings are read "
        "from SUITE.decisions.tsv next to the suite. The exit status is 3 if there are findings without a decision.",
    )
    audit.add_argument("suite", metavar="SUITE", help="the name of a suite, or the path of a .tsv file")
    audit.add_argument("--output", type=Path, metavar="FILE", help="also write the findings to this CSV file")
    audit.add_argument("--docs", type=Path, metavar="FILE", help="also write a Markdown page of findings and decisions")

    doctor = commands.add_parser("doctor", help="show what is installed, reachable and in the cache")
    doctor.add_argument("--offline", action="store_true", help="contact no server")
    return top


def _add_changes(command: argparse.ArgumentParser) -> None:
    """Add the options that change a table before it is encoded."""
    command.add_argument(
        "--drop", action="append", default=[], metavar="COLUMN", help="a column that is not used; can be repeated"
    )
    command.add_argument(
        "--binarise", type=_binarise, default="", metavar="mean|K",
        help="cut a numeric class column at its mean, or into K classes at its quantiles",
    )  # fmt: skip


def _binarise(text: str) -> str:
    if text not in ("", "mean") and not (text.isdecimal() and text.isascii() and 2 <= int(text) <= 99):
        raise argparse.ArgumentTypeError(f"it is {text!r}, but must be mean or an integer from 2 to 99")
    return text


def main() -> None:
    """Entry point of the console script."""
    arguments = vars(parser().parse_args())
    module, _, function = COMMANDS[arguments.pop("command")].partition(":")
    try:
        guarded(lambda: getattr(importlib.import_module(f"balanced_bandits.cli.{module}"), function)(**arguments))
        sys.stdout.flush()
    except BrokenPipeError:  # the reader, such as head, has stopped
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except KeyboardInterrupt:
        sys.exit(130)
