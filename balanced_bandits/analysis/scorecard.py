"""The scorecard: every claim of the paper's computational part, compared with ours, with a verdict by the rules below.

The rules are written down once, in ``RULES``; the report prints them. The paper's own values are in ``analysis.paper``,
and everything else is read from the tables of a run.
"""

import math
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import pandas as pd

from balanced_bandits.analysis.classification.table2 import COLUMNS as SIZE_COLUMNS
from balanced_bandits.analysis.paper import BEST, CLAIMS, DATASETS, NO_BETTER, PAPER_PERCENT, PAPER_ROUNDS, SOONER
from balanced_bandits.analysis.synthetic.orderings import paper_pairs
from balanced_bandits.vocabulary import CLOSE, FAILS, HOLDS, SPECIFICATIONS, UNJUDGED, VERDICTS

ENOUGH = 10  # simulations or datasets; with fewer there is no verdict
NEAR = 10.0  # percentage points
FACTOR = 2.0  # of find times

RULES = {
    UNJUDGED: f"The run does not have the bandits, or has fewer than {ENOUGH} simulations, simulations that found the "
    "optimum, or families of datasets to count.",
    "percentages": f"Holds: the paper's number lies in our 95 % interval, which is at most {2 * NEAR:g} points wide. "
    f"Close: it lies in a wider one, or outside but at most {NEAR:g} points from ours. Does not hold: neither.",
    "find times": "Holds: the paper's number lies between the quartiles of our simulations that found the optimum. "
    f"Close: it is at most {FACTOR:g} times as large or as small as our median. Does not hold: neither.",
    "orderings in the synthetic example": "Holds: our 95 % interval of the difference lies on the paper's side of "
    "zero. Reversed: it lies on the other side. Inconclusive: it contains zero.",
    "orderings on datasets": "The difference is the mean regret of the bandit that the paper calls better minus that "
    "of the other. Practically equal: its interval lies within the region of practical equivalence (rope, 1 point by "
    "default), and so does a typical difference with probability above 95 %. Otherwise, holds: the interval lies below "
    "zero, and a typical difference is above the region with probability below 5 %. Reversed: the same with the signs "
    "exchanged. Inconclusive: none of these. Intervals are by bootstrap over families of datasets, and cover all rows "
    "of the table at once with 95 % probability; the probabilities are those of the Bayesian signed-rank test.",
    "best overall": "The weakest verdict of the orderings that it is made of.",
    "numbers of datasets": "Holds: the number is the paper's. Close: as a share of all datasets it is at most "
    f"{NEAR:g} points from the paper's. Does not hold: neither.",
}
# How the summary calls the claims of a rule; those on Figure 4 by their reading and protocol instead.
KINDS = {
    "percentages": "Table 1, percentages",
    "orderings in the synthetic example": "Table 1 and section 4.1, orderings",
    "best overall": "section 4.1, BLTS best",
    "find times": "section 4.1, find times",
    "numbers of datasets": "Table 2, numbers of datasets",
}
COLUMNS = ["experiment", "claim", "where", "reading", "protocol", "paper", "ours", "low", "high", "unit", "verdict",
           "rule", "figure", "file", "rows"]  # fmt: skip


def scorecard(tables: Mapping[str, pd.DataFrame], suite: str) -> pd.DataFrame:
    """A row for each claim; those on Figure 4 for each reading and protocol.

    ``tables``: table1, rates, orderings, sooner, claims and table2, as the run wrote them. ``low`` and ``high``: the
    95 % interval of ours, of find times the quartiles. ``file`` and ``rows``: where our value is, as conditions on the
    file's columns; ``figure``: the drawing that shows it, without its ending.
    """
    rows = [*_percentages(tables["table1"]), *_orderings(tables["orderings"], tables["table1"])]
    rows += _best_of_table1(rows)
    rows += [*_find_times(tables["rates"], tables["table1"]), *_sooner(tables["sooner"])]
    on_datasets = list(_figure4(tables["claims"], suite))
    rows += [*on_datasets, *_best_of_figure4(on_datasets, suite), *_sizes(tables["table2"], suite)]
    return pd.DataFrame(rows, columns=COLUMNS)


def summary(card: pd.DataFrame) -> list[dict[str, Any]]:
    """Number of claims per verdict: those on Figure 4 by reading and protocol, the others by kind."""
    named = pd.Series(
        [f"Figure 4: variance {reading}, protocol {protocol}" if protocol else KINDS[rule]
         for rule, reading, protocol in card[["rule", "reading", "protocol"]].fillna("").itertuples(index=False)],
        index=card.index,
    )  # fmt: skip
    return [
        {"claims": claims, "counts": [int((of["verdict"] == verdict).sum()) for verdict in VERDICTS]}
        for claims, of in card.groupby(named, sort=False)
    ]


def summary_in_markdown(card: pd.DataFrame) -> str:
    """The same as a Markdown table."""
    lines = [["claims", *VERDICTS], ["---"] * (1 + len(VERDICTS))]
    lines += [[of["claims"], *map(str, of["counts"])] for of in summary(card)]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def near(paper: float, ours: float, low: float, high: float) -> str:
    """The verdict on a percentage.

    >>> near(84, 80, 71, 87), near(84, 60, 31, 85), near(84, 95, 93, 97), near(84, 94, 93, 95)
    ('holds', 'close', 'does not hold', 'close')
    """
    inside = low <= paper <= high
    if inside and high - low <= 2 * NEAR:
        return HOLDS
    return CLOSE if inside or abs(paper - ours) <= NEAR else FAILS


def about(paper: float, median: float, low: float, high: float) -> str:
    """The verdict on a find time, given our median and quartiles.

    >>> about(240, 200, 150, 260), about(240, 130, 100, 160), about(240, 16, 5, 30)
    ('holds', 'close', 'does not hold')
    """
    if low <= paper <= high:
        return HOLDS
    return CLOSE if median / FACTOR <= paper <= median * FACTOR else FAILS


def weakest(verdicts: list[str]) -> str:
    """The verdict on a claim that is made of others; open if one of them is.

    >>> weakest(["holds", "inconclusive"]), weakest(["reversed", "can't be judged"])
    ('inconclusive', "can't be judged")
    """
    return max(verdicts, key=VERDICTS.index)


def conditions(**values: Any) -> str:
    """Which rows of a table are meant: conditions on its columns.

    >>> conditions(spec="well", bandit="BLTS")
    'spec=well; bandit=BLTS'
    """
    return "; ".join(f"{name}={value}" for name, value in values.items())


def _row(experiment: str, rule: str, claim: str, where: str, paper: str, **more: Any) -> dict[str, Any]:
    empty = {"reading": "", "protocol": "", "ours": math.nan, "low": math.nan, "high": math.nan, "verdict": UNJUDGED}
    return empty | {"experiment": experiment, "rule": rule, "claim": claim, "where": where, "paper": paper} | more


def _one(table: pd.DataFrame, **values: Any) -> dict[str, Any] | None:
    """The one row with these values, if there is one."""
    for name, value in values.items():
        table = table[table[name] == value]
    return {str(name): value for name, value in table.iloc[0].items()} if len(table) else None


def _judged(found: dict[str, Any] | None, enough: Callable[[dict[str, Any]], bool], *names: str) -> dict[str, Any]:
    """Ours with its interval, and the verdict its table has where there is enough to count."""
    if found is None:
        return {}
    number = dict(zip(("ours", "low", "high"), (found[name] for name in names), strict=True))
    return number | ({"verdict": found["verdict"]} if enough(found) else {})


def _percentages(table1: pd.DataFrame) -> Iterator[dict[str, Any]]:
    for (spec, bandit), paper in PAPER_PERCENT.items():
        found = _one(table1, spec=spec, bandit=bandit)
        if found:
            found["verdict"] = near(paper, found["percent"], found["low"], found["high"])
        yield _row(
            "synthetic", "percentages", f"{bandit} finds the optimum, {SPECIFICATIONS[spec]}", "Table 1", f"{paper} %",
            unit="% of simulations", figure="figures/synthetic/settings", file="results/synthetic/table1.csv",
            rows=conditions(spec=spec, bandit=bandit),
            **_judged(found, lambda row: row["simulations"] >= ENOUGH, "percent", "low", "high"),
        )  # fmt: skip


def _orderings(orderings: pd.DataFrame, table1: pd.DataFrame) -> Iterator[dict[str, Any]]:
    enough = len(table1) > 0 and table1["simulations"].min() >= ENOUGH
    for spec in SPECIFICATIONS:
        bandits = [bandit for of, bandit in PAPER_PERCENT if of == spec]
        for better, worse in paper_pairs(spec, bandits):
            points = PAPER_PERCENT[spec, better] - PAPER_PERCENT[spec, worse]
            found = _one(orderings, spec=spec, better=better, worse=worse)
            where = "Table 1" + ("; the text: no better" if (spec, better, worse) == NO_BETTER else "")
            yield _row(
                "synthetic", "orderings in the synthetic example",
                f"{better} finds the optimum more often than {worse}, {SPECIFICATIONS[spec]}", where,
                f"{points:+d} points", unit="points", figure="figures/synthetic/settings",
                file="results/synthetic/orderings.csv", rows=conditions(spec=spec, better=better, worse=worse),
                **_judged(found, lambda row: enough, "difference", "low", "high"),
            )  # fmt: skip


def _best_of_table1(rows: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    for spec, words in SPECIFICATIONS.items():
        of_best = conditions(spec=spec, better=BEST)
        parts = [row["verdict"] for row in rows if row["rows"].startswith(f"{of_best};")]
        yield _row(
            "synthetic", "best overall", f"{BEST} finds the optimum more often than all others, {words}",
            "section 4.1, text", f"{len(parts)} of {len(parts)}", unit=f"of {len(parts)} orderings hold",
            ours=parts.count(HOLDS), verdict=weakest(parts), figure="figures/synthetic/settings",
            file="results/synthetic/orderings.csv", rows=of_best,
        )  # fmt: skip


def _find_times(rates: pd.DataFrame, table1: pd.DataFrame) -> Iterator[dict[str, Any]]:
    for (spec, bandit), paper in PAPER_ROUNDS.items():
        best = _one(table1, spec=spec, bandit=bandit)
        keys = {"spec": spec, "bandit": bandit}
        found = None
        if best:
            keys |= {name: best[name] for name in ("setting", "target", "when", "threshold")}
            found = _one(rates, **keys)
        names = "median_rounds_to_find", "rounds_to_find_low", "rounds_to_find_high"
        if found:
            found["verdict"] = about(paper, *(found[name] for name in names))
        yield _row(
            "synthetic", "find times", f"{bandit} finds the optimum after {paper} observations, {SPECIFICATIONS[spec]}",
            "section 4.1, text", f"{paper}", unit="rounds (median, quartiles)", figure="figures/synthetic/curves",
            file="results/synthetic/rates.csv", rows=conditions(**keys),
            **_judged(found, lambda row: row["found"] >= ENOUGH, *names),
        )  # fmt: skip


def _sooner(sooner: pd.DataFrame) -> Iterator[dict[str, Any]]:
    for spec, better, worse in SOONER:
        yield _row(
            "synthetic", "orderings in the synthetic example",
            f"{better} finds the optimum sooner than {worse}, {SPECIFICATIONS[spec]}", "section 4.1, text", "sooner",
            unit="% of simulations sooner", figure="figures/synthetic/curves", file="results/synthetic/sooner.csv",
            rows=conditions(spec=spec, better=better, worse=worse),
            **_judged(_one(sooner, spec=spec, better=better, worse=worse),
                      lambda row: row["sooner"] + row["later"] >= ENOUGH, "share", "low", "high"),
        )  # fmt: skip


def _figure4(claims: pd.DataFrame, suite: str) -> Iterator[dict[str, Any]]:
    for reading, protocol in dict.fromkeys(zip(claims["reading"], claims["protocol"], strict=True)):
        for better, worse in CLAIMS:
            keys = {"better": better, "worse": worse, "reading": reading, "protocol": protocol}
            found = _one(claims, **keys)
            if found:
                for name in ("difference", "low", "high"):
                    found[name] *= 100.0
            yield _row(
                "classification", "orderings on datasets", f"{better} outperforms {worse}", "Figure 4, section 4.2",
                "better", reading=reading, protocol=protocol, unit="points of regret",
                figure=f"figures/{suite}/pairwise_{reading}_{protocol}", file=f"results/{suite}/claims.csv",
                rows=conditions(**keys), **_judged(found, lambda row: True, "difference", "low", "high"),
            )  # fmt: skip


def _best_of_figure4(rows: list[dict[str, Any]], suite: str) -> Iterator[dict[str, Any]]:
    for reading, protocol in dict.fromkeys((row["reading"], row["protocol"]) for row in rows):
        here = [row for row in rows if (row["reading"], row["protocol"]) == (reading, protocol)]
        parts = [row["verdict"] for row in here if row["claim"].startswith(f"{BEST} ")]
        yield _row(
            "classification", "best overall", f"{BEST} outperforms all others", "section 4.2, text",
            f"{len(parts)} of {len(parts)}", reading=reading, protocol=protocol, ours=parts.count(HOLDS),
            unit=f"of {len(parts)} orderings hold", verdict=weakest(parts), figure=f"figures/{suite}/claims",
            file=f"results/{suite}/claims.csv", rows=conditions(better=BEST, reading=reading, protocol=protocol),
        )  # fmt: skip


def _sizes(table2: pd.DataFrame, suite: str) -> Iterator[dict[str, Any]]:
    played = int(table2.loc[table2["stratum"] == "played", "datasets"].iloc[0])
    for quantity, stratum, datasets, paper in table2[SIZE_COLUMNS].itertuples(index=False):
        if pd.isna(paper):
            continue
        distance = 100.0 * abs(datasets / played - paper / DATASETS) if played else math.inf
        verdict = HOLDS if datasets == paper else CLOSE if distance <= NEAR and stratum != "played" else FAILS
        yield _row(
            "classification", "numbers of datasets", f"{quantity} {stratum}" if quantity != "All" else "All datasets",
            "Table 2", f"{paper:.0f}", ours=datasets, unit=f"of {played} datasets", figure="",
            file=f"results/{suite}/table2.csv", rows=conditions(quantity=quantity, stratum=stratum),
            verdict=verdict if played >= ENOUGH else UNJUDGED,
        )  # fmt: skip
