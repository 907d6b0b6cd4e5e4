"""Choose the readings of one rung of the search for the reading that made Table 1.

Input: the configuration of the search (JSON), the readings of all earlier rungs and the scores of the one before (CSV).
Output: the readings to play, with their predicted CPU seconds and the part that plays them, and those that are too
costly (CSV). In the last rung, each reading is to be looked at as it fitted best before; the default comes first.
"""

import argparse
import json
from pathlib import Path

import pandas as pd

from balanced_bandits.analysis.synthetic.readings import DEFAULT_LOOK, ranked
from balanced_bandits.core.command_line import guarded
from balanced_bandits.core.tables import read_table, write_table
from balanced_bandits.plan.halving import Purse, Rung, first_rung, last_rung, next_rung, parts_of
from balanced_bandits.plan.players import Players
from balanced_bandits.plan.readings import Readings, reading_of
from balanced_bandits.vocabulary import LOOKED_AT, PLAYED

COLUMNS = ["number", "reading", *PLAYED, *LOOKED_AT, "part", "predicted_seconds", "left_out"]


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--config", required=True, type=json.loads, help="the configuration of the search, as JSON")
    parser.add_argument("--rung", required=True, type=int)
    parser.add_argument("--chosen", nargs="*", default=[], type=Path, help="readings of the earlier rungs, in order")
    parser.add_argument("--scored", nargs="*", default=[], type=Path, help="scores of the rung before")
    parser.add_argument("--output", required=True, type=Path)
    arguments = parser.parse_args()
    readings, rung = Readings(arguments.config, Players(arguments.config)), arguments.rung
    readings.check()
    earlier = [read_table(path) for path in arguments.chosen]
    played = [table.loc[table["left_out"] == "", "reading"] for table in earlier]
    known = {batch for k, names in enumerate(played) for name in names for batch in readings.prices(name, k)}
    purse = Purse(readings.budget, lambda name: readings.prices(name, rung), known)
    looks = {}
    if rung == 0:
        chosen = first_rung(readings.space, purse)
    else:
        scored = ranked(pd.concat([read_table(path) for path in arguments.scored]))
        best = scored["reading"].tolist()
        if rung < readings.last:
            chosen = next_rung(rung, best, {name for of in earlier for name in of["reading"]}, readings.space, purse)
        else:
            chosen = last_rung(best, readings.space, purse)
            looks = {row["reading"]: {name: str(row[name]) for name in LOOKED_AT} for row in scored.to_dict("records")}
    write_table(arguments.output, table_of(chosen, looks, readings))


def table_of(rung: Rung, looks: dict[str, dict[str, str]], readings: Readings) -> pd.DataFrame:
    """One row per reading; in the last rung, which has ``looks``, one per reading and way to look at its runs."""
    part_of, rows = parts_of(rung.chosen, readings.parts), []
    for name, price in rung.chosen.items():
        ways = [looks.get(name, {})]
        if looks and name == readings.default:
            ways = [DEFAULT_LOOK, *(way for way in ways if way not in ({}, DEFAULT_LOOK))]
        for i, way in enumerate(ways):
            seconds = 0.0 if i else price  # other ways to look at the same runs cost nothing
            rows.append({"reading": name, **way, "part": part_of[name], "predicted_seconds": seconds, "left_out": ""})
    rows += [{"reading": name, "left_out": "too costly for the budget"} for name in rung.too_costly]
    named = [{"number": i} | row | reading_of(str(row["reading"])) for i, row in enumerate(rows)]
    return pd.DataFrame(named, columns=COLUMNS).astype({"part": "Int64"})


if __name__ == "__main__":
    guarded(main)
