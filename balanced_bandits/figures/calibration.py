"""How often tests see a difference between two copies of one bandit, by protocol."""

import pandas as pd
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from balanced_bandits.figures.style import TEXT, bandit_styles

TITLES = {
    "dataset": "paired t test across shuffles,\none dataset",
    "wilcoxon": "Wilcoxon's test\nover datasets",
    "interval": "95 % interval over datasets\nexcludes zero",
}
NOMINAL = 5.0  # percent
STEP = 0.1


def draw(calibration: pd.DataFrame) -> Figure:
    """Draw one panel per test, one row per protocol, one mark with its interval per bandit, and one for all."""
    tests = [test for test in TITLES if test in set(calibration["test"])]
    protocols = list(dict.fromkeys(calibration["protocol"]))
    merged = calibration.groupby(["test", "protocol", "bandit"], sort=False)[["rejected", "tests"]].sum().reset_index()
    merged["percent"] = 100.0 * merged["rejected"] / merged["tests"]
    bandits = [bandit for bandit in dict.fromkeys(merged["bandit"]) if bandit != "all"]
    styles = bandit_styles(bandits)
    height = 1.2 + 0.5 * len(protocols)
    figure = Figure(figsize=(TEXT, height))
    axes = figure.subplots(
        1, len(tests), squeeze=False, sharey=True,
        gridspec_kw={"left": 0.1, "right": 0.985, "bottom": 0.62 / height, "top": 1 - 0.42 / height, "wspace": 0.06},
    )[0]  # fmt: skip
    for panel, test in zip(axes, tests, strict=True):
        everybody = calibration[(calibration["test"] == test) & (calibration["bandit"] == "all")]
        y = [protocols.index(protocol) for protocol in everybody["protocol"]]
        panel.hlines(y, everybody["low"], everybody["high"], color="black", linewidth=1.4, zorder=3)
        panel.plot(everybody["percent"], y, color="black", marker="o", linestyle="", markersize=4.5, zorder=4)
        for i, bandit in enumerate(bandits):
            own = merged[(merged["test"] == test) & (merged["bandit"] == bandit)]
            shift = STEP * (i + 1.6)
            look = {key: styles[bandit][key] for key in ("color", "marker", "markerfacecolor")}
            places = [protocols.index(protocol) + shift for protocol in own["protocol"]]
            panel.plot(own["percent"], places, **look, linestyle="", markersize=2.8, markeredgewidth=0.7, zorder=3)
        panel.axvline(NOMINAL, color="#8c8c8c", linewidth=0.8, linestyle=(0, (4, 2)), zorder=1)
        panel.set_title(TITLES[test], fontsize=7.5, pad=3)
        far = max(20.0, float(everybody["high"].max()), float(merged[merged["test"] == test]["percent"].max()))
        panel.set(xlim=(-0.04 * far, 1.04 * far), ylim=(len(protocols) - 0.2, -0.5))
        panel.tick_params(length=2, width=0.6, labelsize=7)
        panel.grid(axis="x", color="#e6e6e6", linewidth=0.5)
        panel.set_axisbelow(True)
    axes[0].set_yticks(range(len(protocols)), protocols, fontsize=7.5)
    note = "percentage of pairs of copies that differ significantly at the 5 % level (dashed)"
    figure.text(0.54, 0.3 / height, note, ha="center", fontsize=7)
    everybody_look = {"color": "black", "marker": "o", "linewidth": 1.4, "markersize": 4.5}
    handles = [Line2D([], [], **everybody_look, label="all, with 95 % interval")]  # type: ignore[arg-type]
    for bandit in bandits:
        look = {key: styles[bandit][key] for key in ("color", "marker", "markerfacecolor")}
        handles.append(Line2D([], [], **look, linestyle="", markersize=3.4, label=bandit))
    figure.legend(handles=handles, loc="lower center", ncol=len(handles), frameon=False, fontsize=7, borderaxespad=0.2)
    return figure
