"""Shared by all figures: the paper's colours, reproducible output, and saving in several formats."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import matplotlib as mpl
import pandas as pd
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure

from balanced_bandits.core.files import whole_file

BLUE = "#2166ac"  # the row bandit wins
RED = "#d6403b"  # the row bandit loses
GREY = "#8c8c8c"  # tie

COLUMN = 3.3  # width of a column of the paper, in inches
TEXT = 7.0  # width of the text, in inches

# The arms of the synthetic example, as in the paper's Figure 1; shape and lightness also differ, for greyscale prints.
ARM_COLOURS = ("#e8523f", "#f3c32b", "#173f8f")
ARM_NAMES = ("arm 0 (red)", "arm 1 (yellow)", "arm 2 (blue)")
ARM_MARKERS = ("o", "s", "^")

# Thompson sampling is purple and dark, upper confidence bounds are orange and lighter; balanced bandits are filled.
BANDITS: dict[str, dict[str, Any]] = {
    "LinTS": {"color": "#542788", "linestyle": "--", "marker": "o", "markerfacecolor": "white"},
    "LinUCB": {"color": "#d9780f", "linestyle": ":", "marker": "s", "markerfacecolor": "white"},
    "BLTS": {"color": "#542788", "linestyle": "-", "marker": "o", "markerfacecolor": "#542788"},
    "BLUCB": {"color": "#d9780f", "linestyle": "-.", "marker": "s", "markerfacecolor": "#d9780f"},
    "ILTCB": {"color": "#1b7837", "linestyle": (0, (6, 1, 1, 1, 1, 1)), "marker": "D", "markerfacecolor": "#1b7837"},
    "EpsilonGreedy": {"color": "#333333", "linestyle": (0, (1, 3)), "marker": "v", "markerfacecolor": "white"},
    "Greedy": {"color": "#7a7a7a", "linestyle": (0, (8, 3)), "marker": "P", "markerfacecolor": "#7a7a7a"},
    "SquareCB": {"color": "#0b5d4f", "linestyle": (0, (5, 1, 1, 1)), "marker": "h", "markerfacecolor": "white"},
    "DRTS": {"color": "#9a4fb8", "linestyle": (0, (4, 2, 1, 2, 1, 2)), "marker": "*", "markerfacecolor": "#9a4fb8"},
}
# For all others, in their order.
OTHERS: list[dict[str, Any]] = [
    {"color": "#a3195b", "linestyle": (0, (3, 1)), "marker": "^", "markerfacecolor": "#a3195b"},
    {"color": "#0e7490", "linestyle": (0, (3, 1, 1, 3)), "marker": "X", "markerfacecolor": "white"},
    {"color": "#8c6d1f", "linestyle": (0, (10, 1, 1, 1)), "marker": "p", "markerfacecolor": "#8c6d1f"},
]
# Tuning protocols differ in lightness and shape.
PROTOCOLS: dict[str, dict[str, Any]] = {
    "paper": {"color": "#111111", "marker": "o"},
    "held_out": {"color": "#c2570c", "marker": "D"},
    "typical": {"color": "#4f8fcf", "marker": "s"},
    "fixed": {"color": "#3f7d4a", "marker": "^"},
}

# A fixed salt and no dates: the same table gives the same bytes.
mpl.rcParams.update({
    "svg.hashsalt": "balanced-bandits", "font.family": "DejaVu Sans", "font.size": 8, "axes.linewidth": 0.6,
    "pdf.fonttype": 42, "svg.fonttype": "path",
})  # fmt: skip
NO_DATES = {"pdf": {"CreationDate": None, "ModDate": None}, "svg": {"Date": None}, "png": {"Software": None}}


def bandit_styles(bandits: Iterable[str]) -> dict[str, dict[str, Any]]:
    """Colour, line style and marker of each bandit, as keyword arguments for ``plot``."""
    styles: dict[str, dict[str, Any]] = {}
    others = 0
    for bandit in dict.fromkeys(bandits):
        if bandit in BANDITS:
            styles[bandit] = BANDITS[bandit]
        else:
            styles[bandit] = OTHERS[others % len(OTHERS)]
            others += 1
    return styles


GAP = 0.4  # between the quantities that datasets are classified by, in rows


def stratum_rows(table: pd.DataFrame) -> tuple[dict[tuple[str, str], tuple[float, str]], float]:
    """The place and the label of each row of a figure by size of datasets, and where the last row ends."""
    rows: dict[tuple[str, str], tuple[float, str]] = {}
    place = 0.0
    for by, of in table.groupby("by", sort=False):
        for stratum, within in of.groupby("stratum", sort=False):
            name = "all" if by == "all" else f"{by} {stratum}"
            rows[str(by), str(stratum)] = (place, f"{name}  ({within['datasets'].max()})")
            place += 1.0
        place += GAP
    return rows, place - GAP


def tint(colour: str, strength: float) -> tuple[float, float, float]:
    """The colour mixed with white: strength 0 is white, 1 is the colour itself."""
    red, green, blue = (1 - strength * (1 - part) for part in to_rgb(colour))
    return red, green, blue


def short_setting(setting: str) -> str:
    """The name of a setting in the paper's notation.

    >>> short_setting("alpha=0.25 gamma=0.1")
    'α=0.25 γ=0.1'
    """
    return setting.replace("alpha", "α").replace("gamma", "γ").replace("epsilon", "ε")


def save(figure: Figure, paths: Iterable[Path]) -> None:
    """Save a figure to each path, in the format given by the suffix."""
    for path in paths:
        with whole_file(path) as temporary:
            figure.savefig(temporary, dpi=200, metadata=NO_DATES[path.suffix.removeprefix(".")])
