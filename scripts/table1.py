"""Make Table 1 and the tables related to it.

Input: the npz files of the synthetic jobs, and the optima. Output: the find rates of every setting by every criterion,
and of the best setting by each criterion (CSV); Table 1 at the best settings (CSV, Markdown, LaTeX); its orderings,
which bandit finds the optimum sooner, and curves over the rounds (CSV); the data of Figures 2 and 3 (npz).
"""

import argparse
import json
from pathlib import Path

from balanced_bandits.analysis.synthetic.criteria import found
from balanced_bandits.analysis.synthetic.orderings import sooner, table1_orderings
from balanced_bandits.analysis.synthetic.table1 import (
    best_by_criterion,
    curves,
    find_rates,
    rounds_at_best,
    table1,
    write_evolution,
)
from balanced_bandits.analysis.synthetic.table1_text import latex, markdown
from balanced_bandits.analysis.synthetic.traces import read_traces
from balanced_bandits.core.command_line import guarded
from balanced_bandits.core.files import write_text
from balanced_bandits.core.tables import write_table


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--results", required=True, nargs="+", type=Path)
    parser.add_argument("--optima", required=True, type=Path)
    parser.add_argument("--criteria", required=True, type=json.loads, help="criterion and alternatives, as JSON")
    parser.add_argument("--folder", required=True, type=Path, help="folder of the output")
    arguments = parser.parse_args()
    jobs = [read_traces(path) for path in arguments.results]
    by_table1 = found(jobs, arguments.criteria)
    rounds = rounds_at_best(by_table1)
    rates, table = find_rates(jobs, arguments.criteria), table1(by_table1)
    tables = {
        "rates": rates,
        "criteria": best_by_criterion(rates),
        "table1": table,
        "orderings": table1_orderings(rounds),
        "sooner": sooner(rounds),
        "curves": curves(by_table1),
    }
    for name, content in tables.items():
        write_table(arguments.folder / f"{name}.csv", content)
    write_text(arguments.folder / "table1.md", markdown(table))
    write_text(arguments.folder / "table1.tex", latex(table))
    write_evolution(arguments.results, arguments.optima, table, arguments.folder / "evolution.npz")


if __name__ == "__main__":
    guarded(main)
