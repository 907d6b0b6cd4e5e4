"""The plan: figures from the catalogue, what jobs are given, paths and costs; without Snakemake."""

import ast
import importlib
import inspect
import itertools
import json

import pytest
from conftest import ROOT

from balanced_bandits.bandits import BANDITS
from balanced_bandits.core.errors import InputError
from balanced_bandits.plan import cost
from balanced_bandits.plan.catalogue import COMPARISONS, FIGURES
from balanced_bandits.plan.plan import Plan, caption
from balanced_bandits.vocabulary import FEWEST_UNITS, PROTOCOLS

FOLDERS = {
    "classification": "SUITE", "calibration": "SUITE/calibration", "multiverse": "SUITE/multiverse",
    "synthetic": "synthetic", "sensitivity": "sensitivity", "readings": "readings",
}  # fmt: skip
FIVE = ["LinTS", "LinUCB", "BLTS", "BLUCB", "ILTCB"]


class TestCatalogue:
    def test_every_figure_has_a_row_and_every_row_a_figure(self):
        modules = {path.stem for path in (ROOT / "balanced_bandits/figures").glob("*.py")} - {"__init__", "style"}
        assert sorted(figure.name for figure in FIGURES) == sorted(modules)
        captions = {path.stem for path in (ROOT / "workflow/report").glob("*.rst")}
        assert captions == modules
        assert all(caption(figure).endswith(f"workflow/report/{figure.name}.rst") for figure in FIGURES)

    @pytest.mark.parametrize("figure", FIGURES, ids=lambda figure: figure.name)
    def test_a_figure_takes_its_tables_and_what_it_is_told(self, figure):
        parameters = inspect.signature(importlib.import_module(figure.module).draw).parameters.values()
        tables = [parameter.name for parameter in parameters if parameter.kind is parameter.POSITIONAL_OR_KEYWORD]
        told = [parameter.name for parameter in parameters if parameter.kind is parameter.KEYWORD_ONLY]
        assert tables == [name.partition(".")[0] for name in figure.tables]
        assert sorted(told) == sorted([*figure.by, *figure.options])

    def test_the_page_of_outputs_lists_the_catalogue(self):
        rows = []
        for figure in sorted(FIGURES, key=lambda figure: list(FOLDERS).index(figure.section)):
            stem = figure.stem.format(**{name: name.upper() for name in figure.by})
            rows.append(f"| `figures/{FOLDERS[figure.section]}/{stem}.*` | {figure.shows} |")
        page = (ROOT / "docs/outputs.md").read_text().split("## Figures")[1].split("\n## ")[0]
        assert [line for line in page.splitlines() if line.startswith("| `")] == rows

    def test_files_titles_and_tables(self):
        plan = Plan({"figures": {"formats": ["svg", "png"]}, "classification": {"readings": ["literal"]}})
        drawings = {drawing["file"]: drawing for drawing in plan.drawings("synthetic", "classification")}
        assert drawings["figures/synthetic/evolution_mis.png"]["title"] == "Figure 3"
        grid = drawings["figures/registry60/pairwise_literal_fixed.png"]
        assert grid["wildcards"] == {"reading": "literal", "protocol": "fixed"}
        assert grid["title"] == "Figure 4: variance literal, protocol fixed"
        drawn = plan.drawn("synthetic", "classification")
        assert len(drawn) == len(set(drawn)) == 2 * len(drawings)
        assert not any("residual" in path or "atlas" in path or "calibration" in path for path in drawn)
        figures = {figure.name: figure for figure in FIGURES}
        assert plan.tables(figures["pairwise"])[0] == "results/registry60/pairs.csv"
        assert plan.tables(figures["calibration"]) == ["results/registry60/calibration/calibration.csv"]
        assert plan.drawn("calibration") == [
            "figures/registry60/calibration/calibration.svg", "figures/registry60/calibration/calibration.png",
        ]  # fmt: skip
        assert json.loads(plan.drawing_options(figures["claims"])) == {"rope": 0.01}
        assert json.loads(plan.drawing_options(figures["differences"])) == {"reference": "LinTS"}

    def test_every_protocol_has_its_grid_and_its_matrix(self):
        drawn = Plan({"figures": {"formats": ["png"]}}).drawn("classification")
        for name, reading, protocol in itertools.product(("pairwise", "matrix"), ("residual", "literal"), PROTOCOLS):
            assert f"figures/registry60/{name}_{reading}_{protocol}.png" in drawn
        assert list(PROTOCOLS) == ["paper", "held_out", "typical", "fixed"]

    def test_reference_bandits_play_but_are_not_in_the_papers_grid(self):
        plan = Plan({})
        (pairwise,) = [figure for figure in FIGURES if figure.name == "pairwise"]
        assert json.loads(plan.drawing_options(pairwise))["bandits"] == FIVE
        assert plan.classification.bandits == [*FIVE, "EpsilonGreedy", "Greedy"]
        assert json.loads(plan.classification.comparison())["bandits"] == [*FIVE, "EpsilonGreedy", "Greedy"]
        assert "results/registry60/runs/iris/Greedy.npz" in plan.classification.runs()

    def test_the_comparison_makes_the_tables_of_the_catalogue(self):
        tree = ast.parse((ROOT / "scripts/compare.py").read_text())
        (tables,) = (node.value for node in ast.walk(tree) if isinstance(node, ast.Assign)
                     and isinstance(node.value, ast.Dict) and node.targets[0].id == "tables")  # fmt: skip
        assert [ast.literal_eval(key) for key in tables.keys] == ["scores", *COMPARISONS]


class TestJobs:
    @pytest.mark.parametrize("bandit", ["LinTS", "BLTS", "BLUCB", "ILTCB", "EpsilonGreedy", "Greedy"])
    def test_a_bandit_is_given_the_choices_that_it_takes(self, bandit):
        given = json.loads(Plan({"schedule": "every_step"}).classification.options("iris", bandit))
        assert set(given["choices"]) <= set(BANDITS[bandit].parameters)
        assert ("draws" in given["choices"]) == (bandit == "BLTS")
        assert ("propensity_schedule" in given["choices"]) == (bandit in ("BLTS", "BLUCB"))
        assert ("epochs" in given["choices"]) == (bandit == "ILTCB")
        assert bandit == "ILTCB" or given["choices"]["schedule"] == "every_step"
        assert given["choices"]["ties"] == "middle"
        without_variance = bandit in ("ILTCB", "EpsilonGreedy", "Greedy")
        assert set(given["readings"]) == ({"any"} if without_variance else {"residual", "literal"})

    def test_runs_are_readings_times_settings_times_copies_times_shuffles(self):
        classification = Plan({}).classification
        assert {bandit: classification.plays(bandit, 10) for bandit in classification.bandits} == {
            "LinTS": 2 * 3 * 5 * 10, "LinUCB": 2 * 3 * 10, "BLTS": 2 * 12 * 10, "BLUCB": 2 * 12 * 10, "ILTCB": 12 * 10,
            "EpsilonGreedy": 3 * 10, "Greedy": 10,
        }  # fmt: skip

    def test_only_the_placebo_has_copies(self):
        plan = Plan({"classification": {"placebo": "BLTS", "placebo_copies": 2}})
        copies = {bandit: json.loads(plan.classification.options("iris", bandit))["copies"]
                  for bandit in plan.classification.bandits}  # fmt: skip
        assert copies == dict.fromkeys(plan.classification.bandits, 1) | {"BLTS": 3}
        assert json.loads(plan.classification.comparison())["placebo"] == "BLTS"
        without = Plan({"classification": {"placebo": None}}).classification
        assert {without.copies(bandit) for bandit in without.bandits} == {1}
        assert json.loads(without.comparison())["placebo"] is None

    def test_results_of_all_jobs(self):
        plan = Plan({"datasets": ["iris", "wine"]})
        runs = plan.classification.runs()
        assert len(runs) == 2 * 7
        assert "results/registry60/runs/wine/BLTS.npz" in runs

    def test_what_a_job_asks_for_grows_with_its_dataset_and_shuffles(self):
        given = {"suite": "registry300", "dataset_seconds": None}
        plan, more = (Plan(given | {"shuffles": shuffles}) for shuffles in (2, 20))
        small, large = "iris", "letter"
        for bandit in plan.classification.bandits:
            assert plan.classification.seconds(large, bandit) > plan.classification.seconds(small, bandit)
            assert more.classification.seconds(large, bandit) > 3 * plan.classification.seconds(large, bandit)
            assert plan.classification.megabytes(large, bandit) > plan.classification.megabytes(small, bandit)
        assert plan.classification.is_small(small)
        assert not more.classification.is_small(large)
        assert plan.classification.urgency(large) > plan.classification.urgency(small)
        assert Plan({"strict": True}).classification.urgency(small) > plan.classification.urgency(large)

    def test_caps_make_a_dataset_smaller_and_only_they_make_it_depend_on_the_seed(self):
        plan, capped = Plan({"seed": 5}), Plan({"seed": 5, "max_rounds": 50, "max_features": 2})
        assert plan.datasets.size("iris") == (150, 4, 3)
        assert capped.datasets.size("iris") == (50, 2, 3)
        assert json.loads(plan.datasets.preparation())["seed"] == 0
        given = json.loads(capped.datasets.preparation())
        assert given.items() >= {"max_rounds": 50, "max_features": 2, "seed": 5}.items()
        names = ("max_levels", "standardise", "missing_values")
        assert {name: given[name] for name in names} == {name: capped.config[name] for name in names}

    @pytest.mark.parametrize("key", ["reference", "placebo"])
    def test_an_unknown_bandit_is_refused(self, key):
        with pytest.raises(InputError, match=rf"classification\.{key} is Nobody, but must be one of LinTS, LinUCB"):
            Plan({"classification": {key: "Nobody"}}).check()

    def test_without_a_grid_it_does_not_play(self):
        """The defaults need not be changed by whoever compares other bandits."""
        plan = Plan({"bandits": {"BLTS": {"alpha": [1]}, "LinUCB": {"alpha": [1]}}})
        plan.check()
        assert plan.classification.reference == "BLTS"
        assert plan.classification.placebo is None
        assert plan.calibration.bandits == ["LinUCB", "BLTS"]

    def test_a_reference_bandit_may_be_the_one_that_others_are_compared_with(self):
        plan = Plan({"classification": {"reference": "Greedy"}})
        plan.check()
        assert plan.classification.reference == "Greedy"
        assert Plan({"classification": {"reference": None}}).classification.reference == "LinTS"

    def test_a_bandit_is_either_of_the_paper_or_a_reference(self):
        with pytest.raises(InputError, match=r"references\.ILTCB: it is under bandits as well; remove it from one"):
            Plan({"references": {"ILTCB": {}}}).check()

    def test_without_references_the_bandits_are_the_papers(self):
        plan = Plan({"references": {}})
        plan.check()
        assert plan.classification.bandits == FIVE

    def test_the_default_cell_of_the_atlas_is_the_example_itself(self):
        synthetic = Plan({"synthetic": {"simulations": 7}}).synthetic
        assert json.loads(synthetic.options("BLTS"))["simulations"] == 7
        cells = synthetic.atlas()
        assert cells[0]["runs"]["well"]["BLTS"] == "results/synthetic/well/BLTS.npz"
        other = synthetic.cells[1]
        assert json.loads(synthetic.options("BLTS", other.folder))["simulations"] == 20
        assert len(set(synthetic.atlas_runs())) == len(synthetic.atlas_runs())

    def test_a_suite_with_the_name_of_another_experiment_is_refused(self, tmp_path):
        (tmp_path / "synthetic.tsv").write_text("")
        with pytest.raises(InputError, match="'synthetic' is the name of another experiment"):
            Plan({"suite": str(tmp_path / "synthetic.tsv")}).check()

    def test_a_bandit_without_a_cost_of_its_own_costs_as_much_as_the_slowest(self):
        assert cost.seconds("Mine", 1000, 5, 2, 1) == cost.seconds("BLTS", 1000, 5, 2, 1)

    @pytest.mark.parametrize("bandit", ["EpsilonGreedy", "Greedy", "Uniform", "SquareCB"])
    def test_bandits_without_draws_and_propensities_cost_as_much_as_lints(self, bandit):
        size = 1000, 20, 10, 1
        assert cost.play_seconds(bandit, *size) == cost.play_seconds("LinTS", *size) < cost.play_seconds("BLTS", *size)


class TestShuffles:
    """A dataset is played ``shuffles`` times; less often where this would take longer than ``dataset_seconds``."""

    def planned(self, **given):
        default = {"suite": "registry300", "shuffles": 10, "fewest_shuffles": 2, "dataset_seconds": 6}
        return Plan(default | given).classification

    def one_shuffle(self, dataset):
        """Predicted seconds of one shuffle of a dataset."""
        return cost.shuffle_seconds(*self.planned().datasets.size(dataset), 2)

    def test_a_cheap_dataset_has_all_and_an_expensive_one_the_fewest(self):
        plan = self.planned()
        assert self.one_shuffle("iris") < 0.6
        assert plan.shuffles("iris") == 10
        assert self.one_shuffle("letter") > 3
        assert plan.shuffles("letter") == 2

    def test_in_between_they_are_the_even_number_that_the_seconds_allow(self):
        for limit, expected in ((3.99, 2), (4.0, 4), (5.0, 4), (6.0, 6)):
            assert self.planned(dataset_seconds=1.0001 * limit * self.one_shuffle("wine")).shuffles("wine") == expected

    def test_null_is_no_limit(self):
        assert self.planned(dataset_seconds=None).shuffles("letter") == 10

    def test_never_more_than_asked_for(self):
        assert self.planned(shuffles=1).shuffles("letter") == 1
        assert self.planned(shuffles=3, fewest_shuffles=5).shuffles("iris") == 3

    def test_without_a_second_shuffle_there_is_no_held_out_protocol(self):
        assert self.planned(shuffles=1).protocols == ["paper", "typical", "fixed"]
        assert self.planned(dataset_seconds=0.001, fewest_shuffles=1).protocols == ["paper", "typical", "fixed"]
        assert self.planned(fewest_shuffles=1).protocols == list(PROTOCOLS)
        drawn = Plan({"shuffles": 1}).drawn("classification")
        assert not any("held_out" in path for path in drawn)

    def test_they_do_not_depend_on_who_plays(self):
        """So that a run with more or fewer bandits replays nothing."""
        limit = 4.0001 * self.one_shuffle("wine")
        few = {"LinTS": {"alpha": [1]}, "LinUCB": {"alpha": [1]}}
        for given in ({}, {"play": ["LinTS", "BLTS"]}, {"bandits": few, "references": {}}):
            assert self.planned(dataset_seconds=limit, **given).shuffles("wine") == 4

    def test_the_predicted_seconds_are_those_of_twelve_runs_of_each_of_the_papers_bandits_and_readings(self):
        paper = ("LinTS", "LinUCB", "BLTS", "BLUCB", "ILTCB")
        size = self.planned().datasets.size("wine")
        assert self.one_shuffle("wine") == pytest.approx(sum(cost.play_seconds(name, *size, 24) for name in paper))

    def test_jobs_are_given_them_and_predicted_accordingly(self):
        plan = self.planned()
        for dataset, shuffles in (("iris", 10), ("letter", 2)):
            assert json.loads(plan.options(dataset, "BLTS"))["shuffles"] == shuffles
            expected = cost.seconds("BLTS", *plan.datasets.size(dataset), 24 * shuffles)
            assert plan.seconds(dataset, "BLTS") == pytest.approx(expected)

    def test_in_the_default_run_most_datasets_have_enough_for_a_test(self):
        plan = Plan({}).classification
        enough = [name for name in plan.datasets.rows if plan.shuffles(name) >= FEWEST_UNITS]
        assert len(enough) > len(plan.datasets.rows) / 2


class TestCalibration:
    def test_copies_of_each_bandit_play_the_datasets_that_cost_little(self):
        plan = Plan({"calibration": {"bandits": ["LinTS", "Greedy"], "copies": 6, "shuffles": 7}})
        given = json.loads(plan.calibration.options("iris", "LinTS"))
        assert (given["copies"], given["shuffles"]) == (6, 7)  # whatever the comparison has
        assert given["grid"] == {"alpha": [0.25, 0.5, 1]}
        assert "results/registry60/calibration/runs/iris/Greedy.npz" in plan.calibration.runs()
        assert len(plan.calibration.runs()) == 2 * len(plan.calibration.datasets())

    def test_datasets_over_the_limit_are_left_out(self):
        few, more = (
            Plan({"suite": "registry300", "calibration": {"dataset_seconds": seconds}}).calibration
            for seconds in (5, 40)
        )
        assert "iris" in few.datasets()
        assert "letter" not in more.datasets()
        assert set(few.datasets()) < set(more.datasets())
        for name in more.datasets():
            assert sum(more.seconds(name, bandit) for bandit in more.bandits) <= 40

    def test_an_unknown_bandit_is_refused(self):
        with pytest.raises(
            InputError, match=r"calibration\.bandits: there is no Nobody; the bandits are LinTS, LinUCB"
        ):
            Plan({"calibration": {"bandits": ["LinTS", "Nobody"]}}).check()
