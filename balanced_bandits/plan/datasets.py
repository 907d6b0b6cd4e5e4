"""The datasets that are played: those of the suite in a configuration."""

import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from balanced_bandits.core.errors import InputError
from balanced_bandits.datasets import SOURCES
from balanced_bandits.datasets.families import family_of
from balanced_bandits.datasets.suite import Row, chosen, read_suite
from balanced_bandits.plan import provenance

ARCHIVES = Path("data/archives")  # downloads
RESERVED = ("synthetic", "sensitivity", "readings")  # folders of other experiments in results/ and figures/


def suites_folder() -> Path:
    """The folder of the suites that ship with the project."""
    folder = provenance.REPOSITORY / "workflow/suites"
    if not folder.is_dir():
        raise InputError(
            f"{folder} does not exist; install the package from a clone of the project with 'pip install -e .'."
        )
    return folder


def suite_path(suite: str) -> Path:
    """The file of a suite, given by a path that ends in .tsv or by the name of a suite of the project."""
    return Path(suite) if suite.endswith(".tsv") else suites_folder() / f"{suite}.tsv"


def how_to_prepare(config: Mapping[str, Any]) -> dict[str, Any]:
    """How datasets are prepared, the fields of ``prepare.Preparation``; the seed matters only if they are capped."""
    names = ("max_levels", "standardise", "max_rounds", "max_features", "missing_values")
    options = {key: config[key] for key in names}
    capped = options["max_rounds"] is not None or options["max_features"] is not None
    return options | {"seed": config["seed"] if capped else 0}


class Datasets:
    """The datasets selected by a configuration: their rows in the suite, by name, and what follows from them."""

    def __init__(self, config: Mapping[str, Any]) -> None:
        self._config = config
        self.file = suite_path(config["suite"])
        self.suite = self.file.stem
        if self.suite in RESERVED:
            raise InputError(f"{self.file}: '{self.suite}' is the name of another experiment; rename the suite.")
        names = None if config["datasets"] == "all" else config["datasets"]
        self.rows = chosen(read_suite(self.file), names, self.file)
        self.families = {name: family_of(name, row.family) for name, row in self.rows.items()}

    def check_results(self) -> None:
        """Raise if the folder of results belongs to another suite whose file has the same name."""
        record = Path("results", self.suite, "run.json")
        try:
            other = suite_path(json.loads(record.read_text())["config"]["suite"])
        except (OSError, ValueError, LookupError, TypeError, AttributeError):
            return  # no results yet, or nothing to tell whose they are
        if other.exists() and other.resolve() != self.file.resolve():
            raise InputError(
                f"results/{self.suite} holds the results of {other}, and {self.file} would overwrite them; rename one "
                f"of the two files, or move results/{self.suite} away."
            )

    def check_folders(self) -> None:
        """Raise ``InputError`` if a file is where a run writes a folder; Snakemake would fail with a traceback."""
        for folder in ("data", "results", "figures", "logs"):
            for path in (Path(folder), Path(folder, self.suite)):
                if path.exists() and not path.is_dir():
                    raise InputError(f"{path} is a file, but a run writes a folder of this name; move or rename it.")

    @property
    def options(self) -> list[str]:
        """The options that pass the datasets to a script: the suite's file, since thousands of names are too long."""
        only = [] if self._config["datasets"] == "all" else ["--only", *self._config["datasets"]]
        return ["--suite", str(self.file), *only]

    def sources(self, dataset: str) -> list[Path]:
        """The source files of the module that fetches a dataset."""
        return provenance.sources(provenance.module_path(SOURCES[self.rows[dataset].source]))

    def local_file(self, dataset: str) -> list[str]:
        """The file of a dataset of source ``file``, so that changes to it are noticed."""
        row = self.rows[dataset]
        return [str(self.file.parent / row.locator)] if row.source == "file" else []

    def server(self, dataset: str) -> str:
        """The server of a dataset if its source is openml, else ""."""
        return str(self._config["openml"]["server"]) if self.rows[dataset].source == "openml" else ""

    def preparation(self) -> str:
        """How datasets are prepared, as JSON."""
        return json.dumps(how_to_prepare(self._config))

    def size(self, dataset: str) -> tuple[int, int, int]:
        """The numbers of rows, encoded columns and classes of a dataset as played, according to the suite."""
        row: Row = self.rows[dataset]
        rows, features = self._config["max_rounds"] or row.n, self._config["max_features"] or row.d
        columns = math.ceil(max(row.d, row.columns) * min(1, features / row.d))
        return min(row.n, rows), columns, row.K

    def megabytes(self, dataset: str) -> int:
        """Memory to fetch and encode a dataset: the table as text and as arrays, before any cap."""
        row = self.rows[dataset]
        return 600 + row.n * max(row.d, row.columns) * 8 * 6 // 2**20
