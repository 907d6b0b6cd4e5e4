"""Source ``sklearn``: the datasets that ship with scikit-learn; the locator is the name of the dataset.

The files are read directly, because importing scikit-learn would add seconds to every job.
"""

import importlib.util
from collections.abc import Sequence
from pathlib import Path

from balanced_bandits.core.errors import InputError
from balanced_bandits.datasets.checksum import checked
from balanced_bandits.datasets.missing import EVERYWHERE
from balanced_bandits.datasets.suite import Row
from balanced_bandits.datasets.tables import Table

FILES = {
    "breast_cancer": "breast_cancer.csv",
    "digits": "digits.csv.gz",
    "iris": "iris.csv",
    "wine": "wine_data.csv",
}


def fetch(row: Row, folder: Path, cache: Path) -> bytes:
    """The bytes of the file in the installed scikit-learn."""
    if row.locator not in FILES:
        raise InputError(f"dataset {row.name}: scikit-learn ships {', '.join(FILES)}, not {row.locator!r}.")
    package = importlib.util.find_spec("sklearn")
    if package is None or package.origin is None:
        raise InputError(f"dataset {row.name}: scikit-learn is not installed; run pip install scikit-learn.")
    return checked(row, (Path(package.origin).parent / "datasets" / "data" / FILES[row.locator]).read_bytes())


def table(row: Row, raw: bytes, missing: Sequence[str] = EVERYWHERE) -> Table:
    """The table in these bytes: the label is the last column; a first line with counts and names is skipped."""
    # These import pandas, which is not needed to fetch.
    from balanced_bandits.datasets.delimited import read_delimited
    from balanced_bandits.datasets.reading import How, unpacked

    name = FILES[row.locator]
    how = How("-1", missing, header=False, skip=0 if name == "digits.csv.gz" else 1)
    return read_delimited(name, unpacked(name, raw), how)
