"""The multiverse from end to end on a tiny suite."""

import csv

import numpy as np
import pytest

from balanced_bandits.core.files import read_arrays

pytestmark = pytest.mark.system

NOTHING = {"reading": [], "prior_weight": [], "intercept": [], "lams": [], "criterion": [], "ties": [], "schedule": [],
           "propensity": [], "propensity_schedule": [], "posteriors": [], "logistic_c": [], "epochs": [],
           "standardise": [], "categoricals": []}  # fmt: skip
MULTIVERSE = {
    "hours": 0.05, "shuffles": 2,
    "choices": NOTHING | {"reading": ["literal"], "schedule": ["every_step"], "propensity": ["monte_carlo"],
                          "standardise": ["running"], "categoricals": ["ordinal"]},
    "combinations": [{"reading": ["residual", "literal"], "intercept": ["unpenalised", "none"]}],
}  # fmt: skip


def rows_of(path):
    with open(path) as table:
        return list(csv.DictReader(table))


def test_the_multiverse_is_made_on_demand_and_its_default_is_the_experiment_itself(workspace):
    assert not any("universe" in job or "multiverse" in job for job in workspace.plan())
    workspace.config["multiverse"] = MULTIVERSE
    workspace.write_config()
    jobs = workspace.plan("multiverse")
    # propensities concern BLTS only, which does not play here
    assert sum(job.startswith("Playing the universe") for job in jobs) == 7
    assert sum("multiverse otherwise" in job for job in jobs) == 2
    main = [f"results/tiny/runs/ant/{bandit}.npz" for bandit in ("LinTS", "LinUCB")]
    workspace.snakemake("multiverse", *main, cores=2)
    results = workspace.folder / "results/tiny/multiverse"
    record, arrays = read_arrays(results / "runs/default/1.npz")
    assert [dataset["name"] for dataset in record["datasets"]] == ["ant", "bee", "cat"]
    assert list(record["players"]) == ["LinTS", "LinUCB"]
    for place, path in enumerate(main):
        known, ours = read_arrays(workspace.folder / path)
        residual = ours["curve"][known["readings"].index("residual"), :, 0, :2, -1]
        np.testing.assert_array_equal(arrays[f"wrong_0_{place}"], residual)
    claims = rows_of(results / "claims.csv")
    assert len(claims) == 7 * 4  # universes by protocols: LinTS > LinUCB is the only claim about these bandits
    assert {row["verdict"] for row in claims} == {"can't be judged"}  # three datasets
    assert all(row["played"] == "True" and not row["left_out"] for row in rows_of(results / "datasets.csv"))
    assert {row["choice"] for row in rows_of(results / "spread.csv")} == {
        "reading",
        "intercept",
        "protocol",
        "together",
    }
    assert sorted(path.stem for path in (workspace.folder / "figures/tiny/multiverse").glob("*.png")) == [
        "shifts_fixed", "shifts_held_out", "shifts_paper", "shifts_typical", "tuning", "universes_LinTS_LinUCB",
        "verdicts",
    ]  # fmt: skip
    assert "Nothing to be done" in workspace.snakemake("multiverse")
    # A universe of the same name is the same, whatever else is played.
    before = (results / "runs/reading_literal/1.npz").read_bytes()
    (results / "runs/reading_literal/1.npz").unlink()
    workspace.config["multiverse"] = MULTIVERSE | {"choices": NOTHING, "hours": 0.04}
    workspace.write_config()
    workspace.snakemake("results/tiny/multiverse/runs/reading_literal/1.npz")
    assert (results / "runs/reading_literal/1.npz").read_bytes() == before
    page = workspace.snakemake("-n", "-p", "page")
    assert "--multiverse results/tiny/multiverse" in page
    assert "figures/tiny/multiverse/tuning.png" in page


def test_a_budget_for_nothing_ends_in_a_sentence(workspace):
    output = workspace.snakemake("--config", "multiverse={hours: 0.000001}", "--", "multiverse", fails=True)
    assert (
        "there is nothing to play in the multiverse: multiverse.hours is 1e-06, but the cheapest dataset alone"
        in output
    )
    assert "Traceback" not in output


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ("{bandits: [LinTS, Nobody]}", "multiverse.bandits: there is no Nobody; the bandits are LinTS,"),
        ("{hours: 0}", "multiverse.hours is 0, but must be: a number above 0"),
        ("{choices: {tie: [smallest]}}", "unknown key multiverse.choices.tie; did you mean 'ties'?"),
        ("{choices: {intercept: [free]}}", "multiverse.choices.intercept.0 is 'free', but must be: unpenalised"),
        ("{choices: {criterion: [fixed]}}", "'criterion fixed' has the criterion fixed and 9 values of lams"),
        ("{combinations: [{ties: []}]}", "multiverse.combinations.0.ties is []"),
    ],
)
def test_a_wrong_multiverse_stops_before_the_first_job(workspace, given, words):
    output = workspace.snakemake("--config", f"multiverse={given}", fails=True)
    assert words in output
    assert "Traceback" not in output
    assert not (workspace.folder / "logs").exists()
