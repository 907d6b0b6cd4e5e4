"""What the captions of several figures say: which datasets they show, under which reading and protocol."""

import csv
import re
from collections.abc import Mapping
from pathlib import Path

from balanced_bandits.vocabulary import PROTOCOLS, READINGS


def view_in_words(wildcards: Mapping[str, str]) -> str:
    """The reading and the protocol among the wildcards of a figure, with their descriptions.

    >>> view_in_words({"reading": "plain"})
    'Variance: plain (residual variance without a prior).'
    >>> view_in_words({"specification": "well"})
    ''
    """
    named = (("Variance", READINGS, wildcards.get("reading")), ("Protocol", PROTOCOLS, wildcards.get("protocol")))
    return " ".join(f"{word}: {name} ({known[name].words})." for word, known, name in named if name)


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
            sentences.append(f"For {number} of them, a random sample of {' or '.join(sorted(sizes))} {what} is used.")
    return " ".join(sentences)


def verbatim(text: str) -> str:
    r"""Text on one line, with every mark escaped that reStructuredText could take for its own.

    >>> verbatim("a_ *b* `c`")
    'a\\_ \\*b\\* \\`c\\`'
    """
    return re.sub(r"([^\w\s]|_)", r"\\\1", " ".join(text.split()))
