"""The paper's claims on Figure 4 by the size of datasets, in the classes of its Table 2."""

import pandas as pd
from matplotlib.figure import Figure

from balanced_bandits.figures.claims import legend, limits, mark, no_claims, no_difference
from balanced_bandits.figures.style import PROTOCOLS, TEXT, stratum_rows
from balanced_bandits.vocabulary import reading_in_words

STEP = 0.2  # between the protocols, in rows


def draw(strata: pd.DataFrame, *, reading: str, rope: float) -> Figure:
    """Draw one panel per claim, one row per class of datasets, and one mark with its interval per protocol."""
    strata = strata[strata["reading"] == reading].rename(columns={"difference_low": "low", "difference_high": "high"})
    pairs = list(dict.fromkeys(zip(strata["better"], strata["worse"], strict=True)))
    protocols = [name for name in PROTOCOLS if name in set(strata["protocol"])]
    rows, end = stratum_rows(strata)
    height = 1.37 + 0.28 * end
    figure = Figure(figsize=(TEXT, height))
    if not pairs:
        return no_claims(figure)
    axes = figure.subplots(
        1, len(pairs), squeeze=False, sharey=True,
        gridspec_kw={"left": 0.175, "right": 0.99, "bottom": 0.78 / height, "top": 1 - 0.42 / height, "wspace": 0.2},
    )[0]  # fmt: skip
    for panel, (better, worse) in zip(axes, pairs, strict=True):
        of_pair = strata[(strata["better"] == better) & (strata["worse"] == worse)]
        # Classes with few datasets have wide intervals: the axis is for the others, and these are cut.
        inner = of_pair[of_pair["datasets"] >= 5]
        shown = inner if len(inner) else of_pair
        ends = limits(shown["low"], shown["high"], rope)
        for i, protocol in enumerate(protocols):
            here = of_pair[of_pair["protocol"] == protocol]
            y = [rows[key][0] + STEP * (i - (len(protocols) - 1) / 2)
                 for key in zip(here["by"], here["stratum"], strict=True)]  # fmt: skip
            mark(panel, here, y, protocol, ends)
        no_difference(panel, rope)
        panel.set_title(f"{better} beats\n{worse}", fontsize=7.5, pad=3)
        panel.set(xlim=ends, ylim=(end - 0.4, -0.6))
        panel.tick_params(axis="x", labelsize=6)  # labels of neighbouring panels come close
        for between, _ in rows.values():
            panel.axhline(between + 0.5, color="#efefef", linewidth=0.5, zorder=0)
    axes[0].set_yticks([at for at, _ in rows.values()], [label for _, label in rows.values()], fontsize=7)
    note = "mean regret of the bandit that the paper calls better minus that of the other, in percentage points"
    figure.text(0.5, 0.32 / height, f"{note};\n{reading_in_words(reading)}", ha="center", fontsize=7)
    legend(figure, protocols, [], rope)
    return figure
