"""The console script ``balanced-bandits``. A command's module is imported when it is called: help is there at once."""

import argparse
import importlib
import os
import sys
from pathlib import Path

from balanced_bandits.commands import guarded

COMMANDS = {"list": "listing:show", "run": "run:run", "suite": "suite:suite", "doctor": "doctor:doctor"}
EXAMPLES = """examples:
  balanced-bandits list                              the suites and the bandits
  balanced-bandits list embedded                     the datasets of a suite
  balanced-bandits run iris --bandit BLTS            play a dataset of the suite in config.yaml
  balanced-bandits run iris --bandit BLTS --alpha 0.5 --gamma 0.05 --shuffles 5
  balanced-bandits run my.csv --target label         play a file of your own
  balanced-bandits suite my_data --target label > my.tsv
  balanced-bandits doctor                            what is installed, reachable, in the cache
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

    listing = commands.add_parser("list", help="the suites and the bandits; of a suite, its datasets")
    listing.add_argument("suite", nargs="?", help="a suite's name, or the path of a .tsv file")

    run = commands.add_parser(
        "run",
        help="let a bandit play one dataset",
        description="Let a bandit play one dataset and show its regret. All that is not given here is as config.yaml "
        "in this folder has it, or as the default configuration if there is none; the pipeline plays the same rounds.",
    )
    run.add_argument("dataset", help="a dataset of the suite, or a data file (with --target)")
    run.add_argument(
        "--bandit", default="BLTS", help="a name that `list` shows, one of own_bandits, or MODULE:CLASS (BLTS)"
    )
    run.add_argument("--alpha", type=float, help="amount of exploration")
    run.add_argument("--gamma", type=float, help="where propensities are clipped")
    run.add_argument("--variance", help="the reading of the variance: residual, literal or plain")
    run.add_argument(
        "--set",
        dest="choices",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="any other choice; can be repeated",
    )
    run.add_argument("--seed", type=int, help="the root of all randomness")
    run.add_argument("--shuffles", type=int, help="how often it is played, each time in another random order")
    run.add_argument("--suite", help="the suite that the dataset is of")
    run.add_argument("--target", help="of a data file: column of the class")

    make_suite = commands.add_parser(
        "suite",
        help="print a suite for data files of your own",
        description="Print a suite for data files of your own (folders are searched for them). Save it in the folder "
        "you call this from, since paths in a suite are relative to it, and put its path into config.yaml as `suite`.",
    )
    make_suite.add_argument("files", nargs="+", type=Path, metavar="FILE_OR_FOLDER")
    make_suite.add_argument("--target", required=True, help="column of the class: its name, or its number if no header")

    doctor = commands.add_parser("doctor", help="what is installed, what is reachable, what is in the cache")
    doctor.add_argument("--offline", action="store_true", help="ask no server")
    return top


def main() -> None:
    """Entry point of the console script."""
    arguments = vars(parser().parse_args())
    module, _, function = COMMANDS[arguments.pop("command")].partition(":")
    try:
        guarded(lambda: getattr(importlib.import_module(f"balanced_bandits.cli.{module}"), function)(**arguments))
        sys.stdout.flush()
    except BrokenPipeError:  # whoever reads, such as head, has enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except KeyboardInterrupt:
        sys.exit(130)
