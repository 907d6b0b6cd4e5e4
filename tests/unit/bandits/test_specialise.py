"""Why the loop is specialised by copies: the ways that Numba offers are not found again in its cache."""

import os
import subprocess
import sys

import pytest
from conftest import ROOT

MODULE = """
from balanced_bandits.bandits.specialise import specialised
from balanced_bandits.core.kernels import kernel

step = None

@kernel
def double(x):
    return 2 * x

@kernel
def by_argument(step, x):
    return step(x) + 1

def enclosing(step):
    @kernel
    def by_closure(x):
        return step(x) + 1
    return by_closure

def template(x):
    return step(x) + 1

ways = {
    "argument": (by_argument, (double, 3)),
    "closure": (enclosing(double), (3,)),
    "specialised": (kernel(specialised(template, "Double", globals() | {"step": double})), (3,)),
}
"""
CALL = """
import sys, mine
function, arguments = mine.ways[sys.argv[1]]
assert function(*arguments) == 7
print(sum(function.stats.cache_hits.values()))
"""


@pytest.mark.parametrize(("way", "found_again"), [("argument", False), ("closure", False), ("specialised", True)])
def test_what_the_next_process_finds_in_the_cache(way, found_again, tmp_path):
    (tmp_path / "mine.py").write_text(MODULE)
    environment = os.environ | {"PYTHONPATH": f"{tmp_path}:{ROOT}", "NUMBA_CACHE_DIR": str(tmp_path / "cache")}
    hits = [
        int(subprocess.run([sys.executable, "-c", CALL, way], env=environment, capture_output=True, check=True).stdout)
        for _ in range(2)
    ]
    assert hits == [0, int(found_again)]
