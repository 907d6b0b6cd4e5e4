"""The compiled bandits against the boxes of the paper in plain NumPy."""

import numpy as np
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from playing import LINEAR, played, problem

from balanced_bandits.bandits import BANDITS
from balanced_bandits.boxes import Choices, algorithm1, algorithm2
from balanced_bandits.core.streams import stream
from balanced_bandits.estimation.ridge import mirror


@pytest.mark.parametrize("name", LINEAR)
@given(
    seed=st.integers(0, 10**6),
    n=st.integers(5, 30),
    d=st.integers(1, 6),
    K=st.integers(2, 4),
    alpha=st.sampled_from([0.25, 1.0, 4.0]),
    gamma=st.sampled_from([0.01, 0.2]),
    lams=st.sampled_from([[1e-3, 1e-1, 1e1, 1e3], [0.5], [1e-2, 1e2]]),
    criterion=st.sampled_from(["loo", "gcv", "kfold"]),
    intercept=st.sampled_from(["unpenalised", "penalised", "none"]),
    lams_unit=st.sampled_from(["one", "data"]),
    variance=st.sampled_from(["residual", "literal", "mean"]),
    schedule=st.sampled_from([("geometric", 0.0), ("geometric", 0.3), ("batch", 4)]),
    propensity=st.sampled_from(["exact", "assignment"]),
    propensity_schedule=st.sampled_from([("geometric", 0.0), ("geometric", 0.5), ("batch", 3)]),
    posteriors=st.sampled_from([2, 4, 64]),
    ties=st.sampled_from(["smallest", "middle", "largest"]),
    warm=st.integers(0, 6),
)
@settings(max_examples=40, deadline=None, phases=[Phase.generate], derandomize=True)
def test_same_arms_and_estimates_as_the_boxes(name, seed, n, d, K, warm, **choices):
    # With three arms or more, propensities are integrals over a bounded interval: 1 - 4e-5 for an arm that surely wins,
    # but 1 if its deviation is 0, which may be a matter of rounding. The kernel also ignores arms that hardly ever win.
    compare(name, seed, n, d, K, warm, choices, close=1e-3 if name == "BLTS" and K > 2 else 1e-8)


@pytest.mark.parametrize("name", ["BLTS", "BLUCB"])
@given(
    seed=st.integers(0, 10**6),
    n=st.integers(5, 30),
    d=st.integers(1, 6),
    K=st.integers(2, 4),
    zeta=st.sampled_from([0.1, 0.5, 0.9]),
    criterion=st.sampled_from(["loo", "gcv"]),
    intercept=st.sampled_from(["unpenalised", "penalised", "none"]),
    variance=st.sampled_from(["residual", "literal"]),
    schedule=st.sampled_from([("geometric", 0.0), ("geometric", 0.3), ("batch", 4)]),
    warm=st.integers(0, 6),
)
@settings(max_examples=30, deadline=None, phases=[Phase.generate], derandomize=True)
def test_the_same_with_residual_balancing(name, seed, n, d, K, warm, **choices):
    choices |= {"weights": "residual_balancing", "alpha": 0.5, "lams": [1e-2, 1.0, 1e2]}
    compare(name, seed, n, d, K, warm, choices, close=1e-5, of_weights=1e-6)  # some weights are 0


def compare(name, seed, n, d, K, warm, choices, close, of_weights=0.0):
    """Assert that the compiled bandit and its box give the same arms, weights and estimates."""
    contexts, rewards = problem(seed, n, d, K)
    forced = np.random.default_rng(seed).integers(0, K, warm)
    box, balanced = algorithm1 if name.endswith("TS") else algorithm2, name.startswith("BL")
    plain = box(contexts, rewards, stream(seed, "play"), Choices(**choices, folds=3), balanced, forced)
    named = choices | {"folds": 3, "logistic_tolerance": 1e-13}
    for schedule in {"schedule", "propensity_schedule"} & set(choices):
        kind, value = choices[schedule]
        named[schedule] = {kind: value} if value else "every_step"
    named = {choice: value for choice, value in named.items() if choice in BANDITS[name].parameters}
    chosen, _, memory = played(name, contexts, rewards, seed, forced, **named)
    for a, arm in enumerate(plain):
        np.testing.assert_array_equal(np.flatnonzero(chosen == a), arm.times)
        np.testing.assert_allclose(memory.weights[arm.times], arm.w, rtol=close, atol=of_weights)
        # In units of the data, lambda depends on the weights.
        of_lam = close if choices.get("lams_unit") == "data" else 1e-12
        assert memory.arms.lam[a] == pytest.approx(arm.lam, rel=of_lam)
        if arm.theta is not None:
            np.testing.assert_allclose(memory.arms.theta[a], arm.theta, rtol=close, atol=close)
            mirror(memory.arms, a)
            np.testing.assert_allclose(memory.arms.inverse[a], np.linalg.inv(arm.B), rtol=close, atol=close)
            np.testing.assert_allclose(memory.arms.scale[a], arm.s2, rtol=close, atol=close)
