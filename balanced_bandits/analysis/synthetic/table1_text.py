"""Table 1 for readers: in Markdown and in LaTeX, as in the paper but with intervals."""

import pandas as pd

from balanced_bandits.vocabulary import MOMENTS, SPECIFICATIONS, TARGETS

HEAD = ["models", "bandit", "found, %", "95 % interval", "paper, %", "inside", "held out, %", "rounds to find it",
        "paper", "setting"]  # fmt: skip


def cells(table: pd.DataFrame) -> list[list[str]]:
    """Each row of Table 1 as text; percentages have up to three significant digits, missing numbers are a dash."""
    return [
        [
            SPECIFICATIONS[row["spec"]],
            row["bandit"],
            f"{row['percent']:.3g}",
            f"{row['low']:.0f} to {row['high']:.0f}",
            _whole(row["paper_percent"]),
            "-" if pd.isna(row["inside"]) else "yes" if row["inside"] else "no",
            "-" if pd.isna(row["percent_held_out"]) else f"{row['percent_held_out']:.3g}",
            _whole(row["median_rounds_to_find"]),
            _whole(row["paper_rounds"]),
            row["setting"] or "-",
        ]
        for row in table.to_dict("records")
    ]


def caption(table: pd.DataFrame) -> str:
    """The caption: what the table counts."""
    by = "; ".join(
        f"{SPECIFICATIONS[row['spec']]}: agreement with {TARGETS[row['target']].words} on "
        f"{100 * row['threshold']:g} % of contexts {MOMENTS[row['when']]}"
        for row in table.drop_duplicates("spec").to_dict("records")
    )
    return (
        f"How often each bandit finds the optimal assignment in {table['simulations'].max()} simulations at its best "
        f"setting ({by}). Held out: the setting is chosen on one half of the simulations and evaluated on the other. "
        "Rounds to find it: median over the simulations that found it."
    )


def markdown(table: pd.DataFrame) -> str:
    """Table 1 as a Markdown table under its caption."""
    lines = [HEAD, ["---"] * len(HEAD), *cells(table)]
    return f"{caption(table)}\n\n" + "\n".join(f"| {' | '.join(line)} |" for line in lines) + "\n"


def latex(table: pd.DataFrame) -> str:
    """Table 1 as a LaTeX table that needs no package."""
    lines = [" & ".join(_escaped(cell) for cell in line) + r" \\" for line in (HEAD, *cells(table))]
    body = "\n".join([r"\hline", lines[0], r"\hline", *lines[1:], r"\hline"])
    columns = "ll" + "r" * (len(HEAD) - 3) + "l"
    return (
        f"\\begin{{table}}\n\\centering\n\\begin{{tabular}}{{{columns}}}\n{body}\n\\end{{tabular}}\n"
        f"\\caption{{{_escaped(caption(table))}}}\n\\end{{table}}\n"
    )


def _whole(number: float) -> str:
    return "-" if pd.isna(number) else f"{number:.0f}"


def _escaped(text: str) -> str:
    for sign in "%_&#":
        text = text.replace(sign, f"\\{sign}")
    return text
