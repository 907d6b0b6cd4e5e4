"""Figure 1: the expected reward of each arm over the contexts, as three surfaces that meet in a circle."""

import itertools
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from matplotlib.patches import Patch
from mpl_toolkits.mplot3d.art3d import Poly3DCollection  # type: ignore[import-untyped]
from numpy.typing import NDArray

from balanced_bandits.figures.style import ARM_COLOURS, ARM_NAMES, COLUMN

# The surfaces are centred at (-1, -1); on the whole grid their corners (±20) would flatten the region where they meet.
WINDOW = (-3.5, 1.5)
# High enough to see the blue dome in the red bowl; the light comes from the side to make the shapes visible.
ELEVATION, AZIMUTH = 27.0, -52.0
LIGHT = np.array([-0.45, -0.55, 0.70])


def draw(surfaces: pd.DataFrame) -> Figure:
    """Draw the surfaces from a table with x0, x1, arm and expected_reward on a regular grid."""
    shown = surfaces[surfaces["x0"].between(*WINDOW) & surfaces["x1"].between(*WINDOW)]
    arms = sorted(shown["arm"].unique())
    faces, colours = _faces(shown, arms)
    figure = Figure(figsize=(COLUMN, 0.88 * COLUMN))
    axes: Any = figure.add_axes((0.0, 0.08, 0.93, 0.92), projection="3d", computed_zorder=False)
    # One collection for all arms: matplotlib sorts faces by depth within a collection, but not across collections.
    axes.add_collection3d(Poly3DCollection(faces, facecolors=colours, edgecolors=colours, linewidths=0.25))
    low, high = shown["expected_reward"].min(), shown["expected_reward"].max()
    axes.set(xlim=WINDOW, ylim=WINDOW, zlim=(low, high), xlabel="$x_0$", ylabel="$x_1$")
    axes.set_zlabel("expected reward", labelpad=-6)
    axes.xaxis.labelpad = axes.yaxis.labelpad = -8
    axes.set_xticks([-3, -2, -1, 0, 1])
    axes.set_yticks([-3, -2, -1, 0, 1])
    axes.tick_params(labelsize=7, pad=-3)
    axes.tick_params(axis="z", pad=-1)
    axes.view_init(elev=ELEVATION, azim=AZIMUTH)
    axes.set_box_aspect((1, 1, 0.85), zoom=1.02)
    handles = [Patch(facecolor=ARM_COLOURS[arm], label=ARM_NAMES[arm]) for arm in arms]
    figure.legend(handles=handles, loc="lower center", ncol=len(arms), frameon=False, fontsize=7, borderaxespad=0.2,
                  handlelength=1.2, handletextpad=0.4, columnspacing=1.2)  # fmt: skip
    return figure


def _faces(surfaces: pd.DataFrame, arms: list[int]) -> tuple[list[NDArray[np.float64]], list[NDArray[np.float64]]]:
    """All surfaces as polygons (corners, 3), cut where two surfaces meet, and the colour of each polygon."""
    wide = surfaces.pivot(index=["x0", "x1"], columns="arm", values="expected_reward").sort_index()
    sides = len(wide.index.unique("x0")), len(wide.index.unique("x1"))
    # Corners (sides, 2 + arms): the context, then the height of every surface there.
    corners = np.column_stack([wide.reset_index()[["x0", "x1"]], wide[arms]]).reshape(*sides, -1)
    cells = np.stack([corners[:-1, :-1], corners[1:, :-1], corners[1:, 1:], corners[:-1, 1:]], axis=2)
    pieces = list(cells.reshape(-1, 4, corners.shape[-1]))
    for one, other in itertools.combinations(range(2, 2 + len(arms)), 2):
        pieces = [part for piece in pieces for part in _cut(piece, piece[:, one] - piece[:, other])]
    faces = [piece[:, [0, 1, 2 + i]] for i in range(len(arms)) for piece in pieces]
    normals = np.array([np.cross(face[1] - face[0], face[2] - face[0]) for face in faces])
    light = normals @ LIGHT / np.linalg.norm(normals, axis=1) / np.linalg.norm(LIGHT)
    colours = [
        (0.875 + 0.125 * light[i * len(pieces) + j]) * np.array(to_rgb(ARM_COLOURS[arm]))
        for i, arm in enumerate(arms)
        for j in range(len(pieces))
    ]
    return faces, colours


def _cut(corners: NDArray[np.float64], side: NDArray[np.float64]) -> list[NDArray[np.float64]]:
    """Cut a polygon (k, c) where ``side`` (k,) changes sign along its edges."""
    side = np.where(np.abs(side) < 1e-9, 0.0, side)  # corners from an earlier cut may lie on this one up to rounding
    if (side >= 0).all() or (side <= 0).all():
        return [corners]
    parts: dict[bool, list[NDArray[np.float64]]] = {True: [], False: []}
    for here, there, now, then in zip(corners, np.roll(corners, -1, axis=0), side, np.roll(side, -1), strict=True):
        if now >= 0:
            parts[True].append(here)
        if now <= 0:
            parts[False].append(here)
        if now * then < 0:
            between = here + now / (now - then) * (there - here)
            parts[True].append(between)
            parts[False].append(between)
    return [np.array(part) for part in parts.values()]
