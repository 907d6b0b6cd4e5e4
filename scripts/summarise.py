"""Say in three lines what a run drew and where.

Input: the tables and figures of the run that config.yaml describes, as results/*/run.json recorded it.
"""

import csv
import json
from pathlib import Path

from balanced_bandits.commands import guarded


def main() -> None:
    """Command line."""
    config = json.loads(Path("results/synthetic/run.json").read_text())["config"]
    suite = Path(config["suite"]).stem
    with open(f"results/{suite}/datasets.csv", newline="") as table:
        datasets = list(csv.DictReader(table))
    left_out = sum(bool(row["left_out"]) for row in datasets)
    with open("results/synthetic/table1.csv", newline="") as table:
        cells = [f"{row['bandit']} {row['spec']} {float(row['percent']):.0f} %" for row in csv.DictReader(table)]
    figures = " ".join(f"figures/{suite}/pairwise_grid.{ending}" for ending in config["figures"]["formats"])
    shown = f"{len(datasets) - left_out} datasets" + (f" ({left_out} left out)" if left_out else "")
    print(f"Pairwise grid of {', '.join(config['bandits'])} on {shown}: {figures}")
    print(f"Synthetic example, optimum found in: {', '.join(cells)}: results/synthetic/table1.md")
    print(f"All numbers: results/{suite}/, results/synthetic/; settings and versions: run.json beside them")


if __name__ == "__main__":
    guarded(main)
