"""The paper's claims about Figure 4, compared with our differences: over all datasets, and by their size."""

from collections.abc import Iterable

import numpy as np
import pandas as pd

from balanced_bandits.analysis.classification.counts import VIEW, matrix, summaries
from balanced_bandits.analysis.paper import CLAIMS
from balanced_bandits.analysis.resampling import Bootstrap, bayesian_signed_rank
from balanced_bandits.vocabulary import (
    EQUAL,
    HOLDS,
    INCONCLUSIVE,
    QUANTITIES,
    REVERSED,
    SURE,
    UNJUDGED,
)

FEWEST_FAMILIES = 10  # of datasets; with fewer there is no verdict
KEYS = [*VIEW, "better", "worse"]


def oriented(pairs: pd.DataFrame, wanted: Iterable[tuple[str, str]]) -> pd.DataFrame:
    """The rows of ``pairs`` of the wanted pairs (better, worse), in that order; differences are better minus worse.

    Negative differences support the claimed order. A pair that was not compared has no rows.
    """
    swapped = pairs.rename(columns={"row": "column", "column": "row"}).assign(
        difference=-pairs["difference"], outcome=pairs["outcome"].map({"win": "loss", "loss": "win", "tie": "tie"})
    )
    both = pd.concat([pairs, swapped[[name for name in swapped if name in pairs]]], ignore_index=True)
    places = {pair: place for place, pair in enumerate(wanted)}
    place = np.array([places.get(pair, -1) for pair in zip(both["row"], both["column"], strict=True)], dtype=int)
    order = np.argsort(place, kind="stable")
    kept = both.iloc[order[place[order] >= 0]]
    names = {"row": "better", "column": "worse"}
    columns = [*VIEW, "row", "column", "dataset", "family", "difference", "outcome", "p"]
    return kept[columns].rename(columns=names).reset_index(drop=True)


def claims(pairs: pd.DataFrame, placebos: list[tuple[str, str]], rope: float, rng: np.random.Generator) -> pd.DataFrame:
    """Each claim and each placebo under each reading and protocol, with its difference and a verdict.

    ``difference`` is the mean regret of the bandit that the paper calls better minus that of the other. ``low`` and
    ``high`` are the ends of its simultaneous 95 % interval: all rows of the table are one family. ``p_better``,
    ``p_equal`` and ``p_worse`` are the probabilities of the Bayesian signed-rank test for a typical difference below
    -rope, within it, and above. A ``placebo`` compares a bandit with itself.
    """
    known = oriented(pairs, [*CLAIMS, *placebos])
    table = summaries(known.rename(columns={"better": "row", "worse": "column"}), rng)
    table = table.rename(columns={"row": "better", "column": "worse"})
    known["group"] = known.groupby(KEYS, sort=False).ngroup()
    named = zip(table["better"], table["worse"], strict=True)
    table["kind"] = ["placebo" if pair in placebos else "claim" for pair in named]
    if table.empty:
        return table.assign(low=[], high=[], p_better=[], p_equal=[], p_worse=[], verdict=[])
    family = known.drop_duplicates("dataset").set_index("dataset")["family"]
    wide = matrix(known, "group", "difference")
    bootstrap = Bootstrap(wide.to_numpy(), list(family.loc[wide.index]), rng)
    table["low"], table["high"] = (np.clip(end, -1.0, 1.0) for end in bootstrap.simultaneous())
    chances = []
    for group in wide:
        of = wide[group].dropna()
        chances.append(bayesian_signed_rank(of.to_numpy(), list(family.loc[of.index]), rope, rng))
    table[["p_better", "p_equal", "p_worse"]] = np.array(chances)
    judged = zip(*(table[name] for name in ("low", "high", "p_better", "p_equal", "p_worse", "families")), strict=True)
    table["verdict"] = [
        verdict(low, high, better, equal, worse, rope) if families >= FEWEST_FAMILIES else UNJUDGED
        for low, high, better, equal, worse, families in judged
    ]
    first = ["kind", *KEYS, "verdict", "difference", "low", "high", "wins", "ties", "losses"]
    return table[first + [name for name in table if name not in first]].reset_index(drop=True)


def verdict(low: float, high: float, p_better: float, p_equal: float, p_worse: float, rope: float) -> str:
    """Whether a claim holds, given the interval of the mean difference and the probabilities of a typical one.

    The rule is that of ``scorecard.RULES``:

    >>> verdict(-0.04, -0.02, 0.99, 0.01, 0.0, 0.01), verdict(-0.008, 0.005, 0.0, 0.99, 0.01, 0.01)
    ('holds', 'practically equal')
    >>> verdict(-0.02, 0.03, 0.3, 0.3, 0.4, 0.01), verdict(0.01, 0.05, 0.0, 0.02, 0.98, 0.01)
    ('inconclusive', 'reversed')
    """
    if -rope < low and high < rope and p_equal > SURE:
        return EQUAL
    if high < 0.0 and p_worse < 1.0 - SURE:
        return HOLDS
    if low > 0.0 and p_better < 1.0 - SURE:
        return REVERSED
    return INCONCLUSIVE


def strata(pairs: pd.DataFrame, datasets: pd.DataFrame, rng: np.random.Generator) -> pd.DataFrame:
    """The differences of each claim by classes of n, d (before encoding) and K, as those of the paper's Table 2.

    One row per quantity (``by``), class with datasets in it, reading, protocol and claim, with what ``summaries``
    returns; these intervals are each at 95 % by itself.
    """
    known = oriented(pairs, CLAIMS)
    sizes = datasets.set_index("name")
    tables = []
    for column, quantity in QUANTITIES.items():
        for stratum in quantity.strata:
            within = known[stratum.contains(known["dataset"].map(sizes[column]))]
            if len(within):
                tables.append(summaries(within, rng, KEYS).assign(by=column, stratum=stratum.label))
    table = pd.concat(tables, ignore_index=True) if tables else summaries(known, rng, KEYS).assign(by="", stratum="")
    first = ["by", "stratum"]
    return table[first + [name for name in table if name not in first]]
