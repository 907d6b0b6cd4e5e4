"""Leaks: columns that give the target away."""

import itertools
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.special import betainc, gammaln
from scipy.stats import rankdata

from balanced_bandits.datasets.audit.findings import Finding, shown
from balanced_bandits.datasets.audit.view import Variable, View
from balanced_bandits.datasets.columns import BY_CHANCE, FEW

NEARLY_PERFECT = 0.98  # reduction of error of one feature
SORTED_FEATURE = 0.5  # the same, for a column that follows the order of the rows
MONOTONE = 0.99  # rank correlation with the target before it was cut
FORMULA = 0.999  # R^2 of a regression of the target before it was cut
LONGEST_FORMULA = 6  # columns of a formula that are in its key
LONGEST_THINNED = 100  # columns up to which those that a formula does not need are left out


def leaks(view: View) -> Iterator[Finding]:
    """All findings of this module on a dataset with at least two classes; the first of those that apply to a column."""
    told: set[str] = set()
    for finding in itertools.chain(_of_numbers(view), _of_records(view), _of_features(view)):
        if finding.column not in told:
            yield finding
        told.add(finding.column)


def _of_records(view: View) -> Iterator[Finding]:
    """What was noticed when the columns were read."""
    for record in view.records:
        if record.used and record.suspicion in ("leak", "identifier"):
            kind = "determines target" if record.suspicion == "leak" else "identifier"
            yield Finding(view.name, kind, record.name, record.warning)


def _of_features(view: View) -> Iterator[Finding]:
    """Columns that alone predict the class."""
    for column in view.columns:
        reduction, chance = one_feature(column, view.y, len(view.classes))
        follows = reduction >= SORTED_FEATURE and follows_rows(column)
        if chance <= np.log(BY_CHANCE) and (follows or reduction >= NEARLY_PERFECT):
            said = f"alone it removes {_percent(reduction)} of the errors of always playing the most frequent class"
            kind = "row order" if follows else "one feature"
            yield Finding(view.name, kind, column.name, said + (", and it follows the order of the rows" * follows))


def one_feature(column: Variable, y: NDArray[np.int64], classes: int) -> tuple[float, float]:
    """How well one column predicts the labels: the reduction of error, and the log probability of a coincidence.

    Rows are grouped by the levels of the column (if it is categorical or has at most ``FEW`` values) or by intervals of
    it, at most one more than classes, cut greedily by the Gini index; missing values are a group. Each row is predicted
    by the majority of the other rows of its group (leave-one-out; a tie is an error), so small groups predict nothing.
    The reduction is 1 - errors / errors of always predicting the most frequent class, so 0 is useless and 1 perfect.

    The probability that labels in random order fit as well is at most the number of ways to group and to label the
    groups, times the number of label sequences with as few errors, divided by the number of all label sequences.
    """
    codes, m = column.codes
    table = np.bincount((codes + 1) * classes + y, minlength=(m + 1) * classes).reshape(m + 1, classes)
    missing, table = table[:1], table[1:]
    ways = 0.0
    if column.levels is None and m > FEW:
        table = _intervals(table, classes + 1)
        ways = _log_choose(m - 1, len(table) - 1)
    groups = np.concatenate([table, missing[missing.sum(axis=1) > 0]])
    ranked = -np.sort(-groups, axis=1)
    top, second = ranked[:, 0], ranked[:, 1]
    n, sizes = len(y), np.bincount(y, minlength=classes)
    errors = n - int(top[top - 1 > second].sum())
    fitted = n - int(top.sum())
    fits = np.log(fitted + 1.0) + _log_choose(n, fitted) + fitted * np.log(max(classes - 1, 1))
    chance = ways + len(groups) * np.log(classes) + fits - (gammaln(n + 1) - gammaln(sizes + 1).sum())
    return float(1.0 - errors / max(n - int(sizes.max()), 1)), float(chance)


def _intervals(table: NDArray[np.int64], most: int) -> NDArray[np.int64]:
    """Class counts by value (m, K) as class counts by interval, at most ``most`` of them."""
    upto = np.concatenate([np.zeros((1, table.shape[1])), np.cumsum(table, axis=0)])
    best = [_best_cut(upto, 0, len(table))]
    ends = [(0, len(table))]
    while len(ends) < most:
        i = int(np.argmax([gain for gain, _ in best]))
        gain, cut = best[i]
        if gain <= 1e-9:
            break
        low, high = ends[i]
        ends[i : i + 1] = [(low, cut), (cut, high)]
        best[i : i + 1] = [_best_cut(upto, low, cut), _best_cut(upto, cut, high)]
    return np.array([upto[high] - upto[low] for low, high in ends]).astype(np.int64)


def _best_cut(upto: NDArray[np.float64], low: int, high: int) -> tuple[float, int]:
    """The gain in purity by the best cut of an interval of values in two, and where it is."""
    if high - low < 2:
        return 0.0, low
    left = upto[low + 1 : high] - upto[low]
    whole = upto[high] - upto[low]
    right = whole - left
    purity = (left**2).sum(axis=1) / left.sum(axis=1) + (right**2).sum(axis=1) / right.sum(axis=1)
    gains = purity - (whole**2).sum() / whole.sum()
    at = int(np.argmax(gains))
    return float(gains[at]), low + 1 + at


def follows_rows(column: Variable) -> bool:
    """Whether a numeric column with mostly different values is sorted like the rows, or nearly so."""
    codes, m = column.codes
    if column.levels is not None or m <= max(FEW, len(codes) / 2):
        return False
    return abs(_rank_correlation(column.values, np.arange(len(codes), dtype=float))[0]) >= 0.999


def _of_numbers(view: View) -> Iterator[Finding]:
    """Findings about the target before it was cut."""
    if (target := view.target) is None:
        return
    numeric = [column for column in view.columns if column.levels is None]
    others = []
    for column in numeric:
        correlation, chance = _rank_correlation(column.values, target)
        if abs(correlation) >= MONOTONE and chance <= np.log(BY_CHANCE):
            said = f"its rank correlation with the target before the cut is {correlation:.4f}"
            yield Finding(view.name, "monotone", column.name, said)
        else:
            others.append(column)
    if (found := formula(others, target)) is not None:
        names, form, fit = found
        said = f"a regression of {form} on {shown(names)} has R² = {_below_one(fit)}"
        yield Finding(view.name, "formula", " & ".join(names) if len(names) <= LONGEST_FORMULA else "*", said)


def _rank_correlation(a: NDArray[np.float64], b: NDArray[np.float64]) -> tuple[float, float]:
    """Spearman's correlation where both have values, and the log probability of one so far from 0 by chance."""
    both = np.isfinite(a) & np.isfinite(b)
    n = int(both.sum())
    if n < 4:
        return 0.0, 0.0
    x, y = rankdata(a[both]), rankdata(b[both])
    x, y = x - x.mean(), y - y.mean()
    size = np.sqrt((x @ x) * (y @ y))
    if size == 0.0:
        return 0.0, 0.0
    r = float(np.clip((x @ y) / size, -1.0, 1.0))
    # r^2 of independent columns has about the distribution Beta(1/2, n/2 - 1).
    return r, float(np.log(max(betainc(n / 2 - 1, 0.5, 1 - r * r), 1e-300)))


def formula(columns: Sequence[Variable], target: NDArray[np.float64]) -> tuple[list[str], str, float] | None:
    """The columns of a linear regression that gives the target, its form in words, and its R^2; None if there is none.

    The target and its logarithm are regressed on the columns, and the logarithm on the logarithms of positive columns,
    which finds sums, differences, products, quotients and powers. R^2 is that of leave-one-out predictions, so it is
    not inflated by many columns. Missing values become the median.
    """
    rows = np.isfinite(target)
    y = target[rows]
    features = [(column.name, _filled(column.values[rows])) for column in columns]
    features = [(name, x) for name, x in features if x.min() < x.max()]
    if len(features) < 2 or len(y) < len(features) + 3 or y.min() == y.max():
        return None
    forms = [("the target", y, features)]
    if (y > 0).all():
        logs = [(name, np.log(x)) for name, x in features if (x > 0).all()]
        forms += [("its logarithm", np.log(y), features)]
        forms += [("its logarithm", np.log(y), [(f"log {name}", x) for name, x in logs])] if len(logs) > 1 else []
    for form, response, used in forms:
        matrix = np.column_stack([_standardised(x) for _, x in used])
        if _left_out_fit(matrix, response) >= FORMULA:
            chosen = _needed(matrix, response)
            return sorted(used[i][0] for i in chosen), form, _left_out_fit(matrix[:, chosen], response)
    return None


def _left_out_fit(matrix: NDArray[np.float64], y: NDArray[np.float64]) -> float:
    """R^2 of leave-one-out predictions by least squares with an intercept; the columns are centred."""
    n = len(y)
    left, values, _ = np.linalg.svd(matrix, full_matrices=False)
    left = left[:, values > 1e-9 * values[0]]
    y = y - y.mean()
    leverage = np.minimum((left**2).sum(axis=1) + 1.0 / n, 1.0)
    free = 1.0 - leverage > 1e-9  # a row that alone decides a coefficient can't be predicted from the others
    residuals = (y - left @ (left.T @ y))[free] / (1.0 - leverage[free])
    wrong = float((residuals**2).sum()) + float((y[~free] ** 2).sum()) * (n / (n - 1)) ** 2
    return 1.0 - wrong / (float(y @ y) * (n / (n - 1)) ** 2)


def _needed(matrix: NDArray[np.float64], y: NDArray[np.float64]) -> list[int]:
    """Columns that suffice for the fit: added one by one, each as that closest to the residual, then thinned out."""
    centred = y - y.mean()
    chosen: list[int] = []
    residual = centred
    while len(chosen) < matrix.shape[1] and (not chosen or _left_out_fit(matrix[:, chosen], y) < FORMULA):
        close = np.abs(matrix.T @ residual).round(9)
        close[chosen] = -1.0
        chosen.append(int(np.argmax(close)))
        part = matrix[:, chosen]
        residual = centred - part @ np.linalg.lstsq(part, centred, rcond=None)[0]
    if len(chosen) <= LONGEST_THINNED:
        for column in list(chosen):
            fewer = [other for other in chosen if other != column]
            if fewer and _left_out_fit(matrix[:, fewer], y) >= FORMULA:
                chosen = fewer
    return chosen


def _filled(values: NDArray[np.float64]) -> NDArray[np.float64]:
    finite = np.isfinite(values)
    return np.where(finite, values, np.median(values[finite]) if finite.any() else 0.0)


def _standardised(values: NDArray[np.float64]) -> NDArray[np.float64]:
    scaled = values / np.abs(values).max()
    centred = scaled - scaled.mean()
    deviation = centred.std()
    return np.asarray(centred / deviation if deviation > 0 else centred)


def _log_choose(n: int, k: int) -> float:
    return float(gammaln(n + 1) - gammaln(k + 1) - gammaln(n - k + 1))


def _percent(share: float) -> str:
    return "all" if share == 1.0 else f"{np.floor(share * 1000) / 10:g} %"


def _below_one(fit: float) -> str:
    return "1" if fit > 1 - 1e-9 else f"{np.floor(fit * 1e5) / 1e5:g}"
