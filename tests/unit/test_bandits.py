"""The compiled bandits against a plain transcription of the boxes, and their behaviour at the edges."""

import numpy as np
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from reference import Reference
from reference import play as reference_play

from balanced_bandits.bandits import bandit_class
from balanced_bandits.bandits.base import design
from balanced_bandits.estimation.ridge import mirror
from balanced_bandits.simulation.streams import stream

LINEAR = ("LinTS", "LinUCB", "BLTS", "BLUCB")
NOTHING = np.empty(0, dtype=np.int64)


def problem(seed, n, d, K):
    rng = np.random.default_rng(seed)
    contexts = rng.standard_normal((n, d))
    return contexts, contexts @ rng.standard_normal((d, K)) * 0.3 + rng.standard_normal((n, K)) * 0.2


def played(name, contexts, rewards, seed=0, forced=NOTHING, snapshots=NOTHING, **choices):
    """The arms of a compiled run, and the whole of what it gives."""
    cls = bandit_class(name)
    rows = design(contexts, choices.get("intercept", "unpenalised"))
    record, memory = cls.LOOPS.play(
        rows, rewards, np.arange(len(rows)), forced, snapshots, cls.options(choices), stream(seed, "play")
    )
    return memory.chosen, record, memory


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
    variance=st.sampled_from(["residual", "literal"]),
    schedule=st.sampled_from([("geometric", 0.0), ("geometric", 0.3), ("batch", 4)]),
    propensity=st.sampled_from(["exact", "assignment"]),
    posteriors=st.sampled_from([2, 4, 64]),
    warm=st.integers(0, 6),
)
@settings(max_examples=40, deadline=None, phases=[Phase.generate])
def test_same_arms_and_estimates_as_the_plain_transcription(
    name, seed, n, d, K, alpha, gamma, lams, criterion, intercept, variance, schedule, propensity, posteriors, warm
):
    contexts, rewards = problem(seed, n, d, K)
    forced = np.random.default_rng(seed).integers(0, K, warm)
    plain = Reference(name, K, alpha, gamma, intercept, lams, criterion, 3, variance, schedule, propensity, posteriors)
    expected = reference_play(plain, contexts, rewards, forced, stream(seed, "play"))
    named = "every_step" if schedule == ("geometric", 0.0) else {schedule[0]: schedule[1]}
    chosen, _, memory = played(
        name, contexts, rewards, seed, forced, alpha=alpha, gamma=gamma, intercept=intercept, lams=lams,
        criterion=criterion, folds=3, variance=variance, schedule=named, propensity=propensity, posteriors=posteriors,
        logistic_tolerance=1e-13,
    )  # fmt: skip
    np.testing.assert_array_equal(chosen, expected)
    np.testing.assert_array_equal(memory.arms.lam, plain.lam)
    np.testing.assert_allclose(memory.weights, plain.weights, rtol=1e-8)
    if len(set(expected)) == K:
        for a, (theta, B, s2) in enumerate(plain.posterior()):
            np.testing.assert_allclose(memory.arms.theta[a], theta, rtol=1e-8, atol=1e-8)
            mirror(memory.arms, a)
            np.testing.assert_allclose(memory.arms.inverse[a], np.linalg.inv(B), rtol=1e-8, atol=1e-8)
            np.testing.assert_allclose(memory.arms.scale[a], s2, rtol=1e-8, atol=1e-10)
