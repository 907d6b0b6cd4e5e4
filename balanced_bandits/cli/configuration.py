"""The configuration and the suites that commands go by."""

from pathlib import Path
from typing import Any

import yaml

from balanced_bandits.config import checked_config
from balanced_bandits.errors import InputError
from balanced_bandits.provenance import REPOSITORY

CACHE = Path("data/archives")  # what the pipeline downloads, too
SCHEMA = REPOSITORY / "workflow/schemas/config.schema.yaml"


def configuration() -> dict[str, Any]:
    """What config.yaml in the working folder says, or the default configuration if there is none."""
    suites_folder()
    path = Path("config.yaml")
    given: Any = {}
    if path.exists():
        try:
            given = yaml.safe_load(path.read_text()) or {}
        except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
            raise InputError(f"{path} can't be read: {error}") from error
        if not isinstance(given, dict):
            raise InputError(f"{path} is {type(given).__name__}, but must be a mapping of keys to values.")
    return checked_config(given, SCHEMA)


def suites_folder() -> Path:
    """The folder of the suites that come with the project."""
    folder = REPOSITORY / "workflow/suites"
    if not folder.is_dir():
        raise InputError(
            f"{folder} is not there; install the package from a clone of the project, by 'pip install -e .'."
        )
    return folder


def suite_path(suite: str) -> Path:
    """The file of a suite: a path that ends in .tsv, or a name in the project."""
    return Path(suite) if suite.endswith(".tsv") else suites_folder() / f"{suite}.tsv"
