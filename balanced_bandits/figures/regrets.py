"""Mean regret of the bandits by the size of datasets, in the classes of the paper's Table 2."""

import pandas as pd
from matplotlib.figure import Figure

from balanced_bandits.figures.style import READINGS, TEXT, bandit_styles

STEP = 0.15  # between the bandits, in rows
GAP = 0.4  # between the columns that datasets are classified by, in rows


def draw(regrets: pd.DataFrame, reading: str) -> Figure:
    """Draw a panel a protocol, a row a class of datasets, a mark with its interval a bandit; of one reading."""
    regrets = regrets[regrets["reading"] == reading]
    protocols = list(dict.fromkeys(regrets["protocol"]))
    styles = bandit_styles(regrets["bandit"])
    rows, place = {}, 0.0
    for by, of in regrets.groupby("by", sort=False):
        for stratum, within in of.groupby("stratum", sort=False):
            name = "all" if by == "all" else f"{by} {stratum}"
            rows[by, stratum] = (place, f"{name}  ({within['datasets'].iloc[0]})")
            place += 1.0
        place += GAP
    height = 0.95 + 0.34 * place
    figure = Figure(figsize=(TEXT, height))
    axes = figure.subplots(
        1,
        len(protocols),
        squeeze=False,
        sharey=True,
        sharex=True,
        gridspec_kw={"left": 0.165, "right": 0.985, "bottom": 0.62 / height, "top": 1 - 0.24 / height, "wspace": 0.1},
    )[0]
    for panel, protocol in zip(axes, protocols, strict=True):
        for i, (bandit, style) in enumerate(styles.items()):
            here = regrets[(regrets["protocol"] == protocol) & (regrets["bandit"] == bandit)]
            y = [rows[key][0] + STEP * (i - (len(styles) - 1) / 2)
                 for key in zip(here["by"], here["stratum"], strict=True)]  # fmt: skip
            panel.hlines(y, here["regret_low"], here["regret_high"], color=style["color"], linewidth=0.8, zorder=2)
            look = {key: style[key] for key in ("color", "marker", "markerfacecolor")}
            panel.plot(here["regret"], y, **look, linestyle="", markersize=3.2, markeredgewidth=0.8, zorder=3,
                       label=bandit)  # fmt: skip
        panel.set_title(protocol, fontsize=8, pad=3)
        panel.set(xlim=(0, 1), ylim=(place - GAP - 0.45, -0.55), xticks=[0, 0.25, 0.5, 0.75, 1])
        panel.set_xticklabels(["0", "", "0.5", "", "1"])
        panel.tick_params(length=2, width=0.6, labelsize=7)
        for at, _ in rows.values():
            panel.axhline(at + 0.5, color="#e6e6e6", linewidth=0.5, zorder=0)
    axes[0].set_yticks([at for at, _ in rows.values()], [label for _, label in rows.values()], fontsize=7)
    figure.text(0.57, 0.3 / height, f"mean normalised regret; {READINGS[reading]} ({reading})", ha="center", fontsize=7)
    handles, labels = axes[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="lower center", ncol=len(labels), frameon=False, fontsize=7, borderaxespad=0.2)
    return figure
