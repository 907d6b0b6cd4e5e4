"""Table 1: how often each bandit finds the optimal assignment of the synthetic example; and related tables."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from balanced_bandits.analysis import intervals
from balanced_bandits.analysis.paper import PAPER_PERCENT, PAPER_ROUNDS
from balanced_bandits.analysis.synthetic.criteria import Found, all_criteria, best_setting, rounds_to_find
from balanced_bandits.analysis.synthetic.traces import Traces
from balanced_bandits.core.files import read_arrays, write_arrays
from balanced_bandits.core.settings import name_of
from balanced_bandits.environments.synthetic import SHOWN, WARM_START, greedy_arms


def find_rates(jobs: Iterable[Traces], config: dict[str, Any]) -> pd.DataFrame:
    """One row per specification, bandit, setting and criterion: in how many simulations the optimum was found.

    Percentages have Wilson's 95 % interval, and the mean regret has a normal 95 % interval. The rounds to find the
    optimum are over the simulations that found it, as median and quartiles.
    """
    rows = []
    for traces in jobs:
        regret = intervals.mean(traces.regret[..., -1].T)
        for criterion in all_criteria(config, traces.spec):
            first = rounds_to_find(traces, criterion)
            for i, setting in enumerate(traces.settings):
                known = {"spec": traces.spec, "bandit": traces.bandit, "setting": setting} | criterion._asdict()
                rows.append(known | rate(first[i]) | {
                    "mean_regret": regret[0][i], "regret_low": regret[1][i], "regret_high": regret[2][i],
                })  # fmt: skip
    return pd.DataFrame(rows)


def rate(first: NDArray[np.float64]) -> dict[str, Any]:
    """How often and how soon the optimum was found, given the rounds it took (simulations,)."""
    found = np.isfinite(first)
    low, high = intervals.wilson(int(found.sum()), len(found))
    quartiles = np.percentile(first[found], [25, 50, 75]) if found.any() else np.full(3, np.nan)
    return {
        "simulations": len(found), "found": int(found.sum()), "percent": 100.0 * found.mean(),
        "percent_low": 100.0 * low, "percent_high": 100.0 * high, "median_rounds_to_find": quartiles[1],
        "rounds_to_find_low": quartiles[0], "rounds_to_find_high": quartiles[2],
    }  # fmt: skip


def best_by_criterion(rates: pd.DataFrame) -> pd.DataFrame:
    """The rows of ``find_rates`` with the setting that is best by each criterion; ties go to the first."""
    keys = ["spec", "bandit", "target", "when", "threshold"]
    return rates.loc[rates.groupby(keys, sort=False)["percent"].idxmax()].reset_index(drop=True)


def held_out_percent(found: NDArray[np.bool_]) -> float:
    """How often the optimum is found if the setting is chosen on other simulations.

    The setting that is best on the even simulations is evaluated on the odd ones and vice versa; the two percentages
    are averaged. With a single simulation the result is NaN.
    """
    if found.shape[1] < 2:
        return float("nan")
    even, odd = found[:, ::2], found[:, 1::2]
    return float(50.0 * (odd[best_setting(even)].mean() + even[best_setting(odd)].mean()))


def table1(jobs: Iterable[Found]) -> pd.DataFrame:
    """One row per specification and bandit, at the setting that finds the optimum most often, chosen in hindsight.

    ``inside``: whether the paper's percentage lies in our interval; empty for bandits that are not in its table.
    """
    rows = []
    for traces, criterion, first, best in jobs:
        counted = rate(first[best])
        low, high = counted["percent_low"], counted["percent_high"]
        paper = PAPER_PERCENT.get((traces.spec, traces.bandit))
        rows.append({
            "spec": traces.spec, "bandit": traces.bandit, "setting": traces.settings[best],
            "percent": counted["percent"], "low": low, "high": high, "paper_percent": paper,
            "inside": None if paper is None else bool(low <= paper <= high),
            "median_rounds_to_find": counted["median_rounds_to_find"],
            "paper_rounds": PAPER_ROUNDS.get((traces.spec, traces.bandit)),
            "percent_held_out": held_out_percent(np.isfinite(first)),
            "simulations": counted["simulations"], "found": counted["found"],
        } | criterion._asdict())  # fmt: skip
    return pd.DataFrame(rows).astype({"paper_percent": "Int64", "paper_rounds": "Int64"})


def rounds_at_best(jobs: Iterable[Found]) -> dict[str, dict[str, NDArray[np.float64]]]:
    """Rounds to find the optimum (simulations,) at the settings of Table 1, by specification and bandit.

    They are infinite if it was not found.
    """
    rounds: dict[str, dict[str, NDArray[np.float64]]] = {}
    for found in jobs:
        rounds.setdefault(found.traces.spec, {})[found.traces.bandit] = found.at_best
    return rounds


def curves(jobs: Iterable[Found]) -> pd.DataFrame:
    """Cumulative regret, and share of simulations that have found the optimum, by round, at the settings of Table 1."""
    parts = []
    for traces, _, first, best in jobs:
        regret = intervals.mean(traces.regret[best])
        found = (first[best][:, None] <= traces.rounds).sum(axis=0)
        share = np.array([intervals.wilson(int(count), first.shape[1]) for count in found])
        parts.append(pd.DataFrame({
            "spec": traces.spec, "bandit": traces.bandit, "setting": traces.settings[best], "round": traces.rounds,
            "regret_mean": regret[0], "regret_low": regret[1], "regret_high": regret[2],
            "found_percent": 100.0 * found / first.shape[1], "found_low": 100.0 * share[:, 0],
            "found_high": 100.0 * share[:, 1],
        }))  # fmt: skip
    return pd.concat(parts, ignore_index=True)


def write_evolution(results: Iterable[Path], optima: Path, table: pd.DataFrame, output: Path) -> None:
    """Write the data of Figures 2 and 3: simulation 0, whatever its outcome, at the settings of Table 1.

    Record: ``bandits``, ``columns`` (rounds after the warm start), ``settings`` by specification and bandit. Arrays for
    each specification and bandit: ``SPEC.BANDIT.x`` (50 + T, 2), ``.arms`` (50 + T,), and ``.greedy`` (columns, g), the
    arms of the greedy policy on the grid of the optima after each of these rounds.
    """
    grid = read_arrays(optima)[1]["grid"]
    chosen = table.set_index(["spec", "bandit"])["setting"].to_dict()
    settings: dict[str, dict[str, str]] = {}
    arrays: dict[str, NDArray[Any]] = {}
    shown: list[int] = []
    for path in results:
        record, job = read_arrays(path)
        spec, bandit = record["specification"], record["bandit"]
        setting = chosen[spec, bandit]
        i = [name_of(setting) for setting in record["settings"]].index(setting)
        shown = [int(rounds) for rounds in SHOWN if rounds <= job["rounds"][-1]]
        thetas = job["thetas"][i][np.searchsorted(job["rounds"], shown)]
        settings.setdefault(spec, {})[bandit] = setting
        arrays[f"{spec}.{bandit}.x"], arrays[f"{spec}.{bandit}.arms"] = job["x"], job["arms"][i]
        arrays[f"{spec}.{bandit}.greedy"] = greedy_arms(
            grid, thetas, spec, record["options"]["choices"]["intercept"]
        ).astype(np.int8)
    bandits = list(dict.fromkeys(table["bandit"]))
    record = {"bandits": bandits, "columns": shown, "settings": settings, "warm_start": WARM_START}
    write_arrays(output, record, **arrays)
