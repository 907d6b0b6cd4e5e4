"""The tables of the multiverse on runs made by hand."""

import itertools

import numpy as np
import pandas as pd
import pytest

from balanced_bandits.analysis.classification import multiverse as tables
from balanced_bandits.analysis.classification import tuning
from balanced_bandits.analysis.classification.claims import claims
from balanced_bandits.analysis.classification.pairs import all_pairs, compare
from balanced_bandits.analysis.classification.protocols import Played, scores
from balanced_bandits.core.errors import InputError
from balanced_bandits.core.files import write_arrays
from balanced_bandits.vocabulary import PROTOCOLS

BANDITS = ["LinTS", "BLTS"]
DATASETS = [f"d{i}" for i in range(12)]
FAMILIES = {name: name for name in DATASETS}
SETTINGS = {"LinTS": ["alpha=0.5", "alpha=1"], "BLTS": ["alpha=0.5 gamma=0.1", "alpha=1 gamma=0.1"]}


def universe(shift, seed=0, shuffles=4):
    """Runs in which BLTS has ``shift`` more regret than LinTS, up to noise, with every setting."""
    rng = np.random.default_rng(seed)
    runs = {}
    for bandit, dataset in itertools.product(BANDITS, DATASETS):
        regrets = 0.3 + 0.001 * rng.standard_normal((2, shuffles)) + (shift if bandit == "BLTS" else 0.0)
        runs[bandit, dataset] = Played(SETTINGS[bandit], list(range(shuffles)), regrets.round(12))
    return runs


@pytest.fixture(scope="module")
def runs():
    """The default, in which the claim holds; one in which it is reversed; one that does not change these bandits."""
    first = universe(-0.05)
    return {"default": first, "ties smallest": universe(0.04, 1), "epochs geometric 1": first}


@pytest.fixture(scope="module")
def found(runs):
    return tables.universes_of(runs, FAMILIES, BANDITS)


def test_a_universe_is_judged_as_the_experiment_is(runs, found):
    """The same regrets, in the same tables, as scripts/compare.py makes from the table of runs."""
    rows = [
        (dataset, bandit, setting, shuffle, played.regrets[i, shuffle])
        for (bandit, dataset), played in runs["default"].items()
        for i, setting in enumerate(played.settings)
        for shuffle in played.shuffles
    ]
    frame = pd.DataFrame(rows, columns=["dataset", "bandit", "setting", "shuffle", "regret"])
    pairs = compare(scores(frame, FAMILIES), FAMILIES, dict.fromkeys(DATASETS, 100), all_pairs(BANDITS))
    main = claims(pairs.assign(reading="residual"), [], 0.01, np.random.default_rng(0)).set_index("protocol")
    ours = tables.claims_by_universe(found, 0.01, seed=1)
    ours = ours[ours["universe"] == "default"].set_index("protocol").loc[main.index]
    np.testing.assert_allclose(ours["difference"], main["difference"], atol=1e-12)
    np.testing.assert_allclose(ours[["low", "high"]], main[["low", "high"]], atol=2e-3)
    assert (ours[["verdict", "wins", "losses"]] == main[["verdict", "wins", "losses"]]).all().all()


def test_the_claims_in_every_universe_and_their_verdicts_counted(found):
    table = tables.claims_by_universe(found, 0.01, seed=1)
    assert len(table) == 3 * len(PROTOCOLS)
    by_universe = table.groupby("universe", sort=False)["verdict"].agg(set)
    assert by_universe.to_dict() == {
        "default": {"holds"},
        "ties smallest": {"reversed"},
        "epochs geometric 1": {"holds"},
    }
    assert (table["all_low"] <= table["difference"]).all()
    assert (table["all_high"] >= table["difference"]).all()
    # The centre of both intervals is the difference: rows of the two computations are in the same order.
    for low, high in (("low", "high"), ("all_low", "all_high")):
        np.testing.assert_allclose((table[low] + table[high]) / 2, table["difference"], atol=1e-9)
    counted = tables.verdicts(table).set_index("protocol")
    assert counted.loc["paper", ["holds", "reversed", "of"]].tolist() == [2, 1, 3]
    assert counted.loc["all", ["holds", "reversed", "inconclusive", "of"]].tolist() == [8, 4, 0, 12]
    assert counted.loc["typical", "low"] == pytest.approx(-0.05, abs=0.002)
    assert counted.loc["typical", "high"] == pytest.approx(0.04, abs=0.002)


def test_shifts_are_paired_and_zero_where_nothing_changes(found):
    table = tables.shifts(found, {"ties smallest": "ties", "epochs geometric 1": "epochs"}, seed=1)
    table = table[table["protocol"] == "typical"].set_index("universe")
    assert table.loc["ties smallest", "shift"] == pytest.approx(0.09, abs=0.002)
    assert table.loc["ties smallest", "low"] > 0.08
    assert table.loc["epochs geometric 1", ["shift", "low", "high"]].tolist() == [0, 0, 0]
    assert table["varied"].to_dict() == {"ties smallest": "ties", "epochs geometric 1": "epochs"}


def test_regrets_by_universe(found):
    table = tables.regrets_by_universe(found, seed=1).set_index(["protocol", "bandit", "universe"])
    assert table.loc[("typical", "BLTS", "default"), "regret"] == pytest.approx(0.25, abs=0.001)
    assert table.loc[("typical", "BLTS", "ties smallest"), "shift"] == pytest.approx(0.09, abs=0.002)
    assert (table.xs("default", level="universe")["shift"] == 0).all()


def test_the_spread_is_explained_by_the_choice_that_makes_it():
    names = ["default", "ties largest", "reading literal", "reading literal, ties largest"]
    crossed = {"levels": {"reading": ["residual", "literal"], "ties": ["middle", "largest"]}, "universes": names}
    shifts = {"default": -0.05, "ties largest": -0.05, "reading literal": 0.05, "reading literal, ties largest": 0.05}
    of = tables.universes_of(
        {name: universe(shift, i) for i, (name, shift) in enumerate(shifts.items())}, FAMILIES, BANDITS
    )
    table = tables.spread(of, [crossed], seed=1).set_index("choice")
    assert list(table.index) == ["reading", "ties", "protocol", "together"]
    assert table.loc["reading", "share"] > 0.99
    assert table.loc["reading", "low"] > 0.99
    assert table["share"].sum() == pytest.approx(1.0)
    assert table.loc["reading", "deviation"] == pytest.approx(0.05, abs=0.002)


def test_shares_of_equal_cells_are_zero_and_of_an_interaction_belong_to_no_choice():
    assert (tables.shares(np.ones((2, 3, 4))) == 0).all()
    np.testing.assert_allclose(tables.shares(np.array([[[0.0, 1.0], [1.0, 0.0]]])), [[0, 0, 1]])


def test_the_part_of_the_suite_is_compared_with_the_suite():
    strata = {"a": ("≤ 100", "≤ 10", "2"), "b": ("≤ 100", "> 100", "2"), "c": ("> 10,000", "≤ 10", "2")}
    table = tables.subset(strata, ["a", "b"]).set_index(["by", "stratum"])
    assert table.loc[("n", "≤ 100"), ["suite", "played"]].tolist() == [2, 2]
    assert table.loc[("n", "> 10,000"), ["suite", "played"]].tolist() == [1, 0]
    assert table.loc[("", ""), ["suite", "played"]].tolist() == [3, 2]


class TestReading:
    def plan(self, bandits=("LinTS",)):
        owners = dict.fromkeys(bandits, "default")
        universes = [{"name": name, "varied": {}, "runs": owners} for name in ("default", "epochs geometric 1")]
        return {"bandits": bandits, "datasets": ["a", "b"], "batches": {"default": 1}, "universes": universes}

    def write(self, folder, wrong, rejected=None):
        known = [{"name": "a", "n": 10, "d": 1, "K": 2, "rejected": None},
                 {"name": "b", "n": 10, "d": 1, "K": 2, "rejected": rejected}]  # fmt: skip
        players = {"LinTS": {"class": "x", "options": {"grid": {"alpha": [1, 2]}, "shuffles": 2}}}
        arrays = {"wrong_0_0": np.array(wrong)} | ({} if rejected else {"wrong_1_0": np.array(wrong)})
        write_arrays(folder / "default/1.npz", {"datasets": known, "players": players}, **arrays)

    def test_runs_are_shared_by_universes_and_rejected_datasets_are_left_out(self, tmp_path):
        self.write(tmp_path, [[1, 2], [3, 4]], rejected="dull")
        runs, known = tables.read_runs(tmp_path, self.plan())
        assert list(runs) == ["default", "epochs geometric 1"]
        assert list(runs["default"]) == [("LinTS", "a")]
        assert known["b"]["rejected"] == "dull"
        played = runs["epochs geometric 1"]["LinTS", "a"]
        assert played.settings == ["alpha=1", "alpha=2"]
        assert played.regrets.tolist() == [[0.1, 0.2], [0.3, 0.4]]

    @pytest.mark.parametrize(("wrong", "words"), [
        ([[1, 2, 3], [3, 4, 5]], "not those of its settings and shuffles"),
        ([[1, 2], [3, 11]], "more rounds of a than"),
    ])  # fmt: skip
    def test_a_broken_result_is_named(self, tmp_path, wrong, words):
        self.write(tmp_path, wrong)
        with pytest.raises(InputError, match=f"1.npz is not a valid result .*{words}"):
            tables.read_runs(tmp_path, self.plan())

    def test_a_universe_without_runs_is_named(self, tmp_path):
        self.write(tmp_path, [[1, 2], [3, 4]])
        with pytest.raises(InputError, match="for the universe 'default'"):
            tables.read_runs(tmp_path, self.plan(("LinTS", "BLTS")))


class TestTuning:
    @pytest.mark.parametrize("drawn", [1, 2, 3, 4, 9])
    def test_fewer_settings_are_the_mean_over_all_subsets(self, drawn):
        """Against all subsets, one by one, with equal regrets among them."""
        rng = np.random.default_rng(drawn)
        regrets = rng.integers(0, 4, (5, 5)) / 4
        paper, held_out = [], []
        for subset in itertools.combinations(range(5), min(drawn, 5)):
            of = regrets[list(subset)]
            paper.append(of.min(axis=0).mean())
            best = of.argmin(axis=0)
            held_out.append(np.mean([of[best[1], 0], of[best[0], 1], of[best[3], 2], of[best[2], 3]]))
        found = tuning.with_fewer(regrets, drawn)
        assert found["paper"] == pytest.approx(np.mean(paper))
        assert found["held_out"] == pytest.approx(np.mean(held_out))

    def test_one_setting_is_the_typical_one_and_all_are_the_protocols_themselves(self, runs, found):
        table = tuning.by_number_of_settings(found, {"default": runs["default"]}, [1, 2], 0.01, seed=1)
        main = tables.claims_by_universe(found, 0.01, seed=1)
        main = main[main["universe"] == "default"].set_index("protocol")["difference"]
        ours = table.set_index(["settings", "protocol"])["difference"]
        assert ours[1, "paper"] == pytest.approx(main["typical"])
        assert ours[1, "held_out"] == pytest.approx(main["typical"])
        assert ours[2, "paper"] == pytest.approx(main["paper"])
        assert ours[2, "held_out"] == pytest.approx(main["held_out"])
        assert set(table["verdict"]) == {"holds"}

    def test_every_pair_of_settings_has_a_row(self, runs, found):
        table = tuning.by_setting(found, {name: runs[name] for name in ("default", "ties smallest")}, 0.01, seed=1)
        assert len(table) == 2 * 4
        assert set(zip(table["universe"], table["verdict"], strict=True)) == {
            ("default", "holds"), ("ties smallest", "reversed"),
        }  # fmt: skip
        row = table.iloc[1]
        assert (row["setting_better"], row["setting_worse"]) == ("alpha=0.5 gamma=0.1", "alpha=1")
        differences = [runs["default"]["BLTS", d].regrets[0].mean() - runs["default"]["LinTS", d].regrets[1].mean()
                       for d in DATASETS]  # fmt: skip
        assert row["difference"] == pytest.approx(np.mean(differences))
