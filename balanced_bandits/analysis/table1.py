"""Table 1: how often each bandit finds the optimal assignment of the synthetic example; and what goes with it."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from balanced_bandits.analysis import intervals
from balanced_bandits.analysis.criterion import Traces, all_criteria, criterion_of, rounds_to_find
from balanced_bandits.analysis.paper import PAPER_PERCENT, PAPER_ROUNDS
from balanced_bandits.environments.synthetic import SHOWN, WARM_START, greedy_arms
from balanced_bandits.files import read_arrays, write_arrays
from balanced_bandits.simulation.settings import name_of


def find_rates(jobs: Iterable[Traces], config: dict[str, Any]) -> pd.DataFrame:
    """A row for each specification, bandit, setting and criterion: in how many simulations the optimum was found.

    Percentages have Wilson's interval, the mean regret a normal one, both at 95 %; the rounds to find it are those of
    the simulations that did, with their quartiles.
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


def best_setting(found: NDArray[np.bool_]) -> int:
    """The setting that finds the optimum most often, given where each did (settings, simulations); else the first."""
    return int(found.sum(axis=1).argmax())


def held_out_percent(found: NDArray[np.bool_]) -> float:
    """How often the optimum is found where the setting was chosen on other simulations.

    The setting that is best on the even simulations is counted on the odd ones and the reverse; the two are averaged.
    With one simulation there is nothing to choose on, and no number.
    """
    if found.shape[1] < 2:
        return float("nan")
    even, odd = found[:, ::2], found[:, 1::2]
    return float(50.0 * (odd[best_setting(even)].mean() + even[best_setting(odd)].mean()))


def table1(jobs: Iterable[Traces], config: dict[str, Any]) -> pd.DataFrame:
    """A row for each specification and bandit at the setting that finds the optimum most often, chosen in hindsight.

    ``inside``: whether the paper's percentage lies in our interval; empty for bandits that are not in its table.
    """
    rows = []
    for traces in jobs:
        criterion = criterion_of(config, traces.spec)
        first = rounds_to_find(traces, criterion)
        best = best_setting(np.isfinite(first))
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


def rounds_at_best(jobs: Iterable[Traces], config: dict[str, Any]) -> dict[str, dict[str, NDArray[np.float64]]]:
    """Rounds to find the optimum (simulations,) at the settings of Table 1, by specification and bandit.

    They are infinite where it was not found.
    """
    rounds: dict[str, dict[str, NDArray[np.float64]]] = {}
    for traces in jobs:
        here = rounds_to_find(traces, criterion_of(config, traces.spec))
        rounds.setdefault(traces.spec, {})[traces.bandit] = here[best_setting(np.isfinite(here))]
    return rounds


def curves(jobs: Iterable[Traces], config: dict[str, Any]) -> pd.DataFrame:
    """Cumulative regret, and the share that has found the optimum by each round, at the settings of Table 1."""
    parts = []
    for traces in jobs:
        first = rounds_to_find(traces, criterion_of(config, traces.spec))
        best = best_setting(np.isfinite(first))
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
    """Write what Figures 2 and 3 show: simulation 0, whatever came of it, at the settings of Table 1.

    Record: ``bandits``, ``columns`` (rounds after the warm start), ``settings`` by specification and bandit. Arrays for
    each specification and bandit: ``SPEC.BANDIT.x`` (50 + T, 2), ``.arms`` (50 + T,), and ``.greedy`` (columns, g), the
    arm of the greedy policy on the grid of the optima after so many rounds.
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
