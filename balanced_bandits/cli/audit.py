"""``balanced-bandits audit``: look for leaks and duplicates in the datasets of a suite."""

import json
import os
import sys
from dataclasses import replace
from pathlib import Path

import pandas as pd

from balanced_bandits.cli.terminal import Progress
from balanced_bandits.core.errors import InputError
from balanced_bandits.core.files import write_text
from balanced_bandits.core.tables import write_table
from balanced_bandits.datasets import source_of
from balanced_bandits.datasets.audit import audit as audited
from balanced_bandits.datasets.audit.findings import (
    DECIDED,
    OPEN,
    STALE,
    Finding,
    decided,
    decisions_path,
    page,
    read_decisions,
)
from balanced_bandits.datasets.prepare import Preparation, read_raw, table_of
from balanced_bandits.datasets.sources.openml_settings import SETTINGS_VARIABLE
from balanced_bandits.datasets.suite import Row, read_suite
from balanced_bandits.datasets.tables import Table
from balanced_bandits.plan.config import checked_config, given_config
from balanced_bandits.plan.datasets import ARCHIVES, how_to_prepare, suite_path

COLUMNS = ("severity", "dataset", "kind", "column", "detail", "status", "decision")
UNDECIDED = 3  # exit status if a finding is open
WIDEST = 30  # characters of a name


def audit(suite: str, output: Path | None, docs: Path | None) -> None:
    """Print the findings of an audit, those that are open first, and write them to a table or a page on request."""
    path = suite_path(suite)
    rows = read_suite(path)
    decisions = read_decisions(decisions_path(path))
    config = checked_config(given_config())
    how = Preparation(**how_to_prepare(config))
    os.environ[SETTINGS_VARIABLE] = json.dumps(config["openml"])

    def table(row: Row) -> Table:
        return table_of(replace(row, binarise=""), _raw(row, path), how)

    with Progress(len(rows), "datasets") as progress:
        found = decided(audited(rows, table, how.rules, progress.report), decisions)
    _show(found, len(rows), decisions_path(path))
    if output is not None:
        write_table(output, pd.DataFrame([[getattr(f, c) for c in COLUMNS] for f in found], columns=list(COLUMNS)))
    if docs is not None:
        write_text(docs, page(path.stem, len(rows), found))
    if any(finding.status == OPEN for finding in found):
        sys.stdout.flush()
        sys.exit(UNDECIDED)


def _raw(row: Row, suite: Path) -> bytes:
    """The bytes of a dataset: those that the pipeline has fetched if they are intact, else fetched now."""
    fetched = Path("data", suite.stem, "raw", row.name)
    if fetched.exists():
        try:
            return read_raw(row, fetched)
        except InputError:
            pass  # the pipeline will say so
    return source_of(row).fetch(row, suite.parent, ARCHIVES)


def _show(found: list[Finding], datasets: int, decisions: Path) -> None:
    """Print one line per finding, by status, and a summary."""
    titles = {OPEN: "open", DECIDED: "decided", STALE: f"decisions in {decisions} without a finding"}
    for status, title in titles.items():
        if some := [finding for finding in found if finding.status == status]:
            print(f"{title}:")
            cells = [[f.severity, f.dataset, f.kind, f.column] for f in some]
            cells = [[cell if len(cell) <= WIDEST else f"{cell[: WIDEST - 3]}..." for cell in row] for row in cells]
            widths = [max(len(row[i]) for row in cells) for i in range(4)]
            for finding, row in zip(some, cells, strict=True):
                shown = "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True))
                print(f"  {shown}  {finding.detail}" + (f" [{finding.decision}]" if finding.decision else ""))
            print()
    counts = {status: sum(finding.status == status for finding in found) for status in titles}
    print(f"{_number(counts[OPEN] + counts[DECIDED], 'finding')} in {_number(datasets, 'dataset')}: "
          f"{counts[OPEN]} open, {counts[DECIDED]} decided; {_number(counts[STALE], 'stale decision')}")  # fmt: skip
    if counts[OPEN]:
        print(f"record a decision on each open finding in {decisions}")


def _number(count: int, what: str) -> str:
    return f"{count} {what}{'' if count == 1 else 's'}"
