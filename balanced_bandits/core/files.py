"""Atomic files: a file is written completely or not at all."""

import errno
import fcntl
import glob
import json
import math
import os
import tempfile
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from balanced_bandits.core.errors import InputError

# The disk is full or the folder is not writable: not a bug, and the user can fix it.
UNWRITABLE = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EROFS, errno.EACCES, errno.EPERM, errno.EIO)
MOST_DEFLATED = 1032  # largest ratio of unpacked to packed bytes that deflate can reach


@contextmanager
def whole_file(path: Path) -> Iterator[Path]:
    """Yield a temporary path in the folder of ``path``; rename it to ``path`` if the block succeeds.

    A reader, or the next run after a kill, sees the old file, the new one or none, never a partial one. The temporary
    name keeps the suffix of ``path``, because some writers depend on it. Temporary files that a killed writer of
    ``path`` left behind are removed when the next writer finishes. A full disk or a folder that is not writable raises
    ``InputError``.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(prefix=f".{path.stem}.", suffix=f".part{path.suffix}", dir=path.parent)
        temporary = Path(name)
        try:
            _locked(handle)  # tells the sweep of another writer, such as a job that outlived its run, that we are alive
            yield temporary
            temporary.chmod(0o666 & ~_umask())
            temporary.replace(path)
            _sweep(path)
        finally:
            os.close(handle)
            with suppress(FileNotFoundError):
                temporary.unlink()
    except OSError as error:
        if error.errno not in UNWRITABLE:
            raise
        said = os.strerror(error.errno)
        raise InputError(
            f"{path} can't be written ({said}); free some space or fix the permissions, and run again."
        ) from error


def _locked(handle: int) -> bool:
    """Whether an open file could be locked; the lock is held until the file is closed or the process dies."""
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def _sweep(path: Path) -> None:
    """Remove the temporary files of dead writers of ``path``."""
    for left_behind in path.parent.glob(f".{glob.escape(path.stem)}.????????.part{glob.escape(path.suffix)}"):
        with suppress(FileNotFoundError), open(left_behind, "rb") as file:
            if _locked(file.fileno()):
                left_behind.unlink()


def _umask() -> int:
    """The process's file mode mask; mkstemp creates private files, but results are not private."""
    mask = os.umask(0)
    os.umask(mask)
    return mask


def write_bytes(path: Path, content: bytes) -> None:
    """Write ``content`` to ``path`` atomically."""
    with whole_file(path) as temporary:
        temporary.write_bytes(content)


def write_text(path: Path, content: str) -> None:
    """Write ``content`` to ``path`` atomically, in UTF-8."""
    write_bytes(path, content.encode())


def write_arrays(path: Path, record: dict[str, Any], **arrays: NDArray[Any]) -> None:
    """Write arrays and a JSON record to one npz file; the same content gives the same bytes."""
    content = json.dumps(record | {"arrays": sorted(arrays)}, sort_keys=True)
    with whole_file(path) as temporary, open(temporary, "wb") as file:
        np.savez_compressed(file, allow_pickle=False, record=np.array(content), **arrays)


def read_arrays(path: Path) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """Read what ``write_arrays`` wrote: the record and the arrays by name. Nothing is unpickled."""
    try:
        check_arrays(path)
        with np.load(path, allow_pickle=False) as archive:
            arrays = {name: archive[name] for name in archive.files}
        record = json.loads(str(arrays.pop("record")))
        if record.pop("arrays") != sorted(arrays):
            raise ValueError("arrays are missing")
    except Exception as error:  # on broken bytes NumPy and zipfile may raise anything: zlib.error, TokenError, ...
        if isinstance(error, FileNotFoundError):
            raise InputError(f"{path} does not exist; run the step that writes it.") from error
        raise InputError(f"{path} can't be read ({type(error).__name__}: {error}); delete it and run again.") from error
    return record, arrays


def check_arrays(file: Path | IO[bytes], largest: float = float("inf")) -> None:
    """Raise if a small npz file would take gigabytes: NumPy allocates the size that an array's header claims."""
    with zipfile.ZipFile(file) as archive:
        check_unpacking(archive, largest)
        for member in archive.infolist():
            with archive.open(member) as content:
                check_array(content, member.file_size, member.filename)


def check_array(content: IO[bytes], size: int, name: str = "it") -> None:
    """Raise if an npy file of ``size`` bytes claims to hold a larger array."""
    headers = {(1, 0): np.lib.format.read_array_header_1_0, (2, 0): np.lib.format.read_array_header_2_0}
    shape, _, dtype = headers[np.lib.format.read_magic(content)](content)
    if math.prod(shape) * max(dtype.itemsize, 1) > size:
        raise ValueError(f"{name} claims to be larger than it is")


def check_unpacking(archive: zipfile.ZipFile, largest: float = float("inf")) -> None:
    """Raise ``BadZipFile`` for a small archive that would unpack to gigabytes, before unpacking any of it.

    Members must be stored or deflated, as in every archive that is read here: the other methods unpack a block at
    once, whatever size the archive claims. Deflate unpacks one byte to at most ``MOST_DEFLATED`` bytes. Members that
    claim more than that in total claim a wrong size or share their bytes. More than ``largest`` bytes are refused, too.
    """
    members = archive.infolist()
    if any(member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED) for member in members):
        raise zipfile.BadZipFile("a member is neither stored nor deflated")
    assert archive.fp is not None
    packed, unpacked = archive.fp.seek(0, os.SEEK_END), sum(member.file_size for member in members)
    if unpacked > min(largest, MOST_DEFLATED * packed):
        raise zipfile.BadZipFile(f"its {packed} bytes would unpack to {unpacked}, which is refused")
