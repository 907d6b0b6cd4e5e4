"""Compare the bandits.

Input: the tables of runs (Parquet) and of datasets (CSV). Output, all for each reading of the variance and tuning
protocol: one row per bandit, dataset and shuffle (Parquet); per pair of bandits and dataset; per pair; the paper's
claims and the placebo; the claims by the size of datasets; mean ranks; performance profiles; differences from a
reference bandit by the size of datasets (CSV).
"""

import argparse
import json
from pathlib import Path

import pandas as pd

from balanced_bandits.analysis.classification.claims import claims, strata
from balanced_bandits.analysis.classification.counts import count
from balanced_bandits.analysis.classification.entrants import entrants
from balanced_bandits.analysis.classification.pairs import all_pairs, compare
from balanced_bandits.analysis.classification.protocols import scores
from balanced_bandits.analysis.classification.standings import differences_by_size, profiles, ranks, regrets_of
from balanced_bandits.core.command_line import guarded
from balanced_bandits.core.streams import stream
from balanced_bandits.core.tables import read_table, write_table


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", required=True, type=Path)
    parser.add_argument("--datasets", required=True, type=Path)
    parser.add_argument("--options", required=True, type=json.loads, help="seed, bandits, readings, ..., as JSON")
    parser.add_argument("--folder", required=True, type=Path, help="where the tables go")
    arguments = parser.parse_args()
    options = arguments.options
    runs, datasets = read_table(arguments.runs), read_table(arguments.datasets)
    families = dict(zip(datasets["name"], datasets["family"], strict=True))
    sizes = dict(zip(datasets["name"], datasets["n"], strict=True))
    scored, paired, placebos = [], [], []
    for reading in options["readings"]:
        playing = entrants(runs, reading, options["placebo"])
        placebos = [
            (name, options["placebo"]) for name in dict.fromkeys(playing["bandit"]) if name not in options["bandits"]
        ]
        table = scores(playing, families)
        pairs = compare(table, families, sizes, [*all_pairs(options["bandits"]), *placebos])
        scored.append(table.assign(reading=reading))
        paired.append(pairs.assign(reading=reading))
    score, pairs = (pd.concat(of, ignore_index=True) for of in (scored, paired))
    pairs = pairs[["reading", *(name for name in pairs if name != "reading")]]
    own = pairs[pairs["row"].isin(options["bandits"])]

    def rng(*name: str):  # type: ignore[no-untyped-def]
        return stream(options["seed"], "classification", "bootstrap", *name)

    counts = count(own, rng())
    regrets = regrets_of(score[score["bandit"].isin(options["bandits"])], families)
    tables = {
        "scores": score[["reading", *(name for name in score if name != "reading")]],
        "pairs": pairs,
        "counts": counts,
        "claims": claims(pairs, placebos, options["rope"], rng("claims")),
        "strata": strata(own, datasets, rng("strata")),
        "ranks": ranks(regrets, counts),
        "profiles": profiles(regrets),
        "differences": differences_by_size(regrets, datasets, options["reference"], rng("differences")),
    }
    for name, table in tables.items():
        write_table(arguments.folder / f"{name}.{'parquet' if name == 'scores' else 'csv'}", table)


if __name__ == "__main__":
    guarded(main)
