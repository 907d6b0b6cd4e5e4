"""Print a short summary of a run: its results and where they are.

Input: the tables of the run, and its configuration in results/synthetic/run.json.
"""

import csv
import json
from pathlib import Path

from balanced_bandits.core.command_line import guarded

SHOWN = 10  # datasets whose warnings are printed


def rows_of(path: str) -> list[dict[str, str]]:
    """The rows of a table."""
    with open(path, newline="") as table:
        return list(csv.DictReader(table))


def warnings_in(datasets: list[dict[str, str]], path: str) -> list[str]:
    """The warnings on datasets, each once; where there are many, the table has the rest."""
    warned = [row for row in datasets if row.get("warnings")]
    lines = [f"  {row['name']}: {row['warnings']}" for row in warned[:SHOWN]]
    more = [f"  and {len(warned) - SHOWN} more, in {path}"] if len(warned) > SHOWN else []
    return [f"Warnings on {len(warned)} of {len(datasets)} datasets ({path}):", *lines, *more] if warned else []


def main() -> None:
    """Command line."""
    config = json.loads(Path("results/synthetic/run.json").read_text())["config"]
    suite = Path(config["suite"]).stem
    datasets = rows_of(f"results/{suite}/datasets.csv")
    left_out = sum(bool(row["left_out"]) for row in datasets)
    shown = f"{len(datasets) - left_out} datasets" + (f" ({left_out} left out)" if left_out else "")
    cells = [f"{row['bandit']} {row['spec']} {float(row['percent']):.0f} %"
             for row in rows_of("results/synthetic/table1.csv")]  # fmt: skip
    ending = config["figures"]["formats"][0]
    print(f"Pairwise grids of {', '.join(config['bandits'])} on {shown}: figures/{suite}/pairwise_*.{ending}")
    claims = [row for row in rows_of(f"results/{suite}/claims.csv") if row["kind"] == "claim"]
    for reading in dict.fromkeys(row["reading"] for row in claims):
        verdicts: dict[str, list[str]] = {}
        for row in claims:
            if row["reading"] == reading:
                verdicts.setdefault(row["protocol"], []).append(row["verdict"])
        counts = [f"{protocol} {of.count('holds')} hold, {of.count('reversed')} reversed"
                  for protocol, of in verdicts.items()]  # fmt: skip
        print(f"  variance {reading}, of the paper's claims: {'; '.join(counts)}")
    print(f"Synthetic example, optimum found in: {', '.join(cells)}: results/synthetic/table1.md")
    print(f"Everything on one page, with a verdict on each of the paper's claims: results/{suite}/report.html")
    for line in warnings_in(datasets, f"results/{suite}/datasets.csv"):
        print(line)
    print(f"All numbers: results/{suite}/, results/synthetic/; settings and versions: run.json in the same folders")


if __name__ == "__main__":
    guarded(main)
