"""Wins and losses of every pair of bandits, as a matrix."""

import pandas as pd
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from balanced_bandits.analysis.counts import SIGNIFICANT
from balanced_bandits.figures.style import BLUE, READINGS, RED, TEXT, tint

DEEPEST = 0.7  # of the colour, where a bandit wins everywhere; numbers on it stay readable


def draw(counts: pd.DataFrame, bandits: list[str], reading: str) -> Figure:
    """Draw a matrix a protocol: a row bandit's wins and losses against the column bandit; of one reading."""
    counts = counts[counts["reading"] == reading]
    protocols = list(dict.fromkeys(counts["protocol"]))
    size = len(bandits)
    left, right, gap, top, bottom = 0.55, 0.05, 0.1, 0.22, 0.58
    side = (TEXT - left - right - gap * (len(protocols) - 1)) / len(protocols)
    height = side + top + bottom
    figure = Figure(figsize=(TEXT, height))
    for i, protocol in enumerate(protocols):
        panel = figure.add_axes(((left + i * (side + gap)) / TEXT, bottom / height, side / TEXT, side / height))
        of = counts[counts["protocol"] == protocol].set_index(["row", "column"])
        for r, row in enumerate(bandits):
            for c, column in enumerate(bandits):
                if r == c:
                    panel.add_patch(Rectangle((c, r), 1, 1, facecolor="#f2f2f2", edgecolor="white"))
                    continue
                cell = of.loc[(row, column)]
                share = cell["win_share"]
                colour = tint(BLUE if share > 0.5 else RED, DEEPEST * 2 * abs(share - 0.5))
                panel.add_patch(Rectangle((c, r), 1, 1, facecolor=colour, edgecolor="white"))
                sure = cell["p_sign_holm"] < SIGNIFICANT
                words = f"{cell['wins']:.0f}–{cell['losses']:.0f}" + ("*" if sure else "")
                weight = "bold" if sure else "normal"
                panel.text(c + 0.5, r + 0.5, words, ha="center", va="center", fontsize=6.5, fontweight=weight)
        panel.set(xlim=(0, size), ylim=(size, 0))
        panel.set_xticks([c + 0.5 for c in range(size)], bandits, fontsize=6.5)
        panel.set_yticks([r + 0.5 for r in range(size)], bandits if i == 0 else [], fontsize=6.5)
        panel.tick_params(length=0, pad=2)
        panel.set_title(protocol, fontsize=8, pad=3)
        for spine in panel.spines.values():
            spine.set_visible(False)
    note = (
        "wins–losses of the row bandit against the column bandit: blue where it wins more often, red where it loses\n"
        f"* sign test over datasets, p < 0.05 after Holm's correction; {READINGS[reading]} ({reading})"
    )
    figure.text(0.5, 0.08 / height, note, ha="center", fontsize=7, linespacing=1.3)
    return figure
