"""A suite that is too large for one plan is done in parts: snakemake --batch collect=1/N, ..., N/N."""

import importlib.util

import pytest
from conftest import ROOT

pytestmark = pytest.mark.system


@pytest.fixture
def dag():
    """benchmarks/dag.py: a project whose jobs only touch their outputs."""
    spec = importlib.util.spec_from_file_location("dag", ROOT / "benchmarks/dag.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_parts_of_a_suite_make_the_whole(dag, tmp_path):
    dag.make_project(tmp_path, 40)

    def runs():
        return list((tmp_path / "results/made_up/runs").glob("*/*.npz"))

    dag.cost(tmp_path, "--batch", "collect=1/2")
    first = {path: path.stat().st_mtime_ns for path in runs()}
    assert 15 <= len(first) <= 25
    assert not (tmp_path / dag.TARGET).exists()
    dag.cost(tmp_path, "--batch", "collect=2/2")
    assert len(runs()) == 40
    assert {path: path.stat().st_mtime_ns for path in first} == first
    assert (tmp_path / dag.TARGET).exists()
