"""What looks wrong within a dataset, apart from leaks."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln

from balanced_bandits.datasets.audit.findings import Finding, shown
from balanced_bandits.datasets.audit.view import Variable, View
from balanced_bandits.datasets.columns import BY_CHANCE, FEW

CODES = frozenset(float(str(digit) * length) for digit in (7, 8, 9) for length in range(1, 7)) | {
    97.0, 98.0, 997.0, 998.0, 9997.0, 9998.0, 99.9, 999.9, 99.99, 999.99, 9999.9, 9999.99
}  # fmt: skip
REPEATED = 3  # times that a code must occur
DIFFERENT = 10  # other values without which -1 and 0 are no codes
FAR = 1.5  # times that a code is larger than the largest other value
HOLE = 0.25  # gap next to 0, relative to the range of the other values
RARE = 0.1  # share of rows up to which 0 is a code rather than what is usual
DUPLICATED = 0.05  # share of rows that repeat another
UNEXPECTED = 10.0  # times as many as expected


def quality(view: View) -> Iterator[Finding]:
    """All findings of this module on a dataset."""
    if len(view.classes) < 2:
        yield Finding(view.name, "constant target", "", f"all {len(view.y)} rows are of class {view.classes[0]!r}")
    single = [view.classes[i] for i in np.flatnonzero(np.bincount(view.y) == 1)]
    if single and len(view.y) > 1:
        classes = f"{len(single)} classes have one row each" if len(single) > 1 else "a class has one row"
        yield Finding(view.name, "small class", "", f"{classes}: {shown(single)}")
    for column in view.columns:
        if said := missing_code(column):
            yield Finding(view.name, "code for missing", column.name, said)
    yield from _equal_columns(view)
    yield from _duplicated_rows(view)


def missing_code(column: Variable) -> str:
    """Which values of a numeric column look like codes for missing values, in words; "" if none do.

    Such a value occurs at least ``REPEATED`` times at an end of the column and is one of:

    - 9, 99, 999, 98, 88 and the like, as far from the other values as these are from one another, and ``FAR`` times as
      large as the largest of them (7 and 8 only below a 9); or the same with a minus;
    - -1, -9, -99 and the like, if they are the only negative values, next to at least ``DIFFERENT`` others;
    - 0, in at most ``RARE`` of the rows, with a hole of ``HOLE`` of their range between it and at least ``DIFFERENT``
      others, all of them positive.
    """
    _, m = column.codes
    if column.levels is not None or m < 3:
        return ""
    values, counts = np.unique(column.values[column.present]), column.counts
    highest, lowest = _codes_above(values), _codes_above(-values[::-1])
    negative = int(np.searchsorted(values, 0.0))
    if 0 < negative <= m - DIFFERENT and all(-value in CODES or value == -1.0 for value in values[:negative]):
        lowest = max(lowest, negative)
    hole = values[1] - values[0] >= HOLE * (values[-1] - values[1])
    if values[0] == 0.0 and m > DIFFERENT and hole and counts[0] <= RARE * counts.sum():
        lowest = 1
    codes = [i for i in (*range(lowest), *range(m - highest, m)) if counts[i] >= REPEATED]
    if not codes:
        return ""
    said = ", ".join(f"{values[i]:g} ({counts[i]} times)" for i in codes)
    return f"{said}; all other values are from {values[lowest]:g} to {values[m - highest - 1]:g}"


def _codes_above(values: NDArray[np.float64]) -> int:
    """How many of the largest values are codes far above the others, of which there are at least two."""
    if values[-1] in (7.0, 8.0):
        return 0
    found, most = 0, len(values) - 2
    for k in range(1, most + 1):
        code, rest = values[-k], values[-k - 1]
        if code not in CODES:
            break
        if code - rest >= rest - values[0] and code >= FAR * abs(rest):
            found = k
    return found


def _equal_columns(view: View) -> Iterator[Finding]:
    """Pairs of columns that are the same up to the names of levels, or to scale and sign, and not by chance.

    The chance is that of a random order of the values of one of the two.
    """
    groups: dict[tuple[str, bytes], list[Variable]] = {}
    for column in view.columns:
        codes, m = column.codes
        if m < 2 or _log_orders(column) < -np.log(BY_CHANCE):
            continue
        if column.levels is None:
            turned = np.where(codes >= 0, m - 1 - codes, -1)
            groups.setdefault(("order", min(codes.tobytes(), turned.tobytes())), []).append(column)
        if m <= FEW:  # two columns in which all values differ would always group the rows in the same way
            names = np.full(m + 1, -1)
            first_row = np.unique(codes[codes >= 0], return_index=True)[1]
            names[np.argsort(first_row, kind="stable")] = np.arange(m)
            groups.setdefault(("groups", names[codes].tobytes()), []).append(column)
    told: set[tuple[str, str]] = set()
    for same in groups.values():
        first, *others = sorted(same, key=lambda column: column.name)
        for other in others:
            if (other.name, first.name) not in told and _same_up_to_scale(first, other):
                told.add((other.name, first.name))
                how = "equals" if np.array_equal(first.values, other.values, equal_nan=True) else "is a recoding of"
                yield Finding(view.name, "equal columns", other.name, f"it {how} {first.name}")


def _same_up_to_scale(a: Variable, b: Variable) -> bool:
    """Whether columns that group or order the rows in the same way are linear in one another, if both are numeric."""
    if a.levels is not None or b.levels is not None:
        return True
    x, y = (values - values.mean() for values in (a.values[a.present], b.values[a.present]))
    return bool(abs(x @ y) >= (1 - 1e-9) * np.sqrt((x @ x) * (y @ y)))


def _log_orders(column: Variable) -> float:
    """The logarithm of the number of different orders of the values of a column, missing ones included."""
    counts = np.append(column.counts, len(column.values) - column.counts.sum())
    return float(gammaln(counts.sum() + 1) - gammaln(counts + 1).sum())


def _duplicated_rows(view: View) -> Iterator[Finding]:
    """A finding if many rows, with their label, repeat another, and more than if columns were independent."""
    n = len(view.y)
    keys = row_keys([column.codes[0] for column in view.columns] + [view.y])
    counts = np.unique(keys, return_counts=True)[1]
    repeats = n - len(counts)
    pairs = float((counts * (counts - 1.0)).sum() / 2)
    shares = [np.bincount(codes + 1) / n for codes in [*(column.codes[0] for column in view.columns), view.y]]
    expected = n * (n - 1) / 2 * float(np.exp(sum(np.log((share**2).sum()) for share in shares)))
    if repeats >= max(DUPLICATED * n, 2) and pairs >= UNEXPECTED * expected:
        yield Finding(view.name, "duplicated rows", "", f"{repeats} of {n} rows ({repeats / n:.1%}) repeat another row")


def row_keys(columns: list[NDArray[np.int64]] | list[NDArray[np.uint64]]) -> NDArray[np.uint64]:
    """One number per row that is equal for rows with equal values in all columns, (n,)."""
    keys = np.zeros(len(columns[0]), dtype=np.uint64)
    for column in columns:
        keys = mixed(keys * np.uint64(0x9E3779B97F4A7C15) + column.astype(np.uint64))
    return keys


def mixed(keys: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Spread the bits of 64-bit integers: a bijection, so different keys stay different."""
    keys = (keys ^ (keys >> np.uint64(32))) * np.uint64(0xD6E8FEB86659FD93)
    return keys ^ (keys >> np.uint64(32))
