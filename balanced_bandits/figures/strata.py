"""The paper's claims on Figure 4 by the size of datasets, in the classes of its Table 2."""

import pandas as pd
from matplotlib.figure import Figure

from balanced_bandits.figures.claims import half_line, legend, mark, no_claims
from balanced_bandits.figures.style import PROTOCOLS, READINGS, TEXT

STEP = 0.26  # between the protocols, in rows
GAP = 0.5  # between the columns that datasets are classified by, in rows


def draw(strata: pd.DataFrame, reading: str) -> Figure:
    """Draw a panel a claim, a row a class of datasets, and a mark with its interval a protocol; of one reading."""
    strata = strata[strata["reading"] == reading]
    pairs = list(dict.fromkeys(zip(strata["better"], strata["worse"], strict=True)))
    protocols = [name for name in PROTOCOLS if name in set(strata["protocol"])]
    rows, place = {}, 0.0
    for by, of in strata.groupby("by", sort=False):
        for stratum, within in of.groupby("stratum", sort=False):
            rows[by, stratum] = (place, f"{by} {stratum}  ({within['datasets'].iloc[0]})")
            place += 1.0
        place += GAP
    height = 1.25 + 0.25 * place
    figure = Figure(figsize=(TEXT, height))
    if not pairs:
        return no_claims(figure)
    axes = figure.subplots(
        1, len(pairs), squeeze=False, sharey=True,
        gridspec_kw={"left": 0.175, "right": 0.99, "bottom": 0.72 / height, "top": 1 - 0.42 / height, "wspace": 0.08},
    )[0]  # fmt: skip
    for panel, (better, worse) in zip(axes, pairs, strict=True):
        for i, protocol in enumerate(protocols):
            here = strata[(strata["better"] == better) & (strata["worse"] == worse) & (strata["protocol"] == protocol)]
            y = [rows[key][0] + STEP * (i - (len(protocols) - 1) / 2)
                 for key in zip(here["by"], here["stratum"], strict=True)]  # fmt: skip
            mark(panel, here, y, protocol, [True] * len(here))
        half_line(panel)
        panel.set_title(f"{better} >\n{worse}", fontsize=7.5, pad=3)
        panel.set(xlim=(-0.04, 1.04), xticks=[0, 0.5, 1], ylim=(place - GAP - 0.4, -0.6))
        panel.set_xticklabels(["0", "½", "1"])
        for between, _ in rows.values():
            panel.axhline(between + 0.5, color="#efefef", linewidth=0.5, zorder=0)
    axes[0].set_yticks([at for at, _ in rows.values()], [label for _, label in rows.values()], fontsize=7)
    figure.text(0.58, 0.42 / height, "share of datasets on which the bandit that the paper calls better wins; "
                f"{READINGS[reading]} ({reading})", ha="center", fontsize=7)  # fmt: skip
    legend(figure, protocols, [])
    return figure
