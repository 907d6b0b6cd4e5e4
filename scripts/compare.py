"""Compare the bandits pairwise.

Input: the tables of runs (Parquet) and of datasets (CSV). Output, all for each reading of the variance and tuning
protocol (CSV): a row for each pair of bandits and dataset; counts for each pair; the paper's claims; the claims by the
size of datasets; mean ranks; performance profiles; mean regrets by the size of datasets.
"""

import argparse
import json
from pathlib import Path

import pandas as pd

from balanced_bandits.analysis.claims import claims, strata
from balanced_bandits.analysis.compare import compare
from balanced_bandits.analysis.counts import count
from balanced_bandits.analysis.standings import mean_regrets, profiles, ranks, regrets_of
from balanced_bandits.commands import guarded
from balanced_bandits.files import whole_file
from balanced_bandits.simulation.streams import stream


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", required=True, type=Path)
    parser.add_argument("--datasets", required=True, type=Path)
    parser.add_argument("--options", required=True, type=json.loads, help="seed, bandits, readings, runs, as JSON")
    parser.add_argument("--folder", required=True, type=Path, help="where the tables go")
    arguments = parser.parse_args()
    options = arguments.options
    datasets = pd.read_csv(arguments.datasets, dtype={"name": str, "family": str}, keep_default_na=False)
    families = dict(zip(datasets["name"], datasets["family"], strict=True))
    runs = pd.read_parquet(arguments.runs)
    pairs = compare(runs, families, options["bandits"], options["readings"], options["runs"])
    counts = count(pairs, stream(options["seed"], "classification", "bootstrap"))
    regrets = regrets_of(pairs)
    tables = {
        "pairs": pairs,
        "counts": counts,
        "claims": claims(counts),
        "strata": strata(pairs, datasets, stream(options["seed"], "classification", "bootstrap", "strata")),
        "ranks": ranks(regrets, counts),
        "profiles": profiles(regrets),
        "regrets": mean_regrets(regrets, datasets, stream(options["seed"], "classification", "bootstrap", "regrets")),
    }
    for name, table in tables.items():
        with whole_file(arguments.folder / f"{name}.csv") as temporary:
            table.to_csv(temporary, index=False, lineterminator="\n")


if __name__ == "__main__":
    guarded(main)
