"""In how many universes each claim holds, by protocol; and which crossed choices explain the spread of its effect."""

from typing import Any

import pandas as pd
from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from balanced_bandits.figures.style import TEXT
from balanced_bandits.figures.universes import COLOURS
from balanced_bandits.vocabulary import EQUAL, HOLDS, REVERSED

BAR = 0.115  # height of a bar, in inches
DARK = (HOLDS, EQUAL, REVERSED)  # verdicts whose colours need white text


def draw(verdicts: pd.DataFrame, spread: pd.DataFrame) -> Figure:
    """Draw one bar per claim and protocol, divided by verdict; and one per claim and combination, by choice."""
    pairs = list(dict.fromkeys(zip(verdicts["better"], verdicts["worse"], strict=True)))
    protocols = [name for name in dict.fromkeys(verdicts["protocol"]) if name != "all"]
    combinations = list(dict.fromkeys(spread["combination"]))
    height = 0.95 + BAR * len(pairs) * (len(protocols) + 0.9)
    figure = Figure(figsize=(TEXT, height))
    axes = figure.subplots(
        1, 1 + len(combinations), squeeze=False,
        gridspec_kw={"left": 0.2, "right": 0.985, "bottom": 0.62 / height, "top": 1 - 0.3 / height, "wspace": 0.08,
                     "width_ratios": [2.2, *[1.4] * len(combinations)]},
    )[0]  # fmt: skip
    _counts(axes[0], verdicts, pairs, protocols)
    choices = list(dict.fromkeys(spread["choice"]))
    colours = {choice: colormaps["tab10"](i % 10) for i, choice in enumerate(c for c in choices if c != "together")}
    colours["together"] = (0.82, 0.82, 0.82, 1.0)
    for panel, number in zip(axes[1:], combinations, strict=True):
        own = spread[spread["combination"] == number]
        _shares(panel, own, pairs, len(protocols), colours)
        crossed = [choice for choice in dict.fromkeys(own["choice"]) if choice not in ("protocol", "together")]
        panel.set_title(f"crossed: {', '.join(crossed)}", fontsize=6, pad=4, wrap=True)
    seen = [verdict for verdict in COLOURS if verdicts[verdict].sum()]
    left = [Patch(facecolor=COLOURS[verdict], label=verdict) for verdict in seen]
    right = [Patch(facecolor=colours[choice], label=choice) for choice in choices]
    for handles, row in ((left, 0.22), (right, 0.04)):
        figure.add_artist(figure.legend(
            handles=handles, loc="lower center", ncol=max(1, len(handles)), frameon=False, fontsize=6.5,
            bbox_to_anchor=(0.5, row / height), borderaxespad=0, columnspacing=1.2, handlelength=1.2))  # fmt: skip
    return figure


def _counts(panel: Axes, verdicts: pd.DataFrame, pairs: list[tuple[str, str]], protocols: list[str]) -> None:
    """Bars of the numbers of universes by verdict."""
    labels, y = [], 0.0
    for better, worse in pairs:
        panel.text(-0.37, y + (len(protocols) - 1) / 2, f"{better}\nbeats\n{worse}", fontsize=6.5, va="center",
                   ha="center", transform=panel.get_yaxis_transform(), clip_on=False)  # fmt: skip
        for protocol in protocols:
            where = (verdicts["better"] == better) & (verdicts["worse"] == worse) & (verdicts["protocol"] == protocol)
            row, left = verdicts[where].iloc[0], 0
            for verdict, colour in COLOURS.items():
                number = int(row[verdict])
                if number:
                    panel.barh(y, number, left=left, height=0.86, color=colour, linewidth=0)
                    panel.text(left + number / 2, y, str(number), fontsize=5, ha="center", va="center",
                               color="white" if verdict in DARK else "black")  # fmt: skip
                left += number
            labels.append((y, protocol))
            y += 1.0
        y += 0.9
    panel.set(ylim=(y - 1.2, -0.8), xlim=(0, verdicts.loc[verdicts["protocol"] != "all", "of"].max()))
    panel.set_yticks([at for at, _ in labels], [name for _, name in labels], fontsize=5.5)
    panel.tick_params(length=0, labelsize=5.5, pad=2)
    panel.set_title("number of universes by verdict", fontsize=7, pad=4)


def _shares(
    panel: Axes, own: pd.DataFrame, pairs: list[tuple[str, str]], protocols: int,
    colours: dict[str, tuple[float, float, float, float]],
) -> None:  # fmt: skip
    """One bar per claim: shares of the variance of its effect over the crossed universes."""
    y = (protocols - 1) / 2
    row: Any
    for better, worse in pairs:
        left = 0.0
        here = own[(own["better"] == better) & (own["worse"] == worse)]
        for row in here.itertuples():
            panel.barh(y, row.share, left=left, height=2.2, color=colours[row.choice], linewidth=0)
            if row.share > 0.12:
                panel.text(left + row.share / 2, y, f"{100 * row.share:.0f}", fontsize=5.5, ha="center", va="center")
            left += row.share
        deviation = here["deviation"].max() if len(here) else 0.0
        panel.text(1.0, y + 1.55, f"SD {100 * deviation:.1f} points", fontsize=5, ha="right", va="center")
        y += protocols + 0.9
    panel.set(ylim=(y - 1.2 - (protocols - 1) / 2, -0.8), xlim=(0, 1), yticks=[])
    panel.set_xticks([0, 0.5, 1], ["0", "50 %", "100"], fontsize=5.5)
    panel.tick_params(length=2, width=0.5)
