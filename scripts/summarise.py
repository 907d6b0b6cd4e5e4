"""Print a short summary of a run: its results and where they are.

Input: the tables of the run, and its configuration in results/synthetic/run.json.
"""

import csv
import json
from pathlib import Path

from balanced_bandits.core.command_line import guarded


def rows_of(path: str) -> list[dict[str, str]]:
    """The rows of a table."""
    with open(path, newline="") as table:
        return list(csv.DictReader(table))


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
    for reading, protocol in dict.fromkeys((row["reading"], row["protocol"]) for row in claims):
        here = [row for row in claims if (row["reading"], row["protocol"]) == (reading, protocol)]
        numbers = ", ".join(f"{row['better']} > {row['worse']} {row['wins']}-{row['losses']}" for row in here)
        hold = sum(row["verdict"] == "holds" for row in here)
        print(f"  variance {reading}, protocol {protocol}: {numbers}; {hold} of the paper's {len(here)} claims hold")
    print(f"Synthetic example, optimum found in: {', '.join(cells)}: results/synthetic/table1.md")
    print(f"Everything on one page, with a verdict on each of the paper's claims: results/{suite}/report.html")
    print(f"All numbers: results/{suite}/, results/synthetic/; settings and versions: run.json in the same folders")


if __name__ == "__main__":
    guarded(main)
