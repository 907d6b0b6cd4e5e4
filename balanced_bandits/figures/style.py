"""What all figures share: the paper's colours, a reproducible look, and saving in several formats."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import matplotlib as mpl
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure

from balanced_bandits.files import whole_file

BLUE = "#2166ac"  # the row bandit wins
RED = "#d6403b"  # the row bandit loses
GREY = "#8c8c8c"  # equal

COLUMN = 3.3  # inches: the width of a column of the paper,
TEXT = 7.0  # and of its text

# The arms of the synthetic example, as in the paper's Figure 1; shapes and lightness differ too, for greyscale prints.
ARM_COLOURS = ("#e8523f", "#f3c32b", "#173f8f")
ARM_NAMES = ("arm 0 (red)", "arm 1 (yellow)", "arm 2 (blue)")
ARM_MARKERS = ("o", "s", "^")

# Thompson sampling is purple and dark, upper confidence bounds are orange and lighter; balanced ones are filled.
BANDITS: dict[str, dict[str, Any]] = {
    "LinTS": {"color": "#542788", "linestyle": "--", "marker": "o", "markerfacecolor": "white"},
    "LinUCB": {"color": "#d9780f", "linestyle": ":", "marker": "s", "markerfacecolor": "white"},
    "BLTS": {"color": "#542788", "linestyle": "-", "marker": "o", "markerfacecolor": "#542788"},
    "BLUCB": {"color": "#d9780f", "linestyle": "-.", "marker": "s", "markerfacecolor": "#d9780f"},
}
# For a bandit that the paper's synthetic example does not have, by its place among them.
OTHERS: list[dict[str, Any]] = [
    {"color": "#1b7837", "linestyle": (0, (6, 1, 1, 1, 1, 1)), "marker": "D", "markerfacecolor": "#1b7837"},
    {"color": "#333333", "linestyle": (0, (1, 3)), "marker": "v", "markerfacecolor": "white"},
    {"color": "#7a7a7a", "linestyle": (0, (8, 3)), "marker": "P", "markerfacecolor": "#7a7a7a"},
]
SPECIFICATIONS = {"well": "well-specified", "mis": "mis-specified"}

# What captions and foot lines say of a reading of the variance, and of a test of two bandits on one dataset.
READINGS = {
    "residual": "residual variance with a small prior",
    "literal": "variance as printed in the paper's boxes",
    "plain": "residual variance without a prior",
}
TESTS = {
    "paired": "exact paired test on the same rounds",
    "unpaired": "two-sided unpaired z test",
    "public": "1 - erf(|z|) of an unpaired z, as a public comparison has it",
}
# Tuning protocols differ in lightness and shape.
PROTOCOLS: dict[str, dict[str, Any]] = {
    "paper": {"color": "#111111", "marker": "o"},
    "matched": {"color": "#c2570c", "marker": "D"},
    "fixed": {"color": "#4f8fcf", "marker": "s"},
}

# Fixed salts and no dates: the same table gives the same bytes.
mpl.rcParams.update({
    "svg.hashsalt": "balanced-bandits", "font.family": "DejaVu Sans", "font.size": 8, "axes.linewidth": 0.6,
    "pdf.fonttype": 42, "svg.fonttype": "path",
})  # fmt: skip
NO_DATES = {"pdf": {"CreationDate": None, "ModDate": None}, "svg": {"Date": None}, "png": {"Software": None}}


def bandit_styles(bandits: Iterable[str]) -> dict[str, dict[str, Any]]:
    """Colour, line style and marker of each bandit, as keywords of ``plot``."""
    styles: dict[str, dict[str, Any]] = {}
    others = 0
    for bandit in dict.fromkeys(bandits):
        if bandit in BANDITS:
            styles[bandit] = BANDITS[bandit]
        else:
            styles[bandit] = OTHERS[others % len(OTHERS)]
            others += 1
    return styles


def tint(colour: str, strength: float) -> tuple[float, float, float]:
    """The colour mixed with white: 0 is white, 1 the colour itself."""
    red, green, blue = (1 - strength * (1 - part) for part in to_rgb(colour))
    return red, green, blue


def short_setting(setting: str) -> str:
    """A setting's name with the paper's letters.

    >>> short_setting("alpha=0.25 gamma=0.1")
    'α=0.25 γ=0.1'
    """
    return setting.replace("alpha", "α").replace("gamma", "γ").replace("epsilon", "ε")


def save(figure: Figure, paths: Iterable[Path]) -> None:
    """Save a figure to each path, in the format of its ending."""
    for path in paths:
        with whole_file(path) as temporary:
            figure.savefig(temporary, dpi=200, metadata=NO_DATES[path.suffix.removeprefix(".")])
