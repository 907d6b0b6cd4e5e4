"""Performance profiles: the share of datasets on which a bandit is within a distance of the best one."""

import pandas as pd
from matplotlib.figure import Figure

from balanced_bandits.figures.style import TEXT, bandit_styles
from balanced_bandits.vocabulary import reading_in_words

SHOWN = 0.95  # of the datasets: what is farther off for every bandit is not shown


def draw(profiles: pd.DataFrame, *, reading: str) -> Figure:
    """Draw one panel per protocol and one line per bandit, for one reading."""
    profiles = profiles[profiles["reading"] == reading]
    protocols = list(dict.fromkeys(profiles["protocol"]))
    bandits = list(dict.fromkeys(profiles["bandit"]))
    styles = bandit_styles(bandits)
    reached = profiles[profiles["share"] >= SHOWN].groupby(["protocol", "bandit"])["distance"].min()
    far = max(float(reached.max()), 0.01)
    figure = Figure(figsize=(TEXT, 2.5))
    axes = figure.subplots(1, len(protocols), squeeze=False, sharey=True, gridspec_kw={
        "left": 0.075, "right": 0.985, "bottom": 0.30, "top": 0.91, "wspace": 0.08})[0]  # fmt: skip
    for panel, protocol in zip(axes, protocols, strict=True):
        for bandit in bandits:
            of = profiles[(profiles["protocol"] == protocol) & (profiles["bandit"] == bandit)]
            x, y = [0.0, *of["distance"], 1.0], [0.0, *of["share"], 1.0]
            panel.step(x, y, where="post", color=styles[bandit]["color"], linestyle=styles[bandit]["linestyle"],
                       linewidth=1.2, label=bandit)  # fmt: skip
        panel.set(xlim=(-0.01 * far, far), ylim=(0, 1.02))
        panel.set_title(protocol, fontsize=8, pad=3)
        panel.tick_params(length=2, width=0.6, labelsize=7)
        panel.grid(color="#e6e6e6", linewidth=0.5)
        panel.set_axisbelow(True)
    axes[0].set_ylabel("share of datasets", fontsize=7.5)
    figure.text(0.53, 0.14, "normalised regret minus that of the best bandit on the dataset, at most; "
                f"{reading_in_words(reading)}", ha="center", fontsize=7)  # fmt: skip
    handles, labels = axes[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="lower center", ncol=len(bandits), frameon=False, fontsize=7, handlelength=3.2,
                  borderaxespad=0.2)  # fmt: skip
    return figure
