"""Datasets, or parts of them, that occur twice in a suite.

Each dataset leaves a fingerprint, whatever its size: a few hashes per column. Fingerprints are joined on these hashes,
so the time grows with the number of columns of the suite, not with the number of pairs of datasets. Only pairs that the
join suggests are read again, to count the rows that they share.
"""

import itertools
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln

from balanced_bandits.datasets.audit.findings import DECIDED, Finding, shown
from balanced_bandits.datasets.audit.quality import mixed, row_keys
from balanced_bandits.datasets.audit.view import Variable, View
from balanced_bandits.datasets.columns import FEW

GRID = 1e6  # steps from the smallest to the largest value of a column, in which columns are compared
OFFSET = 2.0**0.5 - 1.0  # of the grid, so that decimal numbers are not at the edge of a step
INFORMATIVE = np.log(1e12)  # the logarithm of the number of columns among which an equal one is no coincidence
LOW = 10  # values up to which a column is described by their counts alone
COUNTING = re.compile(r"[a-z]{0,4}[_ ]?\d+")  # names of columns such as 3, x3, v_3 or att3
SKETCH, BAND = 128, 16  # hashes of values per column that are kept, and that are joined
COMMON = 10  # datasets with the same value, or the same name of a column, from which on it says nothing
ALIKE = 0.5  # share of values (of the smaller column), or of names, from which on two datasets are read again
FEWEST_COLUMNS = 3  # by which rows are compared, unless the smaller dataset has fewer
SAME_ORDER = 0.99  # rank correlation from which on two columns count as one
ROWS, SHARE = 10, 0.2  # shared rows, and their share of the smaller dataset, from which on they are reported
FEWEST = 50  # rows of datasets that are compared by the sizes of their classes
UNEXPECTED = 10.0  # times as many as expected if columns were independent


@dataclass(frozen=True)
class Fingerprint:
    """What is kept of a dataset."""

    name: str
    family: str
    sizes: tuple[int, ...]  # of the classes, in increasing order
    table: int | None  # hash of the rows, whatever their order, the order of columns, names and scales
    columns: dict[int, str]  # informative columns by the hash of their values
    sketches: dict[str, NDArray[np.uint64]]  # the smallest hashes of the values of a column, sorted
    names: frozenset[str]  # of all columns, in lower case, but for those that only count
    width: int  # number of columns


def fingerprint(view: View, family: str) -> Fingerprint:
    """The fingerprint of a dataset; the target before its cut is one of the columns."""
    target = [] if view.target is None else [Variable("the target", view.target)]
    columns = {key: column.name for column in [*view.columns, *target] if (key := column_key(column)) is not None}
    sketches = {column.name: sketch for column in view.columns if len(sketch := _sketch(column))}
    sizes = tuple(sorted(np.bincount(view.y).tolist()))
    names = frozenset(name for column in view.columns if not COUNTING.fullmatch(name := column.name.lower()))
    width = len(view.columns)
    return Fingerprint(view.name, family, sizes, _table_key(view.columns), columns, sketches, names, width)


def _steps(column: Variable, sign: float = 1.0) -> NDArray[np.int64]:
    """The distinct numbers of a column, multiplied by ``sign``, as integers from 0 to about ``GRID``."""
    values = np.unique(column.values[column.present]) * sign
    values = np.sort(values / max(np.abs(values).max(), 1e-300))  # the range of huge values would overflow
    steps = np.floor((values - values[0]) / (values[-1] - values[0]) * GRID + OFFSET)
    return np.asarray(steps, dtype=np.int64)


def column_key(column: Variable) -> int | None:
    """A hash of the values of a column, whatever their order and scale; None if an equal one may be a coincidence.

    A numeric column is informative if it has at least 5 values, if there are enough ways to choose as many numbers from
    a grid as fine as its smallest gap, and if it is no design, that is, an equal number of each of equally distant
    values. A categorical one is never informative: the sizes of a few levels agree too easily.
    """
    _, m = column.codes
    if column.levels is not None or m < 5:
        return None
    steps, counts = _steps(column), column.counts
    gaps = np.diff(steps)
    n, grid = int(counts.sum()), GRID / max(int(gaps.min()), 1)
    ways = float(gammaln(n - 1 + grid) - gammaln(n - 1) - gammaln(grid + 1))
    design = gaps.max() - gaps.min() <= 1 and counts.min() == counts.max()
    if ways < INFORMATIVE or design:
        return None
    turned = np.concatenate([_steps(column, -1.0), counts[::-1]])
    return min(hash(np.concatenate([steps, counts]).tobytes()), hash(turned.tobytes()))


def _table_key(columns: Sequence[Variable]) -> int | None:
    """A hash of the rows of a table; None if there are fewer than 5 different ones.

    Numbers are compared up to their scale. Levels, and columns of at most ``LOW`` values, are compared by the numbers
    of rows that have them, so their names and codes do not matter.
    """
    total = np.zeros(len(columns[0].values) if columns else 0, dtype=np.uint64)
    for column in columns:
        codes, m = column.codes
        if m < 2 and column.present.all():
            continue
        by_count = column.levels is not None or m <= LOW
        cells = -column.counts if by_count else _steps(column)
        total += mixed(np.append(cells, -(len(codes) - column.counts.sum()))[codes].astype(np.uint64))
    rows = np.sort(mixed(total))
    return hash(rows.tobytes()) if len(np.unique(rows)) >= 5 else None


def _sketch(column: Variable) -> NDArray[np.uint64]:
    """The smallest hashes of the values; none for few values, or for half of the numbers in a range or more."""
    _, m = column.codes
    if column.levels is not None or m < FEW:
        return np.empty(0, dtype=np.uint64)
    values = np.unique(column.values[column.present])
    if m > (values[-1] / np.diff(values).min() - values[0] / np.diff(values).min() + 1.0) / 2:
        return np.empty(0, dtype=np.uint64)
    return np.unique(column.cells()[column.present])[:SKETCH]


def across(prints: Iterable[Fingerprint], read: Callable[[str], View]) -> list[Finding]:
    """All findings of this module; ``read`` gives the view of a dataset again.

    The strongest findings come first, and two datasets that others already link are not reported: a group of k datasets
    with something in common has k - 1 findings. A finding is decided if both datasets are of one family.
    """
    by_name = {one.name: one for one in sorted(prints, key=lambda one: one.name.lower())}
    told: dict[Pair, Finding] = {}
    linked: dict[str, str] = {}  # datasets to an earlier one of their group

    def first_of(name: str) -> str:
        while name in linked:
            name = linked[name]
        return name

    def known(pair: Pair) -> bool:
        return first_of(pair[0]) == first_of(pair[1])

    for pair, kind, detail in itertools.chain(
        _equal_tables(by_name), _shared_columns(by_name), _shared_rows(by_name, read, known), _same_classes(by_name)
    ):
        if not known(pair):
            first, other = pair
            linked[first_of(other)] = first_of(first)
            told[pair] = Finding(other, kind, first, detail)
    for (first, other), finding in told.items():
        if (family := by_name[first].family) == by_name[other].family:
            told[first, other] = replace(finding, status=DECIDED, decision=f"one family, {family}")
    return list(told.values())


Pair = tuple[str, str]  # names of datasets, the first in alphabetical order first
Prints = dict[str, Fingerprint]


def _equal_tables(prints: Prints) -> Iterator[tuple[Pair, str, str]]:
    first_with: dict[int, Fingerprint] = {}
    for one in prints.values():
        if one.table is None:
            continue
        first = first_with.setdefault(one.table, one)
        if first is not one:
            same = "the same" if first.sizes == one.sizes else "another"
            said = f"the same {sum(one.sizes)} rows as {first.name}, with {same} target"
            yield (first.name, one.name), "equal tables", said


def _shared_columns(prints: Prints) -> Iterator[tuple[Pair, str, str]]:
    first_with: dict[int, Fingerprint] = {}
    shared: dict[Pair, list[str]] = {}
    for one in prints.values():
        for key, column in one.columns.items():
            first = first_with.setdefault(key, one)
            if first is not one:
                other = first.columns[key]
                said = column if column == other else f"{column} ({other})"
                shared.setdefault((first.name, one.name), []).append(said)
    for pair, columns in sorted(shared.items(), key=lambda item: -len(item[1])):
        of = prints[pair[1]].width
        said = f"{len(columns)} of {of} columns have the values of columns of {pair[0]}: {shown(sorted(columns))}"
        yield pair, "shared columns", said


def _same_classes(prints: Prints) -> Iterator[tuple[Pair, str, str]]:
    """Pairs with as many columns and the same sizes of classes, unless these are all equal or there are few rows."""
    first_with: dict[tuple[int, tuple[int, ...]], str] = {}
    for one in prints.values():
        if sum(one.sizes) < FEWEST or len(set(one.sizes)) == 1:
            continue
        first = first_with.setdefault((one.width, one.sizes), one.name)
        if first != one.name:
            sizes = ", ".join(map(str, one.sizes[:10])) + (", ..." if len(one.sizes) > 10 else "")
            yield (first, one.name), "same classes", f"{one.width} columns, and classes of {sizes} rows, as in {first}"


def _shared_rows(
    prints: Prints, read: Callable[[str], View], known: Callable[[Pair], bool]
) -> Iterator[tuple[Pair, str, str]]:
    """Pairs with rows in common, among those that the columns or their names suggest and that are not known yet."""
    matches = _alike(prints)
    for pair in sorted({*matches, *_namesakes(prints)}):
        if known(pair):
            continue
        shared = _rows_in_common(read(pair[0]), read(pair[1]), matches.get(pair, {}))
        if shared is not None:
            rows, smaller, columns = shared
            said = f"{rows} of {smaller} rows of the smaller one also occur in the other, compared by {shown(columns)}"
            yield pair, "shared rows", said


def _alike(prints: Prints) -> dict[Pair, dict[str, str]]:
    """Pairs of datasets with columns that have most values of the smaller one in common; and these columns."""
    owners = [(name, column) for name, one in prints.items() for column in one.sketches]
    sketches = [sketch for one in prints.values() for sketch in one.sketches.values()]
    if not sketches:
        return {}
    hashes = np.concatenate([sketch[:BAND] for sketch in sketches])
    owner = np.repeat(np.arange(len(sketches)), [min(len(sketch), BAND) for sketch in sketches])
    order = np.argsort(hashes, kind="stable")
    ends = np.flatnonzero(np.diff(hashes[order])) + 1
    pairs: set[tuple[int, int]] = set()
    for start, end in itertools.pairwise([0, *ends.tolist(), len(order)]):
        if end - start > 1:
            with_it = owner[order[start:end]].tolist()
            if 1 < len({owners[i][0] for i in with_it}) <= COMMON:
                pairs |= {(i, j) for i, j in itertools.combinations(with_it, 2) if owners[i][0] != owners[j][0]}
    found: dict[Pair, dict[str, tuple[float, str]]] = {}
    for i, j in sorted(pairs):
        if (share := _overlap(sketches[i], sketches[j])) >= ALIKE:
            (first, one), (second, other) = owners[i], owners[j]
            best = found.setdefault((first, second), {})
            best[one] = max(best.get(one, (0.0, "")), (share, other))
    return {pair: {one: other for one, (_, other) in best.items()} for pair, best in found.items()}


def _overlap(a: NDArray[np.uint64], b: NDArray[np.uint64]) -> float:
    """The share of the smaller set of values that is in the other, estimated from hashes below a common bound."""
    bound = min(sketch[-1] if len(sketch) == SKETCH else np.iinfo(np.uint64).max for sketch in (a, b))
    fewest = min(int((a <= bound).sum()), int((b <= bound).sum()))
    common = int((np.intersect1d(a, b, assume_unique=True) <= bound).sum())
    return common / fewest if fewest >= ROWS else 0.0


def _namesakes(prints: Prints) -> set[Pair]:
    """Pairs of datasets that have at least two columns, and half of those of the smaller one, with the same names."""
    having: dict[str, list[str]] = {}
    for one in prints.values():
        for name in one.names:
            having.setdefault(name, []).append(one.name)
    pairs = {pair for names in having.values() if len(names) <= COMMON for pair in itertools.combinations(names, 2)}
    return {
        (first, other)
        for first, other in pairs
        if len(same := prints[first].names & prints[other].names) >= 2
        and len(same) >= ALIKE * min(len(prints[first].names), len(prints[other].names))
    }


def _rows_in_common(first: View, second: View, matches: dict[str, str]) -> tuple[int, int, list[str]] | None:
    """The number of rows of the smaller dataset that occur in the other, its rows, and the columns compared.

    These are the matched columns and those with the same name; or, if that yields nothing, the matched ones alone. Of
    columns that are nearly functions of one another, one is compared, and at least ``FEWEST_COLUMNS``, or all that
    the smaller dataset has. None if there are few such rows, or not many more than by chance.
    """
    others = {column.name: column for column in second.columns}
    by_lower = {column.name.lower(): column for column in second.columns}
    partner = {matches[column.name]: column for column in first.columns if column.name in matches}  # one for each
    matched = [(column, others[other]) for other, column in partner.items()]
    named = [(column, by_lower[column.name.lower()]) for column in first.columns
             if column.name not in matches and column.name.lower() in by_lower]  # fmt: skip
    turn = len(first.y) > len(second.y)
    enough = min(FEWEST_COLUMNS, len((second if turn else first).columns))
    for pairs in (matched + named, matched):
        turned = sorted([pair[::-1] if turn else pair for pair in pairs], key=lambda pair: pair[0].name)
        common = [(a, b) for a, b in turned if np.isin(a.cells(), b.cells()).mean() >= SHARE]
        kept: list[tuple[Variable, Variable]] = []
        for a, b in common:
            if not any(abs(_codes_correlation(b, known)) >= SAME_ORDER for _, known in kept):
                kept.append((a, b))
        if len(kept) < enough:
            continue
        small, large = [a.cells() for a, _ in kept], [b.cells() for _, b in kept]
        rows, n = int(np.isin(row_keys(small), row_keys(large)).sum()), len(small[0])
        if rows >= max(ROWS, SHARE * n, UNEXPECTED * _expected(small, large)):
            return rows, n, [a.name for a, _ in kept]
    return None


def _codes_correlation(a: Variable, b: Variable) -> float:
    """The rank correlation of two columns without corrections for ties; 0 if one of them is constant."""
    x, y = (column.codes[0] - column.codes[0].mean() for column in (a, b))
    size = np.sqrt((x @ x) * (y @ y))
    return float(x @ y / size) if size > 0 else 0.0


def _expected(small: list[NDArray[np.uint64]], large: list[NDArray[np.uint64]]) -> float:
    """The number of rows of ``small`` expected in ``large`` if the columns of ``large`` were independent."""
    probability = np.full(len(small[0]), float(len(large[0])))
    for a, b in zip(small, large, strict=True):
        values, counts = np.unique(b, return_counts=True)
        at = np.minimum(np.searchsorted(values, a), len(values) - 1)
        probability *= np.where(values[at] == a, counts[at] / len(b), 0.0)
    return float(np.minimum(probability, 1.0).sum())
