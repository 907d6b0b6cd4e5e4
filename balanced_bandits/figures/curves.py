"""Regret, and share of simulations that have found the optimum, over the rounds."""

from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from balanced_bandits.figures.style import TEXT, bandit_styles, short_setting
from balanced_bandits.vocabulary import SPECIFICATIONS

# The measures: the table's columns for the line and its band, and the axis label.
REGRET = ("regret_mean", "regret_low", "regret_high", "cumulative regret")
FOUND = ("found_percent", "found_low", "found_high", "optimum found (%)")


def draw(curves: pd.DataFrame, table1: pd.DataFrame) -> Figure:
    """Draw the curves, and mark the rounds at which the optimum is found according to the paper's text."""
    specs = [spec for spec in SPECIFICATIONS if spec in set(curves["spec"])]
    bandits = list(dict.fromkeys(curves["bandit"]))
    styles = bandit_styles(bandits)
    figure = Figure(figsize=(TEXT, 4.7))
    axes = figure.subplots(
        2, len(specs), squeeze=False, sharex=True, sharey="row",
        gridspec_kw={"left": 0.085, "right": 0.985, "bottom": 0.175, "top": 0.945, "wspace": 0.09, "hspace": 0.08},
    )  # fmt: skip
    for j, spec in enumerate(specs):
        axes[0, j].set_title(SPECIFICATIONS[spec], fontsize=9)
        settings = []
        for bandit in bandits:
            rows = curves[(curves["spec"] == spec) & (curves["bandit"] == bandit)].sort_values("round")
            if rows.empty:
                continue
            line = {"color": styles[bandit]["color"], "linestyle": styles[bandit]["linestyle"], "linewidth": 1.3}
            band = {"color": line["color"], "alpha": 0.15, "linewidth": 0}
            middle, low, high, _ = REGRET
            axes[0, j].plot(rows["round"], rows[middle], **line, label=bandit)
            axes[0, j].fill_between(rows["round"], rows[low], rows[high], **band)
            # A simulation counts as having found the optimum from the evaluated round on.
            middle, low, high, _ = FOUND
            axes[1, j].plot(rows["round"], rows[middle], **line, label=bandit, drawstyle="steps-post")
            axes[1, j].fill_between(rows["round"], rows[low], rows[high], **band, step="post")
            settings.append(f"{bandit} {short_setting(rows['setting'].iloc[0])}")
        # Show the setting of each line, since it is the best of a grid.
        axes[0, j].text(0.02, 0.97, "\n".join(settings), transform=axes[0, j].transAxes, va="top", fontsize=6,
                        color="#444444", linespacing=1.4)  # fmt: skip
        marks = table1[(table1["spec"] == spec) & table1["paper_rounds"].notna() & table1["bandit"].isin(bandits)]
        _marks(axes[1, j], marks, styles)
        axes[1, j].set(xlabel="rounds after the warm start", ylim=(-3, 124), yticks=range(0, 101, 20))
        axes[1, j].set_xscale("log")
        axes[1, j].set_xlim(1, max(2, curves["round"].max()))
        for panel in axes[:, j]:
            panel.grid(color="#e6e6e6", linewidth=0.5)
            panel.set_axisbelow(True)
            panel.tick_params(length=2.5, width=0.6)
            panel.tick_params(which="minor", length=1.5, width=0.4)
    axes[0, 0].set(ylabel=REGRET[-1])
    # The regret ranges from tenths to thousands; bands that extend below the axis are clipped.
    axes[0, 0].set_yscale("log", nonpositive="clip")
    positive = curves.loc[(curves["round"] >= 1) & (curves["regret_mean"] > 0), "regret_mean"]
    if len(positive):
        axes[0, 0].set_ylim(bottom=positive.min() / 2)
    axes[1, 0].set(ylabel=FOUND[-1])
    figure.align_ylabels(axes[:, 0])
    handles = [
        Line2D([], [], color=styles[b]["color"], linestyle=styles[b]["linestyle"], linewidth=1.5, label=b)
        for b in bandits
    ]
    if table1["paper_rounds"].notna().any():
        handles.append(Line2D([], [], color="#444444", marker="v", linestyle="", markersize=5,
                              label="rounds to find it, in the paper's text"))  # fmt: skip
    figure.legend(handles=handles, loc="lower center", ncol=len(handles), frameon=False, fontsize=7.5,
                  handlelength=2.6, columnspacing=1.5, borderaxespad=0.3)  # fmt: skip
    note = "bands: 95 % intervals of the mean (above) and of the share (below, Wilson)"
    figure.text(0.535, 0.055, note, ha="center", fontsize=6.5, color="#555555")
    return figure


def _marks(panel: Axes, marks: pd.DataFrame, styles: dict[str, dict[str, Any]]) -> None:
    """Draw a triangle and a thin line for each number of rounds in the paper, one below the other."""
    for i, (bandit, rounds) in enumerate(zip(marks["bandit"], marks["paper_rounds"].astype(float), strict=True)):
        line = {"color": styles[bandit]["color"], "linestyle": styles[bandit]["linestyle"]}
        height = 117 - 9 * i
        panel.plot([rounds, rounds], [-3, height], **line, linewidth=0.7, zorder=1)
        panel.plot([rounds], [height], marker="v", color=line["color"], markersize=5, linestyle="")
        panel.annotate(f"{bandit} {rounds:g}", (rounds, height), xytext=(-5, 0), textcoords="offset points",
                       ha="right", va="center", fontsize=6.5, color=line["color"])  # fmt: skip
