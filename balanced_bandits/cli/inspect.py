"""``balanced-bandits inspect``: show how a data file will be read and encoded, before anything is played."""

from collections.abc import Sequence
from pathlib import Path

from balanced_bandits.core.errors import InputError
from balanced_bandits.datasets.columns import Column
from balanced_bandits.datasets.encoding import FEWEST_ROWS
from balanced_bandits.datasets.formats import read_table
from balanced_bandits.datasets.prepare import Inspected, Preparation, changed
from balanced_bandits.datasets.prepare import inspect as inspected
from balanced_bandits.datasets.tables import Table
from balanced_bandits.plan import cost
from balanced_bandits.plan.config import given_config
from balanced_bandits.plan.datasets import how_to_prepare
from balanced_bandits.plan.plan import Plan
from balanced_bandits.plan.running import duration

HEAD = ("column", "type", "missing", "levels", "encoded as", "looks like")
WIDEST = 40  # characters of a cell


def inspect(file: Path, target: str | None, drop: list[str], binarise: str) -> None:
    """Print a table of the columns, warnings, the size of the dataset and the predicted time to play it."""
    plan = Plan(given_config())
    how = Preparation(**how_to_prepare(plan.config))
    found = read_file(file, target, drop, binarise, how)
    rows = [HEAD, *(_cells(column) for column in found.columns)]
    widths = [max(len(row[i]) for row in rows) for i in range(len(HEAD))]
    for row in rows:
        print("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())
    print()
    for warning in found.warnings:
        print(f"warning: {warning}")
    for refusal in found.refusals:
        print(f"can't be played: {refusal}")
    _show_size(found, plan)


def read_file(path: Path, target: str | None, drop: Sequence[str], binarise: str, how: Preparation) -> Inspected:
    """A data file whose columns were read; what can't be read is an ``InputError``."""
    return inspected(table_in(path, target, drop, binarise, how), how.rules)


def table_in(path: Path, target: str | None, drop: Sequence[str], binarise: str, how: Preparation) -> Table:
    """The table in a data file, without the columns to drop and with its target cut."""
    if path.exists() and not path.is_file() and not path.is_dir():  # reading a device or a pipe may never end
        raise InputError(f"{path} is not a regular file; give the path of one.")
    try:
        raw = path.read_bytes()
    except OSError as error:
        raise InputError(f"{path} can't be read ({error.strerror}).") from error
    return changed(read_table(path.name, raw, target, how.missing_values["everywhere"]), drop, binarise, path.name)


def _cells(column: Column) -> tuple[str, ...]:
    shown = (column.name, column.type, str(column.missing), str(column.levels), column.encoding, column.suspicion)
    return tuple(cell if len(cell) <= WIDEST else f"{cell[: WIDEST - 3]}..." for cell in shown)


def _show_size(found: Inspected, plan: Plan) -> None:
    """Print n, d, K, the sizes of the classes, and what encoding and playing will come to."""
    labels = found.table.labels
    d, encoded = len(found.columns), sum(column.columns for column in found.columns)
    if not labels.notna().any():
        print(f"{len(labels)} rows, {d} columns; name the column with the class with --target for the rest")
        return
    sizes = labels.value_counts()
    shown = ", ".join(f"{name}: {size}" for name, size in sizes.head(10).items())
    print(f"n = {len(labels)} rows, d = {d} features, K = {len(sizes)} classes")
    print(f"classes            {shown}{', ...' if len(sizes) > 10 else ''}")
    print(f"encoded columns    {encoded}")
    if found.refusals or len(labels) < FEWEST_ROWS or len(sizes) < 2 or not encoded:
        reason = (
            "" if found.refusals else f": at least {FEWEST_ROWS} rows, two classes and one usable feature are needed"
        )
        print(f"predicted time     none, since it can't be played{reason}")
        return
    experiment = plan.classification
    n = min(len(labels), plan.config["max_rounds"] or len(labels))
    shuffles = experiment.shuffles_of(n, encoded, len(sizes))
    seconds = sum(cost.seconds(bandit, n, encoded, len(sizes), experiment.plays(bandit, shuffles))
                  for bandit in experiment.bandits)  # fmt: skip
    bandits = len(experiment.bandits)
    print(f"predicted time     {duration(seconds)} on one core for {bandits} bandits in {shuffles} shuffles")
