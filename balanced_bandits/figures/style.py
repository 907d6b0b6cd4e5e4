"""What all figures share: the paper's colours, a reproducible look, and saving in several formats."""

from collections.abc import Iterable
from pathlib import Path

import matplotlib as mpl
from matplotlib.figure import Figure

from balanced_bandits.files import whole_file

BLUE = "#2166ac"  # the row bandit wins
RED = "#d6403b"  # the row bandit loses
GREY = "#8c8c8c"  # equal

# Fixed salts and no dates: the same table gives the same bytes.
mpl.rcParams.update({
    "svg.hashsalt": "balanced-bandits", "font.family": "DejaVu Sans", "font.size": 8, "axes.linewidth": 0.6,
    "pdf.fonttype": 42, "svg.fonttype": "path",
})  # fmt: skip
NO_DATES = {"pdf": {"CreationDate": None, "ModDate": None}, "svg": {"Date": None}, "png": {"Software": None}}


def save(figure: Figure, paths: Iterable[Path]) -> None:
    """Save a figure to each path, in the format of its ending."""
    for path in paths:
        with whole_file(path) as temporary:
            figure.savefig(temporary, dpi=200, metadata=NO_DATES[path.suffix.removeprefix(".")])
