"""SquareCB and DRTS: against their plain references, at their limits, and as objects."""

import pickle

import numpy as np
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from playing import NOTHING, played, problem
from scipy import stats

from balanced_bandits import successors
from balanced_bandits.bandits import BANDITS, bandit_class
from balanced_bandits.bandits.squarecb import weigh_gaps
from balanced_bandits.boxes import Choices
from balanced_bandits.core.streams import stream

SUCCESSORS = ("SquareCB", "DRTS")
ROUNDS = 150  # more than the 64 that an object has room for at first
shared = {
    "seed": st.integers(0, 10**6),
    "n": st.integers(5, 30),
    "d": st.integers(1, 5),
    "K": st.integers(2, 4),
    "warm": st.integers(0, 6),
    "lams": st.sampled_from([[1e-3, 1e-1, 1e1, 1e3], [0.5], [1e-2, 1e2]]),
    "criterion": st.sampled_from(["loo", "gcv", "kfold"]),
    "intercept": st.sampled_from(["unpenalised", "penalised", "none"]),
    "schedule": st.sampled_from([("geometric", 0.0), ("geometric", 0.3), ("batch", 4)]),
    "ties": st.sampled_from(["smallest", "middle", "largest"]),
}
often = settings(max_examples=25, deadline=None, phases=[Phase.generate], derandomize=True)


def both(name, plain, seed, n, d, K, warm, own, **choices):
    """What the plain reference gives, and the arms and the memory of the compiled run."""
    contexts, rewards = problem(seed, n, d, K)
    forced = np.random.default_rng(seed).integers(0, K, warm)
    expected = plain(contexts, rewards, stream(seed, "play"), Choices(**choices, folds=3), **own, forced=forced)
    kind, value = choices["schedule"]
    named = choices | {"folds": 3, "schedule": {kind: value} if value else "every_step"} | own
    chosen, _, memory = played(name, contexts, rewards, seed, forced, **named)
    return expected, chosen, memory


def check_regressions(arms, chosen, regressions):
    for a, arm in enumerate(arms):
        np.testing.assert_array_equal(np.flatnonzero(chosen == a), arm.times)
        assert regressions.lam[a] == arm.lam
        if arm.theta is not None:
            np.testing.assert_allclose(regressions.theta[a], arm.theta, rtol=1e-8, atol=1e-8)


@given(gamma_scale=st.sampled_from([0.0, 1.0, 10.0, 1000.0]), **shared)
@often
def test_squarecb_is_its_plain_reference(gamma_scale, **case):
    expected, chosen, memory = both("SquareCB", successors.squarecb, own={"gamma_scale": gamma_scale}, **case)
    check_regressions(expected.arms, chosen, memory.arms)


@given(
    v=st.sampled_from([0.0, 0.1, 1.0]),
    threshold=st.sampled_from([0.0, 0.3, 1.0]),
    lam_scale=st.sampled_from([0.1, 1.0]),
    **shared,
)
@often
def test_drts_is_its_plain_reference(v, threshold, lam_scale, **case):
    own = {"v": v, "threshold": threshold, "lam_scale": lam_scale}
    expected, chosen, memory = both("DRTS", successors.drts, own=own, **case)
    check_regressions(expected.arms, chosen, memory.imputation)
    # Pseudo-rewards are divided by propensities, which are accurate to 1e-8, and may be as small as that.
    close = 1e-6 if threshold else 1e-3
    scale = np.abs(expected.pseudo).max()
    np.testing.assert_allclose(memory.pseudo, expected.pseudo, rtol=close, atol=1e-7 * scale)
    np.testing.assert_allclose(memory.arms.theta, expected.theta, rtol=close, atol=close * scale)
    np.testing.assert_allclose(memory.inverse, expected.inverse, rtol=1e-7, atol=1e-9)
    np.testing.assert_array_equal(memory.arms.pulls, np.bincount(chosen, minlength=case["K"]))


# As objects


def new(name, K=3, d=3, seed=0, **choices):
    bandit = bandit_class(name)(K, d, **choices)
    bandit._rng = stream(seed, "play")
    return bandit


def go_on(bandit, contexts, rewards):
    """Arms that an object chooses, and its propensities."""
    arms, propensities = [], []
    for x, r in zip(contexts, rewards, strict=True):
        arm, chances = bandit.choose(x)
        bandit.update(x, arm, r[arm])
        arms.append(arm)
        propensities.append(chances)
    return np.array(arms), np.array(propensities)


@pytest.mark.parametrize("name", SUCCESSORS)
@pytest.mark.parametrize("schedule", ["every_step", {"batch": 7}, {"geometric": 0.05}], ids=str)
def test_the_object_plays_what_the_compiled_loop_plays(name, schedule):
    contexts, rewards = problem(0, ROUNDS, 3, 3)
    choices = {"schedule": schedule} | ({"v": 1.0, "threshold": 0.2} if name == "DRTS" else {})
    expected, _, memory = played(name, contexts, rewards, **choices)
    bandit = new(name, **choices)
    arms, propensities = go_on(bandit, contexts, rewards)
    np.testing.assert_array_equal(arms, expected)
    np.testing.assert_array_equal(bandit.coefficients, memory.arms.theta)
    np.testing.assert_allclose(propensities.sum(axis=1), 1.0)
    uniform = next(t for t in range(ROUNDS) if len(set(arms[:t])) == 3)
    np.testing.assert_allclose(propensities[:uniform], 1 / 3)
    chosen_with = propensities[np.arange(ROUNDS), arms]
    assert (chosen_with > 0).all()
    assert np.unique(chosen_with[uniform:]).size > 20


@pytest.mark.parametrize("name", SUCCESSORS)
def test_a_warm_start_equals_forced_arms(name):
    contexts, rewards = problem(1, ROUNDS, 3, 3)
    forced = np.random.default_rng(1).integers(0, 3, 30)
    expected, _, memory = played(name, contexts, rewards, forced=forced)
    bandit = new(name)
    for t, arm in enumerate(forced):
        bandit.update(contexts[t], arm, rewards[t, arm], uniform=True)
    np.testing.assert_array_equal(go_on(bandit, contexts[30:], rewards[30:])[0], expected[30:])
    np.testing.assert_array_equal(bandit.coefficients, memory.arms.theta)


@pytest.mark.parametrize("name", SUCCESSORS)
@pytest.mark.parametrize("way", ["pickle", "save"])
@pytest.mark.parametrize("between", [False, True], ids=["after an update", "between choice and update"])
def test_a_run_goes_on_after_a_round_trip(name, way, between, tmp_path):
    contexts, rewards = problem(2, ROUNDS, 3, 3)
    bandit = new(name)
    go_on(bandit, contexts[:80], rewards[:80])
    arm = bandit.choose(contexts[80])[0] if between else 0
    if way == "pickle":
        other = pickle.loads(pickle.dumps(bandit))
    else:
        bandit.save(tmp_path / "bandit.npz")
        other = bandit_class(name).load(tmp_path / "bandit.npz")
    for each in (bandit, other):
        each.update(contexts[80], arm, rewards[80, arm])
    expected, expected_propensities = go_on(bandit, contexts[81:], rewards[81:])
    arms, propensities = go_on(other, contexts[81:], rewards[81:])
    np.testing.assert_array_equal(arms, expected)
    np.testing.assert_array_equal(propensities, expected_propensities)
    np.testing.assert_array_equal(other.coefficients, bandit.coefficients)


@pytest.mark.parametrize("name", SUCCESSORS)
def test_arms_are_drawn_with_the_propensities_that_are_told(name):
    contexts, rewards = problem(3, 40, 2, 3)
    bandit = new(name, d=2, **({"v": 0.5, "threshold": 0.2} if name == "DRTS" else {"gamma_scale": 1.0}))
    go_on(bandit, contexts, rewards)
    told = bandit.choose([0.1, -0.2])[1]
    assert (told > 0.02).sum() >= 2
    counts = np.bincount([bandit.choose([0.1, -0.2])[0] for _ in range(20_000)], minlength=3)
    assert (counts[told == 0] == 0).all()
    assert stats.chisquare(counts[told > 0], 20_000 * told[told > 0]).pvalue > 1e-3


@pytest.mark.parametrize("name", SUCCESSORS)
@pytest.mark.parametrize("kind", ["one arm", "one feature", "duplicate columns", "scaled columns", "huge rewards"])
def test_awkward_problems_stay_finite(name, kind):
    K, d = (1 if kind == "one arm" else 3), (1 if kind == "one feature" else 3)
    contexts, rewards = problem(3, 100, d, K)
    if kind == "duplicate columns":
        contexts[:, 1] = contexts[:, 0]
    if kind == "scaled columns":
        contexts[:, 1] *= 1e8
    if kind == "huge rewards":
        rewards *= 1e12
    bandit = new(name, K, d)
    arms, propensities = go_on(bandit, contexts, rewards)
    assert np.isfinite(propensities).all()
    np.testing.assert_allclose(propensities.sum(axis=1), 1.0)
    assert np.isfinite(bandit.coefficients).all()
    assert len(set(arms)) == K


@pytest.mark.parametrize(
    ("name", "wrong"),
    [
        ("SquareCB", {"gamma_scale": -1}), ("SquareCB", {"gamma_scale": float("inf")}), ("SquareCB", {"gamma": 0.1}),
        ("SquareCB", {"lams": []}), ("DRTS", {"v": -0.1}), ("DRTS", {"v": "a"}), ("DRTS", {"threshold": 1.1}),
        ("DRTS", {"threshold": -0.1}), ("DRTS", {"lam_scale": 0}), ("DRTS", {"alpha": 1.0}),
        ("DRTS", {"criterion": "fixed"}),
    ],
    ids=str,
)  # fmt: skip
def test_wrong_choices_are_refused(name, wrong):
    word = "lams" if "criterion" in wrong else next(iter(wrong))
    with pytest.raises((TypeError, ValueError), match=word):
        bandit_class(name)(2, 2, **wrong)
    with pytest.raises((TypeError, ValueError), match=word):
        next(bandit_class(name).play([wrong], [[0.0, 1.0]], [[0.0, 1.0]], [0], [stream(0, "play")]))


@pytest.mark.parametrize("name", SUCCESSORS)
def test_they_learn(name):
    rng = np.random.default_rng(3)
    contexts = rng.standard_normal((4000, 4))
    best = (contexts @ rng.standard_normal((4, 3)) + 0.5 * rng.standard_normal((4000, 3))).argmax(axis=1)
    chosen, _, _ = played(name, contexts, np.eye(3)[best])
    assert (chosen != best)[2000:].mean() < 0.35  # 2/3 for a bandit that does not learn


@pytest.mark.parametrize("name", SUCCESSORS)
def test_a_run_tells_that_nothing_was_clipped(name):
    contexts, rewards = problem(6, 100, 2, 3)
    run = next(bandit_class(name).play([{}], contexts, rewards, range(100), [stream(0, "play")]))
    assert np.isnan(run.clipped)
    if name == "SquareCB":
        np.testing.assert_array_equal(run.penalties, played(name, contexts, rewards)[2].arms.lam)
    else:
        assert np.isnan(run.penalties).all()


def test_neither_depends_on_the_reading_of_the_variance():
    assert not any("variance" in BANDITS[name].parameters for name in SUCCESSORS)


# SquareCB


def gaps_weighed(means, gamma):
    result = np.empty(len(means))
    weigh_gaps(np.array(means, dtype=float), float(gamma), result)
    return result


@given(means=st.lists(st.floats(-100, 100), min_size=1, max_size=8), gamma=st.floats(0, 1e6))
@settings(deadline=None)
def test_inverse_gap_weighting_is_a_distribution_with_the_right_floor(means, gamma):
    p, K = gaps_weighed(means, gamma), len(means)
    gaps = max(means) - np.array(means)
    assert p.sum() == pytest.approx(1.0)
    assert (p >= (1 - 1e-12) / (K + gamma * gaps)).all()
    np.testing.assert_allclose(p[gaps > 0], 1 / (K + gamma * gaps[gaps > 0]))
    assert p[gaps == 0].min() >= (1 - 1e-12) / K
    order = np.argsort(means)
    assert (np.diff(p[order]) >= -1e-12).all()


def test_the_limits_of_inverse_gap_weighting():
    means = [0.1, 0.5, 0.2, 0.5]
    assert gaps_weighed(means, 0.0).tolist() == [0.25] * 4
    np.testing.assert_allclose(gaps_weighed(means, 1e15), [0, 0.5, 0, 0.5], atol=1e-12)
    # Worked out by hand: 1 / (3 + 10 * 0.1) and 1 / (3 + 10 * 0.2).
    np.testing.assert_allclose(gaps_weighed([0.5, 0.6, 0.4], 10.0), [1 / 4, 1 - 1 / 4 - 1 / 5, 1 / 5])


def test_gamma_grows_with_the_square_root_of_the_rounds():
    contexts, rewards = problem(4, 120, 2, 3)
    bandit, seen = new("SquareCB", d=2, gamma_scale=7.0), []
    for t, (x, r) in enumerate(zip(contexts, rewards, strict=True), start=1):
        means = bandit.coefficients @ np.append(1.0, x)
        arm, p = bandit.choose(x)
        if t > 30:
            worst = means.argmin()
            seen.append((1 / p[worst] - 3) / (means.max() - means[worst]) / np.sqrt(t))
        bandit.update(x, arm, r[arm])
    np.testing.assert_allclose(seen, 7.0)


def test_squarecb_becomes_greedy_and_uniform():
    contexts, rewards = problem(5, 100, 2, 3)
    _, p = go_on(new("SquareCB", d=2, gamma_scale=0.0), contexts, rewards)
    np.testing.assert_allclose(p, 1 / 3)
    bandit = new("SquareCB", d=2, gamma_scale=1e12)
    for t, (x, r) in enumerate(zip(contexts, rewards, strict=True)):
        best = (bandit.coefficients @ np.append(1.0, x)).argmax()
        arm, p = bandit.choose(x)
        if t > 20:
            assert arm == best
            assert p[best] > 1 - 1e-6
        bandit.update(x, arm, r[arm])


# DRTS


def trained(**choices):
    contexts, rewards = problem(8, 60, 2, 3)
    bandit = new("DRTS", d=2, **choices)
    go_on(bandit, contexts, rewards)
    return bandit


def test_one_regression_per_arm_is_theirs_with_a_block_of_coefficients_per_arm():
    """With X_a = e_a (x) z, the regression of all pseudo-rewards on one long parameter, in their notation."""
    bandit = trained(schedule="every_step", intercept="penalised", lam_scale=0.7)
    memory, n, K, size = bandit._memory, 60, 3, 3
    B, moment = 0.7 * np.sqrt(n) * np.eye(K * size), np.zeros(K * size)
    for z, y in zip(memory.rows[:n], memory.pseudo[:n], strict=True):
        for a in range(K):
            X = np.kron(np.eye(K)[a], z)
            B += np.outer(X, X)
            moment += X * y[a]
    np.testing.assert_allclose(bandit.coefficients.ravel(), np.linalg.solve(B, moment), rtol=1e-8, atol=1e-10)
    np.testing.assert_allclose(np.kron(np.eye(K), memory.inverse), np.linalg.inv(B), rtol=1e-8, atol=1e-12)


@pytest.mark.parametrize("threshold", [0.0, 0.5, 1.0])
def test_arms_are_resampled_until_their_probability_is_above_the_threshold(threshold):
    bandit, x = trained(v=1.0, threshold=threshold), np.array([0.3, -0.1])
    told = bandit.choose(x)[1]
    z, rng = np.append(1.0, x), np.random.default_rng(0)
    means, deviation = bandit.coefficients @ z, 1.0 * np.sqrt(z @ bandit._memory.inverse @ z)
    win = successors.win_probabilities(means, deviation)
    assert ((told == 0) == (win <= threshold / 4)).all()
    counts = np.zeros(3, dtype=int)
    for _ in range(5000):  # their loop: draw all arms anew until the highest of them may be played
        while win[(candidate := (means + deviation * rng.standard_normal(3)).argmax())] <= threshold / 4:
            pass
        counts[candidate] += 1
    assert stats.chisquare(counts[told > 0], 5000 * told[told > 0]).pvalue > 1e-3
    assert counts[told == 0].sum() == 0
    if threshold == 0:
        np.testing.assert_allclose(told, win, atol=1e-7)
    if threshold == 1:
        assert (told == 0).any()


@given(seed=st.integers(0, 10**6), K=st.integers(1, 6), threshold=st.sampled_from([0.0, 0.5, 1.0]))
@settings(max_examples=20, deadline=None)
def test_what_it_plays_is_a_distribution_with_the_threshold_as_its_floor(seed, K, threshold):
    contexts, rewards = problem(seed, 30, 2, K)
    bandit = new("DRTS", K, 2, seed, threshold=threshold)
    _, propensities = go_on(bandit, contexts, rewards)
    np.testing.assert_allclose(propensities.sum(axis=1), 1.0)
    assert (propensities[propensities > 0] > threshold / (K + 1)).all()


@pytest.mark.parametrize("threshold", [0.0, 1.0])
def test_pseudo_rewards_are_unbiased_whatever_the_imputation(threshold):
    """Their mean over the arm that is drawn is the reward of an arm, or its estimate if it is never drawn."""
    bandit, x, rewards = trained(v=1.0, threshold=threshold), [0.5, 0.5], np.array([3.0, -2.0, 7.0])
    imputed = bandit._memory.imputation.theta @ np.append(1.0, x)
    p, mean = bandit.choose(x)[1], np.zeros(3)
    for arm in np.flatnonzero(p):
        other = pickle.loads(pickle.dumps(bandit))
        other.update(x, int(arm), rewards[arm])
        mean += p[arm] * other._memory.pseudo[60]
    np.testing.assert_allclose(mean, np.where(p > 0, rewards, imputed))
    assert np.abs(imputed - rewards).min() > 1


def test_without_exploration_drts_is_greedy():
    contexts, rewards = problem(9, 100, 2, 3)
    bandit = new("DRTS", d=2, v=0.0)
    for t, (x, r) in enumerate(zip(contexts, rewards, strict=True)):
        best = (bandit.coefficients @ np.append(1.0, x)).argmax()
        arm, p = bandit.choose(x)
        if t > 20:
            assert (arm, p[best]) == (best, 1.0)
        bandit.update(x, arm, r[arm])


def test_an_arm_that_would_not_have_been_chosen_enters_the_imputation_only():
    bandit, x = trained(v=0.0), [0.5, 0.5]
    arm = int(np.flatnonzero(bandit.choose(x)[1] == 0)[0])
    imputed = bandit._memory.imputation.theta @ np.append(1.0, x)
    bandit.update(x, arm, 1e6)
    np.testing.assert_allclose(bandit._memory.pseudo[60], imputed)
    assert np.abs(bandit._memory.imputation.theta[arm]).max() > 1e3


def test_rewards_that_arrive_late():
    contexts, rewards = problem(10, 100, 2, 3)
    bandit = new("DRTS", d=2, schedule="every_step")
    for t in range(0, 100, 2):
        pair = [bandit.choose(contexts[s])[0] for s in (t, t + 1)]
        for s, arm in zip((t, t + 1), pair, strict=True):
            bandit.update(contexts[s], arm, rewards[s, arm])
    memory = bandit._memory
    rows = memory.rows[:100]
    B = rows.T @ rows + np.sqrt(100) * np.diag([0, 1, 1])
    np.testing.assert_allclose(memory.inverse, np.linalg.inv(B), rtol=1e-8, atol=1e-12)
    np.testing.assert_allclose(bandit.coefficients.T, np.linalg.solve(B, rows.T @ memory.pseudo[:100]), atol=1e-8)


def test_between_refreshes_the_rank_one_updates_are_exact():
    contexts, rewards = problem(11, 100, 3, 3)
    _, _, memory = played("DRTS", contexts, rewards, 0, NOTHING, schedule={"batch": 1000})
    B = memory.rows.T @ memory.rows + np.diag([0, 1, 1, 1])  # lambda_1 = 1, not refreshed since
    np.testing.assert_allclose(memory.inverse, np.linalg.inv(B), rtol=1e-7, atol=1e-10)
    np.testing.assert_allclose(memory.arms.theta.T, np.linalg.solve(B, memory.rows.T @ memory.pseudo), atol=1e-7)
