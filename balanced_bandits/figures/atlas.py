"""The sensitivity atlas: which of the paper's numbers and orderings hold under which choices.

A row is a combination of a cell of the factorial design, a criterion, and a rule for choosing the setting. The first of
each in the table is the default. A row of the figure differs from the default in the cell, in the criterion or in the
rule. All combinations are in the table.
"""

from typing import Any, NamedTuple

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch, Rectangle

from balanced_bandits.figures.style import TEXT, short_setting
from balanced_bandits.vocabulary import HOLDS, INCONCLUSIVE, MOMENTS, REVERSED, SPECIFICATIONS

ROW = 0.175  # inches
LABELS = 1.95
NUMBER, MARK = 0.335, 0.165  # column widths
TITLES = 0.95  # height of the column titles
LEGEND = 0.62
SHORT_TARGETS = {"truth": "true optimum", "predictors": "predictors", "value": "value-best"}
# The position of the paper's number is shown by colour, lightness and a sign: fill, text colour, sign.
PLACES = {
    "inside": ("#1b6e3c", "white", ""),
    "lower": ("#d5e3f3", "black", "▾"),
    "higher": ("#fbe0c3", "black", "▴"),
    "alone": ("white", "black", ""),
}
PLACE_NAMES = {
    "inside": "the paper's number lies in our 95 % interval",
    "lower": "▾ ours is lower",
    "higher": "▴ ours is higher",
}
VERDICTS: dict[str, dict[str, Any]] = {
    HOLDS: {"marker": "o", "color": "#1b6e3c", "markerfacecolor": "#1b6e3c"},
    INCONCLUSIVE: {"marker": "o", "color": "#1b6e3c", "markerfacecolor": "white"},
    REVERSED: {"marker": "x", "color": "#c0392b", "markerfacecolor": "#c0392b"},
}


class Row(NamedTuple):
    """A row of the figure: its label, and the keys of its rows in the tables."""

    label: str
    cell: str
    targets: dict[str, str]  # by specification
    when: str
    threshold: float
    rule: str


def blocks(atlas: pd.DataFrame) -> dict[str, list[Row]]:
    """The rows of the figure by block; the rows of a block differ from the default in one respect."""
    targets = {str(spec): list(dict.fromkeys(rows["target"])) for spec, rows in atlas.groupby("spec", sort=False)}
    cells, whens, thresholds, rules = (
        list(dict.fromkeys(atlas[name])) for name in ("cell", "when", "threshold", "setting_rule")
    )
    first = {spec: of_spec[0] for spec, of_spec in targets.items()}
    default = Row("", cells[0], first, whens[0], thresholds[0], rules[0])
    estimation = "how the bandits estimate: variance, top of the λ grid, intercept; the first row is the default"
    shown = {estimation: [default._replace(label=cell, cell=cell) for cell in cells]}
    changed = [first, *(first | {spec: target} for spec in targets for target in targets[spec][1:])]
    criteria = [
        default._replace(targets=by_spec, when=when, threshold=threshold)
        for by_spec in changed
        for when in whens
        for threshold in sorted(thresholds)
    ]
    finding = f"what counts as found; the default is: {_criterion(default)}"
    shown[finding] = [row._replace(label=_criterion(row)) for row in criteria if row != default]
    choosing = f"how the setting is chosen; the default is: {rules[0]}"
    shown[choosing] = [default._replace(label=short_setting(rule), rule=rule) for rule in rules[1:]]
    return {title: rows for title, rows in shown.items() if rows}


def _criterion(row: Row) -> str:
    """A criterion in a few words; the true optimum is not mentioned."""
    targets = [SHORT_TARGETS[target] for target in dict.fromkeys(row.targets.values()) if target != "truth"]
    return ", ".join([*targets, MOMENTS[row.when].removeprefix("at "), f"≥ {row.threshold:g}"])


def draw(atlas: pd.DataFrame, atlas_orderings: pd.DataFrame) -> Figure:
    """Draw the matrix of percentages and the matrix of orderings side by side, one row per set of choices."""
    shown = blocks(atlas)
    numbers = _columns(atlas, ["bandit"])
    pairs = _columns(atlas_orderings, ["better", "worse"])
    lines = sum(len(rows) + 1 for rows in shown.values())
    height = TITLES + lines * ROW + LEGEND
    gap = 0.15
    width = max(TEXT, LABELS + NUMBER * len(numbers) + gap + MARK * len(pairs) + 0.05)
    figure = Figure(figsize=(width, height))
    # Units are inches; the first row is at the top.
    panel = figure.add_axes((0, 0, 1, 1), xlim=(0, width), ylim=(height, 0))
    panel.set_axis_off()
    x_numbers = {key: LABELS + NUMBER * i for i, key in enumerate(numbers)}
    x_pairs = {key: LABELS + NUMBER * len(numbers) + gap + MARK * i for i, key in enumerate(pairs)}
    _titles(panel, atlas, x_numbers, x_pairs)
    y = TITLES
    for title, rows in shown.items():
        panel.text(0.05, y + ROW * 0.55, title, fontsize=7, fontweight="bold", va="center")
        y += ROW
        for row in rows:
            panel.text(LABELS - 0.06, y + ROW / 2, row.label, fontsize=6.5, ha="right", va="center")
            for key, x in x_numbers.items():
                _number(panel, x, y, _rows_of(atlas, row, key[0], bandit=key[1]))
            for key, x in x_pairs.items():
                _verdict(panel, x, y, _rows_of(atlas_orderings, row, key[0], better=key[1], worse=key[2]))
            y += ROW
    _legend(figure, atlas["simulations"], height)
    return figure


def _columns(table: pd.DataFrame, names: list[str]) -> list[tuple[str, ...]]:
    """The columns of a matrix: those of the first specification, then those of the second."""
    known = list(dict.fromkeys(table[["spec", *names]].itertuples(index=False, name=None)))
    return [key for spec in SPECIFICATIONS for key in known if key[0] == spec]


def _rows_of(table: pd.DataFrame, row: Row, spec: str, **keys: str) -> pd.DataFrame:
    """The rows of the table that belong to a row of the figure: one, or none if it was not run."""
    wanted = {"cell": row.cell, "spec": spec, "target": row.targets[spec], "when": row.when, "threshold": row.threshold,
              "setting_rule": row.rule} | keys  # fmt: skip
    chosen = pd.Series(True, index=table.index)
    for name, value in wanted.items():
        chosen &= table[name] == value
    return table[chosen]


def _titles(
    panel: Axes, atlas: pd.DataFrame, numbers: dict[tuple[str, ...], float], pairs: dict[tuple[str, ...], float]
) -> None:
    """Write the specification, bandit and paper's number above each column, and the two bandits above each ordering."""
    for columns, width, what in ((numbers, NUMBER, "optimum found (%)"), (pairs, MARK, "finds it more often")):
        for spec, name in SPECIFICATIONS.items():
            places = [x for key, x in columns.items() if key[0] == spec]
            if places:
                left, right = min(places) + 0.02, max(places) + width - 0.02
                panel.text((left + right) / 2, 0.04, f"{name},\n{what}", fontsize=6, ha="center", va="top")
                panel.plot([left, right], [0.27, 0.27], color="black", linewidth=0.6)
    for key, x in numbers.items():
        panel.text(x + NUMBER / 2, TITLES - ROW - 0.04, key[1], fontsize=6.5, ha="center", va="bottom")
        paper = atlas.loc[(atlas["spec"] == key[0]) & (atlas["bandit"] == key[1]), "paper_percent"].dropna()
        panel.text(x + NUMBER / 2, TITLES - ROW / 2, f"{paper.iloc[0]:g}" if len(paper) else "–", fontsize=7,
                   ha="center", va="center", fontweight="bold")  # fmt: skip
    panel.text(LABELS - 0.06, TITLES - ROW / 2, "the paper", fontsize=7, ha="right", va="center", fontweight="bold")
    for key, x in pairs.items():
        panel.text(x + MARK / 2, TITLES - 0.02, f"{key[1]} > {key[2]}", fontsize=5.5, ha="center", va="bottom",
                   rotation=90)  # fmt: skip


def _number(panel: Axes, x: float, y: float, rows: pd.DataFrame) -> None:
    """Draw our percentage and its interval on a fill that shows where the paper's number lies; a dash if missing."""
    if rows.empty or pd.isna(rows["percent"].iloc[0]):
        panel.text(x + NUMBER / 2, y + ROW / 2, "–", fontsize=6.5, ha="center", va="center", color="#777777")
        return
    percent, low, high, paper = rows[["percent", "low", "high", "paper_percent"]].iloc[0].astype(float)
    place = "alone" if pd.isna(paper) else "inside" if low <= paper <= high else "lower" if paper > high else "higher"
    fill, colour, sign = PLACES[place]
    panel.add_patch(Rectangle((x, y), NUMBER, ROW, facecolor=fill, edgecolor="white", linewidth=0.8))
    panel.text(x + NUMBER / 2, y + 0.42 * ROW, f"{percent:.0f}{sign}", fontsize=6.5, ha="center", va="center",
               color=colour)  # fmt: skip
    # Below it, draw the interval on a scale from 0 to 100 as wide as the cell, with a tick at the paper's number.
    left, scale, base = x + 0.03, (NUMBER - 0.06) / 100, y + 0.84 * ROW
    panel.plot([left + scale * low, left + scale * high], [base, base], color=colour, linewidth=0.8,
               solid_capstyle="butt")  # fmt: skip
    if place != "alone":
        panel.plot([left + scale * paper] * 2, [base - 0.018, base + 0.018], color=colour, linewidth=0.8,
                   solid_capstyle="butt")  # fmt: skip


def _verdict(panel: Axes, x: float, y: float, rows: pd.DataFrame) -> None:
    """Draw a disc, a ring or a cross; nothing if the pair was not compared."""
    panel.add_patch(Rectangle((x, y), MARK, ROW, facecolor="#f4f4f4", edgecolor="white", linewidth=0.8))
    for verdict in rows["verdict"].dropna():
        panel.plot([x + MARK / 2], [y + ROW / 2], **VERDICTS[verdict], markersize=4, markeredgewidth=0.9)


def _legend(figure: Figure, simulations: "pd.Series[int]", height: float) -> None:
    """Explain the fills and marks, and state the number of simulations behind the intervals."""
    fills = [Patch(facecolor=PLACES[place][0], edgecolor="#999999", linewidth=0.3, label=label)
             for place, label in PLACE_NAMES.items()]  # fmt: skip
    marks = [
        Line2D([], [], **style, linestyle="", markersize=4.5, label=verdict) for verdict, style in VERDICTS.items()
    ]
    for y, handles in ((0.40, fills), (0.21, marks)):
        figure.add_artist(figure.legend(handles=handles, loc="lower center", bbox_to_anchor=(0.5, y / height), ncol=3,
                                        frameon=False, fontsize=7, borderaxespad=0, columnspacing=1.6))  # fmt: skip
    counts = " to ".join(str(count) for count in dict.fromkeys([simulations.min(), simulations.max()]))
    note = f"{counts} simulations per row; lines: intervals from 0 to 100 %, ticks: the paper; –: not applicable"
    figure.text(0.5, 0.07 / height, note, ha="center", fontsize=6.5, color="#555555")
