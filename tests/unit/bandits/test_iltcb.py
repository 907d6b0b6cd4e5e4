"""ILTCB: the optimisation problem at its solution, the distribution it plays, and the sanity baselines."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from balanced_bandits.bandits import bandit_class
from balanced_bandits.bandits.base import design
from balanced_bandits.bandits.iltcb import (
    ILTCB,
    SUPPORT,
    UNSOLVED,
    actions_of,
    moments_of,
    value_of,
)
from balanced_bandits.bandits.linear import schedule_numbers
from balanced_bandits.bandits.loop import NEXT_TURN
from balanced_bandits.bandits.memory import later
from balanced_bandits.core.streams import stream

NOTHING = np.empty(0, dtype=np.int64)


def problem(seed, n, d, K):
    rng = np.random.default_rng(seed)
    contexts = rng.standard_normal((n, d))
    best = (contexts @ rng.standard_normal((d, K)) + 0.5 * rng.standard_normal((n, K))).argmax(axis=1)
    return contexts, np.eye(K)[best], best


def smoothed(mass, actions, K, mu):
    """Q^mu(a | x) at every row (n, K), in plain NumPy."""
    return mu + (1 - K * mu) * np.einsum("m,mia->ia", mass, np.eye(K)[actions])


def played(name, contexts, rewards, seed=0, **choices):
    cls = bandit_class(name)
    rows = design(contexts, "unpenalised")
    play = cls.LOOPS.play
    return play(rows, rewards, np.arange(len(rows)), NOTHING, NOTHING, cls.options(choices), stream(seed, "play"))[1]


@given(
    seed=st.integers(0, 10**6),
    d=st.integers(1, 5),
    K=st.integers(2, 5),
    mu_scale=st.sampled_from([0.01, 0.1, 1.0]),
    psi=st.sampled_from([0.1, 1.0, 100.0]),
)
@settings(max_examples=30, deadline=None)
def test_the_constraints_of_the_optimisation_problem_hold_at_its_solution(seed, d, K, mu_scale, psi):
    n = 256  # an epoch ends here, so that what was solved is what there is
    contexts, rewards, _ = problem(seed, n, d, K)
    memory = played("ILTCB", contexts, rewards, seed, mu_scale=mu_scale, psi=psi, epochs={"geometric": 1.0})
    assert memory.clock[UNSOLVED] == 0
    support, mu = memory.clock[SUPPORT], memory.floor[0]
    assert memory.mass.sum() == pytest.approx(1.0)
    assert (memory.mass >= 0).all()
    assert (memory.mass[support:] == 0).all()

    rows = design(contexts, "unpenalised")
    earned = np.zeros((n, K))
    earned[np.arange(n), memory.chosen] = memory.rewards / memory.propensities
    # The policies of the distribution and the best one. Of others an oracle that fits regressions can't be sure.
    policies = [*memory.policies[:support], memory.arms.theta]
    actions = np.array([actions_of(policy, rows) for policy in policies])
    worth = np.array([value_of(action, earned) for action in actions])
    b = (worth.max() - worth) / (psi * mu)
    assert (memory.mass[:support] * b[:support]).sum() <= 2 * K * (1 + 1e-6)
    probabilities = smoothed(memory.mass[:support], actions[:support], K, mu)
    variance = np.array([(1 / probabilities[np.arange(n), action]).mean() for action in actions])
    assert (variance <= (2 * K + b) * (1 + 1e-6)).all()


def test_moments_of_policies_are_plain_means():
    rng = np.random.default_rng(0)
    inverse, actions = 1 / rng.random((50, 3)), rng.integers(0, 3, (50, 8)).astype(np.int32)
    first, second = moments_of(inverse, actions, 5)
    for m in range(5):
        shares = inverse[np.arange(50), actions[:, m]]
        assert (first[m], second[m]) == pytest.approx((shares.mean(), (shares**2).mean()))
    assert len(first) == 5


def test_epochs_end_when_they_are_told_to():
    contexts, rewards, _ = problem(0, 100, 2, 3)
    for epochs, ends in (("every_step", 100), ({"batch": 30}, 91), ({"geometric": 1.0}, 64)):
        memory = played("ILTCB", contexts, rewards, epochs=epochs)
        batch, rho = schedule_numbers(epochs)
        assert memory.clock[NEXT_TURN] == later(ends, batch, rho)


@given(seed=st.integers(0, 10**6), K=st.integers(2, 5), mu_scale=st.sampled_from([0.01, 0.1, 1.0]))
@settings(max_examples=20, deadline=None)
def test_what_it_plays_is_a_distribution_with_floor_mu(seed, K, mu_scale):
    contexts, rewards, _ = problem(seed, 40, 2, K)
    bandit = ILTCB(K, 2, seed=seed, mu_scale=mu_scale)
    for x, reward in zip(contexts, rewards, strict=True):
        arm, propensities = bandit.choose(x)
        assert propensities.sum() == pytest.approx(1.0)
        assert propensities.min() >= bandit._memory.floor[0] - 1e-12
        bandit.update(x, arm, reward[arm])
    assert bandit._memory.floor[0] <= 1 / (2 * K)


def test_arms_are_drawn_with_the_propensities_that_are_told():
    contexts, rewards, _ = problem(1, 300, 2, 3)
    bandit = ILTCB(3, 2, seed=1, mu_scale=0.1)
    for x, reward in zip(contexts, rewards, strict=True):
        arm, _ = bandit.choose(x)
        bandit.update(x, arm, reward[arm])
    draws = [bandit.choose([0.3, -0.2]) for _ in range(20_000)]
    share = np.bincount([arm for arm, _ in draws], minlength=3) / len(draws)
    np.testing.assert_allclose(share, draws[0][1], atol=5 * 0.5 / np.sqrt(len(draws)))


@pytest.mark.parametrize("name", ["ILTCB", "EpsilonGreedy", "Uniform"])
def test_the_object_and_the_compiled_loop_choose_the_same_arms(name, tmp_path):
    contexts, rewards, _ = problem(2, 200, 3, 3)
    expected = played(name, contexts, rewards, seed=5).chosen
    bandit = bandit_class(name)(3, 3)
    bandit._rng = stream(5, "play")
    chosen = []
    for t, (x, reward) in enumerate(zip(contexts, rewards, strict=True)):
        if t == 100:
            bandit.save(tmp_path / "bandit.npz")
            bandit = bandit_class(name).load(tmp_path / "bandit.npz")
        arm, propensities = bandit.choose(x)
        assert propensities.sum() == pytest.approx(1.0)
        bandit.update(x, arm, reward[arm])
        chosen.append(arm)
    np.testing.assert_array_equal(chosen, expected)


def test_it_learns_and_so_does_epsilon_greedy_but_not_uniform():
    contexts, rewards, best = problem(3, 4000, 4, 3)
    wrong = {
        name: (played(name, contexts, rewards, **choices).chosen != best)[2000:].mean()
        for name, choices in (("ILTCB", {"mu_scale": 0.1, "psi": 1.0}), ("EpsilonGreedy", {}), ("Uniform", {}))
    }
    assert wrong["ILTCB"] < 0.4
    assert wrong["EpsilonGreedy"] < 0.35
    assert abs(wrong["Uniform"] - 2 / 3) < 0.05


@pytest.mark.parametrize("wrong", [{"mu_scale": 0}, {"psi": -1}, {"delta": float("nan")}, {"lams": []}, {"phi": 1}])
def test_wrong_choices_are_refused(wrong):
    with pytest.raises((TypeError, ValueError), match=next(iter(wrong))):
        ILTCB(2, 2, **wrong)
