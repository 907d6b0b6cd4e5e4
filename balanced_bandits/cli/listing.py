"""``balanced-bandits list``: the suites and the bandits that there are."""

import ast

from balanced_bandits.bandits import MODULES
from balanced_bandits.cli.configuration import configuration, suite_path, suites_folder
from balanced_bandits.datasets.suite import Row, read_suite
from balanced_bandits.provenance import REPOSITORY, module_path

SCHEMA = REPOSITORY / "workflow/schemas/suite.schema.yaml"


def show(suite: str | None) -> None:
    """Print suites and bandits, a line each; or the datasets of a suite."""
    if suite:
        _show_datasets(read_suite(suite_path(suite), SCHEMA))
        return
    config = configuration()
    print("suites (balanced-bandits list SUITE for the datasets):")
    for path in sorted(suites_folder().glob("*.tsv")):
        rows = read_suite(path, SCHEMA).values()
        sources = ", ".join(dict.fromkeys(row.source for row in rows))
        chosen = "; the one of config.yaml" if config["suite"] == path.stem else ""
        sizes = [row.n for row in rows]
        print(f"  {path.stem:<14} {len(rows)} datasets, {min(sizes)} to {max(sizes)} rows, from {sources}{chosen}")
    print("\nbandits (balanced-bandits run DATASET --bandit NAME):")
    for name, module in MODULES.items():
        print(f"  {name:<14} {first_line(module).removeprefix(f'{name}: ')}")
    for name, path in config["own_bandits"].items():
        print(f"  {name:<14} your own, {path}")


def first_line(module: str) -> str:
    """The first line of a module's docstring; it is not imported, since that takes a second."""
    path = module_path(module)
    assert path
    return (ast.get_docstring(ast.parse(path.read_text())) or "").splitlines()[0]


def _show_datasets(rows: dict[str, Row]) -> None:
    width = max(len(name) for name in rows)
    print(f"{'name':<{width}}  {'n':>7}  {'d':>6}  {'K':>3}  source   licence")
    for row in rows.values():
        print(f"{row.name:<{width}}  {row.n:>7}  {row.d:>6}  {row.K:>3}  {row.source:<7}  {row.licence}")
