"""``balanced-bandits doctor``: show what is installed, reachable and in the cache."""

import importlib.metadata
import os
import platform
import shutil
import subprocess
import sys
import urllib.error
import urllib.request
from pathlib import Path

from balanced_bandits.bandits import BANDITS
from balanced_bandits.core.kernels import is_cached
from balanced_bandits.plan.config import checked_config, given_config
from balanced_bandits.plan.datasets import ARCHIVES
from balanced_bandits.plan.provenance import RECORDED, revision

PATIENCE = 10.0  # seconds for a server to respond
LEAST_DISK = 2 * 10**9  # bytes; the default run takes about a tenth of it
PROBE = "packaging"  # a small package to look up in the package index


def doctor(offline: bool) -> None:
    """Print a report; exits with status 1 if something would prevent a run."""
    problems = [*_installed(), *_machine()]
    _compiled()
    if not offline:
        _reachable(checked_config(given_config())["openml"]["server"])
    _cache()
    for problem in problems:
        print(f"problem: {problem}")
    if problems:
        sys.exit(1)
    print("no problems found" + (" (no server was contacted)" if offline else ""))


def _line(what: str, found: str) -> None:
    print(f"{what:<22} {found}")


def _installed() -> list[str]:
    """Print the versions of Python and of the packages that results depend on; return what is missing."""
    _line("python", f"{platform.python_version()}, {sys.executable}")
    _line("revision", revision())
    missing = []
    for name in RECORDED:
        try:
            _line(name, importlib.metadata.version(name))
        except importlib.metadata.PackageNotFoundError:
            _line(name, "missing")
            missing.append(
                f"{name} is not installed; run 'make setup', or 'pip install -e .' in a clone of the project."
            )
    return missing


def _machine() -> list[str]:
    """Print cores, memory and disk space; return what is insufficient."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    free = shutil.disk_usage(Path.cwd()).free
    _line("cores", str(cores))
    _line("memory", size(memory))
    _line("free disk here", size(free))
    problems = []
    if not os.access(Path.cwd(), os.W_OK):
        problems.append(f"{Path.cwd()} is not writable; results, data and logs are written there.")
    if free < LEAST_DISK:
        problems.append(
            f"only {size(free)} of disk space is free in {Path.cwd()}; at least {size(LEAST_DISK)} is needed."
        )
    return problems


def _compiled() -> None:
    """Print which bandits have compiled code in the cache, for whole runs and for single steps."""
    for what, functions in (("whole runs", ["_play"]), ("single steps", ["_decide", "_learn"])):
        kept = [name for name in BANDITS if all(is_cached(f"{name}.{function}") for function in functions)]
        later = [name for name in BANDITS if name not in kept]
        _line(f"compiled, {what}", (", ".join(kept) or "none") + f"; on first use: {', '.join(later)}" * bool(later))


def _reachable(server: str | None) -> None:
    """Print whether the configured package index and OpenML server respond."""
    _line("package index", _ask_index())
    address = server or "https://www.openml.org/api/v1/xml"
    try:
        with urllib.request.urlopen(f"{address}/data/qualities/list", timeout=PATIENCE):
            answer = "responds"
    except urllib.error.HTTPError as error:
        answer = f"responds (with {error.code} to a test request)"
    except (OSError, ValueError) as error:
        answer = f"does not respond ({getattr(error, 'reason', error)}); datasets of source openml need it or the cache"
    _line("openml", f"{address} {answer}")


def _ask_index() -> str:
    """Let pip look up a small package without installing it: runs use pip with the same configuration."""
    command = [sys.executable, "-m", "pip", "install", "--dry-run", "--no-deps", "--ignore-installed", "--quiet",
               "--no-input", "--disable-pip-version-check", "--no-cache-dir", "--retries=0",
               f"--timeout={PATIENCE:g}", PROBE]  # fmt: skip
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=2 * PATIENCE)
    except subprocess.TimeoutExpired:
        return f"does not respond within {2 * PATIENCE:g} seconds; datasets inside packages must be in the cache"
    if done.returncode == 0:
        return "responds to pip"
    said = [line for line in done.stderr.splitlines() if line.strip()]
    return f"does not respond to pip; datasets inside packages must be in the cache. Error: {' '.join(said[-1:])}"


def _cache() -> None:
    """Print the sizes of the downloads and of the output of runs."""
    entries = sorted(path for path in ARCHIVES.glob("*") if path.suffix != ".lock")
    _line("downloads", f"{len(entries)} in {ARCHIVES}, {size(weight(ARCHIVES))}" if entries else f"none in {ARCHIVES}")
    for path in entries:
        print(f"{'':<22}   {size(weight(path)):>9}  {path.name}")
    made = {folder: weight(Path(folder)) for folder in ("data", "results", "figures", "logs") if Path(folder).is_dir()}
    if "data" in made:
        made["data"] -= weight(ARCHIVES)
    _line("output of runs", ", ".join(f"{folder} {size(bytes_)}" for folder, bytes_ in made.items()) or "none")


def weight(path: Path) -> int:
    """The size in bytes of a file or of all files in a folder; 0 if it does not exist."""
    if path.is_dir():
        return sum(weight(inner) for inner in path.iterdir())
    return path.stat().st_size if path.is_file() else 0


def size(count: float) -> str:
    """A number of bytes in words.

    >>> size(999), size(14_300_000), size(2_000_000_000)
    ('999 B', '14.3 MB', '2.0 GB')
    """
    for unit in ("B", "kB", "MB"):
        if count < 1000:
            return f"{count:.0f} B" if unit == "B" else f"{count:.1f} {unit}"
        count /= 1000
    return f"{count:.1f} GB"
