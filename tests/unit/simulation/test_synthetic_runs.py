"""Runs of the synthetic example: other simulations, designs of the models, and the choices that were really made."""

import numpy as np
import pytest

from balanced_bandits.bandits import import_path
from balanced_bandits.environments import optima, synthetic
from balanced_bandits.simulation.synthetic import WINDOW, recent_shares, simulate

CHOICES = {"intercept": "unpenalised", "variance": "literal", "lams": [0.01, 1.0, 100.0], "schedule": {"batch": 20}}


@pytest.fixture(scope="module")
def optimum(tmp_path_factory):
    folder = tmp_path_factory.mktemp("optima")
    optima.write_optima(folder / "optima.npz", folder / "surfaces.csv")
    return folder / "optima.npz"


def played(optimum, spec="well", bandit="LinUCB", choices=None, **options):
    given = {
        "seed": 3,
        "simulations": 2,
        "horizon": 150,
        "choices": CHOICES | (choices or {}),
        "grid": {"alpha": [1.0]},
    }
    return simulate(spec, bandit, import_path(bandit), given | options, optimum)[1]


def test_simulations_have_numbers_whichever_job_plays_them(optimum):
    whole, last = played(optimum, simulations=3), played(optimum, simulations=1, first=2)
    for name in ("agreement_truth", "played_value", "regret", "first_order"):
        np.testing.assert_array_equal(last[name][:, 0], whole[name][:, 2])
    assert (whole["regret"][:, 2] != whole["regret"][:, 0]).any()


def test_the_design_of_the_default_is_raw_features_with_their_product(optimum):
    usual = played(optimum)
    named = played(optimum, design={"interaction": True, "standardise": "none"})
    for name, array in usual.items():
        np.testing.assert_array_equal(array, named[name])
    without = played(optimum, design={"interaction": False})
    assert without["thetas"].shape[-1] == usual["thetas"].shape[-1] - 1


def test_features_without_the_interaction():
    x = np.array([[2.0, 3.0]])
    assert synthetic.features(x, "well").tolist() == [[2, 3, 4, 6, 9]]
    assert synthetic.features(x, "well", interaction=False).tolist() == [[2, 3, 4, 9]]
    assert synthetic.features(x, "mis", interaction=False).tolist() == [[2, 3]]


@pytest.mark.parametrize("standardise", ["whole", "warm"])
@pytest.mark.parametrize("ones", [True, False])
def test_coefficients_on_standardised_features_are_taken_back(standardise, ones):
    rng = np.random.default_rng(0)
    x, _, _ = synthetic.draw(200, rng)
    z = synthetic.features(x, "well")
    scale = synthetic.scale_of(z, standardise)
    scaled = scale.standardised(z)
    rows = scaled[:50] if standardise == "warm" else scaled
    np.testing.assert_allclose(rows.mean(axis=0), 0, atol=1e-9)
    np.testing.assert_allclose(rows.std(axis=0), 1)
    thetas = rng.standard_normal((4, 3, 5 + ones))
    design = np.column_stack([np.ones(len(z)), scaled]) if ones else scaled
    back = scale.coefficients(thetas) @ np.column_stack([np.ones(len(z)), z]).T
    np.testing.assert_allclose(back, thetas @ design.T, atol=1e-9)


def test_standardising_changes_nothing_where_nothing_is_penalised(optimum):
    """Estimates without a penalty are the same on any scale, and so are the choices of LinUCB."""
    tiny = {"lams": [1e-9], "criterion": "fixed"}
    usual, scaled = (
        played(optimum, "mis", choices=tiny, design={"standardise": standardise}) for standardise in ("none", "whole")
    )
    np.testing.assert_array_equal(usual["arms"], scaled["arms"])
    np.testing.assert_allclose(scaled["thetas"][:, 3:], usual["thetas"][:, 3:], rtol=1e-3, atol=1e-3)
    strong = {"lams": [10.0], "criterion": "fixed"}
    usual, scaled = (
        played(optimum, "mis", choices=strong, design={"standardise": standardise}) for standardise in ("none", "warm")
    )
    assert (usual["arms"] != scaled["arms"]).any()


def test_without_an_intercept_standardised_models_still_have_one_on_the_features_themselves(optimum):
    arrays = played(optimum, choices={"intercept": "none"}, design={"standardise": "whole"})
    assert arrays["thetas"].shape[-1] == 6
    assert ((arrays["agreement_truth"] >= 0) & (arrays["agreement_truth"] <= 1)).all()


def test_shares_of_the_last_choices_by_hand():
    right = np.zeros((2, 250), dtype=bool)
    right[0, 50:] = True
    right[1, ::2] = True
    shares = recent_shares(right, np.array([0, 20, 100, 140, 250]))
    assert WINDOW == 100
    np.testing.assert_allclose(shares[:, 0], [0, 0, 0.5, 0.9, 1.0])
    np.testing.assert_allclose(shares[:, 1], [0, 0.1, 0.5, 0.5, 0.5])


def test_the_choices_that_were_made_are_compared_with_the_optima(optimum):
    arrays = played(optimum, simulations=1)
    x, arms = arrays["x"][50:], arrays["arms"][0, 50:]
    truth = synthetic.expected_rewards(x).argmax(axis=1)
    assert arrays["played_truth"][0, 0, -1] == pytest.approx((arms == truth)[-100:].mean())
    assert arrays["played_value"].max() <= 1.0
