"""Put a run on one page that works offline: scorecard, explorer, figures, tables, settings, versions, run times.

Input: the tables of the run, the figures with their captions, run.json. Output: the page (HTML).
"""

import argparse
import json
from pathlib import Path

import pandas as pd

from balanced_bandits.analysis.shown import datasets_in_words
from balanced_bandits.commands import guarded
from balanced_bandits.files import write_text
from balanced_bandits.report.explorer import explorer
from balanced_bandits.report.page import Drawing, render

TABLES = ["scorecard", "claims", "table1", "table2", "timing"]


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    for name in [*TABLES, "datasets", "pairs", "runs", "record", "templates", "output"]:
        parser.add_argument(f"--{name}", required=True, type=Path)
    parser.add_argument("--suite", required=True, help="the suite's name in results/ and figures/")
    parser.add_argument("--bandits", required=True, nargs="+", help="in the order of the grid's rows")
    parser.add_argument("--drawings", required=True, type=json.loads, help="the figures, as JSON")
    arguments = parser.parse_args()
    run = json.loads(arguments.record.read_text())
    text = {"name": str, "family": str, "dataset": str, "differences": str, "left_out": str}
    datasets = pd.read_csv(arguments.datasets, dtype=text, keep_default_na=False)
    pairs = pd.read_csv(arguments.pairs, dtype=text, keep_default_na=False)
    runs = pd.read_parquet(arguments.runs)
    tables = {name: pd.read_csv(getattr(arguments, name), dtype=text) for name in TABLES}
    data = explorer(pairs, runs, datasets, arguments.bandits, run["config"]["classification"]["significance"])
    drawings = [Drawing(**drawing) for drawing in arguments.drawings]
    tables["table1"]["setting"] = tables["table1"]["setting"].fillna("")
    page = render(arguments.templates, tables | {"datasets": datasets}, run, arguments.suite, drawings, data,
                  datasets_in_words(arguments.datasets))  # fmt: skip
    write_text(arguments.output, page)


if __name__ == "__main__":
    guarded(main)
