"""Source ``file``: a local file; the locator is its path, relative to the folder of the suite."""

from collections.abc import Sequence
from pathlib import Path

from balanced_bandits.core.errors import InputError
from balanced_bandits.datasets.checksum import checked
from balanced_bandits.datasets.missing import EVERYWHERE
from balanced_bandits.datasets.suite import Row
from balanced_bandits.datasets.tables import Table


def fetch(row: Row, folder: Path, cache: Path) -> bytes:
    """The bytes of the file."""
    path = folder / row.locator
    if path.exists() and not path.is_file() and not path.is_dir():  # reading a device or a pipe may never end
        raise InputError(f"dataset {row.name}: {path} is not a regular file; give the path of one.")
    try:
        return checked(row, path.read_bytes())
    except OSError as error:
        raise InputError(f"dataset {row.name}: {path} can't be read ({error.strerror}).") from error


def table(row: Row, raw: bytes, missing: Sequence[str] = EVERYWHERE) -> Table:
    """The table in these bytes; the extension of the locator determines the format unless the suite does."""
    from balanced_bandits.datasets.formats import read_table  # imports pandas, not needed to fetch

    return read_table(row.locator, raw, row.target, missing, row.options)
