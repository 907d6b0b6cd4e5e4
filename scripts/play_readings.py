"""Play one part of the readings of a rung, and score them.

Input: the configuration of the search (JSON), the readings of the rung (CSV), the optima, and the folder of batches.
Batches that are there already, from an earlier rung or a run that was killed, are not played again. Output: the scores
of the readings; in the last rung, their eight numbers (CSV).
"""

import argparse
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pandas as pd

from balanced_bandits.analysis.synthetic.readings import Cell, numbers, score
from balanced_bandits.analysis.synthetic.traces import Traces, joined, read_traces
from balanced_bandits.core.command_line import guarded, keep_memory
from balanced_bandits.core.files import write_arrays
from balanced_bandits.core.tables import read_table, write_table
from balanced_bandits.plan.players import Players
from balanced_bandits.plan.readings import Batch, Readings
from balanced_bandits.simulation.synthetic import simulate
from balanced_bandits.vocabulary import LOOKED_AT, PLAYED

LARGE = ("x", "arms", "thetas")  # arrays for the figures of the example, which nothing here needs


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--config", required=True, type=json.loads, help="the configuration of the search, as JSON")
    parser.add_argument("--rung", required=True, type=int)
    parser.add_argument("--part", required=True, type=int)
    parser.add_argument("--chosen", required=True, type=Path)
    parser.add_argument("--optima", required=True, type=Path)
    parser.add_argument("--batches", required=True, type=Path, help="the folder of batches")
    parser.add_argument("--output", required=True, type=Path)
    arguments = parser.parse_args()
    keep_memory()
    readings = Readings(arguments.config, Players(arguments.config))
    chosen = read_table(arguments.chosen)
    rows: list[dict[str, Any]] = []
    for row in chosen[chosen["part"] == arguments.part].to_dict("records"):
        known = {str(key): row[key] for key in ("number", "reading", *PLAYED)}
        runs = runs_of(readings.batches(row["reading"], arguments.rung), arguments.optima, arguments.batches)
        if arguments.rung == readings.last:
            look = {name: str(row[name]) for name in LOOKED_AT}
            rows += [known | look | number for number in numbers(runs, look)]
        else:
            rows.append(known | score(runs, readings.levels))
        print(f"{row['reading']}: done")
    write_table(arguments.output, pd.DataFrame(rows, columns=list(rows[0]) if rows else ["reading"]))


def runs_of(batches: Iterable[Batch], optima: Path, folder: Path) -> dict[Cell, Traces]:
    """The runs of a reading by specification and bandit, all simulations together; plays what is missing."""
    parts: dict[Cell, list[Traces]] = {}
    for batch in batches:
        path = folder / f"{batch.name}.npz"
        if not path.exists():
            record, arrays = simulate(batch.specification, batch.bandit, batch.import_path, batch.options, optima)
            kept = {name: array for name, array in arrays.items() if name not in LARGE}
            write_arrays(path, record | {"code": batch.code}, **kept)
        parts.setdefault((batch.specification, batch.bandit), []).append(read_traces(path))
    return {cell: joined(of) for cell, of in parts.items()}


if __name__ == "__main__":
    guarded(main)
