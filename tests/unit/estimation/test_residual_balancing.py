"""The weights of residual balancing against a solver of quadratic programs."""

import clarabel
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from balanced_bandits.estimation.residual_balancing import MOST_STEPS, balance_rows


def solved(rows, target, zeta, multipliers=None):
    """The weights, the multipliers and the number of steps; from scratch unless multipliers are given."""
    multipliers = np.zeros(rows.shape[1]) if multipliers is None else multipliers.copy()
    weights = np.full(len(rows), np.nan)
    steps = balance_rows(rows, target, zeta, multipliers, weights)
    return weights, multipliers, steps


def objective(weights, rows, target, zeta):
    return (1 - zeta) * weights @ weights + zeta * np.abs(target - rows.T @ weights).max() ** 2


def by_quadratic_program(rows, target, zeta):
    """The weights as Clarabel finds them; the last variable is a bound on all entries of the imbalance."""
    n, columns = rows.shape
    moved, ones = (rows - target).T, np.ones((columns, 1))
    each = np.eye(n + 1)[:n]
    conditions = np.vstack([np.append(np.ones(n), 0.0), -each, each, np.hstack([moved, -ones]),
                            np.hstack([-moved, -ones])])  # fmt: skip
    bounds = np.concatenate([[1.0], np.zeros(n), np.full(n, n ** (-2 / 3)), np.zeros(2 * columns)])
    curvature = 2 * np.append(np.full(n, 1 - zeta), zeta)
    precise = clarabel.DefaultSettings()
    precise.verbose = False
    precise.tol_gap_abs = precise.tol_gap_rel = precise.tol_feas = 1e-12
    cones = [clarabel.ZeroConeT(1), clarabel.NonnegativeConeT(2 * n + 2 * columns)]
    solver = clarabel.DefaultSolver(
        sparse.csc_matrix(np.diag(curvature)), np.zeros(n + 1), sparse.csc_matrix(conditions), bounds, cones, precise
    )
    solution = solver.solve()
    assert "Solved" in str(solution.status)
    return np.array(solution.x)[:n]


def check(rows, target, zeta):
    """Assert that our weights satisfy the constraints, equal the solver's and are as good; returns them."""
    n = len(rows)
    weights, multipliers, steps = solved(rows, target, zeta)
    assert steps < MOST_STEPS
    assert weights.sum() == pytest.approx(1.0, abs=1e-9)
    assert weights.min() >= 0.0
    assert weights.max() <= n ** (-2 / 3)
    expected = by_quadratic_program(rows, target, zeta)
    # An interior-point solver stops short of the caps; the objective below is the sharper comparison.
    np.testing.assert_allclose(n * weights, n * expected, atol=2e-4)
    assert objective(weights, rows, target, zeta) <= objective(expected, rows, target, zeta) * (1 + 1e-8)
    # At the solution, multipliers belong to the largest entries of the imbalance, and add up to 2 zeta times them.
    imbalance = rows.T @ weights - target
    largest = np.abs(imbalance).max()
    if n > 1:
        assert np.abs(multipliers).sum() == pytest.approx(2 * zeta * largest, rel=1e-5, abs=1e-8)
        on = np.abs(multipliers) > 1e-6 * np.abs(multipliers).max()
        np.testing.assert_allclose(imbalance[on], -np.sign(multipliers[on]) * largest, rtol=1e-5, atol=1e-8)
    return weights


KINDS = {
    "plain": lambda rows, rng: rows,
    "few distinct rows": lambda rows, rng: rows[rng.integers(0, max(len(rows) // 3, 1), len(rows))],
    "all rows equal": lambda rows, rng: rows[np.zeros(len(rows), dtype=int)],
    "whole numbers": lambda rows, rng: np.round(rows),
    "zeros and ones": lambda rows, rng: (rows > 0).astype(float),
    "a constant column": lambda rows, rng: np.column_stack([np.full(len(rows), 2.0), rows]),
    "columns twice": lambda rows, rng: np.column_stack([rows, rows]),
    "different units": lambda rows, rng: rows * 10.0 ** rng.integers(-2, 2, rows.shape[1]),
    "far from the origin": lambda rows, rng: rows + 100.0,
}


@pytest.mark.parametrize("kind", KINDS)
@given(
    seed=st.integers(0, 10**6),
    n=st.integers(1, 40),
    columns=st.integers(1, 12),
    zeta=st.sampled_from([0.01, 0.5, 0.9]),
    far=st.sampled_from([0.0, 0.1, 1.0, 5.0]),  # 5: outside of the hull of the rows
)
@settings(max_examples=30, deadline=None)
def test_equals_the_quadratic_program(kind, seed, n, columns, zeta, far):
    rng = np.random.default_rng(seed)
    rows = KINDS[kind](rng.standard_normal((n, columns)), rng)
    check(rows, rows.mean(axis=0) + far * rng.standard_normal(rows.shape[1]), zeta)


@pytest.mark.parametrize(("n", "columns"), [(300, 20), (100, 150)])
def test_equals_the_quadratic_program_at_the_size_of_datasets(n, columns):
    rng = np.random.default_rng(n)
    rows = np.column_stack([np.ones(n), rng.standard_normal((n, columns))])
    check(rows, np.append(1.0, rng.standard_normal(columns) * 0.3), 0.5)


@pytest.mark.parametrize("n", [1, 2, 7, 50])
def test_weights_are_equal_if_the_rows_are_balanced_or_nothing_can_be_done(n):
    rows = np.random.default_rng(n).standard_normal((n, 3))
    np.testing.assert_allclose(check(rows, rows.mean(axis=0), 0.5), 1 / n, rtol=1e-12)
    equal = np.ones((n, 2))
    np.testing.assert_allclose(check(equal, np.array([0.0, 5.0]), 0.5), 1 / n, rtol=1e-12)


def test_zeta_goes_from_equal_weights_to_balance():
    rng = np.random.default_rng(0)
    rows, target = rng.standard_normal((60, 3)), np.array([0.3, -0.2, 0.1])
    np.testing.assert_allclose(solved(rows, target, 1e-9)[0], 1 / 60, rtol=1e-6)
    imbalances = [np.abs(target - rows.T @ solved(rows, target, zeta)[0]).max() for zeta in (0.01, 0.1, 0.5, 0.9, 0.99)]
    assert (np.diff(imbalances) < 0).all()
    assert imbalances[-1] < 1e-3


def test_the_cap_spreads_the_weight_over_enough_rows():
    rows = np.arange(64.0)[:, None]  # the target asks for all weight on the last row, the cap is 1 / 16
    weights = check(rows, np.array([1000.0]), 0.5)
    np.testing.assert_allclose(weights[-16:], 1 / 16)
    np.testing.assert_allclose(weights[:-16], 0.0, atol=1e-15)


def test_a_column_that_is_balanced_anyway_changes_nothing():
    rng = np.random.default_rng(1)
    rows, target = rng.standard_normal((30, 2)), np.array([0.5, 0.5])
    alone = solved(rows, target, 0.5)[0]
    for value in (0.0, 1.0):
        more = np.column_stack([np.full(30, value), rows])
        np.testing.assert_allclose(solved(more, np.append(value, target), 0.5)[0], alone, rtol=1e-9)


def test_equal_rows_have_equal_weights():
    rng = np.random.default_rng(2)
    rows = rng.standard_normal((10, 4)).repeat(3, axis=0)
    weights = check(rows, np.full(4, 0.3), 0.5).reshape(10, 3)
    np.testing.assert_allclose(weights, weights[:, :1].repeat(3, axis=1), rtol=1e-12)
    assert np.ptp(weights[:, 0]) > 0.01


def test_a_warm_start_takes_fewer_steps_to_the_same_weights():
    warm, cold = 0, 0
    for seed in range(20):
        rng = np.random.default_rng(seed)
        rows, target = rng.standard_normal((420, 12)), rng.standard_normal(12) * 0.3
        _, multipliers, _ = solved(rows[:400], target * 1.02, 0.5)
        weights, _, steps = solved(rows, target, 0.5, multipliers)
        expected, _, all_steps = solved(rows, target, 0.5)
        np.testing.assert_allclose(weights, expected, atol=1e-9)
        warm, cold = warm + steps, cold + all_steps
    assert warm < 0.8 * cold


@given(
    seed=st.integers(0, 10**6),
    n=st.integers(1, 30),
    zeta=st.sampled_from([0.5, 0.999]),
    size=st.sampled_from([1e-150, 1e-8, 1e4, 1e8]),
)
@settings(max_examples=40, deadline=None)
def test_contexts_of_extreme_size_give_valid_weights_that_are_not_worse_than_equal_ones(seed, n, zeta, size):
    rng = np.random.default_rng(seed)
    rows, target = rng.standard_normal((n, 5)) * size, rng.standard_normal(5) * size
    for start in (np.zeros(5), rng.standard_normal(5) * size):
        weights = solved(rows, target, zeta, start)[0]
        assert weights.min() >= 0.0
        assert weights.max() <= n ** (-2 / 3) + 1e-15
        assert weights.sum() == pytest.approx(1.0, abs=1e-6)
        equal = objective(np.full(n, 1 / n), rows, target, zeta)
        assert objective(weights, rows, target, zeta) <= equal * (1 + 1e-6)
