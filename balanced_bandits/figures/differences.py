"""How far each bandit is from a reference bandit on the same datasets, overall and by the size of datasets."""

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from balanced_bandits.figures.style import TEXT, bandit_styles, stratum_rows
from balanced_bandits.vocabulary import reading_in_words

MANY = 10  # datasets from which on the interval of a class is shown in full
STEP = 0.13  # between the bandits, in rows
POINTS = 100.0


def draw(differences: pd.DataFrame, *, reading: str, reference: str) -> Figure:
    """Draw one panel per protocol, one row per class of datasets, and one mark with its interval per bandit."""
    table = differences[differences["reading"] == reading]
    protocols = list(dict.fromkeys(table["protocol"]))
    styles = bandit_styles(table["bandit"])
    others = [bandit for bandit in styles if bandit != reference]
    rows, end = stratum_rows(table)
    height = 1.1 + 0.4 * end
    figure = Figure(figsize=(TEXT, height))
    axes = figure.subplots(
        1, len(protocols), squeeze=False, sharey=True, sharex=True,
        gridspec_kw={"left": 0.165, "right": 0.985, "bottom": 0.78 / height, "top": 1 - 0.24 / height, "wspace": 0.08},
    )[0]  # fmt: skip
    inner = table[(table["datasets"] >= MANY) | (table["by"] == "all")]
    reach = POINTS * 1.05 * float(np.nanmax(np.abs(inner[["difference_low", "difference_high"]].to_numpy())))
    for panel, protocol in zip(axes, protocols, strict=True):
        for i, bandit in enumerate(others):
            here = table[(table["protocol"] == protocol) & (table["bandit"] == bandit)]
            y = [rows[key][0] + STEP * (i - (len(others) - 1) / 2)
                 for key in zip(here["by"], here["stratum"], strict=True)]  # fmt: skip
            look = {key: styles[bandit][key] for key in ("color", "marker", "markerfacecolor")}
            x, low, high = ((POINTS * here[f"difference{side}"]).clip(-reach, reach) for side in ("", "_low", "_high"))
            panel.hlines(y, low, high, color=look["color"], linewidth=0.8, zorder=2)
            panel.plot(x, y, **look, linestyle="", markersize=3.2, markeredgewidth=0.8, zorder=3, label=bandit)
        panel.axvline(0.0, color="#8c8c8c", linewidth=0.8, linestyle=(0, (4, 2)), zorder=1)
        panel.set_title(protocol, fontsize=8, pad=3)
        panel.set(xlim=(-reach, reach), ylim=(end - 0.45, -0.55))
        panel.tick_params(length=2, width=0.6, labelsize=7)
        for at, _ in rows.values():
            panel.axhline(at + 0.5, color="#e6e6e6", linewidth=0.5, zorder=0)
    axes[0].set_yticks([at for at, _ in rows.values()], [label for _, label in rows.values()], fontsize=7)
    note = f"mean regret minus that of {reference} on the same datasets, in percentage points"
    figure.text(0.5, 0.3 / height, f"{note};\n{reading_in_words(reading)}", ha="center", fontsize=7)
    handles, labels = axes[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="lower center", ncol=len(labels), frameon=False, fontsize=7, borderaxespad=0.2)
    return figure
