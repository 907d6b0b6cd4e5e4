"""Files that are either whole or not there."""

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

from balanced_bandits.errors import InputError

# A folder that takes no more, or nothing at all: no fault of the program, and a person can help.
UNWRITABLE = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EROFS, errno.EACCES, errno.EPERM, errno.EIO)
MOST_DEFLATED = 1032  # bytes that deflate makes of one, at most


@contextmanager
def whole_file(path: Path) -> Iterator[Path]:
    """Give a temporary path in the folder of ``path``; rename it to ``path`` if the block ends well.

    A reader, or a run that comes after a kill, sees the old file, the new one or none, never a part.
    The temporary name keeps the ending of ``path``, which some writers go by. What a killed writer of ``path`` left
    behind is swept away when the next one is done. A full disk or a folder that can't be written raises ``InputError``.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(prefix=f".{path.stem}.", suffix=f".part{path.suffix}", dir=path.parent)
        temporary = Path(name)
        try:
            _locked(handle)  # by which the sweep of another writer, such as a job that outlived its run, knows us alive
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
        raise InputError(f"{path} can't be written ({said}); make room or mend that, and run again.") from error


def _locked(handle: int) -> bool:
    """Whether the lock of an open file could be had; it is held until the file is closed, or its process dead."""
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def _sweep(path: Path) -> None:
    """Remove what writers of ``path`` left behind who are no longer alive."""
    for left_behind in path.parent.glob(f".{glob.escape(path.stem)}.????????.part{glob.escape(path.suffix)}"):
        with suppress(FileNotFoundError), open(left_behind, "rb") as file:
            if _locked(file.fileno()):
                left_behind.unlink()


def _umask() -> int:
    """The process's file mode mask; mkstemp makes files private, and results are not."""
    mask = os.umask(0)
    os.umask(mask)
    return mask


def write_bytes(path: Path, content: bytes) -> None:
    """Write ``content`` to ``path``, whole or not at all."""
    with whole_file(path) as temporary:
        temporary.write_bytes(content)


def write_text(path: Path, content: str) -> None:
    """Write ``content`` to ``path`` in UTF-8, whole or not at all."""
    write_bytes(path, content.encode())


def write_arrays(path: Path, record: dict[str, Any], **arrays: NDArray[Any]) -> None:
    """Write arrays and a JSON record to one npz; the same content gives the same bytes."""
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
    except Exception as error:  # on broken bytes NumPy and zipfile raise as they please: zlib.error, TokenError, ...
        if isinstance(error, FileNotFoundError):
            raise InputError(f"{path} is not there; run the step that writes it.") from error
        raise InputError(f"{path} can't be read ({type(error).__name__}: {error}); delete it and run again.") from error
    return record, arrays


def check_arrays(file: Path | IO[bytes], largest: float = float("inf")) -> None:
    """Raise for an npz of few bytes that would take gigabytes; what an array states to be, NumPy makes room for."""
    headers = {(1, 0): np.lib.format.read_array_header_1_0, (2, 0): np.lib.format.read_array_header_2_0}
    with zipfile.ZipFile(file) as archive:
        check_unpacking(archive, largest)
        for member in archive.infolist():
            with archive.open(member) as content:
                shape, _, dtype = headers[np.lib.format.read_magic(content)](content)
            if math.prod(shape) * max(dtype.itemsize, 1) > member.file_size:
                raise ValueError(f"{member.filename} states to be larger than it is")


def check_unpacking(archive: zipfile.ZipFile, largest: float = float("inf")) -> None:
    """Raise ``BadZipFile`` for an archive that a few bytes unpack to gigabytes, before anything of it is unpacked.

    Members must be stored or deflated, as in every archive that is read here: the other methods unpack a block at
    once, whatever size the archive states. Deflate makes ``MOST_DEFLATED`` bytes of one at most, so that members that
    state more than that in all, or more than ``largest``, state a wrong size or share their bytes.
    """
    members = archive.infolist()
    if any(member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED) for member in members):
        raise zipfile.BadZipFile("a member is neither stored nor deflated")
    assert archive.fp is not None
    packed, unpacked = archive.fp.seek(0, os.SEEK_END), sum(member.file_size for member in members)
    if unpacked > min(largest, MOST_DEFLATED * packed):
        raise zipfile.BadZipFile(f"its {packed} bytes would unpack to {unpacked}; that is refused")
