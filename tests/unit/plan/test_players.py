"""Which of the bandits are played (the key ``play``), and that no grid has copies of a setting."""

import pytest

from balanced_bandits.core.errors import InputError
from balanced_bandits.plan.plan import Plan


def planned(**given):
    plan = Plan(given)
    plan.check()
    return plan


def test_all_bandits_play_by_default():
    plan = planned()
    assert plan.classification.bandits == ["LinTS", "LinUCB", "BLTS", "BLUCB", "ILTCB", "EpsilonGreedy", "Greedy"]
    assert plan.synthetic.bandits == ["LinTS", "LinUCB", "BLTS", "BLUCB"]


def test_play_names_those_that_do_in_the_order_of_the_grids():
    plan = planned(play=["Greedy", "BLTS", "LinTS"])
    assert plan.classification.bandits == ["LinTS", "BLTS", "Greedy"]
    assert plan.classification.paper_bandits == ["LinTS", "BLTS"]
    assert plan.synthetic.bandits == ["LinTS", "BLTS"]
    assert plan.calibration.bandits == ["LinTS", "BLTS"]
    assert {run.rpartition("/")[2] for run in plan.classification.runs()} == {"LinTS.npz", "BLTS.npz", "Greedy.npz"}


def test_without_the_reference_and_the_placebo_the_first_bandit_is_the_reference():
    plan = planned(play=["LinUCB", "BLUCB"])
    assert plan.classification.reference == "LinUCB"
    assert plan.classification.placebo is None
    assert plan.classification.copies("LinUCB") == 1
    assert planned().classification.copies("LinTS") == 5


@pytest.mark.parametrize(
    ("play", "sentence"),
    [
        (["LinTS", "BLST"], r"play: there is no grid for BLST; did you mean BLTS\?"),
        (["LinTS", "nobody"], "it must be one of LinTS, LinUCB"),
        (["LinTS"], "play: name at least two of LinTS"),
        (["ILTCB", "Greedy"], "play: name at least one of LinTS, LinUCB, BLTS, BLUCB, which play the synthetic"),
        ([], "play is"),
        ("LinTS", "play is 'LinTS'"),
    ],
)
def test_what_cannot_be_played_is_told(play, sentence):
    with pytest.raises(InputError, match=sentence):
        planned(play=play)


@pytest.mark.parametrize(
    ("config", "words"),
    [
        ({"balancing": {"weights": "residual_balancing"}}, "bandits.BLTS.gamma has 4 values, but weights by residual"),
        (
            {"bandits": {"LinTS": {"alpha": [1]}, "BLUCB": {"gamma": [0.1], "zeta": [0.1, 0.5]}}},
            "bandits.BLUCB.zeta has 2",
        ),
    ],
)
def test_copies_of_a_setting_are_refused(config, words):
    with pytest.raises(InputError, match=words):
        Plan(config).check()
