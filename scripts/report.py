"""Make the page of a run, which works offline: scorecard, explorer, figures, tables, settings, versions, run times.

Input: the tables of the run, the figures with their captions, and run.json. Output: the page (HTML).
"""

import argparse
import json
from pathlib import Path

from balanced_bandits.core.command_line import guarded
from balanced_bandits.core.files import write_text
from balanced_bandits.core.tables import read_table
from balanced_bandits.report.captions import datasets_in_words
from balanced_bandits.report.explorer import explorer
from balanced_bandits.report.page import Drawing, render

TABLES = ["scorecard", "claims", "table1", "table2", "datasets", "timing"]
MULTIVERSE = ["claims", "universes", "verdicts"]


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    for name in [*TABLES, "pairs", "curves", "record", "templates", "output"]:
        parser.add_argument(f"--{name}", required=True, type=Path)
    parser.add_argument("--suite", required=True, help="the suite's name in results/ and figures/")
    parser.add_argument("--bandits", required=True, nargs="+", help="the bandits in the order of the rows of the grid")
    parser.add_argument("--drawings", required=True, type=json.loads, help="the figures, as JSON")
    parser.add_argument("--readings", nargs="*", default=[], type=Path, help="the search for readings, if it was made")
    parser.add_argument("--multiverse", type=Path, help="the folder of its tables, if it was run")
    arguments = parser.parse_args()
    run = json.loads(arguments.record.read_text())
    tables = {name: read_table(getattr(arguments, name)) for name in TABLES}
    pairs, curves = read_table(arguments.pairs), read_table(arguments.curves)
    data = explorer(pairs, curves, tables["datasets"], arguments.bandits)
    drawings = [Drawing(**drawing) for drawing in arguments.drawings]
    words = datasets_in_words(arguments.datasets)
    multiverse = None
    if arguments.multiverse:
        multiverse = {name: read_table(arguments.multiverse / f"{name}.csv") for name in MULTIVERSE}
    readings = [json.loads(path.read_text()) for path in arguments.readings]
    page = render(arguments.templates, tables, run, arguments.suite, drawings, data, words, multiverse, readings)
    write_text(arguments.output, page)


if __name__ == "__main__":
    guarded(main)
