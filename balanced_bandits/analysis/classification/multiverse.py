"""The multiverse: the paper's claims on datasets in every universe, and which choices move them.

Every table follows from one array: the regret of each bandit on each dataset, by universe and protocol. A claim is
judged in a universe as the experiment judges it (``claims``): by intervals that are simultaneous over the protocols and
claims of that universe, the verdict of a replication that made these choices. Further intervals are simultaneous over
all universes as well.
"""

import itertools
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from balanced_bandits.analysis.classification.claims import claims
from balanced_bandits.analysis.classification.protocols import DIGITS, Played, chosen_by_all, fixed_settings
from balanced_bandits.analysis.paper import CLAIMS
from balanced_bandits.analysis.resampling import LEVEL, Bootstrap
from balanced_bandits.analysis.results import read_result
from balanced_bandits.core.errors import InputError
from balanced_bandits.core.settings import name_of, settings_of
from balanced_bandits.core.streams import stream
from balanced_bandits.vocabulary import EQUAL, HOLDS, INCONCLUSIVE, PROTOCOLS, QUANTITIES, REVERSED, UNJUDGED

Runs = dict[tuple[str, str], Played]  # of a universe, by bandit and dataset
PLAIN_VERDICTS = (HOLDS, EQUAL, INCONCLUSIVE, REVERSED, UNJUDGED)
PROTOCOL, TOGETHER = "protocol", "together"  # as if they were choices: the protocol, and what choices do together


class Universes(NamedTuple):
    """The regrets in all universes, of the datasets that could be played in all of them."""

    names: list[str]  # the default first
    datasets: list[str]
    families: list[str]  # (datasets,)
    bandits: list[str]
    protocols: list[str]
    regrets: NDArray[np.float64]  # (universes, datasets, protocols, bandits): means over shuffles

    @property
    def claims(self) -> list[tuple[str, str]]:
        """The paper's claims about these bandits."""
        return [(better, worse) for better, worse in CLAIMS if {better, worse} <= set(self.bandits)]

    def differences(self) -> NDArray[np.float64]:
        """The regret of the bandit that is called better minus the other's (universes, datasets, protocols, claims)."""
        better, worse = ([self.bandits.index(pair[side]) for pair in self.claims] for side in (0, 1))
        found: NDArray[np.float64] = (self.regrets[..., better] - self.regrets[..., worse]).round(DIGITS)
        return found


def read_runs(folder: Path, plan: Mapping[str, Any]) -> tuple[dict[str, Runs], dict[str, dict[str, Any]]]:
    """The runs of every universe by name, and what is known of every dataset (n, d, K, rejected).

    ``plan`` is that of ``plan.multiverse``. Bandits that a universe does not play itself have the runs of another one.
    """
    of_folder: dict[str, Runs] = {}
    known: dict[str, dict[str, Any]] = {}
    for name, number in plan["batches"].items():
        of_folder[name] = {}
        for batch in range(1, number + 1):
            for dataset, bandit, played in _read_batch(folder / name / f"{batch}.npz", known):
                of_folder[name][bandit, dataset] = played
    names = [name for name in plan["datasets"] if not known[name]["rejected"]]
    universes: dict[str, Runs] = {}
    for universe in plan["universes"]:
        owners = universe["runs"]
        try:
            universes[universe["name"]] = {
                (bandit, name): of_folder[owners[bandit]][bandit, name] for bandit in plan["bandits"] for name in names
            }
        except KeyError as error:
            raise InputError(
                f"{folder} has no runs of {error.args[0]} for the universe {universe['name']!r}; delete it and run "
                "again."
            ) from error
    return universes, known


def _read_batch(path: Path, known: dict[str, dict[str, Any]]) -> Iterator[tuple[str, str, Played]]:
    """Dataset, bandit and regrets in the result of a job; adds what is known of the datasets to ``known``."""
    record, arrays = read_result(path, faults_of_batch)
    for i, dataset in enumerate(record["datasets"]):
        name, n = dataset["name"], int(dataset["n"])
        known.setdefault(name, dataset)
        if dataset["rejected"]:
            known[name] = dataset  # in one universe is in all of them
            continue
        for j, (bandit, player) in enumerate(record["players"].items()):
            wrong = arrays[f"wrong_{i}_{j}"]
            settings = [name_of(setting) for setting in settings_of(player["options"]["grid"])]
            yield name, bandit, Played(settings, list(range(wrong.shape[1])), (wrong / n).round(DIGITS))


def faults_of_batch(record: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> Iterator[str]:
    """Yield the inconsistencies in what scripts/simulate_universe.py wrote."""
    for i, dataset in enumerate(record["datasets"]):
        for j, (bandit, player) in enumerate(record["players"].items()):
            if dataset["rejected"]:
                continue
            wrong, options = arrays[f"wrong_{i}_{j}"], player["options"]
            if wrong.shape != (len(settings_of(options["grid"])), options["shuffles"]):
                yield f"the runs of {bandit} on {dataset['name']} are not those of its settings and shuffles"
            if (wrong < 0).any() or (wrong > dataset["n"]).any():
                yield f"{bandit} is wrong in more rounds of {dataset['name']} than there are"


def universes_of(runs: Mapping[str, Runs], families: Mapping[str, str], bandits: Sequence[str]) -> Universes:
    """The mean regret of every bandit on every dataset, by universe and protocol."""
    first = next(iter(runs.values()))
    datasets = list(dict.fromkeys(dataset for _, dataset in first))
    protocols = list(PROTOCOLS)
    regrets = np.full((len(runs), len(datasets), len(protocols), len(bandits)), np.nan)
    for u, played in enumerate(runs.values()):
        fixed = fixed_settings(played, families)
        for (bandit, dataset), of in played.items():
            at = datasets.index(dataset), bandits.index(bandit)
            for protocol, chosen in chosen_by_all(of, fixed[bandit, dataset]).items():
                regrets[u, at[0], protocols.index(protocol), at[1]] = chosen.regrets.mean()
    return Universes(list(runs), datasets, [families[name] for name in datasets], list(bandits), protocols, regrets)


def pairs_of(
    found: Universes, differences: NDArray[np.float64], protocols: Sequence[str], reading: str
) -> pd.DataFrame:
    """Differences (datasets, protocols, claims) as the table of pairs that ``claims`` takes."""
    rows = [
        (reading, protocol, better, worse, dataset, family, difference,
         "tie" if difference == 0 else "win" if difference < 0 else "loss", np.nan)
        for c, (better, worse) in enumerate(found.claims)
        for p, protocol in enumerate(protocols)
        for dataset, family, difference in zip(found.datasets, found.families, differences[:, p, c], strict=True)
    ]  # fmt: skip
    names = ["reading", "protocol", "row", "column", "dataset", "family", "difference", "outcome", "p"]
    return pd.DataFrame(rows, columns=names)


def claims_by_universe(found: Universes, rope: float, seed: int) -> pd.DataFrame:
    """Each claim in each universe under each protocol: what ``claims`` says, and intervals over all universes.

    ``low`` and ``high`` are simultaneous over the protocols and claims of a universe, ``all_low`` and ``all_high`` over
    all rows of the table.
    """
    differences = found.differences()
    tables = []
    for universe, of in zip(found.names, differences, strict=True):
        pairs = pairs_of(found, of, found.protocols, universe)
        tables.append(claims(pairs, [], rope, stream(seed, "multiverse", "claims", universe)))
    table = pd.concat(tables, ignore_index=True).rename(columns={"reading": "universe"}).drop(columns="kind")
    wide = differences.transpose(1, 0, 3, 2)  # claims before protocols, as in the table
    bootstrap = Bootstrap(wide.reshape(len(found.datasets), -1), found.families, stream(seed, "multiverse", "all"))
    table["all_low"], table["all_high"] = (np.clip(end, -1.0, 1.0) for end in bootstrap.simultaneous())
    first = ["universe", "protocol", "better", "worse", "verdict", "difference", "low", "high", "all_low", "all_high",
             "wins", "ties", "losses", "datasets", "families", "p_better", "p_equal", "p_worse"]  # fmt: skip
    return table[first]


def verdicts(table: pd.DataFrame) -> pd.DataFrame:
    """In how many universes a claim has which verdict: one row per claim and protocol, and for all protocols.

    ``low`` and ``high`` are the smallest and largest difference among the universes, ``median`` the median one.
    """
    both = pd.concat([table, table.assign(protocol="all")], ignore_index=True)
    rows = []
    for (better, worse, protocol), of in both.groupby(["better", "worse", "protocol"], sort=False):
        counts = {verdict: int((of["verdict"] == verdict).sum()) for verdict in PLAIN_VERDICTS}
        spread = of["difference"].agg(["min", "median", "max"]).to_list()
        rows.append({"better": better, "worse": worse, "protocol": protocol, **counts, "of": len(of),
                     "low": spread[0], "median": spread[1], "high": spread[2]})  # fmt: skip
    order = {pair: place for place, pair in enumerate(CLAIMS)}
    found = pd.DataFrame(rows)
    places = [order[pair] for pair in zip(found["better"], found["worse"], strict=True)]
    return found.iloc[np.argsort(places, kind="stable")].reset_index(drop=True)


def shifts(found: Universes, varied: Mapping[str, str], seed: int) -> pd.DataFrame:
    """By how much each universe moves each claim from the default: the mean change over datasets, paired.

    ``varied``: what each universe changes, in words. Intervals are simultaneous over the universes, for each protocol
    and claim by itself.
    """
    differences = found.differences()
    moved = differences[1:] - differences[0]
    rows = []
    for (p, protocol), (c, (better, worse)) in itertools.product(enumerate(found.protocols), enumerate(found.claims)):
        rng = stream(seed, "multiverse", "shifts", protocol, better, worse)
        bootstrap = Bootstrap(moved[:, :, p, c].T, found.families, rng)
        low, high = bootstrap.simultaneous()
        for u, universe in enumerate(found.names[1:]):
            rows.append((universe, varied[universe], protocol, better, worse, bootstrap.means[u], low[u], high[u]))
    columns = ["universe", "varied", "protocol", "better", "worse", "shift", "low", "high"]
    return pd.DataFrame(rows, columns=columns)


def regrets_by_universe(found: Universes, seed: int) -> pd.DataFrame:
    """The mean regret of each bandit in each universe, and its change from the default.

    Intervals of the change are simultaneous over the universes, for each protocol and bandit by itself.
    """
    rows = []
    for (p, protocol), (b, bandit) in itertools.product(enumerate(found.protocols), enumerate(found.bandits)):
        of = found.regrets[:, :, p, b].T
        bootstrap = Bootstrap(of - of[:, :1], found.families, stream(seed, "multiverse", "regrets", protocol, bandit))
        low, high = bootstrap.simultaneous()
        for u, universe in enumerate(found.names):
            mean = of[:, u].mean()
            rows.append((universe, protocol, bandit, mean, bootstrap.means[u], low[u], high[u]))
    return pd.DataFrame(rows, columns=["universe", "protocol", "bandit", "regret", "shift", "low", "high"])


def spread(found: Universes, combinations: Sequence[Mapping[str, Any]], seed: int) -> pd.DataFrame:
    """Which choices explain the spread of a claim over universes that cross them: shares of its variance.

    ``combinations``: the ``levels`` of each choice, and the ``universes`` in the order of their product. The protocol
    is one more choice. ``share`` is the variance of the means at a choice's levels as a part of the variance of all
    cells; what the choices do only together is the row ``together``. ``low`` and ``high`` are the ends of a 95 %
    percentile interval by bootstrap over families. Noise adds to all shares, most to ``together``.
    """
    differences = found.differences()
    rows = []
    for number, crossed in enumerate(combinations, start=1):
        levels = {choice: len(of) for choice, of in crossed["levels"].items() if len(of) > 1}
        choices = [*levels, PROTOCOL]
        shape = [*levels.values(), len(found.protocols)]
        places = [found.names.index(name) for name in crossed["universes"]]
        for c, (better, worse) in enumerate(found.claims):
            cells = differences[places][..., c].transpose(1, 0, 2).reshape(len(found.datasets), -1)
            rng = stream(seed, "multiverse", "spread", number, better, worse)
            bootstrap = Bootstrap(cells, found.families, rng)
            ours = shares(bootstrap.means.reshape(1, *shape))[0]
            low, high = np.quantile(shares(bootstrap.resampled.reshape(-1, *shape)),
                                    [(1 - LEVEL) / 2, (1 + LEVEL) / 2], axis=0)  # fmt: skip
            for i, choice in enumerate([*choices, TOGETHER]):
                rows.append((number, better, worse, choice, ours[i], low[i], high[i], bootstrap.means.std()))
    columns = ["combination", "better", "worse", "choice", "share", "low", "high", "deviation"]
    return pd.DataFrame(rows, columns=columns)


def shares(cells: NDArray[np.float64]) -> NDArray[np.float64]:
    """Shares of the variance of cells (samples, levels of the first choice, of the second, ...).

    Returns (samples, choices + 1): the main effect of each choice, and the rest; zeros if all cells are equal.

    >>> shares(np.array([[[0.0, 1.0], [2.0, 3.0]]])).round(2).tolist()
    [[0.8, 0.2, 0.0]]
    """
    axes = range(1, cells.ndim)
    total = cells.var(axis=tuple(axes))
    mains = [cells.mean(axis=tuple(other for other in axes if other != axis)).var(axis=1) for axis in axes]
    with np.errstate(invalid="ignore", divide="ignore"):
        found = np.where(total[:, None] > 1e-24, np.column_stack(mains) / total[:, None], 0.0)
    rest = np.where(total > 1e-24, np.maximum(1.0 - found.sum(axis=1), 0.0), 0.0)
    return np.column_stack([found, rest])


def subset(strata: Mapping[str, tuple[str, str, str]], chosen: Sequence[str]) -> pd.DataFrame:
    """How the datasets that are played compare with the suite: a row for each class of n, d and K."""
    rows = []
    for place, (key, quantity) in enumerate(QUANTITIES.items()):
        for stratum in quantity.strata:
            within = [name for name, of in strata.items() if of[place] == stratum.label]
            played = sum(name in chosen for name in within)
            rows.append((quantity.words, key, stratum.label, len(within), played))
    rows.append(("All", "", "", len(strata), len(chosen)))
    return pd.DataFrame(rows, columns=["quantity", "by", "stratum", "suite", "played"])
