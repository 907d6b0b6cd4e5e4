"""What people tune: the claims for fixed settings, and by the number of settings that each bandit may choose from."""

import itertools
import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from balanced_bandits.analysis.classification.claims import FEWEST_FAMILIES, claims, verdict
from balanced_bandits.analysis.classification.multiverse import Runs, Universes, pairs_of
from balanced_bandits.analysis.classification.protocols import DIGITS
from balanced_bandits.analysis.resampling import Bootstrap, bayesian_signed_rank
from balanced_bandits.core.streams import stream
from balanced_bandits.vocabulary import UNJUDGED

TUNED = ["paper", "held_out"]  # the protocols that choose a setting on a dataset's own shuffles


def chances(settings: int, drawn: int) -> NDArray[np.float64]:
    """Probability (settings,) that the i-th best of all settings is the best of ``drawn`` of them, drawn at random.

    >>> chances(3, 2).round(3).tolist()
    [0.667, 0.333, 0.0]
    """
    ways = [math.comb(settings - 1 - rank, drawn - 1) for rank in range(settings)]
    return np.array(ways) / math.comb(settings, drawn)


def with_fewer(regrets: NDArray[np.float64], drawn: int) -> dict[str, float]:
    """Mean regret if a bandit may choose from ``drawn`` settings, as the mean over all such subsets of its grid.

    ``regrets`` (settings, shuffles). ``paper``: in hindsight on each shuffle; ``held_out``: the best on the other
    shuffle of a pair. Of equal settings, the first is chosen. With more settings than the grid has, all are used.
    """
    settings, shuffles = regrets.shape
    chance = chances(settings, min(drawn, settings))
    order = regrets.argsort(axis=0, kind="stable")
    found = {"paper": float((chance @ np.take_along_axis(regrets, order, axis=0)).mean())}
    if shuffles > 1:
        even = 2 * (shuffles // 2)
        other = order[:, :even].reshape(settings, -1, 2)[:, :, ::-1].reshape(settings, even)
        found["held_out"] = float((chance @ np.take_along_axis(regrets[:, :even], other, axis=0)).mean())
    return found


def by_number_of_settings(
    found: Universes, runs: Mapping[str, Runs], numbers: Sequence[int], rope: float, seed: int
) -> pd.DataFrame:
    """The claims in each of these universes if every bandit may choose from so many of its settings.

    Intervals are simultaneous over the claims and protocols with one number of settings in one universe.
    """
    tables = []
    for (universe, played), number in itertools.product(runs.items(), numbers):
        regrets = np.full((len(found.datasets), len(TUNED), len(found.bandits)), np.nan)
        for (d, dataset), (b, bandit) in itertools.product(enumerate(found.datasets), enumerate(found.bandits)):
            fewer = with_fewer(played[bandit, dataset].regrets, number)
            regrets[d, :, b] = [fewer.get(protocol, np.nan) for protocol in TUNED]
        of = found._replace(regrets=regrets[None]).differences()[0]
        rng = stream(seed, "multiverse", "tuning", universe, number)
        table = claims(pairs_of(found, of, TUNED, universe), [], rope, rng)
        tables.append(table.rename(columns={"reading": "universe"}).assign(settings=number))
    columns = ["universe", "settings", "protocol", "better", "worse", "verdict", "difference", "low", "high", "wins",
               "ties", "losses"]  # fmt: skip
    return pd.concat(tables, ignore_index=True)[columns]


def by_setting(found: Universes, runs: Mapping[str, Runs], rope: float, seed: int) -> pd.DataFrame:
    """The claims in each of these universes for every pair of fixed settings of the two bandits.

    Intervals are simultaneous over the pairs of settings of one claim in one universe.
    """
    rows: list[dict[str, Any]] = []
    for (universe, played), (better, worse) in itertools.product(runs.items(), found.claims):
        names, means = {}, {}
        for bandit in (better, worse):
            names[bandit] = played[bandit, found.datasets[0]].settings
            means[bandit] = np.array([played[bandit, name].regrets.mean(axis=1) for name in found.datasets])
        apart = (means[better][:, :, None] - means[worse][:, None, :]).round(DIGITS).reshape(len(found.datasets), -1)
        rng = stream(seed, "multiverse", "settings", universe, better, worse)
        bootstrap = Bootstrap(apart, found.families, rng)
        low, high = (np.clip(end, -1.0, 1.0) for end in bootstrap.simultaneous())
        for i, (mine, theirs) in enumerate(itertools.product(names[better], names[worse])):
            known = UNJUDGED
            if len(set(found.families)) >= FEWEST_FAMILIES:
                typical = bayesian_signed_rank(apart[:, i], found.families, rope, rng)
                known = verdict(low[i], high[i], *typical, rope)
            rows.append({
                "universe": universe, "better": better, "worse": worse, "setting_better": mine,
                "setting_worse": theirs, "verdict": known, "difference": bootstrap.means[i], "low": low[i],
                "high": high[i],
            })  # fmt: skip
    columns = ["universe", "better", "worse", "setting_better", "setting_worse", "verdict", "difference", "low", "high"]
    return pd.DataFrame(rows, columns=columns)
