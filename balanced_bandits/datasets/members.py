"""Members of archives (wheels and other zip archives, tar archives), read in memory; nothing is written or executed.

Archives come from others, so an archive or member that could do harm is refused before it is unpacked: huge sizes,
links, devices, encrypted members, names that lead out of the archive, and names that occur twice.
"""

import bz2
import gzip
import io
import stat
import tarfile
import zipfile
from collections.abc import Collection, Iterable, Sequence
from pathlib import PurePosixPath
from typing import BinaryIO

from balanced_bandits.core.errors import InputError
from balanced_bandits.core.files import check_unpacking

ZIPS = (".whl", ".zip")
TARS = (".tar.gz", ".tar.bz2", ".tar")
LARGEST_MEMBER = 2**30  # bytes; larger members are refused
LARGEST_ARCHIVE = 2**32  # bytes of all members together
MOST_MEMBERS = 2**18  # of a tar archive, which has no list of them
CHUNK = 2**18  # bytes
LARGEST_HEADER = 2**20  # bytes of the header of a member, such as a long name; at least CHUNK
DEEPEST = 3  # archives inside archives


def is_archive(name: str) -> bool:
    """Whether a file is an archive that can be opened here, by its name."""
    return name.lower().endswith(ZIPS + TARS)


def read_members(name: str, archive: BinaryIO, paths: Sequence[Sequence[str]]) -> list[bytes]:
    """The bytes of members of an archive called ``name``, in the order of ``paths``.

    A path of several parts leads through archives inside archives. Each archive is scanned once, however many of its
    members are wanted.
    """
    if any(len(path) > DEEPEST for path in paths):
        raise InputError(f"{name}: archives inside archives are opened {DEEPEST - 1} deep at most.")
    first = _members(name, archive, {path[0] for path in paths})
    deeper: dict[str, dict[tuple[str, ...], bytes]] = {}
    for member, content in first.items():
        inside = sorted({tuple(path[1:]) for path in paths if path[0] == member and len(path) > 1})
        if inside:
            found = read_members(f"{name}:{member}", io.BytesIO(content), inside)
            deeper[member] = dict(zip(inside, found, strict=True))
    return [deeper[path[0]][tuple(path[1:])] if len(path) > 1 else first[path[0]] for path in paths]


def _members(name: str, archive: BinaryIO, wanted: Collection[str]) -> dict[str, bytes]:
    """The bytes of these members, by name."""
    for member in wanted:
        path = PurePosixPath(member)
        if path.is_absolute() or ".." in path.parts or "\\" in member:
            raise InputError(f"{name}: the member {member!r} would be outside of the archive, so it is not read.")
    try:
        found = (
            _zip_members(name, archive, wanted) if name.lower().endswith(ZIPS) else _tar_members(name, archive, wanted)
        )
    except InputError:
        raise
    except Exception as error:  # on broken bytes the libraries raise anything, such as zlib.error or IndexError
        raise InputError(f"{name} can't be read as an archive ({type(error).__name__}: {error}).") from error
    if absent := sorted(set(wanted) - found.keys()):
        raise InputError(f"{name} has no member {absent[0]}.")
    return found


def _zip_members(name: str, file: BinaryIO, wanted: Collection[str]) -> dict[str, bytes]:
    found = {}
    with zipfile.ZipFile(file) as archive:
        check_unpacking(archive)
        members = [member for member in archive.infolist() if member.filename in wanted]
        _check_unique(name, [member.filename for member in members])
        for member in members:
            mode = stat.S_IFMT(member.external_attr >> 16)
            if member.is_dir() or mode not in (0, stat.S_IFREG):
                raise InputError(f"{name}: {member.filename} is not a regular file, so it is not read.")
            if member.flag_bits & 1:
                raise InputError(f"{name}: {member.filename} is encrypted, so it can't be read.")
            _check_size(name, member.filename, member.file_size)
            found[member.filename] = archive.read(member)
    return found


def _tar_members(name: str, file: BinaryIO, wanted: Collection[str]) -> dict[str, bytes]:
    """The members of a tar archive, which is read to its end, since a name may occur again."""
    found: dict[str, bytes] = {}
    names: list[str] = []
    count = total = 0
    with tarfile.open(fileobj=_Forward(_decompressed(name, file)), mode="r:") as archive:
        while member := archive.next():
            archive.members = []  # type: ignore[attr-defined]  # it would keep all of them
            count += 1
            _check_size(name, member.name, member.size)
            total += member.size
            if total > LARGEST_ARCHIVE or count > MOST_MEMBERS:
                most = f"{LARGEST_ARCHIVE} bytes or {MOST_MEMBERS} members"
                raise InputError(f"{name} would unpack to more than {most}, so it is not read.")
            path = member.name.removeprefix("./")
            if path not in wanted:
                continue
            names.append(path)
            _check_unique(name, names)
            if not member.isreg() or member.issparse():
                raise InputError(f"{name}: {path} is not a regular file, so it is not read.")
            with archive.extractfile(member) or io.BytesIO() as content:
                found[path] = b"".join(iter(lambda: content.read(CHUNK), b""))
            if len(found[path]) != member.size:
                raise InputError(f"{name} ends in the middle of {path}.")
    return found


def _decompressed(name: str, file: BinaryIO) -> BinaryIO:
    lower = name.lower()
    if lower.endswith(".gz"):
        return gzip.GzipFile(fileobj=file)  # type: ignore[return-value]
    return bz2.BZ2File(file) if lower.endswith(".bz2") else file  # type: ignore[return-value]


class _Forward(io.RawIOBase):
    """A stream for tarfile, which by itself would read headers of any size and might follow headers back forever."""

    def __init__(self, stream: BinaryIO):
        self.stream = stream

    def read(self, size: int = -1) -> bytes:
        """Up to ``size`` bytes."""
        if not 0 <= size <= LARGEST_HEADER:
            raise tarfile.ReadError(f"a header of {size} bytes is larger than allowed")
        return self.stream.read(size)

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        """Go to a later place."""
        if whence != io.SEEK_SET or offset < self.stream.tell() - tarfile.BLOCKSIZE:
            raise tarfile.ReadError("a header leads back")
        return self.stream.seek(offset)

    def tell(self) -> int:
        """The place of the next byte."""
        return self.stream.tell()


def _check_unique(name: str, names: Iterable[str]) -> None:
    seen: set[str] = set()
    for member in names:
        if member in seen:
            raise InputError(f"{name} has two members called {member}, so it is not clear which one is meant.")
        seen.add(member)


def _check_size(name: str, member: str, size: int) -> None:
    if not 0 <= size <= LARGEST_MEMBER:
        raise InputError(f"{name}: {member} would unpack to {size} bytes, more than the {LARGEST_MEMBER} allowed.")
