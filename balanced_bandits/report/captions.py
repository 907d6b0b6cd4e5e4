"""Which datasets a figure of the classification experiment shows, in the words of its caption."""

import csv
import re
from pathlib import Path


def datasets_in_words(table: Path) -> str:
    """How many datasets were played, which were left out and why, and which were cut, by ``datasets.csv``.

    In reStructuredText, where nothing in a name or a reason counts as markup.
    """
    with open(table, newline="") as file:
        rows = list(csv.DictReader(file))
    gone = [row for row in rows if row["left_out"]]
    sentences = [f"{len(rows) - len(gone)} of {len(rows)} datasets are shown."]
    if gone:
        named = "; ".join(f"{verbatim(row['name'])} ({verbatim(row['left_out'])})" for row in gone)
        sentences.append(f"Left out: {named}.")
    for cut, size, what in (("rows_capped_from", "n", "rows"), ("features_capped_from", "d", "features")):
        sizes = {row[size] for row in rows if row.get(cut)}
        if sizes:
            number = sum(bool(row.get(cut)) for row in rows)
            sentences.append(f"Of {number} of them, {' or '.join(sorted(sizes))} {what} drawn at random are used.")
    return " ".join(sentences)


def verbatim(text: str) -> str:
    r"""Text on one line, with every mark escaped that reStructuredText could take for its own.

    >>> verbatim("a_ *b* `c`")
    'a\\_ \\*b\\* \\`c\\`'
    """
    return re.sub(r"([^\w\s]|_)", r"\\\1", " ".join(text.split()))
