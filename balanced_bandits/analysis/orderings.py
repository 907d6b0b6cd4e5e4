"""Which bandit finds the optimum of the synthetic example more often, and how sure that is."""

import itertools
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from balanced_bandits.analysis import intervals
from balanced_bandits.analysis.paper import PAPER_PERCENT, SOONER


def paper_pairs(spec: str, bandits: list[str]) -> list[tuple[str, str]]:
    """The pairs of bandits (better, worse) by the percentages of the paper's Table 1, for those it has.

    Among them is the pair BLUCB, LinUCB of the mis-specified column, which one point separates (30 and 29); the text
    says there that BLUCB is no better.
    """
    known = [bandit for bandit in bandits if (spec, bandit) in PAPER_PERCENT]
    pairs = itertools.permutations(known, 2)
    return [(b, w) for b, w in pairs if PAPER_PERCENT[spec, b] > PAPER_PERCENT[spec, w]]


def verdict(difference: float, low: float) -> str:
    """Whether an ordering holds, given our difference and the lower end of its interval.

    holds: the interval lies above 0; holds weakly: the difference does, the interval does not; does not hold: the
    difference is 0 or below.
    """
    if difference <= 0.0:
        return "does not hold"
    return "holds" if low > 0.0 else "holds weakly"


def orderings(spec: str, found: dict[str, NDArray[np.bool_]]) -> list[dict[str, Any]]:
    """A row for each pair of the paper's table, given where each bandit found the optimum (simulations,).

    Differences are in percentage points, over the same simulations. Intervals take the settings as given: that these
    were chosen in hindsight is not in them.
    """
    rows = []
    for better, worse in paper_pairs(spec, list(found)):
        points = [100.0 * end for end in intervals.paired_difference(found[better], found[worse])]
        rows.append({
            "better": better, "worse": worse, "difference": points[0], "low": points[1], "high": points[2],
            "paper_difference": PAPER_PERCENT[spec, better] - PAPER_PERCENT[spec, worse],
            "verdict": verdict(points[0], points[1]),
        })  # fmt: skip
    return rows


def table1_orderings(rounds: dict[str, dict[str, NDArray[np.float64]]]) -> pd.DataFrame:
    """The orderings of Table 1, given the rounds to find the optimum at its settings, by specification and bandit."""
    names = ["spec", "better", "worse", "difference", "low", "high", "paper_difference", "verdict"]
    found = {spec: {bandit: np.isfinite(of) for bandit, of in bandits.items()} for spec, bandits in rounds.items()}
    rows = [{"spec": spec} | row for spec, bandits in found.items() for row in orderings(spec, bandits)]
    return pd.DataFrame(rows, columns=names)


def sooner(rounds: dict[str, dict[str, NDArray[np.float64]]]) -> pd.DataFrame:
    """Who finds the optimum sooner, for each pair that the paper's text names and we have.

    Counted over the simulations in which one of the two is sooner; one that never finds it is later than one that
    does. ``share``: those of the bandit that the paper calls sooner, in percent, with Wilson's 95 % interval.
    """
    names = ["spec", "better", "worse", "sooner", "later", "ties", "share", "low", "high", "verdict"]
    rows = []
    for spec, better, worse in SOONER:
        if not {better, worse} <= set(rounds.get(spec, {})):
            continue
        first, second = rounds[spec][better], rounds[spec][worse]
        wins, losses = int((first < second).sum()), int((first > second).sum())
        if wins + losses:
            share = [100.0 * wins / (wins + losses), *(100.0 * end for end in intervals.wilson(wins, wins + losses))]
        else:
            share = [50.0, 0.0, 100.0]
        rows.append((spec, better, worse, wins, losses, len(first) - wins - losses, *share,
                     verdict(share[0] - 50.0, share[1] - 50.0)))  # fmt: skip
    return pd.DataFrame(rows, columns=names)
