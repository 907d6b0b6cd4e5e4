"""Which sources a result depends on, and what is recorded beside it."""

import json
import platform
import re
import subprocess
import sys
from pathlib import Path

import pytest

from balanced_bandits.core.files import write_arrays
from balanced_bandits.plan import provenance

ROOT = Path(__file__).resolve().parents[3]


def names(*starts):
    return {str(path.relative_to(ROOT)) for path in provenance.sources(*starts)}


def test_a_bandit_depends_on_its_own_module_and_the_estimation_but_on_no_other_bandit():
    found = names(provenance.module_path("balanced_bandits.bandits.lints"))
    assert {"balanced_bandits/bandits/lints.py", "balanced_bandits/estimation/ridge.py"} <= found
    others = {f"balanced_bandits/bandits/{name}.py" for name in ("linucb", "blts", "blucb", "upper_bound")}
    assert not found & others


def test_a_script_brings_what_it_imports_by_way_of_others():
    found = names(ROOT / "scripts/simulate_classification.py")
    assert "balanced_bandits/core/streams.py" in found
    assert "balanced_bandits/core/files.py" in found
    assert "balanced_bandits/environments/synthetic.py" not in found
    assert not any("bandits/lin" in name for name in found)


def test_imports_inside_functions_count():
    assert "balanced_bandits/datasets/formats.py" in names(
        provenance.module_path("balanced_bandits.datasets.sources.archive")
    )


def test_the_account_is_json_with_seed_versions_and_revision():
    account = json.loads(provenance.account({"seed": 5}))
    assert account["seed"] == 5
    assert set(account["versions"]) >= {"python", "numpy", "numba", "snakemake"}
    assert account["revision"]


def test_simulation_jobs_import_numpy_and_numba_and_nothing_heavy():
    for script in ("simulate_classification", "simulate_synthetic"):
        code = f"import sys; sys.path.insert(0, 'scripts'); import {script} as job; job.load_blas()"
        code += "; import balanced_bandits.bandits.blts"
        code += "; print(*sys.modules)"
        done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
        loaded = set(done.stdout.split())
        assert "numba" in loaded
        # Numba itself looks at SciPy's version; SciPy's own modules are what takes time.
        heavy = {"scipy.linalg", "scipy.stats", "pandas", "sklearn", "matplotlib", "openml", "pyarrow", "jsonschema"}
        assert not loaded & heavy


@pytest.mark.parametrize(("path", "alone"), [("balanced_bandits.bandits.lints:LinTS", True), ("mine:Mine", False)])
def test_simulation_jobs_load_blas_without_the_rest_of_scipy_linalg(path, alone, tmp_path):
    """Except for bandits from elsewhere, which may need the rest."""
    write_arrays(tmp_path / "data.npz", {"rejected": "one class"})  # nothing is played
    code = "import sys; sys.path.insert(0, 'scripts'); import simulate_classification as job; job.main()"
    code += "; print([name for name in ('scipy.linalg', 'scipy.linalg.cython_lapack') if name in sys.modules])"
    arguments = ["--dataset", tmp_path / "data.npz", "--bandit", "Mine", "--class", path]
    arguments += ["--options", '{"grid": {}, "readings": {}}', "--output", tmp_path / "run.npz"]
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert done.stdout.splitlines()[-1] == ("['scipy.linalg.cython_lapack']" if alone else "[]")


def test_the_account_names_the_processor_and_blas():
    found = json.loads(provenance.account({"seed": 1}))["processor"]
    assert found["machine"] == platform.machine()
    assert set(found["instructions"]) <= set(provenance.INSTRUCTIONS)
    assert re.search(r"\d", found["blas"])
    flags = Path("/proc/cpuinfo").read_text() if Path("/proc/cpuinfo").exists() else ""
    assert ("avx2" in found["instructions"]) == bool(re.search(r"\bavx2\b", flags))
