"""Two versions of a table: identical, equal within the rounding of another kind of processor, or different.

Bandits are chaotic: a last digit that decides a tie changes an arm, and with it the rest of the run. On another kind of
processor most runs are nevertheless the same, and the others are no better or worse on average. The limits below lie
between what other processors do and what changes of the algorithm do (benchmarks/processors.py, docs/verify.md).
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from balanced_bandits.verification.contents import RUN, Content

IDENTICAL, ROUNDING, DIFFERENT, NOT_COMPARABLE = "identical", "equal within rounding", "different", "not comparable"
LEAST_SAME = 0.9  # share of the runs of a bandit under a reading with the same number of wrong rounds
MOST_BIAS = 4.0  # sum of their differences, divided by the square root of the sum of their squares
MOST_MOVE = 0.1  # root mean square difference of a table's main column, in standard deviations of that column
LAST_DIGITS = 1e-6  # relative difference of numbers that are computed from the same runs
SHOWN = 3  # examples


@dataclass(frozen=True)
class Finding:
    """What was found of one table."""

    name: str
    verdict: str
    words: str  # why
    examples: Sequence[str] = field(default=())  # the largest differences: row, column, both values


def compare_runs(name: str, mine: pd.DataFrame, theirs: pd.DataFrame) -> Finding:
    """Compare numbers of wrong rounds: tables with the columns ``RUN`` and ``wrong``."""
    both = mine.merge(theirs, on=RUN, how="outer", suffixes=("", "_theirs"), indicator=True)
    if (problem := _unmatched(both, RUN)) is not None:
        return Finding(name, DIFFERENT, *problem)
    apart = both["wrong"] - both["wrong_theirs"]
    total = len(both)
    if not apart.any():
        return Finding(name, IDENTICAL, f"all {total:,} runs have the same number of wrong rounds")
    shares, bias = {}, {}
    for (bandit, reading), of in both.assign(apart=apart).groupby(["bandit", "reading"], sort=False):
        clusters = of.groupby(["dataset", "shuffle"])["apart"].sum().to_numpy(float)  # whose runs are not independent
        size = float(np.sqrt((clusters**2).sum()))
        shares[f"{bandit} {reading}"] = float((of["apart"] == 0).mean())
        bias[f"{bandit} {reading}"] = abs(float(clusters.sum())) / size if size else 0.0
    worst, most = min(shares, key=shares.__getitem__), max(bias, key=bias.__getitem__)
    words = f"{(apart == 0).mean():.2%} of {total:,} runs have the same number of wrong rounds"
    examples = _worst(both, RUN, "wrong", apart.abs())
    if shares[worst] < LEAST_SAME:
        words += f", but of {worst} only {shares[worst]:.1%} (rounding leaves {LEAST_SAME:.0%} or more)"
        return Finding(name, DIFFERENT, words, examples)
    if bias[most] > MOST_BIAS:
        words += f", but the differences of {most} are not balanced around zero ({bias[most]:.1f} deviations)"
        return Finding(name, DIFFERENT, words, examples)
    words += f"; at least {shares[worst]:.1%} of those of every bandit, and the differences are balanced around zero"
    return Finding(name, ROUNDING, words, examples)


def compare_tables(
    name: str, content: Content, mine: tuple[bytes, pd.DataFrame], theirs: tuple[bytes, pd.DataFrame], same_runs: bool
) -> Finding:
    """Compare two tables, each given with its bytes.

    If they are made from the same runs, numbers may differ in their last digits. Otherwise, the main column may move by
    what rounding does to it, and the others follow from it.
    """
    if mine[0] == theirs[0]:
        return Finding(name, IDENTICAL, "byte for byte")
    keys = list(content.keys)
    columns = [str(column) for column in theirs[1] if column not in keys]
    odd = set(mine[1].columns) ^ set(theirs[1].columns)
    if odd:
        return Finding(name, DIFFERENT, f"only one of the two tables has the columns {', '.join(sorted(odd))}")
    text = [key for key in keys if not (_is_number(mine[1][key]) and _is_number(theirs[1][key]))]
    own, published = (table[1].astype(dict.fromkeys(text, str)) for table in (mine, theirs))
    both = own.merge(published, on=keys, how="outer", suffixes=("", "_theirs"), indicator=True)
    if (problem := _unmatched(both, keys)) is not None:
        return Finding(name, DIFFERENT, *problem)
    apart = pd.DataFrame({column: _apart(both[column], both[f"{column}_theirs"]) for column in columns})
    if not (apart > 0).to_numpy().any():
        return Finding(name, IDENTICAL, "value for value")
    moved = (apart > LAST_DIGITS).any(axis=1)
    examples = [text for column in apart.max().nlargest(SHOWN).index if apart[column].max() > 0
                for text in _worst(both, keys, column, apart[column])[:1]]  # fmt: skip
    if not moved.any():
        return Finding(name, ROUNDING, f"no number differs by more than {LAST_DIGITS:g} of its size", examples)
    words = f"{moved.sum():,} of {len(both):,} rows differ"
    if same_runs or not content.main:
        return Finding(name, DIFFERENT, words + (", although the runs are the same" if same_runs else ""), examples)
    if not (_is_number(own[content.main]) and _is_number(published[content.main])):
        return Finding(name, DIFFERENT, f"{words}; {content.main} is not a column of numbers in both tables", examples)
    examples = _worst(both, keys, content.main, apart[content.main]) or examples
    move = _move(both[content.main], both[f"{content.main}_theirs"])
    words += f"; {content.main} by {move:.3f} of its deviation over rows (rounding: at most {MOST_MOVE:g})"
    return Finding(name, ROUNDING if move <= MOST_MOVE else DIFFERENT, words + _changed_words(both, columns), examples)


def _unmatched(both: pd.DataFrame, keys: Sequence[str]) -> tuple[str, list[str]] | None:
    """What to say if rows are in one of two merged tables only, or more than once; None if they match."""
    alone = both[both["_merge"] != "both"]
    if len(alone):
        yours = int((alone["_merge"] == "left_only").sum())
        words = f"{yours:,} rows are only in your table, {len(alone) - yours:,} only in the published one"
        return words, [f"{_row(row, keys)}: {'yours' if row['_merge'] == 'left_only' else 'published'} only"
                       for _, row in alone.head(SHOWN).iterrows()]  # fmt: skip
    twice = both[both.duplicated(list(keys))]
    return (f"{len(twice):,} rows occur twice", [_row(twice.iloc[0], keys)]) if len(twice) else None


def _apart(mine: pd.Series, theirs: pd.Series) -> pd.Series:
    """How far two columns are apart: relative to the larger of two numbers, or 1 where other cells are not equal."""
    same = (mine == theirs).fillna(False).astype(bool) | (mine.isna() & theirs.isna())
    if not (_is_number(mine) and _is_number(theirs)):
        return (~same).astype(float)
    a, b = mine.to_numpy(float, na_value=np.nan), theirs.to_numpy(float, na_value=np.nan)
    size = np.maximum(np.maximum(np.abs(a), np.abs(b)), np.finfo(float).tiny)
    return pd.Series(np.where(same, 0.0, np.nan_to_num(np.abs(a - b) / size, nan=1.0)), mine.index)


def _move(mine: pd.Series, theirs: pd.Series) -> float:
    """Root mean square difference in standard deviations of their column; infinite where one of them has no number."""
    a, b = mine.to_numpy(float, na_value=np.nan), theirs.to_numpy(float, na_value=np.nan)
    if (np.isnan(a) != np.isnan(b)).any():
        return np.inf
    known = ~np.isnan(b)
    square = float(((a - b)[known] ** 2).mean()) if known.any() else 0.0
    spread = float(b[known].std()) if known.any() else 0.0
    return 0.0 if square == 0.0 else np.sqrt(square) / spread if spread > 0 else np.inf


def _changed_words(both: pd.DataFrame, columns: Sequence[str]) -> str:
    """How many verdicts changed, in a table that has some."""
    if "verdict" not in columns:
        return ""
    changed = int((both["verdict"] != both["verdict_theirs"]).sum())
    return f"; {changed or 'no'} verdict{'s' * (changed != 1)} changed"


def _is_number(column: pd.Series) -> bool:
    return pd.api.types.is_numeric_dtype(column) and not pd.api.types.is_bool_dtype(column)


def _worst(both: pd.DataFrame, keys: Sequence[str], column: str, apart: pd.Series) -> list[str]:
    """The rows whose values in a column are farthest apart."""
    most = apart[apart > 0].nlargest(SHOWN).index
    return [f"{_row(both.loc[i], keys)}: {column} is {_shown(both.loc[i, column])}, published "
            f"{_shown(both.loc[i, f'{column}_theirs'])}" for i in most]  # fmt: skip


def _row(row: pd.Series, keys: Sequence[str]) -> str:
    return ", ".join(str(row[key]) for key in keys if str(row[key]) != "")


def _shown(value: object) -> str:
    return f"{value:.6g}" if isinstance(value, float) else repr(value) if isinstance(value, str) else str(value)
