"""Table 1: how often each bandit finds the optimal assignment of the synthetic example."""

from collections.abc import Iterable
from pathlib import Path

import numpy as np
import pandas as pd
from scipy import stats

from balanced_bandits.files import read_arrays
from balanced_bandits.simulation.settings import name_of

# Percentages of Table 1 of the paper, to stand beside ours.
PAPER = {
    ("LinTS", "well"): 84, ("LinUCB", "well"): 51, ("BLTS", "well"): 92, ("BLUCB", "well"): 79,
    ("LinTS", "mis"): 39, ("LinUCB", "mis"): 29, ("BLTS", "mis"): 58, ("BLUCB", "mis"): 30,
}  # fmt: skip


def find_rates(results: Iterable[Path], threshold: float) -> pd.DataFrame:
    """A row for each bandit, specification and setting: in how many simulations the optimum was found.

    Found: at one of the rounds that were looked at, the greedy policy agrees with the optimal assignment on at least
    a share ``threshold`` of the evaluation contexts. The interval is Wilson's, at 95 %.
    """
    rows = []
    for path in results:
        record, arrays = read_arrays(path)
        for i, setting in enumerate(record["settings"]):
            reached = arrays["agreement"][i] >= threshold
            found = reached.any(axis=1)
            first = arrays["rounds"][reached.argmax(axis=1)][found]
            interval = stats.binomtest(int(found.sum()), len(found)).proportion_ci(method="wilson")
            rows.append({
                "bandit": record["bandit"],
                "specification": record["specification"],
                "setting": name_of(setting),
                "simulations": len(found),
                "found": int(found.sum()),
                "percent": 100.0 * found.mean(),
                "percent_low": 100.0 * interval.low,
                "percent_high": 100.0 * interval.high,
                "median_rounds_to_find": float(np.median(first)) if len(first) else np.nan,
                "mean_regret": float(arrays["regret"][i].mean()),
                "paper_percent": PAPER.get((record["bandit"], record["specification"]), np.nan),
            })  # fmt: skip
    return pd.DataFrame(rows)


def table1(rates: pd.DataFrame) -> pd.DataFrame:
    """The setting that finds the optimum most often, for each bandit and specification; of equal ones the first."""
    best = rates.groupby(["bandit", "specification"], sort=False)["percent"].idxmax()
    return rates.loc[best].reset_index(drop=True)
