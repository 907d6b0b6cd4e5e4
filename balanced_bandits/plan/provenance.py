"""Provenance: the source files that a result depends on, and the versions and settings it was made with."""

import ast
import functools
import importlib.metadata
import json
import platform
import subprocess
from pathlib import Path
from typing import Any

import numpy as np

PACKAGE = Path(__file__).resolve().parents[1]
REPOSITORY = PACKAGE.parent
RECORDED = (
    "balanced-bandits",
    "snakemake",
    "numpy",
    "scipy",
    "scikit-learn",
    "matplotlib",
    "pandas",
    "numba",
    "pyarrow",
)
INSTRUCTIONS = ("sse4_2", "avx", "fma", "avx2", "avx512f", "avx512bw", "avx512vl", "asimd", "sve")


def module_path(module: str) -> Path | None:
    """The file of a module of this package or of the working folder, where user-defined bandits are; else None."""
    stem = (REPOSITORY if module.split(".")[0] == PACKAGE.name else Path.cwd()).joinpath(*module.split("."))
    return next((path for path in (stem.with_suffix(".py"), stem / "__init__.py") if path.exists()), None)


@functools.cache
def _imports(source: Path) -> frozenset[Path]:
    """The files of this package and the working folder that ``source`` imports, also inside functions."""
    names = set()
    for node in ast.walk(ast.parse(source.read_text())):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            names |= {node.module} | {f"{node.module}.{alias.name}" for alias in node.names}
    return frozenset(path for name in names if (path := module_path(name)) and path != PACKAGE / "__init__.py")


def sources(*starts: Path | None) -> list[Path]:
    """The given files and all files that they import, directly or indirectly (see ``module_path``).

    A change to a bandit's module thus makes the results of this bandit stale, and no others.
    """
    found: set[Path] = set()
    waiting = [start for start in starts if start]
    while waiting:
        source = waiting.pop()
        if source not in found:
            found.add(source)
            waiting += _imports(source)
    return sorted(found)


def revision() -> str:
    """The git revision of the code, marked as dirty if files have changed since, or "unknown"."""
    try:
        done = subprocess.run(
            ["git", "describe", "--always", "--dirty", "--abbrev=40", "--exclude=*"],
            cwd=REPOSITORY, capture_output=True, text=True, check=True,
        )  # fmt: skip
    except (OSError, subprocess.CalledProcessError):
        return "unknown (not a git checkout)"
    return done.stdout.strip()


def versions() -> dict[str, str]:
    """The versions of Python and of the packages that results depend on."""
    return {"python": platform.python_version()} | {name: importlib.metadata.version(name) for name in RECORDED}


def processor() -> dict[str, Any]:
    """The processor of this machine, those of its instruction sets that change last digits, and the version of BLAS."""
    lines = Path("/proc/cpuinfo").read_text().splitlines() if Path("/proc/cpuinfo").exists() else []
    known = {name.strip(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
    flags = (known.get("flags") or known.get("Features") or "").split()
    blas = np.show_config(mode="dicts").get("Build Dependencies", {}).get("blas", {})
    return {
        "machine": platform.machine(),
        "model": known.get("model name") or platform.processor(),
        "instructions": [name for name in INSTRUCTIONS if name in flags],
        "blas": f"{blas.get('name', 'unknown')} {blas.get('version', '')}".strip(),
    }


def account(config: dict[str, Any]) -> str:
    """The complete configuration, the versions, the revision and the processor, as JSON."""
    content = {"seed": config["seed"], "revision": revision(), "versions": versions(), "processor": processor(),
               "config": config}  # fmt: skip
    return json.dumps(content, indent=2, sort_keys=True) + "\n"
