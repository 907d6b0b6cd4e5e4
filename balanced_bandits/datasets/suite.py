"""A suite: a tab-separated file with a row for each dataset."""

import argparse
import csv
import json
import re
from collections.abc import Collection
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import jsonschema
import yaml

from balanced_bandits.errors import InputError

COLUMNS = ("name", "source", "locator", "target", "sha256", "licence", "n", "d", "K")
OPTIONAL = ("family", "columns")  # that a suite may have after these
UNKNOWN = "unknown"  # in the column sha256, of sources that bring a checksum of their own


@dataclass(frozen=True)
class Row:
    """One dataset of a suite; the suite's schema describes each field."""

    name: str
    source: str
    locator: str
    target: str
    sha256: str
    licence: str
    n: int
    d: int
    K: int
    family: str = ""
    columns: int = 0

    @property
    def has_checksum(self) -> bool:
        """Whether ``sha256`` is a checksum, and not the word that none is known."""
        return self.sha256 != UNKNOWN

    def to_json(self) -> str:
        """The row as it travels to a job's command line; no job on a dataset depends on the optional fields."""
        return json.dumps({key: value for key, value in asdict(self).items() if key not in OPTIONAL})

    @classmethod
    def from_json(cls, text: str) -> "Row":
        """Undo ``to_json``."""
        return cls(**json.loads(text))


def read_suite(path: Path, schema: Path) -> dict[str, Row]:
    """Read and check a suite: the rows by name, in the order of the file.

    All that is wrong is reported at once, each with its line number.
    """
    try:
        lines = list(csv.reader(path.read_text(encoding="utf-8").splitlines(), delimiter="\t", quoting=csv.QUOTE_NONE))
    except FileNotFoundError as error:
        raise InputError(f"{path}: no such suite; the suites are the .tsv files of {path.parent}.") from error
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise InputError(f"{path} can't be read as tab-separated text in UTF-8 ({error}).") from error
    columns = tuple(lines[0]) if lines else ()
    more = columns[len(COLUMNS) :]
    if columns[: len(COLUMNS)] != COLUMNS or not set(more) <= set(OPTIONAL) or len(set(more)) < len(more):
        raise InputError(
            f"{path}, line 1: the columns must be {', '.join(COLUMNS)}, separated by tabs; then any of "
            f"{', '.join(OPTIONAL)}, or nothing."
        )
    validator = jsonschema.Draft202012Validator(yaml.safe_load(schema.read_text()))
    rows: dict[str, Row] = {}
    first_seen: dict[str, int] = {}
    problems = []
    for number, fields in enumerate(lines[1:], start=2):
        if not fields:
            continue
        if len(fields) != len(columns):
            problems.append(f"line {number}: {len(fields)} columns instead of {len(columns)}")
            continue
        row: dict[str, Any] = dict(zip(columns, fields, strict=True))
        if row.get("columns") == "":
            del row["columns"]
        for count in {"n", "d", "K", "columns"} & row.keys():
            if re.fullmatch(r"[0-9]{1,12}", row[count]):
                row[count] = int(row[count])
        wrong = [_explain(error) for error in validator.iter_errors(row)]
        if row["name"].lower() in first_seen:
            wrong.append(f"the name {row['name']!r} is also that of line {first_seen[row['name'].lower()]}")
        if wrong:
            problems.append(f"line {number}: {'; '.join(sorted(wrong))}")
        else:
            rows[row["name"]] = Row(**row)
        first_seen.setdefault(row["name"].lower(), number)
    if problems:
        raise InputError(f"{path} has rows to mend:\n  " + "\n  ".join(problems))
    if not rows:
        raise InputError(f"{path} has no row; give it at least one dataset.")
    return rows


def chosen(rows: dict[str, Row], names: Collection[str] | None, path: Path) -> dict[str, Row]:
    """The rows of these names, in the order of the suite at ``path``; None: all of them."""
    if names is None:
        return rows
    unknown = sorted(set(names) - rows.keys())
    if unknown:
        raise InputError(f"datasets: {', '.join(unknown)} is not in {path}.")
    return {name: row for name, row in rows.items() if name in names}


def add_options(parser: argparse.ArgumentParser) -> None:
    """The options that name datasets by their suite: a command line is too short for thousands of names."""
    parser.add_argument("--suite", required=True, type=Path, help="the suite's file")
    parser.add_argument("--schema", required=True, type=Path, help="what a suite may say")
    parser.add_argument("--only", nargs="+", help="the names of the datasets that are used; by default all")


def asked_for(arguments: argparse.Namespace) -> dict[str, Row]:
    """The rows that these options name."""
    return chosen(read_suite(arguments.suite, arguments.schema), arguments.only, arguments.suite)


def _explain(error: jsonschema.ValidationError) -> str:
    """A validation error as words about the column: what was found and what is expected there."""
    column = ".".join(str(part) for part in error.absolute_path)
    expected = error.schema.get("description", error.message) if isinstance(error.schema, dict) else error.message
    return f"{column} is {error.instance!r}, but must be: {expected}"
