"""What the fit to the paper's Table 1 depends on: the scores of readings by each level of each dimension."""

import pandas as pd
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from balanced_bandits.figures.style import TEXT
from balanced_bandits.vocabulary import PLAYED

ROW = 0.155  # inches
TOP, BOTTOM = 0.25, 0.75
LABELS, PANEL, COUNTS = 2.1, 1.08, 0.28  # widths of the labels, of the scores, and of the number of readings
BAND, COLOUR = "#fbe0c3", "#1b4f8a"


def draw(dimensions: pd.DataFrame, best: pd.DataFrame) -> Figure:
    """Draw one row per level, in two columns: what is played, and how it is looked at."""
    played = dimensions["dimension"].isin(list(PLAYED))
    columns = [of for of in (dimensions[played], dimensions[~played]) if len(of)]
    lines = max(len(of) + of["dimension"].nunique() for of in columns)
    width, height = TEXT, TOP + ROW * lines + BOTTOM
    figure = Figure(figsize=(width, height))
    scores = dimensions[["low", "best"]]
    least, most = float(scores.min().min()), float(scores.max().max())
    margin = 0.06 * (most - least) or 1.0
    for i, of in enumerate(columns):
        rows = len(of) + of["dimension"].nunique()
        left = i * width / 2 + LABELS
        panel = figure.add_axes((left / width, 1 - (TOP + ROW * rows) / height, PANEL / width, ROW * rows / height),
                                xlim=(least - margin, most + margin), ylim=(rows - 0.5, -0.5))  # fmt: skip
        _column(panel, of, best)
    _legend(figure, height, len(best) > 1)
    return figure


def _column(panel: Axes, dimensions: pd.DataFrame, best: pd.DataFrame) -> None:
    """Draw the levels of several dimensions, each below a line with its name."""
    inch = 1.0 / PANEL  # in units of the panel's width
    panel.set_yticks([])
    panel.tick_params(axis="x", labelsize=6.5, length=2)
    panel.set_xlabel("score (log-likelihood)", fontsize=7)
    panel.grid(axis="x", color="#dddddd", linewidth=0.5)
    panel.set_axisbelow(True)
    across = panel.get_yaxis_transform()
    panel.text(1 + COUNTS * inch, -0.75, "readings", fontsize=6, ha="right", va="bottom", transform=across)
    y = 0
    for name, of in dimensions.groupby("dimension", sort=False):
        title = f"{of['words'].iloc[0]} ({100 * of['explains'].iloc[0]:.0f} %)"
        panel.text(-LABELS * inch + 0.03, y, title, fontsize=6.8, fontweight="bold", va="center", transform=across)
        for row in of.to_dict("records"):
            y += 1
            if len(best) > 1 and best[name].iloc[1] == row["level"]:
                panel.axhspan(y - 0.5, y + 0.5, color=BAND, linewidth=0, zorder=0)
            label = f"{row['level_words']} ○" if best[name].iloc[0] == row["level"] else f"{row['level_words']}   "
            panel.text(-0.02, y, label, fontsize=6.3, ha="right", va="center", transform=across)
            panel.text(1 + COUNTS * inch, y, f"{row['tried']}", fontsize=6.3, ha="right", va="center", transform=across)
            if row["tried"]:
                panel.plot([row["low"], row["high"]], [y, y], color=COLOUR, linewidth=1.4, solid_capstyle="butt")
                panel.plot([row["median"]], [y], "o", color=COLOUR, markersize=3.2)
                panel.plot([row["best"]], [y], "D", color=COLOUR, markerfacecolor="white", markersize=3.2)
            else:
                panel.text(0.03, y, "too costly" if row["too_costly"] else "not drawn", fontsize=6, va="center",
                           color="#777777", transform=across)  # fmt: skip
        y += 1


def _legend(figure: Figure, height: float, found: bool) -> None:
    """Explain the marks."""
    marks: list[Artist] = [
        Line2D([], [], color=COLOUR, marker="o", markersize=3.2, linewidth=1.4, label="median and quartiles"),
        Line2D([], [], color=COLOUR, marker="D", markerfacecolor="white", linestyle="", markersize=3.2, label="best"),
        Line2D([], [], color="black", marker="$○$", linestyle="", markersize=4, label="the default"),
    ]
    if found:
        marks.append(Patch(facecolor=BAND, label="the best reading of the last rung"))
    figure.legend(handles=marks, loc="lower center", bbox_to_anchor=(0.5, 0.06 / height), ncol=4, frameon=False,
                  fontsize=7, borderaxespad=0)  # fmt: skip
