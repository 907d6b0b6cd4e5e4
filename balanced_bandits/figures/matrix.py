"""The multi-comparison matrix: for every pair of bandits the mean difference, wins, ties and losses, and p."""

import pandas as pd
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from balanced_bandits.figures.style import BLUE, RED, TEXT, tint
from balanced_bandits.vocabulary import PROTOCOLS, SIGNIFICANT, reading_in_words

DEEPEST = 0.6  # of the colour, for the largest difference; numbers on it stay readable
NARROWEST = 0.7  # inches: the width of a cell
POINTS = 100.0


def draw(counts: pd.DataFrame, ranks: pd.DataFrame, *, reading: str, protocol: str) -> Figure:
    """Draw one cell per pair of bandits, which are ordered by their mean regret, for one reading and protocol."""
    counts, ranks = (of[(of["reading"] == reading) & (of["protocol"] == protocol)] for of in (counts, ranks))
    bandits = list(ranks.sort_values("regret", kind="stable")["bandit"])
    means = dict(zip(ranks["bandit"], ranks["regret"], strict=True))
    size = len(bandits)
    left, right, top, bottom = 0.95, 0.05, 0.42, 0.62
    side = max((TEXT - left - right) / size, NARROWEST)
    width, row_height = side * size + left + right, 0.5
    height = top + bottom + row_height * size
    figure = Figure(figsize=(width, height))
    panel = figure.add_axes((left / width, bottom / height, side * size / width, row_height * size / height))
    cells = counts.set_index(["row", "column"])
    largest = float(POINTS * counts["difference"].abs().max()) or 1.0
    for r, row in enumerate(bandits):
        for c, column in enumerate(bandits):
            if r == c:
                panel.add_patch(Rectangle((c, r), 1, 1, facecolor="#f2f2f2", edgecolor="white"))
                continue
            sign, key = (1.0, (row, column)) if (row, column) in cells.index else (-1.0, (column, row))
            cell = cells.loc[key]
            difference = sign * POINTS * float(cell["difference"])
            wins, losses = (cell["wins"], cell["losses"]) if sign > 0 else (cell["losses"], cell["wins"])
            colour = tint(BLUE if difference < 0 else RED, DEEPEST * abs(difference) / largest)
            panel.add_patch(Rectangle((c, r), 1, 1, facecolor=colour, edgecolor="white"))
            sure = cell["p_holm"] < SIGNIFICANT
            p = "p < 0.001" if cell["p_holm"] < 0.001 else f"p = {cell['p_holm']:.3f}"
            words = f"{difference:+.2f}\n{wins:.0f} / {cell['ties']:.0f} / {losses:.0f}\n{p}"
            panel.text(c + 0.5, r + 0.5, words, ha="center", va="center", fontsize=6, linespacing=1.15,
                       fontweight="bold" if sure else "normal")  # fmt: skip
    panel.set(xlim=(0, size), ylim=(size, 0))
    labels = [f"{bandit}\n{POINTS * means[bandit]:.1f} %" for bandit in bandits]
    panel.xaxis.tick_top()
    panel.set_xticks([c + 0.5 for c in range(size)], labels, fontsize=6.5)
    panel.set_yticks([r + 0.5 for r in range(size)], labels, fontsize=6.5)
    panel.tick_params(length=0, pad=2)
    for spine in panel.spines.values():
        spine.set_visible(False)
    number = counts["datasets"].max()
    note = (
        "each cell: mean regret of the row bandit minus that of the column bandit, in percentage points;\n"
        f"wins / ties / losses over {number} datasets; p of Wilcoxon's test after Holm's correction (bold: < 0.05);\n"
        f"under the names, mean regrets; {reading_in_words(reading)};\n{PROTOCOLS[protocol].words} ({protocol})"
    )
    figure.text(0.5, 0.05 / height, note, ha="center", fontsize=6, linespacing=1.3, color="#444444")
    return figure
