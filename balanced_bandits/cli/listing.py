"""``balanced-bandits list``: list the suites and the bandits."""

import ast

from balanced_bandits.bandits import BANDITS
from balanced_bandits.datasets.suite import Row, read_suite, suites_in
from balanced_bandits.plan.config import checked_config, given_config
from balanced_bandits.plan.datasets import suite_path, suites_folder
from balanced_bandits.plan.provenance import module_path


def show(suite: str | None) -> None:
    """Print the suites and bandits, one line each, or the datasets of a suite."""
    if suite:
        _show_datasets(read_suite(suite_path(suite)))
        return
    config = checked_config(given_config())
    print("suites (balanced-bandits list SUITE for the datasets):")
    for path in suites_in(suites_folder()):
        rows = read_suite(path).values()
        sources = ", ".join(dict.fromkeys(row.source for row in rows))
        chosen = "; the one in config.yaml" if config["suite"] == path.stem else ""
        sizes = [row.n for row in rows]
        print(f"  {path.stem:<14} {len(rows)} datasets, {min(sizes)} to {max(sizes)} rows, from {sources}{chosen}")
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


def _show_datasets(rows: dict[str, Row]) -> None:
    width = max(len(name) for name in rows)
    print(f"{'name':<{width}}  {'n':>7}  {'d':>6}  {'K':>3}  source   licence")
    for row in rows.values():
        print(f"{row.name:<{width}}  {row.n:>7}  {row.d:>6}  {row.K:>3}  {row.source:<7}  {row.licence}")
