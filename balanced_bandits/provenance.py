"""What a result was made with: which sources it depends on, and which versions and settings were in force."""

import ast
import functools
import importlib.metadata
import json
import platform
import subprocess
from pathlib import Path
from typing import Any

PACKAGE = Path(__file__).resolve().parent
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


def module_path(module: str) -> Path | None:
    """The file of a module of this package or of the working folder, where one's own bandits are; else None."""
    stem = (REPOSITORY if module.split(".")[0] == PACKAGE.name else Path.cwd()).joinpath(*module.split("."))
    return next((path for path in (stem.with_suffix(".py"), stem / "__init__.py") if path.exists()), None)


@functools.cache
def _imports(source: Path) -> frozenset[Path]:
    """The files of this package and the working folder that ``source`` imports, at its top or inside functions."""
    names = set()
    for node in ast.walk(ast.parse(source.read_text())):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            names |= {node.module} | {f"{node.module}.{alias.name}" for alias in node.names}
    return frozenset(path for name in names if (path := module_path(name)) and path != PACKAGE / "__init__.py")


def sources(*starts: Path) -> list[Path]:
    """The given files and all the files that they import, directly or by way of others (see ``module_path``).

    This is what makes the results of a bandit stale when its own module changes, and no other's.
    """
    found: set[Path] = set()
    waiting = list(starts)
    while waiting:
        source = waiting.pop()
        if source not in found:
            found.add(source)
            waiting += _imports(source)
    return sorted(found)


def revision() -> str:
    """The git revision of the code, marked if files were changed since; or that there is none."""
    try:
        done = subprocess.run(
            ["git", "describe", "--always", "--dirty", "--abbrev=40", "--exclude=*"],
            cwd=REPOSITORY, capture_output=True, text=True, check=True,
        )  # fmt: skip
    except (OSError, subprocess.CalledProcessError):
        return "unknown (not a git checkout)"
    return done.stdout.strip()


def versions() -> dict[str, str]:
    """Versions of Python and of the packages that results depend on."""
    return {"python": platform.python_version()} | {name: importlib.metadata.version(name) for name in RECORDED}


def account(config: dict[str, Any]) -> str:
    """The merged configuration, versions and revision, as JSON."""
    content = {"seed": config["seed"], "revision": revision(), "versions": versions(), "config": config}
    return json.dumps(content, indent=2, sort_keys=True) + "\n"
