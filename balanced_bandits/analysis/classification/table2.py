"""Table 2: the number of datasets by size, compared with the paper's numbers."""

import pandas as pd

from balanced_bandits.analysis.paper import DATASETS, PAPER_SIZES
from balanced_bandits.vocabulary import QUANTITIES, Stratum

COLUMNS = ["quantity", "stratum", "datasets", "paper"]


def table2(datasets: pd.DataFrame) -> pd.DataFrame:
    """Count the datasets that are played, a row for each quantity and stratum; the last rows count all.

    ``datasets`` is the table of the collected results. Its n, d and K are of what is played, caps included; features
    are counted before encoding.
    """
    left_out = datasets["left_out"].fillna("") != ""
    played = datasets[~left_out]
    rows: list[tuple[str, str, int, int | None]] = []
    for column, numbers in PAPER_SIZES.items():
        quantity = QUANTITIES[column]
        for stratum, paper in zip(quantity.strata, numbers, strict=True):
            number = int(stratum.contains(played[column]).sum())
            rows.append((quantity.words, as_the_paper(stratum, quantity.least), number, paper))
    rows.append(("All", "played", len(played), DATASETS))
    rows.append(("All", "left out", int(left_out.sum()), None))
    return pd.DataFrame(rows, columns=COLUMNS).astype({"paper": "Int64"})


def as_the_paper(stratum: Stratum, least: int) -> str:
    """A stratum as the paper writes it."""
    if stratum.high == float("inf"):
        return f"> {stratum.low}"
    if stratum.low > least:
        return f"> {stratum.low} and <= {stratum.high}"
    return f"{stratum.high}" if stratum.high == least + 1 else f"<= {stratum.high}"


def to_markdown(table: pd.DataFrame) -> str:
    """The table in Markdown."""
    lines = ["| | | datasets | paper |", "|---|---|---:|---:|"]
    return "\n".join(lines + [f"| {' | '.join(cells)} |" for cells in _cells(table)]) + "\n"


def to_latex(table: pd.DataFrame) -> str:
    """The table in LaTeX, for a document with no further packages."""
    lines = [r"\begin{tabular}{llrr}", r"\hline", r" & & Datasets & Paper \\"]
    for cells in _cells(table):
        if cells[0]:
            lines.append(r"\hline")
        stratum = cells[1].replace("<=", r"$\leq$").replace(">", "$>$")
        lines.append(f"{cells[0]} & {stratum} & {cells[2]} & {cells[3]} \\\\")
    return "\n".join([*lines, r"\hline", r"\end{tabular}"]) + "\n"


def _cells(table: pd.DataFrame) -> list[list[str]]:
    """The table's cells as text; a quantity is written once, at its first stratum."""
    cells, before = [], ""
    for quantity, stratum, datasets, paper in table.itertuples(index=False):
        shown = "" if quantity == before else quantity
        cells.append([shown, stratum, str(datasets), "" if pd.isna(paper) else str(paper)])
        before = quantity
    return cells
