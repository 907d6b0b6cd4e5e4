"""Tables of a run that never was, made by hand, for the tests of the scorecard and of the report."""

import itertools

import numpy as np
import pandas as pd

from balanced_bandits.analysis.classification.claims import claims
from balanced_bandits.analysis.classification.collect import RUN_COLUMNS
from balanced_bandits.analysis.classification.counts import count
from balanced_bandits.analysis.classification.table2 import table2
from balanced_bandits.analysis.paper import PAPER_PERCENT
from balanced_bandits.analysis.synthetic.orderings import sooner, table1_orderings
from balanced_bandits.environments.classification import spaced_rounds

BANDITS = ["LinTS", "LinUCB", "BLTS", "BLUCB", "ILTCB"]


def rounds_like_the_paper(simulations=100):
    """Every bandit finds the optimum as often as the paper says: the first so many simulations; BLTS is the fastest."""
    at = {"LinTS": 30.0, "LinUCB": 240.0, "BLTS": 20.0, "BLUCB": 110.0}
    order = np.arange(simulations) * 100 // simulations
    rounds = {}
    for (spec, bandit), percent in PAPER_PERCENT.items():
        rounds.setdefault(spec, {})[bandit] = np.where(order < percent, at[bandit], np.inf)
    return rounds


def tables(rounds, datasets=40, bandits=BANDITS, difference=0.1):
    rates = pd.DataFrame([
        {"spec": spec, "bandit": bandit, "setting": "alpha=1", "target": "truth", "when": "some", "threshold": 0.95,
         "found": int(np.isfinite(first).sum()), "simulations": len(first),
         "percent": 100 * np.isfinite(first).mean(), "low": 100 * np.isfinite(first).mean() - 8,
         "high": 100 * np.isfinite(first).mean() + 8,
         "median_rounds_to_find": np.median(first[np.isfinite(first)]) if np.isfinite(first).any() else np.nan,
         "rounds_to_find_low": 1.0, "rounds_to_find_high": 1000.0}
        for spec, of in rounds.items() for bandit, first in of.items()
    ])  # fmt: skip
    regrets = {bandit: 0.5 + difference * place for place, bandit in enumerate(["BLTS", "LinTS", "BLUCB", "LinUCB"])}
    regrets["ILTCB"] = 0.95
    pairs = pd.DataFrame([
        {"reading": "residual", "protocol": protocol, "row": row, "column": column, "dataset": f"d{k}",
         "family": f"d{k}", "regret_row": regrets[row], "regret_column": regrets[column], "p_paired": 0.01,
         "p_unpaired": 0.2, "p_public": 0.04, "outcome": "win" if regrets[row] < regrets[column] else "loss"}
        for protocol in ("paper", "matched") for row, column in itertools.permutations(bandits, 2)
        for k in range(datasets)
    ])  # fmt: skip
    sizes = [(n, d, arms) for n in (50, 500, 5000, 50000) for d in (5, 50) for arms in (2, 3)]
    described = [(f"d{k}", *sizes[k % len(sizes)], "") for k in range(datasets)]
    return {
        "table1": rates, "rates": rates, "orderings": table1_orderings(rounds), "sooner": sooner(rounds),
        "claims": claims(count(pairs, np.random.default_rng(0))),
        "table2": table2(pd.DataFrame(described, columns=["name", "n", "d", "K", "left_out"])),
    }  # fmt: skip


def runs_of(datasets, n=40, bandits=BANDITS, seed=0):
    """Runs of every bandit on the datasets named, with two settings and two repeats; ILTCB has no reading."""
    rng = np.random.default_rng(seed)
    rows = []
    for dataset, (i, bandit), repeat in itertools.product(datasets, enumerate(bandits), range(2)):
        for reading, setting in itertools.product(
            ["any"] if bandit == "ILTCB" else ["residual", "literal"], ("a=1", "a=2")
        ):
            right = rng.random(n) < rng.random() * 0.6 + 0.05 * i
            bits = np.packbits(right).tobytes()
            curve = np.cumsum(~right)[spaced_rounds(n) - 1]
            rows.append((dataset, bandit, reading, setting, repeat, 0, n, 1 - right.mean(), np.nan, curve, bits))
    return pd.DataFrame(rows, columns=RUN_COLUMNS)
