"""Compare the bandits pairwise on every dataset."""

import itertools

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from balanced_bandits.analysis.significance import paired_p

SIGNIFICANT = 0.05


def best_settings(runs: pd.DataFrame) -> pd.DataFrame:
    """The setting with the smallest mean regret over shuffles, for each dataset and bandit (the paper's protocol).

    Chosen in hindsight, as in the paper; of equal ones the first in the grid. Columns: dataset, bandit, setting,
    regret.
    """
    mean = runs.groupby(["dataset", "bandit", "setting"], sort=False)["regret"].mean().reset_index()
    best = mean.groupby(["dataset", "bandit"], sort=False)["regret"].idxmin()
    return mean.loc[best].reset_index(drop=True)


def compare(runs: pd.DataFrame, bandits: list[str]) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Hold every bandit against every other on each dataset; gives the pairs and their counts.

    Pairs: ``row`` and ``column`` bandit, dataset, settings and regrets of both, the p-value of the difference, and
    the outcome for the row bandit (win, loss or tie). Counts: wins, losses and ties for each pair, and how many of
    the wins and losses have p below 0.05.
    """
    best = best_settings(runs)
    chosen = runs.merge(best[["dataset", "bandit", "setting"]]).sort_values("shuffle", kind="stable")
    right = {key: _rounds(group) for key, group in chosen.groupby(["dataset", "bandit"])}
    of = best.set_index(["dataset", "bandit"])
    pairs = []
    for dataset in best["dataset"].unique():
        p = {
            frozenset(pair): paired_p(right[dataset, pair[0]], right[dataset, pair[1]])
            for pair in itertools.combinations(bandits, 2)
        }
        for row, column in itertools.permutations(bandits, 2):
            mine, theirs = of.loc[(dataset, row)], of.loc[(dataset, column)]
            outcome = "win" if mine.regret < theirs.regret else "loss" if mine.regret > theirs.regret else "tie"
            pairs.append((row, column, dataset, mine.setting, theirs.setting, mine.regret, theirs.regret,
                          p[frozenset((row, column))], outcome))  # fmt: skip
    names = ["row", "column", "dataset", "setting_row", "setting_column", "regret_row", "regret_column", "p", "outcome"]
    table = pd.DataFrame(pairs, columns=names)
    return table, _counts(table, bandits)


def _rounds(group: pd.DataFrame) -> NDArray[np.bool_]:
    """Which rounds were right, the shuffles one after the other."""
    bits = [np.unpackbits(np.frombuffer(correct, dtype=np.uint8), count=n)
            for correct, n in zip(group["correct"], group["n"], strict=True)]  # fmt: skip
    return np.concatenate(bits).astype(bool)


def _counts(pairs: pd.DataFrame, bandits: list[str]) -> pd.DataFrame:
    """Wins, losses and ties of each pair, all and significant ones."""
    rows = []
    for row, column in itertools.permutations(bandits, 2):
        panel = pairs[(pairs["row"] == row) & (pairs["column"] == column)]
        sure = panel["p"] < SIGNIFICANT
        numbers = [int(((panel["outcome"] == outcome) & mask).sum())
                   for mask in (panel["p"] <= 1.0, sure) for outcome in ("win", "loss")]  # fmt: skip
        ties = int((panel["outcome"] == "tie").sum())
        rows.append((row, column, len(panel), *numbers[:2], ties, *numbers[2:]))
    names = ["row", "column", "datasets", "wins", "losses", "ties", "significant_wins", "significant_losses"]
    return pd.DataFrame(rows, columns=names)
