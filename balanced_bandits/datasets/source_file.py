"""Source ``file``: a local file; the locator is its path, relative to the suite's folder."""

from pathlib import Path

from balanced_bandits.datasets.checksum import checked
from balanced_bandits.datasets.suite import Row
from balanced_bandits.datasets.tables import Table
from balanced_bandits.errors import InputError


def fetch(row: Row, folder: Path, cache: Path) -> bytes:
    """The bytes of the file."""
    path = folder / row.locator
    if path.exists() and not path.is_file() and not path.is_dir():  # a device or a pipe never ends
        raise InputError(f"dataset {row.name}: {path} is not a file; name the file itself.")
    try:
        return checked(row, path.read_bytes())
    except OSError as error:
        raise InputError(f"dataset {row.name}: {path} can't be read ({error.strerror}).") from error


def table(row: Row, raw: bytes) -> Table:
    """The table in those bytes; the ending of the locator names the format."""
    from balanced_bandits.datasets.formats import read_table  # brings pandas, which fetching does without

    return read_table(row.locator, raw, row.target)
