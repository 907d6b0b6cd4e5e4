"""How the percentages of Table 1 depend on what counts as finding the optimum."""

from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from balanced_bandits.figures.style import TEXT, bandit_styles
from balanced_bandits.vocabulary import MOMENTS, SPECIFICATIONS, TARGETS


def draw(criteria: pd.DataFrame, table1: pd.DataFrame) -> Figure:
    """Draw one row per specification and one column per target and time, with the thresholds on the x axis."""
    best = criteria
    bandits = list(dict.fromkeys(best["bandit"]))
    styles = bandit_styles(bandits)
    listed = set(zip(best["spec"], best["target"], best["when"], strict=True))
    shown = {
        spec: [(target, when) for target in TARGETS for when in MOMENTS if (spec, target, when) in listed]
        for spec in SPECIFICATIONS
        if spec in set(best["spec"])
    }
    columns = max(len(panels) for panels in shown.values())
    thresholds = sorted(best["threshold"].unique())
    figure = Figure(figsize=(TEXT, 0.75 + 2.05 * len(shown)))
    height = figure.get_figheight()
    axes = figure.subplots(
        len(shown), columns, squeeze=False, sharey=True,
        gridspec_kw={"left": 0.095, "right": 0.99, "bottom": 0.78 / height, "top": 1 - 0.38 / height, "wspace": 0.05,
                     "hspace": 0.50},
    )  # fmt: skip
    for i, (spec, panels) in enumerate(shown.items()):
        for j in range(columns):
            if j >= len(panels):
                axes[i, j].set_axis_off()
                continue
            target, when = panels[j]
            rows = best[(best["spec"] == spec) & (best["target"] == target) & (best["when"] == when)]
            _panel(axes[i, j], rows, table1[table1["spec"] == spec], bandits, thresholds, styles)
            axes[i, j].set_title(f"{TARGETS[target].short},\n{MOMENTS[when]}", fontsize=7, pad=3, linespacing=1.1)
        axes[i, 0].set_ylabel(f"{SPECIFICATIONS[spec]}\noptimum found (%)", fontsize=8)
    handles = [Line2D([], [], **styles[bandit], linewidth=1, markersize=4, label=bandit) for bandit in bandits]
    figure.legend(handles=handles, loc="lower center", ncol=len(handles), frameon=False, fontsize=7.5,
                  handlelength=3, borderaxespad=0.2)  # fmt: skip
    note = "share of contexts on which the policy must agree with the target; each criterion uses its own best setting"
    figure.text(0.53, 0.30 / height, note, ha="center", fontsize=7)
    return figure


def _panel(
    panel: Axes,
    rows: pd.DataFrame,
    paper: pd.DataFrame,
    bandits: list[str],
    thresholds: list[float],
    styles: dict[str, dict[str, Any]],
) -> None:
    """Draw the percentages with their intervals by threshold, side by side, and the paper's in a separate strip."""
    for k, bandit in enumerate(bandits):
        of = rows[rows["bandit"] == bandit].sort_values("threshold")
        shift = 0.16 * (k - (len(bandits) - 1) / 2)
        places = [thresholds.index(threshold) + shift for threshold in of["threshold"]]
        errors = [of["percent"] - of["percent_low"], of["percent_high"] - of["percent"]]
        panel.errorbar(
            places,
            of["percent"],
            yerr=errors,
            **styles[bandit],
            linewidth=0.9,
            elinewidth=0.8,
            markersize=3,
            markeredgewidth=0.8,
        )
        of_paper = paper.loc[paper["bandit"] == bandit, "paper_percent"].dropna()
        panel.plot(
            [len(thresholds) + shift] * len(of_paper),
            of_paper,
            **(styles[bandit] | {"linestyle": ""}),
            markersize=4.5,
            markeredgewidth=0.8,
        )
    strip = len(thresholds) - 0.5
    panel.axvspan(strip, strip + 1, color="#eeeeee", zorder=0, linewidth=0)
    panel.set(xlim=(-0.5, strip + 1), ylim=(-5, 106), yticks=range(0, 101, 20))
    panel.set_xticks(
        range(len(thresholds) + 1), [*(f"{threshold:g}".removeprefix("0") for threshold in thresholds), "paper"]
    )
    panel.tick_params(length=2, width=0.6, labelsize=6.5)
    panel.grid(axis="y", color="#e6e6e6", linewidth=0.5)
    panel.set_axisbelow(True)
