"""What a change makes stale: that which depends on it, and nothing else."""

import os

import pytest
from conftest import Workspace, copy_of_the_project

from balanced_bandits.vocabulary import PROTOCOLS

pytestmark = pytest.mark.system

DATASETS = ("ant", "bee", "cat")
RECORDS = {"Recording the settings, versions and revision behind results/tiny",
           "Recording the settings, versions and revision behind results/synthetic",
           "Writing the page"}  # fmt: skip
BY_READING = {
    f"Drawing {shows}, {reading}"
    for reading in ("residual", "literal")
    for shows in ("how far each bandit is from a reference bandit, by the size of datasets",
                  "the critical-difference diagram", "performance profiles",
                  "the paper's claims by the size of datasets")
}  # fmt: skip


def by_protocol(shows):
    return {f"Drawing {shows}, {reading}, {protocol}" for reading in ("residual", "literal") for protocol in PROTOCOLS}


GRIDS = by_protocol("Figure 4: the pairwise grid")
MATRICES = by_protocol("mean difference, wins, ties, losses and p of every pair of bandits")
DRAWN = GRIDS | MATRICES | BY_READING | {"Drawing the paper's claims on Figure 4"}
SCORED = {"Comparing the paper's claims with the results"}
TIMED = {"Comparing predicted with actual times"}
COLLECTED = {"Collecting the runs of all bandits", "Making Table 2"}
COMPARISON = {"Comparing the bandits pairwise"} | DRAWN | SCORED
COMPARED = COLLECTED | COMPARISON | TIMED
SHOWN = {
    "Drawing Figures 2 and 3: how the assignment of arms evolves, well",
    "Drawing Figures 2 and 3: how the assignment of arms evolves, mis",
    "Drawing regret, and the share of simulations that have found the optimum, over the rounds",
    "Drawing how Table 1 depends on what counts as finding the optimum",
    "Drawing how often each setting finds the optimum",
}
TABLE = {"Making Table 1"} | SHOWN | SCORED
OPTIMA = {
    "Computing the optima of the synthetic example",
    "Drawing Figure 1: the expected reward of each arm",
}
EXAMPLE = {"bandits": {"LinTS": {"alpha": [0.5, 1]}, "LinUCB": {"alpha": [1, 4]}}, "simulations": 2, "horizon": 60}


def plays(*bandits, datasets=DATASETS):
    return {f"{bandit} plays {dataset}" for bandit in bandits for dataset in datasets}


ALL = plays("LinTS", "LinUCB", "Greedy")


def examples(bandit):
    return {f"{bandit} plays the synthetic example, {specification}-specified" for specification in ("well", "mis")}


@pytest.fixture(scope="module")
def done(tmp_path_factory):
    """A finished run in a copy of the project that tests may edit."""
    home = copy_of_the_project(tmp_path_factory.mktemp("home"))
    workspace = Workspace(home / "work", home=home)
    workspace.config["figures"] = {"formats": ["svg", "png"]}
    workspace.write_config()
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
        ({"shuffles": 3}, ALL | COMPARED),
        ({"fewest_shuffles": 3}, set()),  # all datasets are played more often
        ({"dataset_seconds": None}, set()),  # none of them takes that long
        (
            {"classification": {"readings": ["literal"]}},
            (plays("LinTS", "LinUCB") | COMPARED) - {job for job in DRAWN if ", residual" in job},
        ),
        ({"classification": {"rope": 0.02}}, COMPARISON),
        ({"classification": {"reference": "Greedy"}}, COMPARISON),
        ({"classification": {"placebo_copies": 2}}, plays("LinTS") | COMPARED),
        ({"classification": {"placebo": None}}, plays("LinTS") | COMPARED),
        ({"classification": {"placebo": "LinUCB"}}, plays("LinTS", "LinUCB") | COMPARED),
        ({"references": {}}, COMPARED),
        ({"references": {"Greedy": {}, "EpsilonGreedy": {"epsilon": [0.1]}}}, plays("EpsilonGreedy") | COMPARED),
        ({"calibration": {"bandits": ["LinUCB"]}}, set()),
        ({"ridge": {"ties": "largest"}}, ALL | COMPARED | examples("LinTS") | examples("LinUCB") | TABLE),
        ({"balancing": {"draws": 50}}, set()),  # none of these bandits is balanced
        ({"max_levels": 50}, {f"Encoding {name}" for name in DATASETS} | ALL | COMPARED),
        ({"standardise": "running"}, {f"Encoding {name}" for name in DATASETS} | ALL | COMPARED),
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
        {"Fetching dog", "Encoding dog"} | plays("LinTS", "LinUCB", "Greedy", datasets=["dog"]) | COMPARED
    )


def test_a_changed_row_of_the_suite(fresh):
    fresh.rows["bee"][3] = "w"
    fresh.write_suite()
    assert planned(fresh) == (
        {"Fetching bee", "Encoding bee"} | plays("LinTS", "LinUCB", "Greedy", datasets=["bee"]) | COMPARED
    )


@pytest.mark.parametrize(("module", "bandit"), [("lints", "LinTS"), ("linucb", "LinUCB")])
def test_a_bandits_module(fresh, module, bandit):
    edit(fresh, f"balanced_bandits/bandits/{module}.py")
    assert planned(fresh) == plays(bandit) | examples(bandit) | COMPARED | TABLE


def test_the_estimation_behind_all_bandits(fresh):
    edit(fresh, "balanced_bandits/estimation/ridge.py")
    assert planned(fresh) == ALL | examples("LinTS") | examples("LinUCB") | COMPARED | TABLE


def test_the_synthetic_example(fresh):
    edit(fresh, "balanced_bandits/environments/synthetic.py")
    assert planned(fresh) == OPTIMA | examples("LinTS") | examples("LinUCB") | TABLE


def test_the_search_for_the_optima(fresh):
    edit(fresh, "balanced_bandits/environments/optima.py")
    assert planned(fresh) == OPTIMA | examples("LinTS") | examples("LinUCB") | TABLE


def test_the_making_of_table_1(fresh):
    edit(fresh, "balanced_bandits/analysis/synthetic/orderings.py")
    assert planned(fresh) == TABLE


def test_the_registry_of_bandits_and_the_words_of_figures(fresh):
    """A bandit more, or another label, makes no run stale."""
    edit(fresh, "balanced_bandits/bandits/__init__.py")
    assert planned(fresh) == set()
    edit(fresh, "balanced_bandits/vocabulary.py")
    assert not any(" plays " in job for job in planned(fresh))


def test_a_figures_module(fresh):
    edit(fresh, "balanced_bandits/figures/pairwise.py")
    assert planned(fresh) == GRIDS


def test_the_bootstrap(fresh):
    edit(fresh, "balanced_bandits/analysis/resampling.py")
    assert planned(fresh) == COMPARISON


def test_the_cost_model(fresh):
    edit(fresh, "balanced_bandits/plan/cost.py")
    assert planned(fresh) == TIMED
    assert "Writing the page" in fresh.plan()


def test_the_family_of_a_dataset(fresh):
    fresh.families = {"ant": "insects", "bee": "insects", "cat": ""}
    fresh.write_suite()
    assert planned(fresh) == COMPARED


def test_a_touch_without_a_change(fresh):
    (fresh.home / "balanced_bandits/bandits/lints.py").touch()
    (fresh.folder / "ant.csv").touch()
    assert planned(fresh) == set()
