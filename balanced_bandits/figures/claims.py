"""The paper's claims on Figure 4: how often the bandit it calls better wins, by reading and tuning protocol."""

from collections.abc import Iterable
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from balanced_bandits.figures.style import PROTOCOLS, READINGS, TEXT

SURE = ("holds", "reversed")
STEP = 0.24  # between the protocols, in rows


def draw(claims: pd.DataFrame) -> Figure:
    """Draw a panel a reading, a row a claim, and a mark with its interval a protocol."""
    readings = list(dict.fromkeys(claims["reading"]))
    rows = list(dict.fromkeys(zip(claims["better"], claims["worse"], strict=True)))
    protocols = [name for name in PROTOCOLS if name in set(claims["protocol"])]
    height = 1.02 + 0.36 * len(rows)
    figure = Figure(figsize=(TEXT, height))
    if not rows:
        return no_claims(figure)
    axes = figure.subplots(
        1, len(readings), squeeze=False, sharey=True,
        gridspec_kw={"left": 0.155, "right": 0.99, "bottom": 0.72 / height, "top": 1 - 0.26 / height, "wspace": 0.05},
    )[0]  # fmt: skip
    for panel, reading in zip(axes, readings, strict=True):
        for place, protocol in enumerate(protocols):
            here = claims[(claims["reading"] == reading) & (claims["protocol"] == protocol)]
            at = {pair: i for i, pair in enumerate(rows)}
            y = [at[pair] + STEP * (place - (len(protocols) - 1) / 2)
                 for pair in zip(here["better"], here["worse"], strict=True)]  # fmt: skip
            mark(panel, here, y, protocol, here["verdict"].isin(SURE))
            for level, row in zip(y, here.itertuples(), strict=True):
                numbers = f"{row.wins}–{row.losses}" + (f", {row.ties} tied" if row.ties else "")
                panel.text(1.04, level, numbers, va="center", fontsize=5.5, color=PROTOCOLS[protocol]["color"])
        panel.set_title(f"{READINGS[reading]} ({reading})", fontsize=7.5, pad=4)
        half_line(panel)
        panel.set(xlim=(-0.02, 1.42), xticks=[0, 0.25, 0.5, 0.75, 1], ylim=(len(rows) - 0.45, -0.55))
        panel.set_xticklabels(["0", "", "½", "", "1"])
        for between in range(1, len(rows)):
            panel.axhline(between - 0.5, color="#e6e6e6", linewidth=0.5, zorder=0)
    axes[0].set_yticks(range(len(rows)), [f"{better} > {worse}" for better, worse in rows], fontsize=7.5)
    figure.text(0.56, 0.42 / height, f"share of {claims['datasets'].iloc[0]} datasets on which the bandit that the "
                "paper calls better wins (wins–losses beside it)", ha="center", fontsize=7.5)  # fmt: skip
    look = {"color": "#555555", "marker": "o", "linestyle": "", "markersize": 4}
    sure = Line2D([], [], **look, label="p < 0.05, interval off ½")  # type: ignore[arg-type]
    unsure = Line2D([], [], **look, markerfacecolor="white", label="not so")  # type: ignore[arg-type]
    legend(figure, protocols, [sure, unsure])
    return figure


def mark(panel: Axes, rows: pd.DataFrame, y: list[float], protocol: str, filled: Iterable[bool]) -> None:
    """Draw the win share of each row with its interval."""
    colour = PROTOCOLS[protocol]["color"]
    panel.hlines(y, rows["win_share_low"], rows["win_share_high"], color=colour, linewidth=1.0, zorder=2)
    for x, level, full in zip(rows["win_share"], y, filled, strict=True):
        panel.plot(x, level, **PROTOCOLS[protocol], linestyle="", markersize=3.4, markeredgewidth=0.8, zorder=3,
                   markerfacecolor=colour if full else "white")  # fmt: skip


def half_line(panel: Axes) -> None:
    """Mark where both bandits win as often."""
    panel.axvline(0.5, color="#8c8c8c", linewidth=0.8, linestyle=(0, (4, 2)), zorder=1)
    panel.tick_params(length=2, width=0.6)


def legend(figure: Figure, protocols: list[str], more: list[Any]) -> None:
    """Explain the protocols and what else is given."""
    handles = [Line2D([], [], **PROTOCOLS[name], linestyle="-", linewidth=1, markersize=3.4, label=name)
               for name in protocols]  # fmt: skip
    figure.legend(handles=handles + more, loc="lower center", ncol=len(handles) + len(more), frameon=False, fontsize=7,
                  borderaxespad=0.2)  # fmt: skip


def no_claims(figure: Figure) -> Figure:
    """A figure that says why there is nothing to see."""
    figure.text(0.5, 0.5, "The paper claims nothing of these bandits.", ha="center", va="center")
    return figure
