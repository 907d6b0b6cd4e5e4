"""The folder of results belongs to one suite."""

import json
import shutil

import pytest
from conftest import ROOT

from balanced_bandits.core.errors import InputError
from balanced_bandits.plan.plan import Plan


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A working folder with two suites of the same name, and the results of the first."""
    monkeypatch.chdir(tmp_path)
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        shutil.copy(ROOT / "workflow/suites/registry60.tsv", tmp_path / name / "mine.tsv")
    (tmp_path / "results/mine").mkdir(parents=True)
    (tmp_path / "results/mine/run.json").write_text(json.dumps({"config": {"suite": "one/mine.tsv"}}))
    return tmp_path


def test_a_suite_does_not_overwrite_the_results_of_another_of_the_same_name(folder):
    with pytest.raises(InputError, match=r"results/mine holds the results of one/mine\.tsv, and two/mine\.tsv would"):
        Plan({"suite": "two/mine.tsv"}).check()


@pytest.mark.parametrize("suite", ["one/mine.tsv", "./one/../one/mine.tsv"])
def test_the_same_suite_goes_on(folder, suite):
    Plan({"suite": suite}).check()


def test_a_suite_that_was_moved_goes_on(folder):
    (folder / "one/mine.tsv").unlink()
    Plan({"suite": "two/mine.tsv"}).check()


@pytest.mark.parametrize("record", ["", "[]", "{}", '{"config": {"suite": 3}}'])
def test_results_that_do_not_say_whose_they_are_are_used(folder, record):
    (folder / "results/mine/run.json").write_text(record)
    Plan({"suite": "two/mine.tsv"}).check()
