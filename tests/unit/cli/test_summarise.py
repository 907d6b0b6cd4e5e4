"""The lines that `make` ends with."""

import json
import subprocess
import sys
from pathlib import Path

import pandas as pd

ROOT = Path(__file__).resolve().parents[3]


def test_the_lines_name_the_grids_the_claims_the_synthetic_example_and_where_numbers_are(tmp_path):
    config = {"suite": "my/tiny.tsv", "bandits": {"BLTS": {}, "LinTS": {}}, "figures": {"formats": ["svg", "png"]}}
    for folder in ("results/synthetic", "results/tiny"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "results/synthetic/run.json").write_text(json.dumps({"config": config}))
    tables = {
        "synthetic/table1": [{"bandit": "LinTS", "spec": "well", "percent": 83.6}],
        "tiny/datasets": [{"name": name, "left_out": reason, "warnings": warning}
            for name, reason, warning in (("a", "", ""), ("b", "", "column 'id': counts the rows"), ("c", "why", ""))],
        "tiny/claims": [
            {"kind": kind, "better": better, "worse": "LinTS", "reading": reading, "protocol": protocol,
             "verdict": verdict}
            for reading, protocol, kind, better, verdict in (
                ("residual", "paper", "claim", "BLTS", "holds"), ("residual", "paper", "placebo", "LinTS×4", "holds"),
                ("residual", "fixed", "claim", "BLTS", "reversed"),
                ("literal", "paper", "claim", "BLTS", "inconclusive"),
            )
        ],
    }  # fmt: skip
    for name, rows in tables.items():
        pd.DataFrame(rows).to_csv(tmp_path / f"results/{name}.csv", index=False)
    command = [sys.executable, str(ROOT / "scripts/summarise.py")]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == [
        "Pairwise grids of BLTS, LinTS on 2 datasets (1 left out): figures/tiny/pairwise_*.svg",
        "  variance residual, of the paper's claims: paper 1 hold, 0 reversed; fixed 0 hold, 1 reversed",
        "  variance literal, of the paper's claims: paper 0 hold, 0 reversed",
        "Synthetic example, optimum found in: LinTS well 84 %: results/synthetic/table1.md",
        "Everything on one page, with a verdict on each of the paper's claims: results/tiny/report.html",
        "Warnings on 1 of 3 datasets (results/tiny/datasets.csv):",
        "  b: column 'id': counts the rows",
        "All numbers: results/tiny/, results/synthetic/; settings and versions: run.json in the same folders",
    ]
