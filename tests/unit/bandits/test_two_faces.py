"""The bandits as objects against the compiled loop: the same arms, also after a break."""

import pickle

import numpy as np
import pytest
from playing import LINEAR, played

from balanced_bandits.bandits import bandit_class
from balanced_bandits.core.streams import stream

ROUNDS = 150  # more than the 64 that an object has room for at first
SCHEDULES = ("every_step", {"batch": 7}, {"geometric": 0.05})


def problem(kind, n=ROUNDS, d=3, K=3, seed=0):
    """Contexts, and the reward of every arm: 0/1 as in classification, or continuous."""
    rng = np.random.default_rng(seed)
    contexts = rng.standard_normal((n, d))
    means = contexts @ rng.standard_normal((d, K))
    if kind == "labels":
        return contexts, np.eye(K)[(means + rng.standard_normal((n, K))).argmax(axis=1)]
    return contexts, means + rng.standard_normal((n, K)) * 0.3


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


@pytest.mark.parametrize(
    ("name", "more"),
    [
        *((name, {}) for name in LINEAR),
        ("BLTS", {"propensity": "monte_carlo"}),
        ("BLTS", {"propensity": "assignment"}),
        ("BLTS", {"posteriors": "all", "propensity_schedule": "every_step"}),
        ("BLTS", {"weights": "residual_balancing"}),
        ("BLUCB", {"weights": "residual_balancing"}),
    ],
    ids=str,
)
@pytest.mark.parametrize("kind", ["labels", "continuous"])
@pytest.mark.parametrize("schedule", SCHEDULES, ids=str)
def test_the_object_plays_what_the_compiled_loop_plays(name, kind, schedule, more):
    contexts, rewards = problem(kind)
    choices = {"schedule": schedule, "alpha": 0.5} | more
    expected, _, memory = played(name, contexts, rewards, **choices)
    bandit = new(name, **choices)
    arms, propensities = go_on(bandit, contexts, rewards)
    np.testing.assert_array_equal(arms, expected)
    np.testing.assert_array_equal(bandit.coefficients, memory.arms.theta)
    np.testing.assert_array_equal(bandit.penalties, memory.arms.lam)
    np.testing.assert_allclose(propensities.sum(axis=1), 1.0)
    uniform = next(t for t in range(ROUNDS) if len(set(arms[:t])) == 3)
    np.testing.assert_allclose(propensities[:uniform], 1 / 3)
    chosen_with = propensities[np.arange(ROUNDS), arms]
    assert (chosen_with > 0).all()
    if name.endswith("UCB"):
        np.testing.assert_array_equal(chosen_with[uniform:], 1.0)
    else:
        assert np.unique(chosen_with[uniform:]).size > 20


@pytest.mark.parametrize(
    ("name", "choices"),
    [*((name, {}) for name in LINEAR), *((name, {"weights": "residual_balancing"}) for name in ("BLTS", "BLUCB"))],
    ids=str,
)
@pytest.mark.parametrize("way", ["pickle", "save"])
def test_a_run_goes_on_after_a_round_trip(name, choices, way, tmp_path):
    contexts, rewards = problem("continuous")
    bandit = new(name, **choices)
    go_on(bandit, contexts[:80], rewards[:80])
    if way == "pickle":
        other = pickle.loads(pickle.dumps(bandit))
    else:
        bandit.save(tmp_path / "bandit.npz")
        other = bandit_class(name).load(tmp_path / "bandit.npz")
    expected, expected_propensities = go_on(bandit, contexts[80:], rewards[80:])
    arms, propensities = go_on(other, contexts[80:], rewards[80:])
    np.testing.assert_array_equal(arms, expected)
    np.testing.assert_array_equal(propensities, expected_propensities)
    np.testing.assert_array_equal(other.coefficients, bandit.coefficients)


@pytest.mark.parametrize("name", LINEAR)
def test_a_round_trip_between_choice_and_update(name, tmp_path):
    contexts, rewards = problem("continuous")
    bandit = new(name)
    go_on(bandit, contexts[:80], rewards[:80])
    arm, _ = bandit.choose(contexts[80])
    bandit.save(tmp_path / "bandit.npz")
    other = bandit_class(name).load(tmp_path / "bandit.npz")
    for each in (bandit, other):
        each.update(contexts[80], arm, rewards[80, arm])
    np.testing.assert_array_equal(bandit.coefficients, other.coefficients)


def test_a_file_of_another_bandit_or_a_broken_one_is_refused(tmp_path):
    path = tmp_path / "bandit.npz"
    new("LinTS").save(path)
    with pytest.raises(ValueError, match="holds a LinTS, not a LinUCB"):
        bandit_class("LinUCB").load(path)
    whole = path.read_bytes()
    for broken in (b"", b"nonsense", whole[: len(whole) // 2]):
        path.write_bytes(broken)
        with pytest.raises(ValueError, match=r"bandit\.npz can't be read"):
            bandit_class("LinTS").load(path)
    with pytest.raises(ValueError, match="does not exist"):
        bandit_class("LinTS").load(tmp_path / "none.npz")


@pytest.mark.parametrize("name", LINEAR)
def test_a_warm_start_equals_forced_arms(name):
    contexts, rewards = problem("labels")
    forced = np.random.default_rng(1).integers(0, 3, 30)
    expected, _, memory = played(name, contexts, rewards, forced=forced)
    bandit = new(name)
    for t, arm in enumerate(forced):
        bandit.update(contexts[t], arm, rewards[t, arm], uniform=True)
    arms, _ = go_on(bandit, contexts[30:], rewards[30:])
    np.testing.assert_array_equal(arms, expected[30:])
    np.testing.assert_array_equal(bandit.coefficients, memory.arms.theta)


@pytest.mark.parametrize("name", LINEAR)
def test_delayed_feedback(name):
    contexts, rewards = problem("continuous")
    bandit = new(name)
    for t in range(0, ROUNDS, 2):
        pair = [bandit.choose(contexts[s])[0] for s in (t, t + 1)]
        for s, arm in zip((t, t + 1), pair, strict=True):
            bandit.update(contexts[s], arm, rewards[s, arm])
    arms = bandit._memory.arms
    assert np.isfinite(bandit.coefficients).all()
    for arm in range(3):  # what was looked at for the second context is not used for the first
        own = bandit._memory.chosen[:ROUNDS] == arm
        rows, weights = bandit._memory.rows[:ROUNDS][own], bandit._memory.weights[:ROUNDS][own]
        B = rows.T * weights @ rows + np.diag([0, 1, 1, 1]) * arms.lam[arm]
        exact = np.linalg.solve(B, rows.T @ (weights * bandit._memory.rewards[:ROUNDS][own]))
        np.testing.assert_allclose(bandit.coefficients[arm], exact, rtol=1e-7, atol=1e-9)
