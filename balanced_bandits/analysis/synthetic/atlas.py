"""The sensitivity atlas: the paper's numbers and orderings under all combinations of the choices it leaves open."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from balanced_bandits.analysis import intervals
from balanced_bandits.analysis.paper import PAPER_PERCENT
from balanced_bandits.analysis.synthetic.criteria import Criterion, all_criteria, best_setting, rounds_to_find
from balanced_bandits.analysis.synthetic.orderings import orderings
from balanced_bandits.analysis.synthetic.traces import Traces, read_traces
from balanced_bandits.vocabulary import FAILS, HOLDS, INCONCLUSIVE, REVERSED

BEST = "best"
COLUMNS = {"percentages": ["simulations", "percent", "low", "high", "paper_percent", "inside"],
           "orderings": ["better", "worse", "difference", "low", "high", "verdict"]}  # fmt: skip


def atlas(
    cells: list[dict[str, Any]], criteria: dict[str, Any], simulations: int
) -> tuple[pd.DataFrame, pd.DataFrame, pd.DataFrame]:
    """Percentages, orderings and first fits of every cell.

    A cell is a mapping with name, varied, levels, and runs, the results by specification and bandit. There is one row
    per cell, specification, criterion, and rule for choosing the setting. The rule ``best`` takes the setting that
    finds the optimum most often; ``gamma=g`` takes the best setting with that gamma, for the bandits that have one.
    Rows that a rule does not affect are not repeated under it. The first cell, criterion and rule are the default.
    """
    percentages, ordered, fits = [], [], []
    for cell in cells:
        known = {"cell": cell["name"], "varied": cell["varied"]} | cell["levels"]
        for spec, runs in cell["runs"].items():
            jobs = [read_traces(Path(path), simulations) for path in runs.values()]
            fits += [known | {"spec": spec, "bandit": traces.bandit} | first_fits(traces) for traces in jobs]
            for criterion in all_criteria(criteria, spec):
                keys = known | {"spec": spec} | criterion._asdict()
                found = {traces.bandit: found_by_rule(traces, criterion) for traces in jobs}
                for bandit, by_rule in found.items():
                    for rule, where in by_rule.items():
                        row = percentage(spec, bandit, where)
                        percentages.append(keys | {"bandit": bandit, "setting_rule": rule} | row)
                for rule in dict.fromkeys(rule for by_rule in found.values() for rule in by_rule):
                    concerned = {bandit for bandit, by_rule in found.items() if rule in by_rule}
                    pairs = orderings(
                        spec, {bandit: by_rule.get(rule, by_rule[BEST]) for bandit, by_rule in found.items()}
                    )
                    ordered += [keys | {"setting_rule": rule} | row for row in pairs
                                if {row["better"], row["worse"]} & concerned]  # fmt: skip
    names = ["cell", "varied", *cells[0]["levels"], "spec"]
    criterion_names = [*Criterion._fields, "setting_rule"]
    return (
        pd.DataFrame(percentages, columns=[*names, "bandit", *criterion_names, *COLUMNS["percentages"]])
        .astype({"paper_percent": "Int64"}),
        pd.DataFrame(ordered, columns=[*names, *criterion_names, *COLUMNS["orderings"]]),
        pd.DataFrame(fits),
    )  # fmt: skip


def found_by_rule(traces: Traces, criterion: Criterion) -> dict[str, NDArray[np.bool_]]:
    """Whether a bandit found the optimum (simulations,), by the rule that chose its setting."""
    found = np.isfinite(rounds_to_find(traces, criterion))
    gammas = [part for setting in traces.settings for part in setting.split(" ") if part.startswith("gamma=")]
    chosen = {BEST: found[best_setting(found)]}
    for gamma in dict.fromkeys(gammas):
        having = found[[gamma in setting.split(" ") for setting in traces.settings]]
        chosen[gamma] = having[best_setting(having)]
    return chosen


def percentage(spec: str, bandit: str, found: NDArray[np.bool_]) -> dict[str, Any]:
    """How often the optimum was found, and the paper's number."""
    low, high = (100.0 * end for end in intervals.wilson(int(found.sum()), len(found)))
    paper = PAPER_PERCENT.get((spec, bandit))
    inside = None if paper is None else bool(low <= paper <= high)
    return {"simulations": len(found), "percent": 100.0 * found.mean(), "low": low, "high": high,
            "paper_percent": paper, "inside": inside}  # fmt: skip


def first_fits(traces: Traces) -> dict[str, Any]:
    """In how many simulations the first fit after the warm start is as the paper describes it.

    That is, arm 2 has the highest estimate, then arm 1, then arm 0, at all evaluation contexts (``everywhere``), or at
    95 % of them (``nearly``). All settings start from the same fit, so only the first setting is counted.
    """
    shares = traces.first_order[0]
    return {"simulations": len(shares), "everywhere": int((shares == 1.0).sum()), "nearly": int((shares >= 0.95).sum())}


def statements(percentages: pd.DataFrame, ordered: pd.DataFrame) -> pd.DataFrame:
    """For each of the paper's numbers and orderings: under how many combinations it holds, and whether by default.

    A number holds if it lies in our interval.
    """
    rows = []
    for (spec, bandit), cells in percentages.dropna(subset="paper_percent").groupby(["spec", "bandit"], sort=False):
        verdicts = cells["inside"].map({True: HOLDS, False: FAILS})
        paper = cells["paper_percent"].iloc[0]
        rows.append(
            {"statement": f"{spec}: {bandit} finds the optimum in {paper} % of simulations"} | _counted(verdicts)
        )
    for (spec, better, worse), cells in ordered.groupby(["spec", "better", "worse"], sort=False):
        text = f"{spec}: {better} finds the optimum more often than {worse}"
        rows.append({"statement": text} | _counted(cells["verdict"]))
    return pd.DataFrame(rows)


def _counted(verdicts: pd.Series) -> dict[str, Any]:
    """Counts of verdicts; the first verdict is that of the default."""
    return {
        "holds": int((verdicts == HOLDS).sum()),
        "inconclusive": int((verdicts == INCONCLUSIVE).sum()),
        "fails": int(verdicts.isin([FAILS, REVERSED]).sum()),
        "of": len(verdicts),
        "at_default": verdicts.iloc[0],
    }
