"""The numbers in the documents: tables in Markdown, made from what is published.

A document has blocks

    <!-- published: NAME ARGUMENT... -->
    (written by ``filled``)
    <!-- end -->

where NAME is a function of ``TABLES``.
"""

import re
from collections.abc import Callable, Hashable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from scipy.stats import binomtest

from balanced_bandits.core.errors import InputError
from balanced_bandits.core.tables import read_table
from balanced_bandits.verification.contents import ON_DATASETS, SOURCE, published_table, record_in
from balanced_bandits.vocabulary import PROTOCOLS

EARLIER = "earlier.csv"  # wins and losses of a run that readers can't repeat; not replaced by publishing
START, END = "<!-- published:", "<!-- end -->"
BLOCK = re.compile(rf"({START} ([a-z0-9_ ]+) -->\n)(?:(?!{START}).)*?({END})", flags=re.DOTALL)


class Published:
    """The folder with the published results."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.source = record_in(folder / SOURCE)
        self.suite = folder / str(self.source["suite"])

    def table(self, name: str) -> pd.DataFrame:
        """A table of the experiment on datasets."""
        return published_table(self.suite, name, ON_DATASETS[name])[1]


def filled(text: str, published: Published, name: str) -> str:
    """The text of a document with its blocks updated; ``name`` is the document's, for messages."""

    def block(found: re.Match[str]) -> str:
        function, *arguments = found[2].split()
        if function not in TABLES:
            raise InputError(f"{name}: there is no table {function!r}; the tables are {', '.join(TABLES)}.")
        return found[1] + "\n" + TABLES[function](published, arguments) + "\n\n" + found[3]

    result, blocks = BLOCK.subn(block, text)
    if not blocks == text.count(START) == text.count(END):
        raise InputError(
            f"{name}: a block must begin with '{START} NAME -->', NAME in lower case, and end with '{END}'."
        )
    return result


def origin(published: Published, _: Sequence[str]) -> str:
    """Where the numbers are from."""
    source, datasets = published.source, published.table("datasets")
    played = int((datasets["left_out"] == "").sum())
    command = str(source["command"]).replace("--cores all", "--cores 2")
    return (
        f"*{played} datasets of the suite `{source['suite']}`, revision `{str(source['revision'])[:7]}`, "
        f"{source['date']}; `.venv/bin/{command}` repeats it.*"
    )


def claims(published: Published, arguments: Sequence[str]) -> str:
    """The claims under one reading: a column for each protocol."""
    table = published.table("claims")
    known = list(dict.fromkeys(table["reading"]))
    if len(arguments) != 1 or arguments[0] not in known:
        raise InputError(f"the block 'claims' needs one reading, one of {', '.join(known)}; got {list(arguments)}.")
    (reading,) = arguments
    cells = {
        (_claim(row), row["protocol"]): f"{row['verdict']}: {_points(row['difference'])} "
        f"({_points(row['low'])} to {_points(row['high'])}), {row['wins']}–{row['losses']}"
        for row in _rows(table[table["reading"] == reading])
    }
    protocols = [name for name in PROTOCOLS if name in set(table["protocol"])]
    return _crossed("claim", cells, {name: f"`{name}`" for name in protocols})


def summary(published: Published, _: Sequence[str]) -> str:
    """The claims with settings chosen on another shuffle and in hindsight, under every reading."""
    table = published.table("claims")
    words = {"held_out": "held out", "paper": "in hindsight"}
    cells = {
        (_claim(row), (row["reading"], row["protocol"])): f"{_points(row['difference'])} "
        f"({row['wins']}–{row['losses']}), {row['verdict']}"
        for row in _rows(table)
    }
    views = {(reading, protocol): f"{reading}, {word}"
             for reading in dict.fromkeys(table["reading"]) for protocol, word in words.items()}  # fmt: skip
    return _crossed("claim, mean difference in points (wins–losses)", cells, views)


def agreement(published: Published, _: Sequence[str]) -> str:
    """Wins and losses in hindsight beside those on other datasets, in earlier.csv, and whether they say the same."""
    here, earlier = published.table("claims"), read_table(published.folder / EARLIER)
    keys = ["reading", "better", "worse"]
    both = here[here["protocol"] == "paper"].merge(earlier, on=keys, suffixes=("", "_earlier"))
    cells = {}
    for row in _rows(both):
        counts = {name: (row[f"wins{name}"], row[f"losses{name}"]) for name in ("_earlier", "")}
        sides = [_side(*count) for count in counts.values()]
        for name, (wins, losses) in counts.items():
            cells[_claim(row), (row["reading"], name)] = f"{wins}–{losses} ({wins / (wins + losses):.0%})"
        cells[_claim(row), (row["reading"], "same")] = "yes" if sides[0] == sides[1] else "no"
    titles = {"_earlier": "earlier", "": "here", "same": "the same?"}
    columns = {(reading, name): f"{reading}, {title}"
               for reading in dict.fromkeys(both["reading"]) for name, title in titles.items()}  # fmt: skip
    return _crossed("claim", cells, columns)


def regrets(published: Published, _: Sequence[str]) -> str:
    """Mean regret of every bandit in percent."""
    table = published.table("ranks")
    cells = {(row["bandit"], (row["reading"], row["protocol"])): f"{100 * row['regret']:.1f}" for row in _rows(table)}
    views = {(reading, protocol): f"{reading}, `{protocol}`"
             for reading in dict.fromkeys(table["reading"]) for protocol in PROTOCOLS}  # fmt: skip
    return _crossed("bandit", cells, views)


def shuffles(published: Published, _: Sequence[str]) -> str:
    """How many datasets are played how often."""
    table = published.table("datasets")
    numbers = [int(number) for number in table.loc[table["left_out"] == "", "shuffles"]]
    parts = [f"{numbers.count(number)} are played in {number}" for number in sorted(set(numbers), reverse=True)]
    return f"Of the {len(numbers)} datasets, {', '.join(parts)} shuffles."


def sizes(published: Published, _: Sequence[str]) -> str:
    """Table 2."""
    return (published.suite / "table2.md").read_text().strip()


def example(published: Published, _: Sequence[str]) -> str:
    """Table 1."""
    return (published.folder / "synthetic/table1.md").read_text().strip()


TABLES: dict[str, Callable[[Published, Sequence[str]], str]] = {
    "origin": origin, "claims": claims, "summary": summary, "agreement": agreement, "regrets": regrets,
    "shuffles": shuffles, "table1": example, "table2": sizes,
}  # fmt: skip


def _rows(table: pd.DataFrame) -> list[dict[Hashable, Any]]:
    return table.to_dict("records")


def _claim(row: dict[Hashable, Any]) -> str:
    return f"{'' if row['kind'] == 'claim' else row['kind'] + ': '}{row['better']} > {row['worse']}"


def _side(wins: int, losses: int) -> int:
    """1 if significantly more wins than losses, -1 if fewer (two-sided sign test at 5 %), 0 otherwise."""
    return int(np.sign(wins - losses)) if binomtest(wins, wins + losses).pvalue < 0.05 else 0


def _points(value: float) -> str:
    """A share in percentage points, with its sign."""
    return f"{100 * value:+.1f}".replace("-", "−")


def _crossed(corner: str, cells: dict[tuple[str, Any], str], columns: dict[Any, str]) -> str:
    """A table in Markdown of cells by row and column; ``columns`` has the title of each column."""
    rows = [
        [row, *(cells.get((row, column), "") for column in columns)] for row in dict.fromkeys(row for row, _ in cells)
    ]
    lines = [[corner, *columns.values()], ["---"] * (1 + len(columns)), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)
