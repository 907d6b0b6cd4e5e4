"""Make Table 1 and what goes with it.

Input: the npz files of the synthetic jobs, and the optima. Output: the find rate of every setting by every criterion
(CSV); Table 1 at the best settings (CSV, Markdown, LaTeX); the orderings in it; who finds the optimum sooner; curves
over the rounds; and what Figures 2 and 3 show (npz).
"""

import argparse
import json
from pathlib import Path

from balanced_bandits.analysis.criterion import read_traces
from balanced_bandits.analysis.orderings import sooner, table1_orderings
from balanced_bandits.analysis.table1 import curves, find_rates, rounds_at_best, table1, write_evolution
from balanced_bandits.analysis.typeset import latex, markdown
from balanced_bandits.commands import guarded
from balanced_bandits.files import whole_file, write_text


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--results", required=True, nargs="+", type=Path)
    parser.add_argument("--optima", required=True, type=Path)
    parser.add_argument("--criteria", required=True, type=json.loads, help="criterion and alternatives, as JSON")
    parser.add_argument("--folder", required=True, type=Path, help="where the tables go")
    arguments = parser.parse_args()
    jobs = [read_traces(path) for path in arguments.results]
    rounds = rounds_at_best(jobs, arguments.criteria)
    table = table1(jobs, arguments.criteria)
    tables = {
        "rates": find_rates(jobs, arguments.criteria),
        "table1": table,
        "orderings": table1_orderings(rounds),
        "sooner": sooner(rounds),
        "curves": curves(jobs, arguments.criteria),
    }
    for name, content in tables.items():
        with whole_file(arguments.folder / f"{name}.csv") as temporary:
            content.to_csv(temporary, index=False, lineterminator="\n")
    write_text(arguments.folder / "table1.md", markdown(table))
    write_text(arguments.folder / "table1.tex", latex(table))
    write_evolution(arguments.results, arguments.optima, table, arguments.folder / "evolution.npz")


if __name__ == "__main__":
    guarded(main)
