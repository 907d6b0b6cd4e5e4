"""The search for the reading that made Table 1 in words: a few sentences, and the table of the best readings."""

from typing import Any

import pandas as pd

from balanced_bandits.analysis.synthetic.likelihood import PAPER_SIMULATIONS
from balanced_bandits.vocabulary import DIMENSIONS, SIGNIFICANT

LEADING = 3  # dimensions to name


def sentences(best: pd.DataFrame, dimensions: pd.DataFrame, search: pd.DataFrame) -> list[str]:
    """What was found, by rules from the tables; the first reading of ``best`` is the default."""
    tried, hours = int(search["new_readings"].sum()), float(search["predicted_hours"].sum())
    said = [
        f"{tried} readings were played in {len(search)} rungs ({hours:.2g} CPU hours, as predicted); the last rung has "
        f"{int(best['simulations'].max())} new simulations of each of {best['reading'].nunique()} readings."
    ]
    others = best.iloc[1:]
    fitting = others[others["acceptable"]]
    supported = fitting[fitting["against"] == ""]
    if others.empty:
        said.append("The budget was too small for any reading but the default in the last rung.")
    else:
        top = others.iloc[0]
        said.append(f"The best of them is {describe(top)}: {_fit(top)}.")
        if fitting.empty:
            said.append(
                f"None is acceptable: given any of them, numbers like the paper's have a probability below "
                f"{SIGNIFICANT:g}, whether it had {' or '.join(f'{n:,}' for n in PAPER_SIMULATIONS)} simulations."
            )
        else:
            said.append(
                f"{len(fitting)} of {len(others)} are acceptable (p of at least {SIGNIFICANT:g}), and the text speaks "
                f"against {len(fitting) - len(supported)} of these."
            )
            said.append("With so many readings and only eight numbers, one that fits need not be the authors' own.")
    said.append(f"The default: {_fit(best.iloc[0])}.")
    leading = dimensions.drop_duplicates("dimension").nlargest(LEADING, "explains")
    named = ", ".join(f"{row['words']} ({100 * row['explains']:.0f} %)" for row in leading.to_dict("records"))
    said.append(f"Of the variance of the scores in the first rung, these explain most: {named}.")
    return said


def _fit(row: "pd.Series[Any]") -> str:
    """How well a reading fits."""
    values = ", ".join(f"p = {row[f'p_{n}']:.2g} with {n:,} simulations" for n in PAPER_SIMULATIONS)
    return (
        f"it differs from the paper's numbers by {row['difference']:.0f} points (root mean square; at most "
        f"{row['largest']:.0f}), {row['inside']} of {row['of']} of them lie in its intervals, {values}"
    )


def describe(row: "pd.Series[Any]") -> str:
    """In what a reading differs from the default."""
    changed = [f"{dimension.words}: {dimension.levels[row[name]].words}" for name, dimension in DIMENSIONS.items()
               if row[name] != next(iter(dimension.levels))]  # fmt: skip
    return "; ".join(changed) or "as the default"


def head(numbers: pd.DataFrame) -> list[str]:
    """The columns of the table of the best readings."""
    first = numbers[numbers["number"] == numbers["number"].min()]
    cells = [f"{row.spec} {row.bandit}" for row in first.itertuples()]
    return ["differs from the default in", *cells, "difference", *(f"p, {n:,}" for n in PAPER_SIMULATIONS),
            "orderings", "find times", "first fits, %", "the text against it"]  # fmt: skip


def cells(best: pd.DataFrame, numbers: pd.DataFrame) -> list[list[str]]:
    """The rows of that table: the paper, the default, and the other readings by likelihood."""
    of_reading = dict(iter(numbers.groupby("number")))
    first = of_reading[best["number"].iloc[0]]
    times = ", ".join(f"{of.paper_rounds:g}" for of in first[first["paper_rounds"].notna()].itertuples())
    rows = [["the paper", *(f"{of.paper_percent:g}" for of in first.itertuples()), "", "", "", "", times, "", ""]]
    for i, row in best.iterrows():
        of = of_reading[row["number"]]
        found = of.loc[of["paper_rounds"].notna(), "median_rounds_to_find"]
        fits = [f"{row[name]:.0f}" for name in best.columns if str(name).startswith("first_fits_")]
        rows.append([
            "nothing: the default" if i == 0 else describe(row),
            *(f"{cell['percent']:.0f}{'' if cell['inside'] else '*'}" for cell in of.to_dict("records")),
            f"{row['difference']:.1f}", *(f"{row[f'p_{n}']:.2g}" for n in PAPER_SIMULATIONS),
            f"{row['orderings']} of {row['orderings_of']}",
            ", ".join("–" if pd.isna(time) else f"{time:.0f}" for time in found), ", ".join(fits),
            row["against"] or "–",
        ])  # fmt: skip
    return rows


CAPTION = (
    "The readings of the last rung: percentages of simulations that find the optimum beside the paper's (* the paper's "
    "number is outside the 95 % interval of ours), root mean square difference in points, goodness of fit p of the "
    "numbers if the paper had so many simulations, orderings of the paper that the percentages have, median rounds to "
    "find the optimum for the bandits whose find times the text has, and in how many simulations the first fit is as "
    "the text describes it (well-, mis-specified)."
)


def in_words(
    best: pd.DataFrame, numbers: pd.DataFrame, dimensions: pd.DataFrame, search: pd.DataFrame
) -> dict[str, Any]:
    """The sentences, and the caption, head and rows of the table."""
    return {"sentences": sentences(best, dimensions, search), "caption": CAPTION, "head": head(numbers),
            "cells": cells(best, numbers)}  # fmt: skip


def markdown(words: dict[str, Any]) -> str:
    """All of it as Markdown."""
    rows = [words["head"], ["---"] * len(words["head"]), *words["cells"]]
    lines = [f"| {' | '.join(row)} |" for row in rows]
    return "\n\n".join([*words["sentences"], words["caption"], "\n".join(lines)]) + "\n"
