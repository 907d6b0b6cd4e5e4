"""Suites: tab-separated files with one row per dataset."""

import argparse
import csv
import io
import json
import re
from collections.abc import Collection
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import jsonschema
import yaml

from balanced_bandits.core.errors import InputError
from balanced_bandits.datasets.options import Options, parse_options

COLUMNS = ("name", "source", "locator", "target", "sha256", "licence", "n", "d", "K")
OPTIONAL = (
    "family",
    "columns",
    "drop",
    "binarise",
    "labels",
    "missing",
    "reading",
    "domain",
    "remark",
)  # may follow these
LISTS = ("drop", "missing", "reading")  # of these, names separated by commas
APART = ("family", "columns", "domain", "remark")  # of these, what no job depends on
SCHEMA = Path(__file__).resolve().parents[2] / "workflow/schemas/suite.schema.yaml"
DECISIONS = ".decisions.tsv"  # instead of .tsv: the file with the decisions about the findings of an audit
UNKNOWN = "unknown"  # value of sha256 for sources that publish their own checksum


@dataclass(frozen=True)
class Row:
    """One dataset of a suite; workflow/schemas/suite.schema.yaml describes the fields."""

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
    drop: tuple[str, ...] = ()
    binarise: str = ""
    labels: str = ""
    missing: tuple[str, ...] = ()
    reading: tuple[str, ...] = ()
    domain: str = ""
    remark: str = ""

    @property
    def options(self) -> Options:
        """How the files of the dataset are read."""
        return parse_options(self.reading)

    @property
    def has_checksum(self) -> bool:
        """Whether ``sha256`` is a checksum rather than ``UNKNOWN``."""
        return self.sha256 != UNKNOWN

    def to_json(self) -> str:
        """The row as passed to a job on its command line, without the fields that no such job depends on."""
        fields = {key: value for key, value in asdict(self).items() if key not in APART}
        return json.dumps({key: value for key, value in fields.items() if value or key not in OPTIONAL})

    @classmethod
    def from_json(cls, text: str) -> "Row":
        """The inverse of ``to_json``."""
        fields = json.loads(text)
        return cls(**fields | {key: tuple(fields.get(key, ())) for key in LISTS})


def read_suite(path: Path) -> dict[str, Row]:
    """Read and check a suite; returns the rows by name, in the order of the file.

    All errors are reported at once, with their line numbers.
    """
    try:
        lines = list(csv.reader(path.read_text(encoding="utf-8").splitlines(), delimiter="\t", quoting=csv.QUOTE_NONE))
    except FileNotFoundError as error:
        known = ", ".join(other.stem for other in suites_in(SCHEMA.parents[1] / "suites"))
        raise InputError(
            f"{path}: no such suite. Give the path of a .tsv file, which 'balanced-bandits suite' makes of your data "
            f"files, or the name of a suite of the project: {known}."
        ) from error
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise InputError(f"{path} can't be read as tab-separated text in UTF-8 ({error}).") from error
    columns = tuple(lines[0]) if lines else ()
    more = columns[len(COLUMNS) :]
    if columns[: len(COLUMNS)] != COLUMNS or not set(more) <= set(OPTIONAL) or len(set(more)) < len(more):
        raise InputError(
            f"{path}, line 1: the columns must be {', '.join(COLUMNS)}, separated by tabs, optionally followed by "
            f"any of {', '.join(OPTIONAL)}."
        )
    validator = jsonschema.Draft202012Validator(yaml.safe_load(SCHEMA.read_text()))
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
            wrong.append(f"the name {row['name']!r} is already used in line {first_seen[row['name'].lower()]}")
        try:
            parse_options(names_in(row.get("reading", "")))
        except InputError as error:
            wrong.append(str(error))
        if wrong:
            problems.append(f"line {number}: {'; '.join(sorted(wrong))}")
        else:
            rows[row["name"]] = Row(**row | {key: names_in(row.get(key, "")) for key in LISTS})
        first_seen.setdefault(row["name"].lower(), number)
    if problems:
        raise InputError(f"{path} has invalid rows:\n  " + "\n  ".join(problems))
    if not rows:
        raise InputError(f"{path} has no rows; add at least one dataset.")
    return rows


def names_in(cell: str) -> tuple[str, ...]:
    """The names in a cell, separated by commas; a name that contains a comma is in double quotes.

    >>> names_in('id,"a, b"'), names_in("")
    (('id', 'a, b'), ())
    """
    return tuple(name.strip() for row in csv.reader([cell], skipinitialspace=True) for name in row)


def cell_of(names: Collection[str]) -> str:
    """The inverse of ``names_in``."""
    text = io.StringIO()
    csv.writer(text, lineterminator="").writerow(names)
    return text.getvalue()


def suites_in(folder: Path) -> list[Path]:
    """The suites in a folder, in alphabetical order; pins of archives and decisions of audits lie next to them."""
    return sorted(path for path in folder.glob("*.tsv") if is_suite(path.read_bytes()[:200]))


def is_suite(raw: bytes) -> bool:
    """Whether a file begins like a suite, and so is none of the data files next to it."""
    return raw.startswith("\t".join(COLUMNS).encode())


def chosen(rows: dict[str, Row], names: Collection[str] | None, path: Path) -> dict[str, Row]:
    """The rows with these names (None: all), in the order of the suite at ``path``."""
    if names is None:
        return rows
    unknown = sorted(set(names) - rows.keys())
    if unknown:
        raise InputError(f"datasets: {path} does not contain {', '.join(unknown)}.")
    return {name: row for name, row in rows.items() if name in names}


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options that select datasets by suite: a command line is too short for thousands of names."""
    parser.add_argument("--suite", required=True, type=Path, help="path of the suite")
    parser.add_argument("--only", nargs="+", help="names of the datasets to use (default: all)")


def asked_for(arguments: argparse.Namespace) -> dict[str, Row]:
    """The rows selected by these options."""
    return chosen(read_suite(arguments.suite), arguments.only, arguments.suite)


def _explain(error: jsonschema.ValidationError) -> str:
    """Describe a validation error: the column, the value found and the value expected."""
    column = ".".join(str(part) for part in error.absolute_path)
    expected = error.schema.get("description", error.message) if isinstance(error.schema, dict) else error.message
    return f"{column} is {error.instance!r}, but must be: {expected}"
