"""The specification curve of a claim: its effects in all universes and protocols, sorted, with the choices below."""

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from numpy.typing import NDArray

from balanced_bandits.figures.claims import POINTS, limits
from balanced_bandits.figures.style import GREY, RED, TEXT
from balanced_bandits.vocabulary import EQUAL, HOLDS, INCONCLUSIVE, PROTOCOLS, REVERSED, UNJUDGED

COLOURS = {HOLDS: "#1b6e3c", EQUAL: "#3f7fbf", INCONCLUSIVE: GREY, REVERSED: RED, UNJUDGED: "#c9c9c9"}
ROW = 0.118  # height of a row of the choices, in inches
CURVE = 2.3  # height of the curve
PROTOCOL, DEFAULT = "protocol", "default"


def draw(claims: pd.DataFrame, universes: pd.DataFrame, *, claim: str, rope: float) -> Figure:
    """Draw the sorted effects with their intervals, and below each a dot at the level of every choice."""
    better, _, worse = claim.partition("_")
    of = claims[(claims["better"] == better) & (claims["worse"] == worse)]
    of = of.sort_values("difference", kind="stable").reset_index(drop=True)
    levels = level_rows(of, universes)
    usual = of["universe"].eq(DEFAULT).to_numpy()
    rows = sum(len(each) for each in levels.values()) + 0.6 * len(levels)
    height = 0.75 + CURVE + ROW * rows
    figure = Figure(figsize=(TEXT, height))
    sides = {"left": 0.255, "right": 0.99}
    top = figure.add_axes((sides["left"], 1 - (0.28 + CURVE) / height, sides["right"] - sides["left"], CURVE / height))
    _curve(top, of, usual, rope)
    title = (f"{better} outperforms {worse}: {of['universe'].nunique()} universes, each under "
             f"{of['protocol'].nunique()} protocols, on {of['datasets'].max()} datasets")  # fmt: skip
    top.set_title(title, fontsize=7.5, pad=4)
    below = figure.add_axes((sides["left"], 0.42 / height, sides["right"] - sides["left"], ROW * rows / height))
    _choices(below, of, usual, levels)
    _legend(figure, of, rope, height)
    return figure


def level_rows(of: pd.DataFrame, universes: pd.DataFrame) -> dict[str, dict[str, list[bool]]]:
    """By choice and level: whether each row of the curve has it. The default level is the first of each choice."""
    found = {PROTOCOL: {name: (of["protocol"] == name).to_list() for name in PROTOCOLS if name in set(of["protocol"])}}
    for choice, own in universes.groupby("choice", sort=False):
        at = own.set_index("universe")["level"]
        names = list(dict.fromkeys(own["level"]))
        here = of["universe"].map(at)
        found[str(choice)] = {str(name).removeprefix(f"{choice} "): (here == name).to_list() for name in names}
    return found


def _curve(panel: Axes, of: pd.DataFrame, usual: NDArray[np.bool_], rope: float) -> None:
    """Effects as dots coloured by verdict, with the interval of their universe, and thin over all universes."""
    ends = limits(of["low"], of["high"], rope)
    x = np.arange(len(of))
    panel.axhspan(-POINTS * rope, POINTS * rope, color="#ececec", linewidth=0, zorder=0)
    panel.axhline(0.0, color="#8c8c8c", linewidth=0.8, linestyle=(0, (4, 2)), zorder=1)
    colours = of["verdict"].map(COLOURS).to_list()
    for names, width, alpha in ((("all_low", "all_high"), 0.35, 0.45), (("low", "high"), 1.0, 0.6)):
        low, high = (np.clip(POINTS * of[name].to_numpy(dtype=float), *ends) for name in names)
        panel.vlines(x, low, high, color=colours, linewidth=width, alpha=alpha, zorder=2)
    panel.scatter(x, np.clip(POINTS * of["difference"], *ends), s=5, c=colours, linewidths=0, zorder=3)
    panel.scatter(x[usual], np.clip(POINTS * of["difference"][usual], *ends), s=22, facecolors="none",
                  edgecolors="black", linewidths=0.9, zorder=4)  # fmt: skip
    panel.set(xlim=(-1.5, len(of) + 0.5), ylim=ends, xticks=[])
    panel.set_ylabel("difference of mean regret\n(percentage points)", fontsize=7)
    panel.tick_params(labelsize=7, length=2, width=0.6)


def _choices(
    panel: Axes, of: pd.DataFrame, usual: NDArray[np.bool_],
    levels: dict[str, dict[str, list[bool]]],
) -> None:  # fmt: skip
    """One row per level: dots where a universe has it, pale at the default level."""
    colours = np.array(of["verdict"].map(COLOURS).to_list(), dtype=object)
    y, labels = 0.0, []
    for choice, own in levels.items():
        panel.text(-0.335, y, choice, fontsize=5.6, fontweight="bold", va="center", ha="left", clip_on=False,
                   transform=panel.get_yaxis_transform())  # fmt: skip
        for place, (level, has) in enumerate(own.items()):
            where = np.flatnonzero(has)
            pale = place == 0 and choice != PROTOCOL
            panel.scatter(where, np.full(len(where), y), s=2.2, marker="s", linewidths=0,
                          c="#d4d4d4" if pale else list(colours[where]))  # fmt: skip
            labels.append((y, level))
            y += 1.0
        y += 0.6
    for ring in np.flatnonzero(usual):
        panel.axvline(float(ring), color="black", linewidth=0.4, zorder=0)
    panel.set(xlim=(-1.5, len(of) + 0.5), ylim=(y - 0.4, -0.8), xticks=[])
    panel.set_yticks([at for at, _ in labels], [level for _, level in labels], fontsize=5.2)
    panel.tick_params(length=0, pad=2)
    for side in ("top", "right", "bottom", "left"):
        panel.spines[side].set_visible(False)


def _legend(figure: Figure, of: pd.DataFrame, rope: float, height: float) -> None:
    seen = [verdict for verdict in COLOURS if verdict in set(of["verdict"])]
    handles: list[Line2D | Patch] = [
        Line2D([], [], color=COLOURS[verdict], marker="o", markersize=3, linewidth=1, label=verdict) for verdict in seen
    ]
    handles.append(Line2D([], [], color="black", marker="o", markersize=5, linestyle="", markerfacecolor="none",
                          label="the default"))  # fmt: skip
    handles.append(Patch(facecolor="#ececec", label=f"practically equal: ±{POINTS * rope:g} points"))
    figure.legend(
        handles=handles, loc="lower center", ncol=len(handles), frameon=False, fontsize=6.5, columnspacing=1.2,
        bbox_to_anchor=(0.55, 0.1 / height), borderaxespad=0, handletextpad=0.4,
    )  # fmt: skip
