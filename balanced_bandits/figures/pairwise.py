"""Figure 4: the pairwise grid. Each panel compares the row bandit with the column bandit, one point per dataset."""

import textwrap
from collections.abc import Mapping

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from numpy.typing import NDArray

from balanced_bandits.figures.style import BLUE, GREY, RED
from balanced_bandits.vocabulary import FEWEST_UNITS, PROTOCOLS, reading_in_words

PANEL = 1.45  # inches
COLOURS = {"win": BLUE, "loss": RED, "tie": GREY}
# Wins and losses differ in shape as well, for greyscale prints and for eyes that see no red.
MARKERS = {"win": "o", "loss": "^", "tie": "s"}
LEGEND = {"win": "row bandit wins", "loss": "row bandit loses", "tie": "equal"}


def point_sizes(p: "pd.Series[float]") -> NDArray[np.float64]:
    """Area of a point in square points: grows with significance, from p = 1 to p = 1e-6 and below."""
    evidence = -np.log10(np.clip(p.fillna(1.0).to_numpy(dtype=float), 1e-6, 1.0))
    return 4.0 + 6.0 * evidence


def draw(
    pairs: pd.DataFrame, counts: pd.DataFrame, datasets: pd.DataFrame, *,
    bandits: list[str], reading: str, protocol: str,
) -> Figure:  # fmt: skip
    """Draw the grid of one reading and protocol; points are means over shuffles, their sizes the test across them."""
    gone = datasets[datasets["left_out"] != ""]
    left_out = dict(zip(gone["name"], gone["left_out"], strict=True))
    capped = int(datasets.filter(like="_capped_from").notna().any(axis=1).sum())
    pairs, counts = (
        table[(table["reading"] == reading) & (table["protocol"] == protocol)] for table in (pairs, counts)
    )
    pairs, counts = mirrored(pairs), mirrored(counts)
    size = len(bandits)
    side = size * PANEL
    left, right = 0.52, 0.12
    width = side + left + right
    note = _note(pairs, left_out, capped, reading, protocol, int(21 * width))
    top, bottom = 0.12, 1.03 + 0.11 * len(note)
    height = side + top + bottom
    figure = Figure(figsize=(width, height))
    axes = figure.subplots(
        size, size, squeeze=False, sharex=True, sharey=True,
        gridspec_kw={"left": left / width, "right": 1 - right / width, "bottom": bottom / height,
                     "top": 1 - top / height, "wspace": 0.06, "hspace": 0.06},
    )  # fmt: skip
    for i, row in enumerate(bandits):
        for j, column in enumerate(bandits):
            panel = axes[i, j]
            panel.set(xlim=(-0.02, 1.02), ylim=(-0.02, 1.02), aspect="equal")
            panel.set_xticks([0, 0.5, 1], ["0", "0.5", "1"])
            panel.set_yticks([0, 0.5, 1], ["0", "0.5", "1"])
            panel.tick_params(length=2, width=0.6)
            if i == j:
                panel.text(0.5, 0.5, row, ha="center", va="center", fontsize=13, fontweight="bold")
                panel.set_facecolor("#f2f2f2")
                continue
            panel.plot([0, 1], [0, 1], color="black", linewidth=0.6, zorder=1)
            of_panel = pairs[(pairs["row"] == row) & (pairs["column"] == column)]
            for outcome in COLOURS:
                points = of_panel[of_panel["outcome"] == outcome]
                panel.scatter(
                    points["regret_column"], points["regret_row"], s=point_sizes(points["p"]),
                    c=COLOURS[outcome], marker=MARKERS[outcome], alpha=0.75, linewidths=0.3, edgecolors="white",
                    zorder=2,
                )  # fmt: skip
            _label_counts(panel, counts[(counts["row"] == row) & (counts["column"] == column)].iloc[0])
    figure.text(
        (left + side / 2) / width, (bottom - 0.34) / height, "normalised regret of the column bandit", ha="center"
    )
    figure.text(0.1 / width, (bottom + side / 2) / height, "normalised regret of the row bandit", va="center",
                rotation="vertical")  # fmt: skip
    _legend(figure, "\n".join(note))
    return figure


def _note(
    pairs: pd.DataFrame, left_out: Mapping[str, str], capped: int, reading: str, protocol: str, width: int
) -> list[str]:
    """What the figure shows, in lines of at most ``width`` characters."""
    fewest, most = pairs["shuffles"].min(), pairs["shuffles"].max()
    shuffles = f"{most}" if fewest == most else f"{fewest} to {most}"
    sentences = [
        f"{datasets_shown(pairs['dataset'].nunique(), len(left_out), capped)}, {shuffles} shuffles; "
        f"{reading_in_words(reading)};",
        f"{PROTOCOLS[protocol].words} ({protocol});",
        f"p-values: paired t test across {PROTOCOLS[protocol].units}; with fewer than {FEWEST_UNITS}, drawn as p = 1",
    ]
    lines = [line for sentence in sentences for line in textwrap.wrap(sentence, width)]
    return [*lines, reasons(left_out, width)] if left_out else lines


def mirrored(table: pd.DataFrame) -> pd.DataFrame:
    """A table with each pair of bandits in both orders: rows and columns exchanged, wins and losses too."""
    swapped = {name: name.replace("row", "column") for name in map(str, table) if "row" in name}
    swapped |= {new: old for old, new in swapped.items()} | {"wins": "losses", "losses": "wins"}
    other = table.rename(columns=swapped)
    if "outcome" in table:
        other["outcome"] = other["outcome"].map({"win": "loss", "loss": "win", "tie": "tie"})
    return pd.concat([table, other[list(table)]], ignore_index=True)


def _label_counts(panel, counts) -> None:  # type: ignore[no-untyped-def]
    """Wins of the row bandit in the corner of wins, below the diagonal; losses and ties in the other."""
    panel.text(0.97, 0.06, f"{counts.wins} won", color=BLUE, ha="right", fontsize=7, va="center", zorder=3)
    panel.text(0.03, 0.94, f"{counts.losses} lost", color=RED, fontsize=7, va="center", zorder=3)
    panel.text(0.03, 0.84, f"{counts.ties} tied", color="#5f5f5f", fontsize=7, va="center", zorder=3)


def datasets_shown(number: int, left_out: int, capped: int) -> str:
    """How many datasets a figure shows, in words.

    >>> datasets_shown(60, 0, 0), datasets_shown(58, 2, 0), datasets_shown(60, 0, 3), datasets_shown(58, 2, 3)
    ('60 datasets', '58 datasets (2 left out)', '60 datasets (3 capped)', '58 datasets (2 left out, 3 capped)')
    """
    asides = [f"{count} {word}" for count, word in ((left_out, "left out"), (capped, "capped")) if count]
    return f"{number} datasets" + (f" ({', '.join(asides)})" if asides else "")


def reasons(left_out: Mapping[str, str], width: int) -> str:
    """Why datasets were left out, in a line of at most ``width`` characters.

    >>> reasons({"dull": "all rows are of one class, 'x'", "gone": "the server refused it"}, 60)
    'left out: dull (all rows are of one ..., see datasets.csv'
    """
    named = "; ".join(f"{name} ({reason})" for name, reason in left_out.items())
    return textwrap.shorten(f"left out: {named}", width, placeholder=" ..., see datasets.csv")


def _legend(figure: Figure, note: str) -> None:
    """Explain colours and sizes, and say what is shown."""
    handles = [
        Line2D([], [], color=COLOURS[o], marker=MARKERS[o], linestyle="", markersize=4, label=LEGEND[o]) for o in LEGEND
    ]
    for p in (1.0, 0.05, 1e-6):
        area = float(point_sizes(pd.Series([p]))[0])
        label = {1.0: "p = 1", 0.05: "p = 0.05", 1e-6: "p ≤ 10⁻⁶"}[p]
        handles.append(Line2D([], [], color="#555555", marker="o", linestyle="", markersize=area**0.5, label=label))
    # Column by column: the three outcomes, then the three sizes.
    figure.legend(handles=handles, loc="lower center", ncol=2, frameon=False, fontsize=7, bbox_to_anchor=(0.5, 0.0),
                  handletextpad=0.2, columnspacing=1.5)  # fmt: skip
    figure.text(0.5, 0.6 / figure.get_figheight(), note, ha="center", fontsize=6, color="#555555", linespacing=1.25)
