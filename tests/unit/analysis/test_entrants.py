"""Who is compared under a reading; and the placebo, which gains nothing but luck."""

import itertools

import numpy as np
import pandas as pd
import pytest

from balanced_bandits.analysis.classification.entrants import COLUMNS, entrants
from balanced_bandits.analysis.classification.pairs import compare
from balanced_bandits.analysis.classification.protocols import scores
from balanced_bandits.vocabulary import PROTOCOLS

KEYS = ["dataset", "bandit", "reading", "setting", "copy", "shuffle", "regret"]


@pytest.fixture
def runs():
    """LinTS in three copies, BLTS in one, and ILTCB, which has no reading; every regret is different."""
    settings = {"LinTS": ["a=1", "a=2"], "BLTS": ["a=1"], "ILTCB": [""]}
    rows = [
        (dataset, bandit, reading, setting, copy, shuffle)
        for dataset, bandit, shuffle in itertools.product("xy", settings, range(2))
        for reading in (["any"] if bandit == "ILTCB" else ["residual", "literal"])
        for setting, copy in itertools.product(settings[bandit], range(3 if bandit == "LinTS" else 1))
    ]
    return pd.DataFrame(rows, columns=KEYS[:-1]).assign(regret=lambda table: np.arange(len(table)) / len(table))


def test_every_bandit_enters_with_its_first_copy(runs):
    table = entrants(runs, "literal")
    assert list(table.columns) == COLUMNS
    assert table["bandit"].value_counts().to_dict() == {"LinTS": 8, "BLTS": 4, "ILTCB": 4}
    first = runs[(runs["copy"] == 0) & runs["reading"].isin(["literal", "any"])]
    assert table["regret"].tolist() == first["regret"].tolist()


def test_the_placebo_has_the_settings_of_all_further_copies(runs):
    table = entrants(runs, "residual", "LinTS")
    placebo = table[table["bandit"] == "LinTS×2"]
    assert set(placebo["setting"]) == {"a=1 copy 1", "a=1 copy 2", "a=2 copy 1", "a=2 copy 2"}
    further = runs[(runs["bandit"] == "LinTS") & (runs["copy"] > 0) & (runs["reading"] == "residual")]
    assert sorted(placebo["regret"]) == sorted(further["regret"])
    pd.testing.assert_frame_equal(table[table["bandit"] != "LinTS×2"], entrants(runs, "residual"))


def test_four_copies_are_called_so():
    rows = [("x", "LinTS", "residual", "a=1", copy, 0, 0.5) for copy in range(5)]
    table = entrants(pd.DataFrame(rows, columns=KEYS), "residual", "LinTS")
    assert table["bandit"].tolist() == ["LinTS", *["LinTS×4"] * 4]


def test_without_further_copies_there_is_no_placebo(runs):
    assert set(entrants(runs, "residual", "BLTS")["bandit"]) == {"LinTS", "BLTS", "ILTCB"}


@pytest.fixture(scope="module")
def luck():
    """The placebo of four copies against the bandit, under all protocols: all runs of a dataset are exchangeable."""
    rng = np.random.default_rng(5)
    datasets = [f"d{i}" for i in range(60)]
    rows = []
    for dataset in datasets:
        level, shuffles = rng.uniform(0.1, 0.6), rng.normal(0.0, 0.02, 6)
        for setting, copy, shuffle in itertools.product(("a=1", "a=2", "a=3"), range(5), range(6)):
            regret = level + shuffles[shuffle] + rng.normal(0.0, 0.02)
            rows.append((dataset, "LinTS", "residual", setting, copy, shuffle, regret))
    own = {name: name for name in datasets}
    table = scores(entrants(pd.DataFrame(rows, columns=KEYS), "residual", "LinTS"), own)
    return compare(table, own, dict.fromkeys(datasets, 500), [("LinTS×4", "LinTS")])


def test_under_the_papers_protocol_the_placebo_outperforms_the_bandit(luck):
    won = luck[luck["protocol"] == "paper"]["outcome"].value_counts()
    assert won["win"] > 50
    assert luck[luck["protocol"] == "paper"]["difference"].mean() < -0.01


@pytest.mark.parametrize("protocol", [name for name in PROTOCOLS if name != "paper"])
def test_under_the_other_protocols_it_does_not(luck, protocol):
    differences = luck[luck["protocol"] == protocol]["difference"]
    assert len(differences) == 60
    assert abs(differences.mean()) < 2.5 * differences.std() / np.sqrt(60)
    assert 18 < (differences < 0).sum() < 42
