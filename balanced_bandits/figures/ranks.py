"""Critical-difference diagram: mean ranks of the bandits over datasets, and which do not differ significantly."""

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from balanced_bandits.figures.style import COLUMN, bandit_styles
from balanced_bandits.vocabulary import reading_in_words

LINE = 0.15  # inches between two labels
AXIS = 0.34  # inches above the first of them


def draw(ranks: pd.DataFrame, *, reading: str) -> Figure:
    """Draw one diagram per protocol, one above the other, for one reading."""
    ranks = ranks[ranks["reading"] == reading]
    protocols = list(dict.fromkeys(ranks["protocol"]))
    bandits = ranks["bandit"].nunique()
    panel = AXIS + LINE * ((bandits + 1) // 2) + 0.26
    top, bottom = 0.05, 0.34
    height = panel * len(protocols) + top + bottom
    figure = Figure(figsize=(COLUMN, height))
    for i, protocol in enumerate(protocols):
        axes = figure.add_axes((0.0, 1 - (top + (i + 1) * panel) / height, 1.0, panel / height))
        _diagram(axes, ranks[ranks["protocol"] == protocol], protocol, panel)
    number = ranks["datasets"].max()
    note = (
        f"mean rank over {number} datasets (1: smallest regret); bars join bandits that do\n"
        f"not differ significantly by Wilcoxon's test (p ≥ 0.05 after Holm's correction);\n{reading_in_words(reading)}"
    )
    figure.text(0.5, 0.05 / height, note, ha="center", fontsize=6, color="#555555", linespacing=1.25)
    return figure


def _diagram(axes: Axes, ranks: pd.DataFrame, protocol: str, height: float) -> None:
    """One diagram: an axis of ranks, a label for each bandit to the left or to the right, bars for groups."""
    number = len(ranks)
    styles = bandit_styles(ranks["bandit"].sort_values())  # in an order that is the same for all protocols
    axes.set(xlim=(0, COLUMN), ylim=(height, 0))
    axes.axis("off")
    left, right = 1.1, COLUMN - 1.1
    mean: dict[str, float] = dict(zip(ranks["bandit"], ranks["mean_rank"].astype(float), strict=True))
    at = {bandit: left + (right - left) * (rank - 1) / max(number - 1, 1) for bandit, rank in mean.items()}
    p = ranks["p_friedman"].iloc[0]
    friedman = "" if pd.isna(p) else f"   Friedman p = {p:.2g}" if p >= 1e-4 else "   Friedman p < 0.0001"
    axes.text(0.05, 0.08, f"{protocol}{friedman}", fontsize=7, va="center", fontweight="bold")
    level = AXIS
    axes.plot([left, right], [level, level], color="black", linewidth=0.8)
    for tick in range(1, number + 1):
        x = left + (right - left) * (tick - 1) / max(number - 1, 1)
        axes.plot([x, x], [level - 0.04, level], color="black", linewidth=0.8)
        axes.text(x, level - 0.06, str(tick), ha="center", va="bottom", fontsize=6)
    names = [group.split() for group in ranks["groups"].fillna("")]
    joined = sorted({name for of in names for name in of}, key=int)
    for i, group in enumerate(joined):
        members = [at[bandit] for bandit, of in zip(ranks["bandit"], names, strict=True) if group in of]
        y = level + 0.05 + 0.06 * i
        axes.plot([min(members) - 0.03, max(members) + 0.03], [y, y], color="#333333", linewidth=2.4,
                  solid_capstyle="butt", zorder=3)  # fmt: skip
    first = level + 0.1 + 0.06 * len(joined)
    half = (number + 1) // 2
    for place, (bandit, rank) in enumerate(mean.items()):
        on_left = place < half
        y = first + LINE * (place if on_left else number - 1 - place)
        end, side = (left - 0.05, "right") if on_left else (right + 0.05, "left")
        style = styles[bandit]
        axes.plot([at[bandit], at[bandit], end], [level, y, y], color=style["color"], linewidth=0.8, zorder=2)
        axes.plot(at[bandit], level, color=style["color"], marker=style["marker"], markersize=3.6, zorder=4,
                  markerfacecolor=style["markerfacecolor"], clip_on=False)  # fmt: skip
        words = f"{bandit} {rank:.2f}" if on_left else f"{rank:.2f} {bandit}"
        axes.text(end - 0.03 if on_left else end + 0.03, y, words, ha=side, va="center", fontsize=7)
