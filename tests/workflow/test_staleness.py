"""What a change makes stale: that which depends on it, and nothing else."""

import os

import pytest
from conftest import Workspace, copy_of_the_project

pytestmark = pytest.mark.system

DATASETS = ("ant", "bee", "cat")
RECORDS = {"Recording the settings, versions and revision behind results/tiny",
           "Recording the settings, versions and revision behind results/synthetic",
           "Putting all on one page"}  # fmt: skip
GRIDS = {
    f"Drawing the pairwise grid: variance {reading}, protocol {protocol}"
    for reading in ("residual", "literal") for protocol in ("paper", "matched", "fixed")
}  # fmt: skip
OF_CLAIMS = {"Drawing the paper's claims on the pairwise grid"}
BY_SIZE = {f"Drawing the claims by the size of datasets: variance {reading}" for reading in ("residual", "literal")}
STANDINGS = {
    f"Drawing ranks, profiles, mean regrets and wins: variance {reading}" for reading in ("residual", "literal")
}
DRAWN = GRIDS | OF_CLAIMS | BY_SIZE | STANDINGS
SCORED = {"Holding the paper's claims against the results"}
TIMED = {"Holding predicted times against actual ones"}
COLLECTED = {"Collecting the runs of all bandits", "Making Table 2"}
COMPARED = COLLECTED | {"Comparing the bandits pairwise"} | DRAWN | TIMED | SCORED
SHOWN = {
    "Drawing the evolution of the assignment in the synthetic example, well-specified",
    "Drawing the evolution of the assignment in the synthetic example, mis-specified",
    "Drawing the regret and find curves of the synthetic example",
    "Drawing how the synthetic example depends on the criterion",
    "Drawing what every setting finds in the synthetic example",
}
TABLE = {"Making Table 1"} | SHOWN | SCORED
OPTIMA = {
    "Computing the optima of the synthetic example",
    "Drawing the reward surfaces of the synthetic example (Figure 1)",
}
EXAMPLE = {"bandits": {"LinTS": {"alpha": [0.5, 1]}, "LinUCB": {"alpha": [1, 4]}}, "simulations": 2, "horizon": 60}


def plays(bandit, datasets=DATASETS):
    return {f"{bandit} plays {dataset}" for dataset in datasets}


def examples(bandit):
    return {f"{bandit} plays the synthetic example, {specification}-specified" for specification in ("well", "mis")}


@pytest.fixture(scope="module")
def done(tmp_path_factory):
    """A finished run in a copy of the project that tests may edit."""
    home = copy_of_the_project(tmp_path_factory.mktemp("home"))
    workspace = Workspace(home / "work", home=home)
    workspace.snakemake(cores=2)
    return workspace


@pytest.fixture
def fresh(done):
    """The finished run; whatever a test changes is put back."""
    watched = [p for p in done.home.rglob("*") if p.suffix in (".py", ".tsv", ".csv") and "results" not in p.parts]
    before = {path: (path.read_bytes(), path.stat()) for path in watched}
    config, rows = dict(done.config), {name: list(row) for name, row in done.rows.items()}
    yield done
    for path, (content, stat) in before.items():
        path.write_bytes(content)
        os.utime(path, ns=(stat.st_atime_ns, stat.st_mtime_ns))
    done.config, done.rows, done.families = config, rows, {}
    done.write_config()


def planned(workspace):
    """The jobs of the plan, without the targets, and the records and the page, which follow every change."""
    return {job for job in workspace.plan() if not job.startswith("The ")} - RECORDS


def edit(workspace, name):
    path = workspace.home / name
    path.write_text(path.read_text() + "\n# edited\n")


@pytest.mark.parametrize(
    ("change", "stale"),
    [
        ({}, set()),
        ({"figures": {"formats": ["png"]}}, set()),  # it is drawn already
        ({"synthetic": EXAMPLE | {"criterion": {"threshold": 0.9}}}, TABLE),
        ({"synthetic": EXAMPLE | {"simulations": 3}}, examples("LinTS") | examples("LinUCB") | TABLE),
        ({"synthetic": EXAMPLE | {"intercept": "none"}}, examples("LinTS") | examples("LinUCB") | TABLE),
        (
            {"synthetic": EXAMPLE | {"bandits": {"LinTS": {"alpha": [2]}, "LinUCB": {"alpha": [1, 4]}}}},
            examples("LinTS") | TABLE,
        ),
        ({"sensitivity": {"simulations": 3}}, set()),
        ({"shuffles": 2}, plays("LinTS") | plays("LinUCB") | COMPARED),
        (
            {"classification": {"variances": ["literal"]}},
            (plays("LinTS") | plays("LinUCB") | COMPARED)
            - {job for job in GRIDS | BY_SIZE | STANDINGS if "residual" in job},
        ),
        # As many repeats as before, of which fewer count.
        ({"classification": {"runs": 10}}, {"Comparing the bandits pairwise"} | DRAWN | SCORED),
        ({"classification": {"runs": 6}}, plays("LinTS") | plays("LinUCB") | COMPARED),
        ({"classification": {"significance": "unpaired"}}, GRIDS),
        ({"classification": {"sensitivity": []}}, set()),
        ({"max_levels": 50}, {f"Encoding {name}" for name in DATASETS} | plays("LinTS") | plays("LinUCB") | COMPARED),
        (
            {"bandits": {"LinTS": {"alpha": [0.25, 0.5]}, "LinUCB": {"alpha": [1, 2, 4]}}},
            plays("LinTS") | COMPARED,
        ),
        ({"datasets": ["ant", "bee"]}, COMPARED),
    ],
)
def test_a_knob(fresh, change, stale):
    fresh.config |= change
    fresh.write_config()
    assert planned(fresh) == stale


def test_a_change_of_the_configuration_is_recorded(fresh):
    fresh.config |= {"figures": {"formats": ["png"]}}
    fresh.write_config()
    assert set(fresh.plan()) >= RECORDS


def test_a_new_row_of_the_suite(fresh):
    fresh.add_dataset("dog", 7)
    fresh.write_suite()
    assert planned(fresh) == (
        {"Fetching dog", "Encoding dog"} | plays("LinTS", ["dog"]) | plays("LinUCB", ["dog"]) | COMPARED
    )


def test_a_changed_row_of_the_suite(fresh):
    fresh.rows["bee"][3] = "w"
    fresh.write_suite()
    assert planned(fresh) == (
        {"Fetching bee", "Encoding bee"} | plays("LinTS", ["bee"]) | plays("LinUCB", ["bee"]) | COMPARED
    )


@pytest.mark.parametrize(("module", "bandit"), [("lints", "LinTS"), ("linucb", "LinUCB")])
def test_a_bandits_module(fresh, module, bandit):
    edit(fresh, f"balanced_bandits/bandits/{module}.py")
    assert planned(fresh) == plays(bandit) | examples(bandit) | COMPARED | TABLE


def test_the_estimation_behind_all_bandits(fresh):
    edit(fresh, "balanced_bandits/estimation/ridge.py")
    both = plays("LinTS") | plays("LinUCB") | examples("LinTS") | examples("LinUCB")
    assert planned(fresh) == both | COMPARED | TABLE


def test_the_synthetic_example(fresh):
    edit(fresh, "balanced_bandits/environments/synthetic.py")
    assert planned(fresh) == OPTIMA | examples("LinTS") | examples("LinUCB") | TABLE


def test_the_search_for_the_optima(fresh):
    edit(fresh, "balanced_bandits/environments/optima.py")
    assert planned(fresh) == OPTIMA | examples("LinTS") | examples("LinUCB") | TABLE


def test_the_making_of_table_1(fresh):
    edit(fresh, "balanced_bandits/analysis/orderings.py")
    assert planned(fresh) == TABLE


def test_a_figures_module(fresh):
    edit(fresh, "balanced_bandits/figures/pairwise.py")
    assert planned(fresh) == GRIDS


def test_the_bootstrap(fresh):
    edit(fresh, "balanced_bandits/analysis/bootstrap.py")
    assert planned(fresh) == {"Comparing the bandits pairwise"} | DRAWN | SCORED


def test_the_cost_model(fresh):
    edit(fresh, "balanced_bandits/analysis/cost.py")
    assert planned(fresh) == TIMED
    assert "Putting all on one page" in fresh.plan()


def test_the_family_of_a_dataset(fresh):
    fresh.families = {"ant": "insects", "bee": "insects", "cat": ""}
    fresh.write_suite()
    assert planned(fresh) == COMPARED


def test_a_touch_without_a_change(fresh):
    (fresh.home / "balanced_bandits/bandits/lints.py").touch()
    (fresh.folder / "ant.csv").touch()
    assert planned(fresh) == set()
