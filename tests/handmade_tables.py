"""Tables of a run that never was, made by hand, for the tests of the analysis, of figures and of the report."""

import itertools

import numpy as np
import pandas as pd

from balanced_bandits.analysis.classification.claims import claims
from balanced_bandits.analysis.classification.collect import CURVE_COLUMNS, RUN_COLUMNS
from balanced_bandits.analysis.classification.entrants import entrants
from balanced_bandits.analysis.classification.pairs import all_pairs, compare
from balanced_bandits.analysis.classification.protocols import scores
from balanced_bandits.analysis.classification.table2 import table2
from balanced_bandits.analysis.paper import PAPER_PERCENT
from balanced_bandits.analysis.synthetic.orderings import sooner, table1_orderings
from balanced_bandits.environments.classification import spaced_rounds
from balanced_bandits.vocabulary import PROTOCOLS

BANDITS = ["LinTS", "LinUCB", "BLTS", "BLUCB", "ILTCB"]
PLACEBO = ("LinTS×4", "LinTS")
ROPE = 0.01


def rounds_like_the_paper(simulations=100):
    """Every bandit finds the optimum as often as the paper says: the first so many simulations; BLTS is the fastest."""
    at = {"LinTS": 30.0, "LinUCB": 240.0, "BLTS": 20.0, "BLUCB": 110.0}
    order = np.arange(simulations) * 100 // simulations
    rounds = {}
    for (spec, bandit), percent in PAPER_PERCENT.items():
        rounds.setdefault(spec, {})[bandit] = np.where(order < percent, at[bandit], np.inf)
    return rounds


def pairs_of(differences, reading="residual", protocol="paper", families=None):
    """Comparisons under one reading and protocol: ``differences`` are lists (datasets,) by pair (row, column)."""
    rows = [
        {"reading": reading, "protocol": protocol, "row": row, "column": column, "dataset": f"d{k}",
         "family": families[k] if families else f"d{k}", "difference": difference, "p": 0.01,
         "outcome": "win" if difference < 0 else "loss" if difference > 0 else "tie"}
        for (row, column), of in differences.items() for k, difference in enumerate(of)
    ]  # fmt: skip
    return pd.DataFrame(rows)


def tables(rounds, datasets=40, bandits=BANDITS, difference=0.1):
    """The tables behind the scorecard.

    The regrets of BLTS, LinTS, BLUCB and LinUCB are ``difference`` apart, up to 20 %, under all protocols, and that of
    ILTCB is 0.95; the placebo is as good as LinTS. There are as many datasets of each of 16 sizes.
    """
    rates = pd.DataFrame([
        {"spec": spec, "bandit": bandit, "setting": "alpha=1", "target": "truth", "when": "some", "threshold": 0.95,
         "found": int(np.isfinite(first).sum()), "simulations": len(first),
         "percent": 100 * np.isfinite(first).mean(), "low": 100 * np.isfinite(first).mean() - 8,
         "high": 100 * np.isfinite(first).mean() + 8,
         "median_rounds_to_find": np.median(first[np.isfinite(first)]) if np.isfinite(first).any() else np.nan,
         "rounds_to_find_low": 1.0, "rounds_to_find_high": 1000.0}
        for spec, of in rounds.items() for bandit, first in of.items()
    ])  # fmt: skip
    sign = np.where(np.arange(datasets) % 2, 1.0, -1.0)
    regrets = {bandit: 0.5 + difference * place * (1.0 + 0.2 * sign)
               for place, bandit in enumerate(["BLTS", "LinTS", "BLUCB", "LinUCB"])}  # fmt: skip
    regrets["ILTCB"] = np.full(datasets, 0.95)
    apart = {(row, column): regrets[row] - regrets[column] for row, column in all_pairs(bandits)}
    apart[PLACEBO] = 0.001 * sign
    pairs = pd.concat([pairs_of(apart, protocol=protocol) for protocol in PROTOCOLS], ignore_index=True)
    sizes = [(n, d, arms) for n in (50, 500, 5000, 50000) for d in (5, 50) for arms in (2, 3)]
    described = [(f"d{k}", *sizes[k % len(sizes)], "") for k in range(datasets)]
    return {
        "table1": rates, "rates": rates, "orderings": table1_orderings(rounds), "sooner": sooner(rounds),
        "claims": claims(pairs, [PLACEBO], ROPE, np.random.default_rng(0)),
        "table2": table2(pd.DataFrame(described, columns=["name", "n", "d", "K", "left_out"])),
    }  # fmt: skip


def played(datasets, n=40, bandits=BANDITS, shuffles=5, seed=0):
    """The tables of runs and of curves of every bandit on the datasets named, with two settings.

    LinTS has four further copies, for the placebo; ILTCB has no reading.
    """
    rng = np.random.default_rng(seed)
    rounds = spaced_rounds(n)
    runs, curves = [], []
    for dataset, (i, bandit) in itertools.product(datasets, enumerate(bandits)):
        for reading, setting in itertools.product(
            ["any"] if bandit == "ILTCB" else ["residual", "literal"], ("a=1", "a=2")
        ):
            known = dataset, bandit, reading, setting
            right = rng.random((5 if bandit == "LinTS" else 1, shuffles, n)) < rng.random() * 0.6 + 0.05 * i
            wrong = np.cumsum(~right, axis=-1)[..., rounds - 1]
            runs += [(*known, copy, shuffle, n, wrong[copy, shuffle, -1] / n, np.nan)
                     for copy, shuffle in np.ndindex(wrong.shape[:2])]  # fmt: skip
            error = wrong[0].std(axis=0, ddof=1) / np.sqrt(shuffles) if shuffles > 1 else np.full(len(rounds), np.nan)
            curves.append((*known, wrong[0].mean(axis=0).round(3), error.round(3)))
    return pd.DataFrame(runs, columns=RUN_COLUMNS), pd.DataFrame(curves, columns=CURVE_COLUMNS)


def runs_of(datasets, **options):
    """The table of runs of ``played``."""
    return played(datasets, **options)[0]


def scores_and_pairs(runs, families, bandits=BANDITS, readings=("residual", "literal"), placebo="LinTS"):
    """Regrets by protocol, and comparisons of all bandits and of the placebo, as scripts/compare.py makes them."""
    sizes = dict(zip(runs["dataset"], runs["n"], strict=True))
    scored, paired = [], []
    for reading in readings:
        playing = entrants(runs, reading, placebo)
        placebos = [(name, placebo) for name in dict.fromkeys(playing["bandit"]) if name not in bandits]
        table = scores(playing, families)
        scored.append(table.assign(reading=reading))
        paired.append(compare(table, families, sizes, [*all_pairs(bandits), *placebos]).assign(reading=reading))
    return pd.concat(scored, ignore_index=True), pd.concat(paired, ignore_index=True)
