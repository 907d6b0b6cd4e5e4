"""``balanced-bandits list``: list the suites and the bandits."""

import ast

from balanced_bandits.bandits import BANDITS
from balanced_bandits.datasets.suite import Row, read_suite, suites_in
from balanced_bandits.plan.config import checked_config, given_config
from balanced_bandits.plan.datasets import suite_path, suites_folder
from balanced_bandits.plan.provenance import module_path

LONG = 8  # dropped columns that are named


def show(suite: str | None, markdown: bool = False) -> None:
    """Print the suites and bandits, one line each, or the datasets of a suite."""
    if suite:
        rows = read_suite(suite_path(suite))
        print("\n".join(markdown_table(rows) if markdown else _table(rows)))
        return
    config = checked_config(given_config())
    print("suites (balanced-bandits list SUITE for the datasets):")
    for path in suites_in(suites_folder()):
        listed = read_suite(path).values()
        sources = ", ".join(dict.fromkeys(row.source for row in listed))
        chosen = "; the one in config.yaml" if config["suite"] == path.stem else ""
        sizes = [row.n for row in listed]
        print(f"  {path.stem:<14} {len(listed)} datasets, {min(sizes)} to {max(sizes)} rows, from {sources}{chosen}")
    print("\nbandits (balanced-bandits run DATASET --bandit NAME):")
    for name, entry in BANDITS.items():
        print(f"  {name:<14} {first_line(entry.module).removeprefix(f'{name}: ')}")
    for name, path in config["own_bandits"].items():
        print(f"  {name:<14} your own, {path}")


def first_line(module: str) -> str:
    """The first line of a module's docstring, without importing the module, which takes a second."""
    path = module_path(module)
    assert path
    return (ast.get_docstring(ast.parse(path.read_text())) or "").splitlines()[0]


def _table(rows: dict[str, Row]) -> list[str]:
    width = max(len(name) for name in rows)
    return [
        f"{'name':<{width}}  {'n':>7}  {'d':>6}  {'K':>3}  source   licence",
        *(f"{row.name:<{width}}  {row.n:>7}  {row.d:>6}  {row.K:>3}  {row.source:<7}  {row.licence}"
          for row in rows.values()),
    ]  # fmt: skip


def markdown_table(rows: dict[str, Row]) -> list[str]:
    """The datasets of a suite as a table in Markdown: where each comes from, its terms, and what is done to it."""
    lines = [
        "| dataset | n, d, K | file | target and changes | family | licence and terms | remark |",
        "|" + "---|" * 7,
    ]
    for row in rows.values():
        file = row.locator.split(":")[-1].split("+")[0].split("/")[-1]
        archive = f" in {row.locator.split(':')[0]}" if ":" in row.locator else f" ({row.source})"
        cells = [
            row.name,
            f"{row.n:,}, {row.d:,}, {row.K}",
            file + archive,
            _changes(row),
            row.family,
            row.licence,
            row.remark,
        ]
        lines.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")
    return lines


def _changes(row: Row) -> str:
    """The target of a dataset, and how it differs from the file, in words."""
    parts = [f"`{row.target}`" + {"": "", "mean": ", cut at its mean"}.get(row.binarise, f", cut into {row.binarise}")]
    if row.labels:
        parts.append("labels in a file of their own")
    if row.drop:
        shown = ", ".join(row.drop[:LONG]) + (f" and {len(row.drop) - LONG} more" if len(row.drop) > LONG else "")
        parts.append(f"without {shown}")
    if row.missing:
        parts.append(f"missing: {', '.join(row.missing)}")
    if row.reading:
        parts.append(f"read with {', '.join(row.reading)}")
    return "; ".join(parts)
