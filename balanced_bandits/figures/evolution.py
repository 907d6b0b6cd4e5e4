"""Figures 2 and 3: how the assignment of arms evolves, one row per bandit, one column per number of observations."""

import math
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import ListedColormap
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch, Rectangle
from numpy.typing import NDArray

from balanced_bandits.core.errors import InputError
from balanced_bandits.figures.style import ARM_COLOURS, ARM_MARKERS, ARM_NAMES, GREY, TEXT, short_setting, tint

# Points per panel: with more than this many, only every second, third, ... is shown.
MOST_POINTS = 1000
# Darker colours can have stronger tints under points of the same colour.
REGION_TINTS = [tint(colour, strength) for colour, strength in zip(ARM_COLOURS, (0.30, 0.28, 0.42), strict=True)]
POINT_EDGES = ("white", "#7a5c00", "white")  # yellow is the lightest and needs a dark edge
# The boundary to be found, by specification: the array of the optima, the line style, and the legend label.
BOUNDARIES: dict[str, list[tuple[str, Any, str]]] = {
    "well": [("arms_true", "solid", "boundary of the true optimum")],
    "mis": [("arms_predictors", "solid", "boundary of the best linear predictors"),
            ("arms_value", "dashed", "boundary of the value-best linear policy")],
}  # fmt: skip


Content = tuple[dict[str, Any], dict[str, NDArray[Any]]]  # the record and the arrays of an npz file


def draw(evolution: Content, optima: Content, *, specification: str) -> Figure:
    """Draw the contents of ``evolution.npz`` and ``optima.npz``, each given as a record and arrays."""
    record, arrays = evolution
    _, optimum = optima
    bandits, columns, warm = record["bandits"], record["columns"], record["warm_start"]
    for key in (f"{specification}.{bandit}" for bandit in bandits):
        if len(arrays[f"{key}.x"]) < warm + max(columns):
            raise InputError(f"{key} has fewer than {max(columns):,} rounds; make evolution.npz again.")
    left, right, top, bottom, gap = 0.84, 0.04, 0.36, 0.84, 0.05
    panel = (TEXT - left - right - gap * (len(columns) - 1)) / len(columns)
    panel = min(panel, 1.4)
    width = left + right + panel * len(columns) + gap * (len(columns) - 1)
    height = top + bottom + panel * len(bandits) + gap * (len(bandits) - 1)
    figure = Figure(figsize=(TEXT, height))
    spare = (TEXT - width) / 2  # centres a small number of columns
    axes = figure.subplots(
        len(bandits), len(columns), squeeze=False, sharex=True, sharey=True,
        gridspec_kw={"left": (left + spare) / TEXT, "right": 1 - (right + spare) / TEXT, "bottom": bottom / height,
                     "top": 1 - top / height, "wspace": gap / panel, "hspace": gap / panel},
    )  # fmt: skip
    for i, bandit in enumerate(bandits):
        key = f"{specification}.{bandit}"
        for j, rounds in enumerate(columns):
            so_far = slice(warm + rounds)
            _regions(axes[i, j], arrays[f"{key}.greedy"][j], optimum, specification)
            _points(axes[i, j], arrays[f"{key}.x"][so_far], arrays[f"{key}.arms"][so_far], warm)
        setting = short_setting(record["settings"][specification][bandit]).replace(" ", "\n")
        axes[i, 0].set_ylabel("$x_1$", fontsize=7, labelpad=0)
        # The name and the setting are placed together, left of the ticks.
        axes[i, 0].text(-0.52, 0.60, bandit, transform=axes[i, 0].transAxes, ha="right", va="center", fontsize=8)
        axes[i, 0].text(-0.52, 0.50, setting, transform=axes[i, 0].transAxes, ha="right", va="top", fontsize=6,
                        color="#444444")  # fmt: skip
    for j, rounds in enumerate(columns):
        axes[0, j].set_title(f"{rounds:,}", fontsize=8, pad=3)
        axes[-1, j].set_xlabel("$x_0$", fontsize=7, labelpad=0)
    figure.text(0.5 + (left - right) / 2 / TEXT, 1 - 0.03 / height, "observations after the warm start", ha="center",
                va="top", fontsize=8)  # fmt: skip
    _legend(figure, specification, warm)
    return figure


def _regions(panel: Axes, greedy: NDArray[Any], optimum: dict[str, NDArray[Any]], specification: str) -> None:
    """Tint the regions of the greedy policy and draw the boundary to be found."""
    side = math.isqrt(len(optimum["grid"]))
    ticks = optimum["grid"][:side, 1]
    half = (ticks[1] - ticks[0]) / 2
    extent = (ticks[0] - half, ticks[-1] + half, ticks[0] - half, ticks[-1] + half)
    # On the grid x1 varies fastest; in an image the rows are x1, from bottom to top.
    panel.imshow(greedy.reshape(side, side).T, extent=extent, origin="lower", cmap=ListedColormap(REGION_TINTS),
                 vmin=-0.5, vmax=2.5, interpolation="nearest", zorder=0)  # fmt: skip
    for name, line, _ in BOUNDARIES[specification]:
        arms = optimum[name].reshape(side, side).T
        # Draw each line only once, or its dashes would overlap: around an arm, except where it meets a previous arm.
        for arm in np.unique(arms)[:-1]:
            inside = np.ma.masked_array(arms == arm, mask=arms < arm)
            panel.contour(ticks, ticks, inside, levels=[0.5], colors="black", linewidths=0.8, linestyles=line,
                          zorder=3)  # fmt: skip
    panel.set(xlim=(ticks[0], ticks[-1]), ylim=(ticks[0], ticks[-1]), aspect="equal")
    panel.set_xticks([-2, 0, 2])
    panel.set_yticks([-2, 0, 2])
    panel.tick_params(length=2, width=0.6, labelsize=6, pad=1.5)


def _points(panel: Axes, x: NDArray[np.float64], arms: NDArray[Any], warm: int) -> None:
    """Draw the contexts (n, 2) so far in the colour and shape of their arm, and a frame around the warm start."""
    low, high = x[:warm].min(axis=0) - 0.06, x[:warm].max(axis=0) + 0.06
    panel.add_patch(Rectangle(low, *(high - low), fill=False, edgecolor="black", linewidth=0.7, zorder=4))
    step = -(-len(x) // MOST_POINTS)
    x, arms = x[::step], arms[::step]
    # Use smaller points if there are many.
    area = 5.0 if len(x) <= 200 else 2.5
    for arm, (colour, marker) in enumerate(zip(ARM_COLOURS, ARM_MARKERS, strict=True)):
        given = x[arms == arm]
        panel.scatter(given[:, 0], given[:, 1], s=area, c=colour, marker=marker, linewidths=0.15,
                      edgecolors=POINT_EDGES[arm], zorder=2)  # fmt: skip


def _legend(figure: Figure, specification: str, warm: int) -> None:
    """Add a legend for the points, the regions, the frame and the lines."""
    points = [
        Line2D([], [], color=colour, marker=marker, linestyle="", markersize=4, label=f"given {name}")
        for colour, marker, name in zip(ARM_COLOURS, ARM_MARKERS, ARM_NAMES, strict=True)
    ]
    regions = [
        Patch(facecolor=colour, edgecolor=GREY, linewidth=0.3, label=f"greedy: {name}")
        for colour, name in zip(REGION_TINTS, ARM_NAMES, strict=True)
    ]
    lines = [
        Line2D([], [], color="black", linewidth=0.9, linestyle=line, label=label)
        for _, line, label in BOUNDARIES[specification]
    ]
    frame = Line2D([], [], color="black", marker="s", markerfacecolor="none", markersize=5, markeredgewidth=0.7,
                   linestyle="", label=f"frame of the {warm} warm-start contexts")  # fmt: skip
    figure.legend(handles=[*points, *regions, frame, *lines], loc="lower center", ncol=3, frameon=False, fontsize=7,
                  handletextpad=0.5, columnspacing=1.6, borderaxespad=0.2)  # fmt: skip
