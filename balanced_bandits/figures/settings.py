"""How often each setting of a bandit finds the optimum by the criterion of Table 1, and the setting the table uses."""

import pandas as pd
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from balanced_bandits.figures.style import TEXT, bandit_styles, short_setting
from balanced_bandits.vocabulary import SPECIFICATIONS

CRITERION = ["spec", "bandit", "target", "when", "threshold"]
GAP = 1.2  # between bandits, relative to the distance between settings


def draw(rates: pd.DataFrame, table1: pd.DataFrame) -> Figure:
    """Draw one row per specification and one mark per setting, by the criterion of Table 1."""
    shown = rates.merge(table1[CRITERION], on=CRITERION)
    specs = [spec for spec in SPECIFICATIONS if spec in set(shown["spec"])]
    bandits = list(dict.fromkeys(shown["bandit"]))
    styles = bandit_styles(bandits)
    places, start = {}, 0.0
    for bandit in bandits:
        for setting in dict.fromkeys(shown.loc[shown["bandit"] == bandit, "setting"]):
            places[bandit, setting] = start
            start += 1
        start += GAP
    figure = Figure(figsize=(TEXT, 1.35 + 1.6 * len(specs)))
    height = figure.get_figheight()
    axes = figure.subplots(
        len(specs), 1, squeeze=False, sharex=True, sharey=True,
        gridspec_kw={"left": 0.095, "right": 0.99, "bottom": 1.12 / height, "top": 1 - 0.22 / height, "hspace": 0.08},
    )[:, 0]  # fmt: skip
    for panel, spec in zip(axes, specs, strict=True):
        for bandit in bandits:
            rows = shown[(shown["spec"] == spec) & (shown["bandit"] == bandit)]
            x = [places[bandit, setting] for setting in rows["setting"]]
            errors = [rows["percent"] - rows["percent_low"], rows["percent_high"] - rows["percent"]]
            colour = styles[bandit]["color"]
            panel.errorbar(
                x,
                rows["percent"],
                yerr=errors,
                color=colour,
                marker=styles[bandit]["marker"],
                linestyle="",
                markerfacecolor="white",
                markersize=4,
                elinewidth=0.9,
                markeredgewidth=0.9,
            )
            row = table1[(table1["spec"] == spec) & (table1["bandit"] == bandit)]
            taken = rows[rows["setting"].isin(row["setting"])]
            panel.plot(
                [places[bandit, s] for s in taken["setting"]],
                taken["percent"],
                color=colour,
                linestyle="",
                marker=styles[bandit]["marker"],
                markersize=6,
                zorder=4,
            )
            extent = [place for (name, _), place in places.items() if name == bandit]
            for percent in row["paper_percent"].dropna():
                panel.hlines(
                    percent, min(extent) - 0.5, max(extent) + 0.5, color="black", linewidth=0.9, linestyle=(0, (4, 2))
                )
        panel.set(ylabel=f"{SPECIFICATIONS[spec]}\noptimum found (%)", ylim=(-5, 106), yticks=range(0, 101, 20))
        panel.grid(axis="y", color="#e6e6e6", linewidth=0.5)
        panel.set_axisbelow(True)
        panel.tick_params(length=2, width=0.6)
    axes[0].set_xlim(-0.8, start - GAP - 0.2)
    axes[-1].set_xticks(
        list(places.values()), [short_setting(setting) for _, setting in places], rotation=90, fontsize=6
    )
    for bandit in bandits:
        extent = [place for (name, _), place in places.items() if name == bandit]
        axes[0].text(sum(extent) / len(extent), 109, bandit, ha="center", va="bottom", fontsize=8)
    handles = [
        Line2D(
            [],
            [],
            color="#444444",
            marker="o",
            markerfacecolor="white",
            linestyle="",
            markersize=4,
            label="a setting, with its 95 % interval",
        ),
        Line2D([], [], color="#444444", marker="o", linestyle="", markersize=6, label="the setting of Table 1"),
        Line2D([], [], color="black", linewidth=0.9, linestyle=(0, (4, 2)), label="the paper's number"),
    ]
    figure.legend(handles=handles, loc="lower center", ncol=3, frameon=False, fontsize=7.5, borderaxespad=0.2)
    return figure
