"""``balanced-bandits doctor``: what is installed, what is reachable, what is in the cache."""

import importlib.metadata
import os
import platform
import shutil
import subprocess
import sys
import urllib.error
import urllib.request
from pathlib import Path

from balanced_bandits.bandits import MODULES
from balanced_bandits.cli.configuration import CACHE, configuration
from balanced_bandits.compilation import is_kept
from balanced_bandits.provenance import RECORDED, revision

PATIENCE = 10.0  # seconds for a server to answer
LEAST_DISK = 2 * 10**9  # bytes; the default run takes about a tenth of that
PROBE = "packaging"  # a small package, to ask the package index for


def doctor(offline: bool) -> None:
    """Print an account; ends with code 1 if something here would stop a run."""
    problems = [*_installed(), *_machine()]
    _compiled()
    if not offline:
        _reachable(configuration()["openml"]["server"])
    _cache()
    for problem in problems:
        print(f"problem: {problem}")
    if problems:
        sys.exit(1)
    print("nothing here would stop a run" + (", if what it fetches is reachable or in the cache" if offline else ""))


def _line(what: str, found: str) -> None:
    print(f"{what:<22} {found}")


def _installed() -> list[str]:
    """Python and the packages that results depend on; gives what is missing."""
    _line("python", f"{platform.python_version()}, {sys.executable}")
    _line("revision", revision())
    missing = []
    for name in RECORDED:
        try:
            _line(name, importlib.metadata.version(name))
        except importlib.metadata.PackageNotFoundError:
            _line(name, "missing")
            missing.append(
                f"{name} is not installed; call 'make setup', or 'pip install -e .' in a clone of the project."
            )
    return missing


def _machine() -> list[str]:
    """Cores, memory and disk; gives what will not do."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    free = shutil.disk_usage(Path.cwd()).free
    _line("cores", str(cores))
    _line("memory", size(memory))
    _line("free disk here", size(free))
    problems = []
    if not os.access(Path.cwd(), os.W_OK):
        problems.append(f"{Path.cwd()} can't be written to; results, data and logs are written there.")
    if free < LEAST_DISK:
        problems.append(f"{size(free)} of disk are left in {Path.cwd()}; have {size(LEAST_DISK)} free.")
    return problems


def _compiled() -> None:
    """Which bandits have machine code in the cache: for whole runs, and for single steps."""
    for what, functions in (("whole runs", ["_play"]), ("single steps", ["_decide", "_learn"])):
        kept = [name for name in MODULES if all(is_kept(f"{name}.{function}") for function in functions)]
        later = [name for name in MODULES if name not in kept]
        _line(f"compiled, {what}", (", ".join(kept) or "none") + f"; on first use: {', '.join(later)}" * bool(later))


def _reachable(server: str | None) -> None:
    """Whether the package index and OpenML answer, as they are configured here."""
    _line("package index", _ask_index())
    address = server or "https://www.openml.org/api/v1/xml"
    try:
        with urllib.request.urlopen(f"{address}/data/qualities/list", timeout=PATIENCE):
            answer = "answers"
    except urllib.error.HTTPError as error:
        answer = f"answers (with {error.code} to a test question)"
    except (OSError, ValueError) as error:
        answer = f"does not answer ({getattr(error, 'reason', error)}); suites of source openml need it, or their cache"
    _line("openml", f"{address} {answer}")


def _ask_index() -> str:
    """Let pip look for a small package, and install nothing: what pip is configured to is what runs use."""
    command = [sys.executable, "-m", "pip", "install", "--dry-run", "--no-deps", "--ignore-installed", "--quiet",
               "--no-input", "--disable-pip-version-check", "--no-cache-dir", "--retries=0",
               f"--timeout={PATIENCE:g}", PROBE]  # fmt: skip
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=2 * PATIENCE)
    except subprocess.TimeoutExpired:
        return f"does not answer within {2 * PATIENCE:g} seconds; datasets inside packages must be in the cache"
    if done.returncode == 0:
        return "answers pip"
    said = [line for line in done.stderr.splitlines() if line.strip()]
    return f"does not answer pip; datasets inside packages must be in the cache. It says: {' '.join(said[-1:])}"


def _cache() -> None:
    """What was downloaded, and what runs have made of it."""
    entries = sorted(path for path in CACHE.glob("*") if path.suffix != ".lock")
    _line("downloads", f"{len(entries)} in {CACHE}, {size(weight(CACHE))}" if entries else f"none in {CACHE}")
    for path in entries:
        print(f"{'':<22}   {size(weight(path)):>9}  {path.name}")
    made = {folder: weight(Path(folder)) for folder in ("data", "results", "figures", "logs") if Path(folder).is_dir()}
    if "data" in made:
        made["data"] -= weight(CACHE)
    _line("made here", ", ".join(f"{folder} {size(bytes_)}" for folder, bytes_ in made.items()) or "nothing yet")


def weight(path: Path) -> int:
    """Bytes of a file, or of all files under a folder; 0 if there is none."""
    if path.is_dir():
        return sum(weight(inner) for inner in path.iterdir())
    return path.stat().st_size if path.is_file() else 0


def size(count: float) -> str:
    """Bytes in words.

    >>> size(999), size(14_300_000), size(2_000_000_000)
    ('999 B', '14.3 MB', '2.0 GB')
    """
    for unit in ("B", "kB", "MB"):
        if count < 1000:
            return f"{count:.0f} B" if unit == "B" else f"{count:.1f} {unit}"
        count /= 1000
    return f"{count:.1f} GB"
