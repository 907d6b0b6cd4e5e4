"""By how much single choices move the claims from where the default puts them."""

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from balanced_bandits.figures.claims import POINTS, limits, no_difference
from balanced_bandits.figures.style import PROTOCOLS, TEXT

ROW = 0.135  # height of a row, in inches


def draw(shifts: pd.DataFrame, *, protocol: str, rope: float) -> Figure:
    """Draw one panel per claim, and one row per universe that differs from the default in one choice."""
    single = shifts[(shifts["protocol"] == protocol) & ~shifts["varied"].str.contains(" ")]
    pairs = list(dict.fromkeys(zip(single["better"], single["worse"], strict=True)))
    universes = single.drop_duplicates("universe")[["universe", "varied"]]
    places, y, before = {}, 0.0, None
    for universe, varied in universes.itertuples(index=False):
        y += 0.45 if before is not None and varied != before else 0.0
        places[universe], before, y = y, varied, y + 1.0
    height = 0.95 + ROW * max(y, 1.0)
    figure = Figure(figsize=(TEXT, height))
    if not pairs:
        figure.text(0.5, 0.5, "No universe differs from the default in a single choice.", ha="center", va="center")
        return figure
    axes = figure.subplots(
        1, len(pairs), squeeze=False, sharey=True,
        gridspec_kw={"left": 0.235, "right": 0.99, "bottom": 0.6 / height, "top": 1 - 0.3 / height, "wspace": 0.1},
    )[0]  # fmt: skip
    colour = PROTOCOLS[protocol]["color"]
    for panel, (better, worse) in zip(axes, pairs, strict=True):
        own = single[(single["better"] == better) & (single["worse"] == worse)]
        ends = limits(own["low"], own["high"], rope)
        at = own["universe"].map(places).to_numpy(dtype=float)
        low, shift, high = (POINTS * own[name].to_numpy(dtype=float) for name in ("low", "shift", "high"))
        sure = (low > 0) | (high < 0)
        panel.hlines(at, np.clip(low, *ends), np.clip(high, *ends), color=colour, linewidth=0.9, zorder=2)
        for those, fill in ((sure, colour), (~sure, "white")):
            panel.scatter(np.clip(shift[those], *ends), at[those], s=9, marker=PROTOCOLS[protocol]["marker"],
                          facecolors=fill, edgecolors=colour, linewidths=0.7, zorder=3)  # fmt: skip
        no_difference(panel, rope)
        panel.set(xlim=ends, ylim=(y - 0.4, -0.8))
        panel.set_title(f"{better}\nbeats {worse}", fontsize=6.5, pad=3)
        panel.tick_params(labelsize=5.5)
    axes[0].set_yticks(list(places.values()), list(places), fontsize=5.8)
    note = (f"change of the claim's difference from the default, in percentage points; protocol {protocol}; "
            "left: in favour of the claim; filled: the interval excludes zero")  # fmt: skip
    figure.text(0.5, 0.18 / height, note, ha="center", fontsize=6.3)
    return figure
