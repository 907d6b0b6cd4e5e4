"""Which reading made Table 1: how well readings of the synthetic example fit the paper's eight percentages."""

import itertools
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from balanced_bandits.analysis import intervals
from balanced_bandits.analysis.paper import PAPER_PERCENT, PAPER_ROUNDS
from balanced_bandits.analysis.synthetic.criteria import Criterion, best_setting, rounds_to_find
from balanced_bandits.analysis.synthetic.likelihood import PAPER_SIMULATIONS, log_likelihood, p_value
from balanced_bandits.analysis.synthetic.orderings import paper_pairs
from balanced_bandits.analysis.synthetic.traces import Traces
from balanced_bandits.vocabulary import DIMENSIONS, LOOKED_AT, PLAYED, SIGNIFICANT

Cell = tuple[str, str]  # specification, bandit
Levels = Mapping[str, str]  # by dimension
DEFAULT_LOOK = {name: next(iter(dimension.levels)) for name, dimension in LOOKED_AT.items()}
FIRST_FIT = 0.95  # share of contexts at which the first fit has the order that the text describes


class Look(NamedTuple):
    """One way to look at the runs of a bandit."""

    policy: str  # agreement (of the greedy policy) or played (the last choices)
    target: str
    when: str
    threshold: float
    checks: int  # those up to the horizon

    @classmethod
    def at(cls, traces: Traces, levels: Levels) -> "Look":
        """The way to look that these levels mean."""
        value = {name: dimension.levels[levels[name]].value for name, dimension in LOOKED_AT.items()}
        target = value["target"] if traces.spec == "mis" else "truth"
        checks = int((traces.rounds <= value["horizon"] * traces.rounds[-1]).sum())
        return cls(value["policy"], target, value["when"], value["threshold"], checks)

    def shares(self, traces: Traces) -> NDArray[np.float64]:
        """The agreement with the optimum (settings, simulations, checks)."""
        shares: NDArray[np.float64] = getattr(traces, self.policy)[self.target][..., : self.checks]
        return shares

    def rounds(self, traces: Traces) -> NDArray[np.float64]:
        """Rounds to find the optimum (settings, simulations), infinite if it is not found."""
        cut = traces._replace(rounds=traces.rounds[: self.checks], agreement={self.target: self.shares(traces)})
        return rounds_to_find(cut, Criterion(self.target, self.when, self.threshold))

    def found(self, traces: Traces) -> NDArray[np.bool_]:
        """Whether it is found (settings, simulations): the same, but faster."""
        shares = self.shares(traces)
        found: NDArray[np.bool_] = (shares[..., -1] if self.when == "end" else shares.max(axis=-1)) >= self.threshold
        return found


def finds(traces: Traces, looks: Sequence[Levels]) -> NDArray[np.float64]:
    """In how many simulations the optimum is found (looks,), at the best setting or on average over settings."""
    known: dict[Look, NDArray[np.int64]] = {}  # the counts of all settings
    counts = []
    for levels in looks:
        look = Look.at(traces, levels)
        if look not in known:
            known[look] = look.found(traces).sum(axis=-1)
        counts.append(known[look].mean() if levels["settings"] == "mean" else known[look].max())
    return np.array(counts, dtype=float)


def looks_of(space: Mapping[str, Sequence[str]]) -> list[dict[str, str]]:
    """All ways to look at the same runs, the default first if it is among them."""
    names = list(LOOKED_AT)
    return [dict(zip(names, levels, strict=True)) for levels in itertools.product(*(space[name] for name in names))]


def score(runs: Mapping[Cell, Traces], space: Mapping[str, Sequence[str]]) -> dict[str, Any]:
    """A row of a rung: the fit of a reading at the way to look at its runs that fits best.

    The score is the log-likelihood of the paper's numbers, if they are of 100 simulations. ``DIMENSION=LEVEL`` is the
    best score with that level.
    """
    looks, cells = looks_of(space), [cell for cell in PAPER_PERCENT if cell in runs]
    simulations = next(iter(runs.values())).first_order.shape[1]
    counts = np.stack([finds(runs[cell], looks) for cell in cells], axis=-1)
    scores = log_likelihood([PAPER_PERCENT[cell] for cell in cells], PAPER_SIMULATIONS[0], counts, simulations)
    best = int(scores.argmax())
    with_level = {
        f"{name}={level}": max(s for s, look in zip(scores, looks, strict=True) if look[name] == level)
        for name in LOOKED_AT for level in space[name]
    }  # fmt: skip
    percent = {f"{spec} {bandit}": 100.0 * counts[best, i] / simulations for i, (spec, bandit) in enumerate(cells)}
    return {"simulations": simulations, "score": scores[best], **looks[best], **percent, **with_level}


def ranked(rung: pd.DataFrame) -> pd.DataFrame:
    """The readings of a rung, the best first; equal ones in the order of their names."""
    return rung.sort_values(["score", "reading"], ascending=[False, True], kind="stable", ignore_index=True)


def numbers(runs: Mapping[Cell, Traces], levels: Levels) -> list[dict[str, Any]]:
    """One row per number of Table 1: our percentage with its interval beside the paper's, and the rounds to find it."""
    rows = []
    for (spec, bandit), traces in runs.items():
        rounds = Look.at(traces, levels).rounds(traces)
        found = np.isfinite(rounds)
        best, simulations = best_setting(found), found.shape[1]
        mean = levels["settings"] == "mean"
        count = float(found.sum(axis=1).mean()) if mean else float(found[best].sum())
        times = rounds[found] if mean else rounds[best][found[best]]
        low, high = (100.0 * end for end in intervals.wilson(count, simulations))
        paper = PAPER_PERCENT[spec, bandit]
        quantiles = np.quantile(times, [0.05, 0.5, 0.95]) if times.size else [np.nan] * 3
        rows.append({
            "spec": spec, "bandit": bandit, "setting": "" if mean else traces.settings[best],
            "simulations": simulations, "found": count, "percent": 100.0 * count / simulations, "low": low,
            "high": high, "paper_percent": paper, "inside": bool(low <= paper <= high),
            "rounds_low": quantiles[0], "median_rounds_to_find": quantiles[1], "rounds_high": quantiles[2],
            "paper_rounds": PAPER_ROUNDS.get((spec, bandit), np.nan),
            "first_fits": 100.0 * float((traces.first_order[0] >= FIRST_FIT).mean()),
        })  # fmt: skip
    return rows


def best(numbers: pd.DataFrame, rng: np.random.Generator) -> pd.DataFrame:
    """One row per reading of the last rung: the default first, then by likelihood.

    ``difference`` is the root mean square of our percentages minus the paper's, in points, ``largest`` the largest of
    them. ``inside``: how many of the paper's numbers lie in our intervals. ``p_N``: goodness of fit if the paper had N
    simulations; a reading is acceptable if it is at least 0.05 for one N. ``orderings``: how many of the paper's
    orderings our percentages have. ``times``: how many of its find times lie between our 5 % and 95 % quantiles.
    ``first_fits_SPEC``: in how many percent of simulations the first fit is as the text describes it.
    """
    rows = []
    for _, of in numbers.groupby("number", sort=True):
        first = of.iloc[0]
        levels = {name: first[name] for name in DIMENSIONS}
        apart = of["percent"] - of["paper_percent"]
        row: dict[str, Any] = {"number": int(first["number"]), "reading": first["reading"], **levels,
                               "against": against(levels), "simulations": int(first["simulations"])}  # fmt: skip
        row |= {"difference": float(np.sqrt((apart**2).mean())), "largest": float(apart.abs().max()),
                "inside": int(of["inside"].sum()), "of": len(of)}  # fmt: skip
        for number in PAPER_SIMULATIONS:
            given = (of["paper_percent"], number, of["found"], int(first["simulations"]))
            row[f"log_likelihood_{number}"] = float(log_likelihood(*given))
            row[f"p_{number}"] = p_value(*given, rng)
        for spec, part in of.groupby("spec", sort=False):
            given = (part["paper_percent"], PAPER_SIMULATIONS[0], part["found"], int(first["simulations"]))
            row |= {f"p_{PAPER_SIMULATIONS[0]}_{spec}": p_value(*given, rng),
                    f"first_fits_{spec}": float(part["first_fits"].iloc[0])}  # fmt: skip
        row["acceptable"] = any(row[f"p_{number}"] >= SIGNIFICANT for number in PAPER_SIMULATIONS)
        row["orderings"], row["orderings_of"] = _orderings(of)
        timed = of[of["paper_rounds"].notna()]
        inside = (timed["rounds_low"] <= timed["paper_rounds"]) & (timed["paper_rounds"] <= timed["rounds_high"])
        rows.append(row | {"times": int(inside.sum()), "times_of": len(timed)})
    table = pd.DataFrame(rows)
    order = table.index[1:][np.argsort(-table[f"log_likelihood_{PAPER_SIMULATIONS[0]}"].to_numpy()[1:], kind="stable")]
    return table.loc[[0, *order]].reset_index(drop=True)


def _orderings(numbers: pd.DataFrame) -> tuple[int, int]:
    """How many of the paper's orderings our percentages have, and of how many."""
    percent = {(str(row["spec"]), str(row["bandit"])): float(row["percent"]) for row in numbers.to_dict("records")}
    pairs = [(spec, better, worse) for spec in dict.fromkeys(spec for spec, _ in percent)
             for better, worse in paper_pairs(spec, [b for s, b in percent if s == spec])]  # fmt: skip
    return sum(percent[spec, better] > percent[spec, worse] for spec, better, worse in pairs), len(pairs)


def against(levels: Levels) -> str:
    """What in the text speaks against a reading."""
    reasons = [DIMENSIONS[name].levels[level].against for name, level in levels.items()]
    return "; ".join(dict.fromkeys(filter(None, reasons)))


def dimensions(rung: pd.DataFrame, too_costly: Sequence[str], space: Mapping[str, Sequence[str]]) -> pd.DataFrame:
    """For each level of each dimension: the scores of the readings of the first rung, which were drawn at random.

    ``tried`` and ``too_costly`` count readings; ``best``, ``high``, ``median`` and ``low`` are the largest score and
    the quartiles over them (for a dimension that only changes how runs are looked at: of the best score of each reading
    with that level). ``explains``: the share of the variance of these scores between the levels of the dimension.
    """
    left_out = pd.DataFrame([name.split("-") for name in too_costly], columns=list(PLAYED))
    rows = []
    for name, dimension in DIMENSIONS.items():
        scores = {level: (rung.loc[rung[name] == level, "score"] if name in PLAYED else rung[f"{name}={level}"])
                  for level in space[name]}  # fmt: skip
        explains = _explained(list(scores.values()))
        for level, of in scores.items():
            quartiles = of.quantile([0.25, 0.5, 0.75]).tolist() if len(of) else [np.nan] * 3
            rows.append({
                "dimension": name, "words": dimension.words, "level": level,
                "level_words": dimension.levels[level].words, "against": dimension.levels[level].against,
                "tried": len(of), "too_costly": int((left_out[name] == level).sum()) if name in PLAYED else 0,
                "best": of.max() if len(of) else np.nan, "low": quartiles[0], "median": quartiles[1],
                "high": quartiles[2], "explains": explains,
            })  # fmt: skip
    return pd.DataFrame(rows)


def _explained(groups: Sequence["pd.Series[float]"]) -> float:
    """Between-group share of the sum of squares (eta squared); 0 if all scores are equal."""
    values = pd.concat(groups)
    total = float(((values - values.mean()) ** 2).sum())
    between = sum(len(of) * float(of.mean() - values.mean()) ** 2 for of in groups if len(of))
    return between / total if total > 0.0 else 0.0


def rungs(chosen: Sequence[pd.DataFrame], simulations: Sequence[int]) -> pd.DataFrame:
    """One row per rung: how many readings it played, how many of them for the first time, and at what cost."""
    rows: list[dict[str, Any]] = []
    tried: set[str] = set()
    for number, (table, new) in enumerate(zip(chosen, simulations, strict=True)):
        names = set(table.loc[table["left_out"] == "", "reading"])
        rows.append({"rung": number, "new_simulations": new, "readings": len(names), "new_readings": len(names - tried),
                     "left_out": int((table["left_out"] != "").sum()),
                     "predicted_hours": float(table["predicted_seconds"].sum()) / 3600.0})  # fmt: skip
        tried |= names
    return pd.DataFrame(rows)
