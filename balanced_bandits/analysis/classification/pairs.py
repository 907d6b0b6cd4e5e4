"""Two bandits on one dataset: their mean regrets over shuffles, the difference, and a paired test across shuffles."""

import itertools
from collections.abc import Iterable, Mapping

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import special

from balanced_bandits.vocabulary import FEWEST_UNITS

COLUMNS = ["protocol", "row", "column", "dataset", "family", "n", "shuffles", "regret_row", "regret_column",
           "difference", "difference_se", "p", "outcome", "setting_row", "setting_column"]  # fmt: skip


def compare(
    scores: pd.DataFrame, families: Mapping[str, str], sizes: Mapping[str, int], pairs: Iterable[tuple[str, str]]
) -> pd.DataFrame:
    """One row per protocol, pair of bandits (``row``, ``column``) and dataset.

    Regrets are means over ``shuffles``; ``difference`` is the regret of row minus that of column, with its standard
    error over units (shuffles, or pairs of them; see ``protocols``) and the p-value of ``paired_t``. ``outcome`` is
    that of the row bandit: win, loss or tie. Settings are the most frequent ones. ``sizes`` are the numbers of rounds
    of the datasets.
    """
    pairs = list(pairs)
    rows = []
    for (protocol, dataset), of in scores.groupby(["protocol", "dataset"], sort=False):
        regrets = of.pivot_table(index="unit", columns="bandit", values="regret", aggfunc="mean")
        shuffles = of["shuffle"].nunique()
        usual = of.groupby("bandit")["setting"].agg(lambda settings: settings.mode().iloc[0])
        n = sizes[str(dataset)]
        for row, column in pairs:
            mine, theirs = regrets[row].to_numpy(), regrets[column].to_numpy()
            differences = mine - theirs
            mean = round(float(differences.mean()), 12)
            error = standard_error(differences)
            rows.append((
                protocol, row, column, dataset, families[str(dataset)], n, shuffles, mine.mean(), theirs.mean(), mean,
                error, paired_t(differences, n), "tie" if mean == 0 else "win" if mean < 0 else "loss",
                usual[row], usual[column],
            ))  # fmt: skip
    return pd.DataFrame(rows, columns=COLUMNS)


def standard_error(differences: NDArray[np.float64]) -> float:
    """Standard error of the mean difference (units,); NaN for a single one."""
    return float(differences.std(ddof=1) / np.sqrt(len(differences))) if len(differences) > 1 else np.nan


def paired_t(differences: NDArray[np.float64], n: int) -> float:
    """Two-sided p-value of the paired t test that the mean difference (units,) is zero.

    With fewer than ``FEWEST_UNITS`` there is none (NaN). Regrets are multiples of 1/n; differences that are all equal
    count as rounded to that, with the standard deviation 1 / (n sqrt 12) of a rounding error.
    """
    count = len(differences)
    if count < FEWEST_UNITS:
        return np.nan
    error = max(differences.std(ddof=1), 1.0 / (n * np.sqrt(12.0))) / np.sqrt(count)
    return float(2.0 * special.stdtr(count - 1, -abs(differences.mean()) / error))


def all_pairs(bandits: Iterable[str]) -> list[tuple[str, str]]:
    """Every pair of bandits once, the first of them as the row."""
    return list(itertools.combinations(bandits, 2))
