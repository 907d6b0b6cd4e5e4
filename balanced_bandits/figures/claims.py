"""The paper's claims on Figure 4: by how much the bandit that it calls better is better, by reading and protocol."""

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from balanced_bandits.figures.style import PROTOCOLS, TEXT
from balanced_bandits.vocabulary import EQUAL, HOLDS, INCONCLUSIVE, REVERSED, UNJUDGED, reading_in_words

STEP = 0.19  # between the protocols, in rows
# How the mark of a verdict is filled; the colour is that of the protocol.
FILLS = {HOLDS: "full", REVERSED: "left", EQUAL: "right", INCONCLUSIVE: "none", UNJUDGED: "none"}
POINTS = 100.0  # regrets are shares; differences are shown in percentage points


def draw(claims: pd.DataFrame, *, rope: float) -> Figure:
    """Draw one panel per reading, one row per claim or placebo, and one mark with its interval per protocol."""
    readings = list(dict.fromkeys(claims["reading"]))
    rows = list(dict.fromkeys(zip(claims["kind"], claims["better"], claims["worse"], strict=True)))
    protocols = [name for name in PROTOCOLS if name in set(claims["protocol"])]
    height = 1.16 + 0.42 * len(rows)
    figure = Figure(figsize=(TEXT, height))
    if not rows:
        return no_claims(figure)
    axes = figure.subplots(
        1, len(readings), squeeze=False, sharey=True,
        gridspec_kw={"left": 0.165, "right": 0.99, "bottom": 0.86 / height, "top": 1 - 0.26 / height, "wspace": 0.05},
    )[0]  # fmt: skip
    longest = max(len(f"{row.wins}–{row.losses}") for row in claims.itertuples())
    room = 0.05 + 0.021 * longest  # for these counts, at the right: a share of the width that intervals take
    for panel, reading in zip(axes, readings, strict=True):
        of_reading = claims[claims["reading"] == reading]
        ends = limits(of_reading["low"], of_reading["high"], rope)
        width = ends[1] - ends[0]
        for place, protocol in enumerate(protocols):
            here = of_reading[of_reading["protocol"] == protocol]
            at = {row: i for i, row in enumerate(rows)}
            y = [at[row] + STEP * (place - (len(protocols) - 1) / 2)
                 for row in zip(here["kind"], here["better"], here["worse"], strict=True)]  # fmt: skip
            mark(panel, here, y, protocol, ends, list(here["verdict"]))
            for level, row in zip(y, here.itertuples(), strict=True):
                panel.text(ends[1] + 0.03 * width, level, f"{row.wins}–{row.losses}", va="center", fontsize=5.5,
                           color=PROTOCOLS[protocol]["color"])  # fmt: skip
        panel.set_title(reading_in_words(reading), fontsize=7.5, pad=4)
        no_difference(panel, rope)
        panel.set(xlim=(ends[0] - 0.02 * width, ends[1] + room * width), ylim=(len(rows) - 0.45, -0.55))
        for between in range(1, len(rows)):
            panel.axhline(between - 0.5, color="#e6e6e6", linewidth=0.5, zorder=0)
    labels = [f"placebo:\n{better}\nbeats {worse}" if kind == "placebo" else f"{better} beats {worse}"
              for kind, better, worse in rows]  # fmt: skip
    axes[0].set_yticks(range(len(rows)), labels, fontsize=7)
    note = "mean regret of the bandit that the paper calls better minus that of the other, in percentage points"
    figure.text(0.55, 0.56 / height, f"{note} (wins–losses at the right)", ha="center", fontsize=7)
    verdicts = [verdict for verdict in FILLS if verdict in set(claims["verdict"])]
    legend(figure, protocols, [_verdict_handle(verdict) for verdict in verdicts], rope)
    return figure


def limits(low: "pd.Series[float]", high: "pd.Series[float]", rope: float) -> tuple[float, float]:
    """The ends of an axis that shows these intervals and the region of practical equivalence, in percentage points."""
    return float(POINTS * min(low.min(), -2 * rope)), float(POINTS * max(high.max(), 2 * rope))


def mark(
    panel: Axes, rows: pd.DataFrame, y: list[float], protocol: str, ends: tuple[float, float],
    verdicts: list[str] | None = None,
) -> None:  # fmt: skip
    """Draw the difference of each row with its interval; what is beyond the ends of the axis is cut."""
    style = PROTOCOLS[protocol]
    low, high = (POINTS * rows[name].to_numpy(dtype=float) for name in ("low", "high"))
    panel.hlines(y, np.clip(low, *ends), np.clip(high, *ends), color=style["color"], linewidth=1.0, zorder=2)
    for i, (x, level) in enumerate(zip(POINTS * rows["difference"], y, strict=True)):
        fill = FILLS[verdicts[i]] if verdicts else "full"
        look = {"marker": style["marker"], "fillstyle": fill, "markerfacecoloralt": "white"}
        panel.plot(np.clip(x, *ends), level, color=style["color"], linestyle="", markersize=3.6,
                   markeredgewidth=0.7, zorder=3, **look)  # fmt: skip


def no_difference(panel: Axes, rope: float) -> None:
    """Mark zero, and the region of practical equivalence around it."""
    panel.axvspan(-POINTS * rope, POINTS * rope, color="#ececec", linewidth=0, zorder=0)
    panel.axvline(0.0, color="#8c8c8c", linewidth=0.8, linestyle=(0, (4, 2)), zorder=1)
    panel.tick_params(length=2, width=0.6, labelsize=7)


def _verdict_handle(verdict: str) -> Line2D:
    return Line2D([], [], color="#555555", marker="o", linestyle="", markersize=4.5, fillstyle=FILLS[verdict],  # type: ignore[arg-type]
                  markerfacecoloralt="white", label=verdict)  # fmt: skip


def legend(figure: Figure, protocols: list[str], more: list[Any], rope: float) -> None:
    """Explain the protocols, the region of practical equivalence, and what else is given."""
    handles: list[Any] = [
        Line2D([], [], color=PROTOCOLS[name]["color"], marker=PROTOCOLS[name]["marker"], linestyle="-", linewidth=1,
               markersize=3.6, label=name)
        for name in protocols
    ]  # fmt: skip
    handles.append(Patch(facecolor="#ececec", label=f"practically equal: ±{POINTS * rope:g} points"))
    height = figure.get_figheight()
    rows = [handles, more] if more else [handles]
    for i, row in enumerate(reversed(rows)):
        figure.add_artist(figure.legend(
            handles=row, loc="lower center", ncol=len(row), frameon=False, fontsize=7, borderaxespad=0,
            bbox_to_anchor=(0.5, (0.04 + 0.18 * i) / height), columnspacing=1.4, handletextpad=0.5))  # fmt: skip


def no_claims(figure: Figure) -> Figure:
    """A figure that says why there is nothing to see."""
    figure.text(0.5, 0.5, "The paper makes no claims about these bandits.", ha="center", va="center")
    return figure
