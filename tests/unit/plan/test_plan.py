"""The plan: figures from the catalogue, what jobs are given, paths and costs; without Snakemake."""

import importlib
import inspect
import json

import pytest
from conftest import ROOT

from balanced_bandits.bandits import BANDITS
from balanced_bandits.core.errors import InputError
from balanced_bandits.plan import cost
from balanced_bandits.plan.catalogue import FIGURES
from balanced_bandits.plan.plan import Plan, caption

FOLDERS = {"classification": "SUITE", "synthetic": "synthetic", "sensitivity": "sensitivity"}


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
        grid = drawings["figures/embedded/pairwise_literal_fixed.png"]
        assert grid["wildcards"] == {"reading": "literal", "protocol": "fixed"}
        assert grid["title"] == "Figure 4: variance literal, protocol fixed"
        drawn = plan.drawn("synthetic", "classification")
        assert len(drawn) == len(set(drawn)) == 2 * len(drawings)
        assert not any("residual" in path or "atlas" in path for path in drawn)
        (pairwise,) = [figure for figure in FIGURES if figure.name == "pairwise"]
        assert plan.tables(pairwise)[0] == "results/embedded/pairs.csv"
        assert json.loads(plan.drawing_options(pairwise))["bandits"] == ["LinTS", "LinUCB", "BLTS", "BLUCB", "ILTCB"]


class TestJobs:
    @pytest.mark.parametrize("bandit", ["LinTS", "BLTS", "BLUCB", "ILTCB"])
    def test_a_bandit_is_given_the_choices_that_it_takes(self, bandit):
        given = json.loads(Plan({"schedule": "every_step"}).classification.options(bandit))
        assert set(given["choices"]) <= set(BANDITS[bandit].parameters)
        assert ("draws" in given["choices"]) == (bandit == "BLTS")
        assert ("schedule" in given["choices"]) == (bandit != "ILTCB")
        assert set(given["readings"]) == ({"any"} if bandit == "ILTCB" else {"residual", "literal"})

    def test_repeats_make_up_for_fewer_settings(self):
        classification = Plan({}).classification
        assert {bandit: classification.plays(bandit) for bandit in classification.bandits} == {
            "LinTS": 24, "LinUCB": 24, "BLTS": 24, "BLUCB": 24, "ILTCB": 12,
        }  # fmt: skip
        with pytest.raises(InputError, match=r"bandits.BLTS has 12 settings, but classification.runs is 5"):
            Plan({"classification": {"runs": 5}}).check()

    def test_results_of_all_jobs(self):
        plan = Plan({"datasets": ["iris", "wine"]})
        runs = plan.classification.runs()
        assert len(runs) == 2 * 5
        assert "results/embedded/runs/wine/BLTS.npz" in runs

    def test_what_a_job_asks_for_grows_with_its_dataset_and_shuffles(self):
        plan, more = Plan({}), Plan({"shuffles": 10})
        small, large = "iris", "letter"
        for bandit in plan.classification.bandits:
            assert plan.classification.seconds(large, bandit) > plan.classification.seconds(small, bandit)
            assert more.classification.seconds(large, bandit) > 5 * plan.classification.seconds(large, bandit)
            assert plan.classification.megabytes(large, bandit) > plan.classification.megabytes(small, bandit)
        assert plan.classification.is_small(small)
        assert not plan.classification.is_small(large)
        assert plan.classification.urgency(large) > plan.classification.urgency(small)
        assert Plan({"strict": True}).classification.urgency(small) > plan.classification.urgency(large)

    def test_caps_make_a_dataset_smaller_and_only_they_make_it_depend_on_the_seed(self):
        plan, capped = Plan({"seed": 5}), Plan({"seed": 5, "max_rounds": 50, "max_features": 2})
        assert plan.datasets.size("iris") == (150, 4, 3)
        assert capped.datasets.size("iris") == (50, 2, 3)
        assert json.loads(plan.datasets.caps())["seed"] == 0
        assert json.loads(capped.datasets.caps()) == {"max_rounds": 50, "max_features": 2, "seed": 5}

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
