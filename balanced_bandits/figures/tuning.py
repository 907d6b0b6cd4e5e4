"""What people tune: the claims by the number of settings to choose from, and for fixed alpha and gamma."""

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.ticker import MaxNLocator

from balanced_bandits.figures.claims import POINTS, limits
from balanced_bandits.figures.style import PROTOCOLS, TEXT, short_setting
from balanced_bandits.figures.universes import COLOURS
from balanced_bandits.vocabulary import UNJUDGED

PANEL, MAP = 1.25, 1.05  # heights, in inches


def draw(tuning: pd.DataFrame, settings: pd.DataFrame, *, rope: float) -> Figure:
    """Draw panels of effects by number of settings, a row per universe; then maps of effects at fixed settings."""
    pairs = list(dict.fromkeys(zip(tuning["better"], tuning["worse"], strict=True)))
    universes = list(dict.fromkeys(tuning["universe"]))
    maps = [(universe, *pair, of) for universe in universes for pair in pairs
            if len(of := matched(settings, universe, *pair))]  # fmt: skip
    columns = min(len(maps), 2)
    lines = -(-len(maps) // columns) if maps else 0
    first, second = len(universes) * (PANEL + 0.12), lines * (MAP + 0.42)
    height = 0.95 + first + second
    figure = Figure(figsize=(TEXT, height))
    if not pairs:
        figure.text(0.5, 0.5, "The paper makes no claims about these bandits.", ha="center", va="center")
        return figure
    axes = figure.subplots(
        len(universes), len(pairs), squeeze=False, sharex=True,
        gridspec_kw={"left": 0.085, "right": 0.99, "top": 1 - 0.32 / height, "bottom": 1 - (0.32 + first) / height,
                     "wspace": 0.32, "hspace": 0.14},
    )  # fmt: skip
    for line, universe in zip(axes, universes, strict=True):
        for panel, pair in zip(line, pairs, strict=True):
            own = tuning[
                (tuning["universe"] == universe) & (tuning["better"] == pair[0]) & (tuning["worse"] == pair[1])
            ]
            _by_number(panel, own, rope)
        line[0].set_ylabel(universe, fontsize=6.5)
    for panel, (better, worse) in zip(axes[0], pairs, strict=True):
        panel.set_title(f"{better}\nbeats {worse}", fontsize=6.5, pad=3)
    figure.text(0.53, 1 - (0.32 + first + 0.3) / height,
                "settings that each bandit may choose from (at most its grid); difference in percentage points",
                ha="center", fontsize=6.5)  # fmt: skip
    for i, (universe, better, worse, of) in enumerate(maps):
        line, column = divmod(i, columns)
        left = 0.11 + column * 0.89 / columns
        bottom = height - 0.32 - first - 0.62 - (line + 1) * MAP - line * 0.42
        panel = figure.add_axes((left, bottom / height, 0.75 / columns, (MAP - 0.1) / height))
        _map(panel, of)
        panel.set_title(f"{better} beats {worse}: {universe}", fontsize=6.5, pad=3)
    _legend(figure, tuning, rope, height)
    return figure


def _by_number(panel: Axes, own: pd.DataFrame, rope: float) -> None:
    """Effects and intervals by the number of settings, one line per protocol."""
    ends = limits(own["low"], own["high"], rope)
    numbers = sorted(set(own["settings"]))
    protocols = list(dict.fromkeys(own["protocol"]))
    panel.axhspan(-POINTS * rope, POINTS * rope, color="#ececec", linewidth=0, zorder=0)
    panel.axhline(0.0, color="#8c8c8c", linewidth=0.8, linestyle=(0, (4, 2)), zorder=1)
    for place, protocol in enumerate(protocols):
        rows = own[own["protocol"] == protocol].set_index("settings").loc[numbers]
        x = np.arange(len(numbers)) + 0.16 * (place - (len(protocols) - 1) / 2)
        style = PROTOCOLS[protocol]
        panel.vlines(x, *(np.clip(POINTS * rows[name], *ends) for name in ("low", "high")), color=style["color"],
                     linewidth=0.9)  # fmt: skip
        panel.plot(x, np.clip(POINTS * rows["difference"], *ends), color=style["color"], marker=style["marker"],
                   markersize=3, linewidth=0.7)  # fmt: skip
    panel.set_xticks(range(len(numbers)), [str(number) for number in numbers])
    panel.set(ylim=ends, xlim=(-0.5, len(numbers) - 0.5))
    panel.yaxis.set_major_locator(MaxNLocator(5, integer=True))
    panel.tick_params(labelsize=5.5, length=2, width=0.5, pad=1.5)


def matched(settings: pd.DataFrame, universe: str, better: str, worse: str) -> pd.DataFrame:
    """The pairs of settings in which the better bandit has those of the worse and exactly one parameter more.

    Columns: ``row``, the setting of the worse; ``column``, what the better has in addition; verdict and difference.
    There are none unless every setting of the worse is in such a pair.
    """
    own = settings[(settings["universe"] == universe) & (settings["better"] == better) & (settings["worse"] == worse)]
    rows: list[dict[str, Any]] = []
    row: Any
    for row in own.itertuples():
        mine, theirs = str(row.setting_better).split(), str(row.setting_worse).split()
        more = [part for part in mine if part not in theirs]
        if len(more) == 1 and len(mine) == len(theirs) + 1:
            rows.append({"row": str(row.setting_worse), "column": more[0], "difference": row.difference,
                         "verdict": row.verdict})  # fmt: skip
    found = pd.DataFrame(rows, columns=["row", "column", "difference", "verdict"])
    return found if set(found["row"]) == set(own["setting_worse"]) else found.iloc[:0]


def _map(panel: Axes, of: pd.DataFrame) -> None:
    """Effects in points, on the colour of the verdict."""
    rows, columns = list(dict.fromkeys(of["row"])), list(dict.fromkeys(of["column"]))
    row: Any
    for row in of.itertuples():
        x, y = columns.index(row.column), rows.index(row.row)
        panel.barh(y, 0.96, left=x + 0.02, height=0.94, color=COLOURS[row.verdict], alpha=0.35, linewidth=0)
        panel.text(x + 0.5, y, f"{POINTS * row.difference:+.1f}", ha="center", va="center", fontsize=6)
    panel.set(xlim=(0, len(columns)), ylim=(len(rows) - 0.5, -0.5))
    panel.set_xticks([place + 0.5 for place in range(len(columns))], map(short_setting, columns), fontsize=5.5)
    panel.set_yticks(range(len(rows)), map(short_setting, rows), fontsize=5.5)
    panel.tick_params(length=0, pad=2)
    for side in ("top", "right", "bottom", "left"):
        panel.spines[side].set_visible(False)


def _legend(figure: Figure, tuning: pd.DataFrame, rope: float, height: float) -> None:
    handles: list[Line2D | Patch] = [
        Line2D([], [], color=PROTOCOLS[name]["color"], marker=PROTOCOLS[name]["marker"], markersize=3.6, linewidth=1,
               label=name)
        for name in dict.fromkeys(tuning["protocol"])
    ]  # fmt: skip
    handles.append(Patch(facecolor="#ececec", label=f"practically equal: ±{POINTS * rope:g} points"))
    handles += [Patch(facecolor=colour, alpha=0.35, label=verdict) for verdict, colour in COLOURS.items()
                if verdict != UNJUDGED]  # fmt: skip
    figure.legend(
        handles=handles, loc="lower center", ncol=len(handles), frameon=False, fontsize=6, columnspacing=1.0,
        bbox_to_anchor=(0.5, 0.06 / height), borderaxespad=0, handlelength=1.4,
    )  # fmt: skip
