"""The cache of machine code: shared by copies of the package, and never that of other sources."""

import json
import os
import shutil
import subprocess
import sys
import time

import pytest
from conftest import ROOT

from balanced_bandits.core import kernels

CALL = """
import numpy as np
from balanced_bandits.simulation.agreement import agreeing
agreeing(np.zeros((1, 2, 2)), np.zeros((2, 3)), np.zeros((1, 3)))
print(sum(agreeing.stats.cache_hits.values()), sum(agreeing.stats.cache_misses.values()))
"""
HIT, MISS = "1 0", "0 1"


def copy_of_the_package(folder):
    shutil.copytree(
        ROOT / "balanced_bandits", folder / "balanced_bandits", ignore=shutil.ignore_patterns("__pycache__")
    )
    return folder


def call(home, cache, before=""):
    """Call a kernel in a process that has the package from ``home``; gives the hits and misses of the cache.

    ``before`` is run first.
    """
    environment = os.environ | {"PYTHONPATH": str(home), "NUMBA_CACHE_DIR": str(cache), "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(
        [sys.executable, "-c", before + CALL], env=environment, cwd=home, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_copies_of_the_package_share_what_one_of_them_compiled(tmp_path):
    one, two = copy_of_the_package(tmp_path / "one"), copy_of_the_package(tmp_path / "two")
    assert call(one, tmp_path / "cache") == MISS
    assert call(one, tmp_path / "cache") == HIT
    later = time.time() + 100
    for path in two.rglob("*.py"):
        os.utime(path, (later, later))  # the dates of a clone are its own
    assert call(two, tmp_path / "cache") == HIT
    # Any edit of a source with kernels starts afresh, also of one that is not the kernel's own; another one does not.
    (two / "balanced_bandits/vocabulary.py").write_text("# edited")
    assert call(two, tmp_path / "cache") == HIT
    with open(two / "balanced_bandits/estimation/ridge.py", "a") as source:
        source.write("# edited")
    assert call(two, tmp_path / "cache") == MISS


ONE_RUN = """
import json, sys
import numpy as np
from balanced_bandits.core.kernels import load_blas
load_blas()
from balanced_bandits import LinTS
rng = np.random.default_rng(0)
run = next(LinTS.play([{}], rng.standard_normal((40, 3)), rng.random((40, 2)), np.arange(40), [rng]))
loaded = [name for name in ("scipy.linalg", "numba.cpython.mathimpl") if name in sys.modules]
print(json.dumps([run.arms.tolist(), run.penalties.tolist(), loaded, len(LinTS.LOOPS.play.stats.cache_hits)]))
if len(sys.argv) > 1:
    import numba
    import scipy.linalg
    assert abs(numba.njit(lambda x: np.linalg.inv(x + x.T) @ x)(2 * np.eye(2)) - np.eye(2) / 2).max() < 1e-12
    assert abs(scipy.linalg.expm(np.zeros((2, 2))) - np.eye(2)).max() < 1e-12
"""


def one_run(cache, *further):
    """The arms, the penalties, the heavy modules that were loaded, and the cache hits of a run in a new process."""
    environment = os.environ | {"PYTHONPATH": str(ROOT), "NUMBA_CACHE_DIR": str(cache)}
    command = [sys.executable, "-c", ONE_RUN, *further]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_cached_code_runs_without_the_compiler_and_plays_as_compiled_code_does(tmp_path):
    arms, penalties, loaded, hits = one_run(tmp_path)
    assert (loaded, hits) == (["numba.cpython.mathimpl"], 0)
    assert one_run(tmp_path) == [arms, penalties, [], 1]
    # Other code in the process can still be compiled, and can use SciPy.
    assert one_run(tmp_path, "and compile") == [arms, penalties, [], 1]


ELSEWHERE = {
    "the runtime": """
from numba.core.runtime import nrt
del nrt.rtsys
""",
    "its method": """
from numba.core import caching
old = caching.Cache._load_overload
caching.Cache.load_overload = lambda self, sig, context: (context.refresh(), old(self, sig, context))[1]
del caching.Cache._load_overload
""",
}


@pytest.mark.parametrize("before", ELSEWHERE.values(), ids=ELSEWHERE)
def test_with_other_internals_numba_loads_the_code_itself(tmp_path, before):
    assert call(ROOT, tmp_path, before) == MISS
    assert call(ROOT, tmp_path, before) == HIT


def test_with_a_dispatcher_of_another_kind_numba_sets_up_the_cache_itself(monkeypatch, folder):
    class Other:
        """A dispatcher that keeps its cache elsewhere."""

        __slots__ = ("cached_in",)

        def enable_caching(self):
            self.cached_in = kernels.numba.config.CACHE_DIR

    monkeypatch.setattr(kernels.numba, "njit", lambda **_: lambda function: Other())
    assert kernels.kernel(len).cached_in == str(kernels.cache_folder())


def test_where_the_users_folder_cannot_be_written_to_the_packages_own_is_used_or_none(tmp_path):
    home = copy_of_the_package(tmp_path)
    nowhere = tmp_path / "file" / "cache"
    (tmp_path / "file").write_text("not a folder")
    assert call(home, nowhere) == MISS
    assert call(home, nowhere) == HIT
    shutil.rmtree(home / "balanced_bandits/__pycache__")
    (home / "balanced_bandits/__pycache__").write_text("not a folder either")
    assert call(home, nowhere) in (MISS, "0 0")  # compiled, and not kept
    assert call(home, nowhere) in (MISS, "0 0")


@pytest.fixture
def folder(monkeypatch, tmp_path):
    """The folder that holds those of all sources."""
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    kernels.cache_folder.cache_clear()
    yield tmp_path
    kernels.cache_folder.cache_clear()


def test_code_of_other_sources_is_removed_once_nobody_has_used_it_for_long(folder):
    now = time.time()
    for name, days in (("kernels-old", 61), ("kernels-recent", 59), ("other", 100)):
        (folder / name).mkdir()
        os.utime(folder / name, (now - days * 86400,) * 2)
    own = kernels.cache_folder()
    assert own.parent == folder
    assert {path.name for path in folder.iterdir()} == {own.name, "kernels-recent", "other"}
    os.utime(own, (now - 61 * 86400,) * 2)
    kernels.cache_folder.cache_clear()
    assert kernels.cache_folder().stat().st_mtime > now - 100  # in use
    assert own.exists()


def test_whether_a_kernel_is_cached(folder):
    assert not kernels.is_cached("LinTS._play")
    (kernels.cache_folder() / "bandits").mkdir()
    (kernels.cache_folder() / "bandits/loop.LinTS._play-1.py311.nbi").touch()
    assert kernels.is_cached("LinTS._play")
    assert not kernels.is_cached("BLTS._play")
