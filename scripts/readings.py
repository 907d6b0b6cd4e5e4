"""Make the tables of the search for the reading that made Table 1.

Input: the configuration of the search (JSON), the readings of each rung, the scores of the first and the numbers of the
last (CSV). Output: the best readings, their numbers, the dimensions, and the rungs (CSV); all in words (Markdown, and
JSON for the page).
"""

import argparse
import json
from pathlib import Path

import pandas as pd

from balanced_bandits.analysis.synthetic.readings import best, dimensions, rungs
from balanced_bandits.analysis.synthetic.readings_text import in_words, markdown
from balanced_bandits.core.command_line import guarded
from balanced_bandits.core.files import write_text
from balanced_bandits.core.streams import stream
from balanced_bandits.core.tables import read_table, write_table


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--config", required=True, type=json.loads, help="the configuration of the search, as JSON")
    for name in ("chosen", "first", "last"):
        parser.add_argument(f"--{name}", required=True, nargs="+", type=Path)
    parser.add_argument("--folder", required=True, type=Path)
    arguments = parser.parse_args()
    config, folder = arguments.config, arguments.folder
    chosen = [read_table(path) for path in arguments.chosen]
    first, last = (together(paths) for paths in (arguments.first, arguments.last))
    too_costly = chosen[0].loc[chosen[0]["left_out"] != "", "reading"].tolist()
    tables = {
        "numbers": last,
        "best": best(last, stream(config["seed"], "readings", "p values")),
        "dimensions": dimensions(first, too_costly, config["readings"]["space"]),
        "search": rungs(chosen, config["readings"]["simulations"]),
    }
    for name, table in tables.items():
        write_table(folder / f"{name}.csv", table)
    words = in_words(*(tables[name] for name in ("best", "numbers", "dimensions", "search")))
    write_text(folder / "readings.json", json.dumps(words, indent=1, ensure_ascii=False) + "\n")
    write_text(folder / "readings.md", markdown(words))


def together(paths: list[Path]) -> pd.DataFrame:
    """The tables of all parts of a rung, in the order in which the readings were chosen."""
    parts = [table for table in map(read_table, paths) if len(table)]
    return pd.concat(parts).sort_values("number", kind="stable", ignore_index=True)


if __name__ == "__main__":
    guarded(main)
