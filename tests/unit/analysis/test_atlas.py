"""The sensitivity atlas: its cells, its rows by hand-made traces, and what it says of the paper's statements."""

import numpy as np
import pandas as pd
import pytest

from balanced_bandits.analysis.synthetic.atlas import atlas, found_by_rule, statements
from balanced_bandits.analysis.synthetic.criteria import Criterion
from balanced_bandits.analysis.synthetic.traces import read_traces
from balanced_bandits.bandits import BANDITS
from balanced_bandits.core.files import write_arrays
from balanced_bandits.plan.atlas_cells import cells_of, distinct

DEFAULT = {
    "reading": "literal", "lams": [0.01, 1, 100, 10000], "intercept": "unpenalised", "propensity": "exact",
    "schedule": {"geometric": 0.05},
}  # fmt: skip
SENSITIVITY = {
    "reading": ["literal", "residual"], "grid_top": [1, 100, 10000], "intercept": ["unpenalised", "penalised", "none"],
    "propensity": ["monte_carlo", "assignment"], "schedule": [{"batch": 50}, {"geometric": 0.3}, "every_step"],
}  # fmt: skip
CRITERIA = {
    "criterion": {"target": {"well": "truth", "mis": "predictors"}, "when": "some", "threshold": 0.95},
    "alternatives": {
        "targets": {"well": ["truth"], "mis": ["predictors"]},
        "when": ["some", "end"],
        "thresholds": [0.95],
    },
}


def test_the_cells_are_the_factorial_and_single_changes_with_the_default_first():
    cells = cells_of(SENSITIVITY, DEFAULT)
    assert len(cells) == 18 + 2 + 3
    assert cells[0].varied == "nothing"
    assert cells[0].choices == DEFAULT
    assert len({cell.name for cell in cells}) == len({cell.folder for cell in cells}) == len(cells)
    by_name = {cell.name: cell for cell in cells}
    cell = by_name["residual, top 100, no intercept"]
    assert cell.choices == DEFAULT | {"reading": "residual", "lams": [0.01, 1, 100], "intercept": "none"}
    assert cell.varied == "reading grid_top intercept"
    assert by_name["schedule batch 50"].choices == DEFAULT | {"schedule": {"batch": 50}}
    assert by_name["propensity assignment"].varied == "propensity"


def test_a_default_outside_the_factorial_is_a_cell_of_its_own():
    cells = cells_of(SENSITIVITY, DEFAULT | {"lams": [0.01, 1, 100, 1000]})
    assert cells[0].name == "literal, top 1000, unpenalised"
    assert cells[0].varied == "nothing"
    # Cutting at 10,000 leaves the grid as it is, and so is no further cell.
    assert len(cells) == 18 + 2 + 3


def test_propensities_concern_blts_only_so_other_bandits_do_not_play_them_again():
    cells = cells_of(SENSITIVITY, DEFAULT)
    for bandit, own in (("BLTS", 2), ("BLUCB", 0), ("LinTS", 0)):
        names = {"reading", *BANDITS[bandit].parameters}
        played = distinct(cells, lambda cell, names=names: {k: v for k, v in cell.choices.items() if k in names})
        apart = [name for name in ("propensity monte_carlo", "propensity assignment") if played[name].name == name]
        assert len(apart) == own
        assert len({cell.name for cell in played.values()}) == 21 + own


def test_a_cut_below_the_whole_grid_is_no_cell():
    """As with one fixed lambda above it: the default run must not stumble over the atlas."""
    cells = cells_of(SENSITIVITY, DEFAULT | {"lams": [1000]})
    assert {cell.levels["grid_top"] for cell in cells} == {"1000"}
    assert len(cells) == 6 + 2 + 3


def job(path, spec, bandit, settings, found):
    """A result in which the optimum is found where ``found`` (settings, simulations) says, and lost at the end."""
    found = np.array(found, dtype=float)
    agreement = np.stack([np.zeros_like(found), found, 0.5 * found], axis=-1)
    zeros = np.zeros_like(agreement)
    target = "truth" if spec == "well" else "predictors"
    write_arrays(
        path, {"specification": spec, "bandit": bandit, "settings": settings}, rounds=np.array([0, 5, 9]),
        regret=zeros, first_order=np.where(np.arange(found.shape[1]) < 2, 1.0, 0.97) * np.ones_like(found),
        **{f"agreement_{target}": agreement},
    )  # fmt: skip
    return str(path)


@pytest.fixture
def cells(tmp_path):
    """Two cells of LinTS and BLTS, well-specified, 20 simulations: in the second, BLTS is the worse one."""
    n = np.arange(20)
    lints = job(tmp_path / "a.npz", "well", "LinTS", [{"alpha": 1.0}], [n < 10])
    gammas = [{"alpha": 1.0, "gamma": 0.1}, {"alpha": 1.0, "gamma": 0.2}, {"alpha": 2.0, "gamma": 0.2}]
    good = job(tmp_path / "b.npz", "well", "BLTS", gammas, [n < 19, n < 11, n < 10])
    bad = job(tmp_path / "c.npz", "well", "BLTS", gammas, [n < 1, n < 2, n < 8])
    levels = {"reading": "literal", "grid_top": "1"}
    return [
        {"name": "one", "varied": "nothing", "levels": levels, "runs": {"well": {"LinTS": lints, "BLTS": good}}},
        {"name": "two", "varied": "reading", "levels": levels, "runs": {"well": {"LinTS": lints, "BLTS": bad}}},
    ]


def test_the_best_setting_with_each_gamma(cells):
    traces = read_traces(cells[1]["runs"]["well"]["BLTS"])
    found = found_by_rule(traces, Criterion("truth", "some", 0.95))
    assert {rule: int(where.sum()) for rule, where in found.items()} == {"best": 8, "gamma=0.1": 1, "gamma=0.2": 8}


def test_the_atlas_by_hand(cells):
    percentages, ordered, fits = atlas(cells, CRITERIA, simulations=20)
    # LinTS by one rule, BLTS by three; two criteria; two cells
    assert len(percentages) == 4 * 2 * 2
    assert list(percentages.columns[:2]) == ["cell", "varied"]
    first = percentages.iloc[0]
    assert (first["cell"], first["bandit"], first["setting_rule"], first["when"]) == ("one", "LinTS", "best", "some")
    assert first["percent"] == 50.0
    assert not first["inside"]  # 84 is not in 30 to 70
    some = percentages[percentages["when"] == "some"].set_index(["cell", "bandit", "setting_rule"])
    assert some.loc[("one", "BLTS", "best"), "percent"] == 95.0
    assert some.loc[("one", "BLTS", "best"), "inside"]
    assert some.loc[("two", "BLTS", "gamma=0.1"), "percent"] == 5.0
    assert (percentages.loc[percentages["when"] == "end", "percent"] == 0).all()
    verdicts = ordered[ordered["when"] == "some"].set_index(["cell", "setting_rule"])["verdict"]
    assert verdicts.to_dict() == {
        ("one", "best"): "holds", ("one", "gamma=0.1"): "holds", ("one", "gamma=0.2"): "inconclusive",
        ("two", "best"): "inconclusive", ("two", "gamma=0.1"): "reversed", ("two", "gamma=0.2"): "inconclusive",
    }  # fmt: skip
    assert fits[["simulations", "everywhere", "nearly"]].drop_duplicates().to_numpy().tolist() == [[20, 2, 20]]


def test_statements_count_the_combinations_under_which_they_hold(cells):
    percentages, ordered, _ = atlas(cells, CRITERIA, simulations=20)
    table = statements(percentages, ordered).set_index("statement")
    row = table.loc["well: BLTS finds the optimum more often than LinTS"]
    # At the end nobody has it: the six combinations of that criterion are inconclusive too.
    assert row.to_dict() == {"holds": 2, "inconclusive": 9, "fails": 1, "of": 12, "at_default": "holds"}
    row = table.loc["well: BLTS finds the optimum in 92 % of simulations"]
    assert row.to_dict() == {"holds": 2, "inconclusive": 0, "fails": 10, "of": 12, "at_default": "holds"}
    assert table.loc["well: LinTS finds the optimum in 84 % of simulations", "at_default"] == "does not hold"


def test_fewer_simulations_are_used_where_a_job_has_more(cells):
    percentages, _, _ = atlas(cells, CRITERIA, simulations=10)
    assert set(percentages["simulations"]) == {10}
    assert percentages.iloc[0]["percent"] == 100.0


def test_bandits_that_the_paper_does_not_have_are_in_the_atlas_without_its_number(cells, tmp_path):
    more = job(tmp_path / "d.npz", "well", "ILTCB", [{"psi": 1.0}], [np.arange(20) < 5])
    cells[0]["runs"]["well"]["ILTCB"] = more
    percentages, ordered, _ = atlas(cells[:1], CRITERIA, simulations=20)
    row = percentages[percentages["bandit"] == "ILTCB"].iloc[0]
    assert pd.isna(row["paper_percent"])
    assert row["percent"] == 25.0
    assert not (ordered[["better", "worse"]] == "ILTCB").any().any()
    assert not any("ILTCB" in text for text in statements(percentages, ordered)["statement"])
