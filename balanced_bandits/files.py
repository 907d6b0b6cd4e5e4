"""Files that are either whole or not there."""

import glob
import json
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from balanced_bandits.errors import InputError


@contextmanager
def whole_file(path: Path) -> Iterator[Path]:
    """Give a temporary path in the folder of ``path``; rename it to ``path`` if the block ends well.

    A reader, or a run that comes after a kill, sees the old file, the new one or none, never a part.
    The temporary name keeps the ending of ``path``, which some writers go by. What a killed writer of ``path`` left
    behind is swept away when the next one is done.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(prefix=f".{path.stem}.", suffix=f".part{path.suffix}", dir=path.parent)
    os.close(handle)
    temporary = Path(name)
    try:
        yield temporary
        temporary.chmod(0o666 & ~_umask())
        temporary.replace(path)
        for left_behind in path.parent.glob(f".{glob.escape(path.stem)}.????????.part{glob.escape(path.suffix)}"):
            left_behind.unlink(missing_ok=True)
    finally:
        with suppress(FileNotFoundError):
            temporary.unlink()


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
