"""The configuration files in workflow/configs, as Snakemake reads them: on top of config.yaml."""

import pytest
from conftest import ROOT

pytestmark = pytest.mark.system


def test_the_capped_run_of_openml_is_planned_with_its_caps_and_the_rest_of_the_configuration(workspace):
    path = ROOT / "workflow/configs/openml_capped.yaml"
    output = workspace.snakemake("-n", "-p", "--configfile", str(path), "--config", "datasets=[zoo]")
    assert "results/openml300/runs/zoo/LinUCB.npz" in output
    assert '"max_rounds": 20000, "max_features": 500' in output
    assert '"shuffles": 5' in output  # as in the workspace's config.yaml
    assert "runs/zoo/BLTS.npz" not in output
