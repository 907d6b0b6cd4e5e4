"""The configuration files in workflow/configs: valid, and as cheap as they say."""

import re
from pathlib import Path

import pytest
import yaml

from balanced_bandits.plan.plan import Plan

ROOT = Path(__file__).resolve().parents[3]
CONFIGS = sorted((ROOT / "workflow/configs").glob("*.yaml"))


def hours(plan):
    """The predicted CPU hours of the experiment on datasets."""
    experiment = plan.classification
    return sum(experiment.seconds(name, bandit) for name in plan.datasets.rows for bandit in experiment.bandits) / 3600


@pytest.mark.parametrize("path", CONFIGS, ids=lambda path: path.name)
def test_a_configuration_file_can_be_planned_and_names_its_own_command(path):
    plan = Plan(yaml.safe_load(path.read_text()))
    plan.check()
    assert f"--configfile workflow/configs/{path.name}" in path.read_text()


def test_the_capped_run_of_openml_takes_the_hours_that_the_page_says():
    plan = Plan(yaml.safe_load((ROOT / "workflow/configs/openml_capped.yaml").read_text()))
    assert len(plan.datasets.rows) == 300
    page = (ROOT / "docs/openml.md").read_text()
    (said,) = re.findall(r"openml_capped.yaml`\) \| (\d+) \|", page)
    assert hours(plan) == pytest.approx(float(said), rel=0.05)
    (whole,) = re.findall(r"without caps: (\d+) CPU hours", page)
    assert hours(Plan({"suite": "openml300"})) == pytest.approx(float(whole), rel=0.05)


def test_the_first_run_of_openml_takes_the_hours_that_the_page_says():
    rows = Plan({"suite": "openml300"}).datasets.rows
    small = [name for name, row in rows.items() if row.n <= 1000]
    (number, said) = re.findall(
        r"only the (\d+) datasets with n ≤ 1,000 \| ([\d.]+) \|", (ROOT / "docs/openml.md").read_text()
    )[0]
    assert len(small) == int(number)
    assert hours(Plan({"suite": "openml300", "datasets": small})) == pytest.approx(float(said), abs=0.1)
