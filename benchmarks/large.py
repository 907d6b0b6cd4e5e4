"""The cost of the largest and widest OpenML datasets: artificial datasets of the same shapes are encoded and played.

python benchmarks/large.py            about five minutes, 4 GB of memory
python benchmarks/large.py --quick    a hundredth of the cells: only checks that everything runs

The data are noise with a weak signal in the first column, written in the file format that OpenML serves. Each stage
runs in a separate process, as in the pipeline; its CPU seconds and peak memory are measured. Datasets that would take
more than minutes are played with the cap ``max_rounds`` given in the table, next to the prediction for all rows.
"""

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

os.environ["OPENBLAS_NUM_THREADS"] = "1"

import numpy as np
import pandas as pd
from speed import table

from balanced_bandits.core.files import read_arrays
from balanced_bandits.datasets.checksum import sha256
from balanced_bandits.datasets.suite import Row
from balanced_bandits.plan import cost

SCRIPTS = Path(__file__).resolve().parents[1] / "scripts"
OPTIONS = {"seed": 1, "shuffles": 1, "copies": 1, "choices": {}, "readings": {"residual": {"variance": "residual"}},
           "grid": {"alpha": [1]}}  # fmt: skip
# name, rows, columns, format, share of nonzero entries, cap on the number of rounds
SHAPES = [
    ("gene expression", 100, 22_000, "arff", 1.0, None),
    ("gene expression", 100, 59_000, "arff", 1.0, None),
    ("text", 1_500, 11_000, "sparse.arff", 0.01, None),
    ("pictures", 70_000, 784, "parquet", 1.0, 10_000),
    ("many columns", 120_919, 1_001, "parquet", 1.0, 10_000),
]


def write(path: Path, n: int, d: int, density: float) -> None:
    """Write a file with n rows, d numeric columns and two classes."""
    rng = np.random.default_rng(1)
    values = rng.standard_normal((n, d), dtype=np.float32).round(3)
    if density < 1:
        values[rng.random((n, d)) > density] = 0
    labels = np.where(values[:, 0] + rng.standard_normal(n) > 0, "yes", "no")
    if path.suffix == ".parquet":
        frame = pd.DataFrame(values).add_prefix("x").assign(kind=labels)
        frame.to_parquet(path)
        return
    with open(path, "w") as file:
        file.write("@relation stand_in\n" + "".join(f"@attribute x{j} numeric\n" for j in range(d)))
        file.write("@attribute kind {no,yes}\n@data\n")
        for row, label in zip(values, labels, strict=True):
            if path.name.endswith("sparse.arff"):
                file.write("{" + "".join(f"{j} {row[j]:g}," for j in np.flatnonzero(row)) + f"{d} {label}}}\n")
            else:
                file.write(",".join(f"{value:g}" for value in row) + f",{label}\n")


def measured(*command: str) -> tuple[float, float]:
    """CPU seconds and peak memory (MB) of a command."""
    code = (
        "import resource, subprocess, sys; done = subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL); "
        "used = resource.getrusage(resource.RUSAGE_CHILDREN); "
        "print(used.ru_utime + used.ru_stime, used.ru_maxrss / 1024); sys.exit(done.returncode)"
    )
    done = subprocess.run([sys.executable, "-c", code, *command], capture_output=True, text=True, check=True)
    seconds, megabytes = done.stdout.split()
    return float(seconds), float(megabytes)


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true")
    scale = 10 if parser.parse_args().quick else 1
    rows = []
    for name, n, d, form, density, cap in SHAPES:
        n, d = max(n // scale, 60), d // scale
        with tempfile.TemporaryDirectory() as folder:
            raw, capped, data = Path(folder, f"raw.{form}"), Path(folder, "capped.npz"), Path(folder, "data.npz")
            write(raw, n, d, density)
            row = Row("stand_in", "file", raw.name, "kind", sha256(raw.read_bytes()), "none", n, d, 2)
            encoding = [sys.executable, str(SCRIPTS / "encode.py"), "--row", row.to_json(), "--raw", str(raw)]
            encoding += ["--max-levels", "1000"]
            size = raw.stat().st_size / 2**20
            caps = {"max_rounds": None, "max_features": None, "seed": 1}
            encoded = measured(*encoding, "--caps", json.dumps(caps), "--output", str(data))
            width = read_arrays(data)[1]["X"].shape[1]
            played = n if cap is None else min(cap // scale, n)
            if played < n:
                data.unlink()
                measured(*encoding, "--caps", json.dumps(caps | {"max_rounds": played}), "--output", str(capped))
                capped.rename(data)
            play = measured(sys.executable, str(SCRIPTS / "simulate_classification.py"), "--dataset", str(data),
                            "--bandit", "LinTS", "--options", json.dumps(OPTIONS),
                            "--output", str(Path(folder, "run.npz")))  # fmt: skip
        rows.append([
            f"{name}, {form}", n, d, size, *encoded, width, played, *play, cost.seconds("LinTS", played, width, 2, 1),
            *(sum(cost.seconds(bandit, n, width, 2, runs) for bandit, runs in whole) / 3600
              for whole in ([("LinTS", 3)], [(bandit, 12) for bandit in cost.STEP])),
        ])  # fmt: skip
    table(
        "Artificial datasets: encoding, one run of LinTS, and the predicted hours for all rows: LinTS with its 3\n"
        "settings, and all five bandits with 12 runs each",
        ["", "n", "d", "file MB", "encode s", "encode MB", "columns", "played", "play s", "play MB", "predicted s",
         "h LinTS", "h five"],
        rows,
    )  # fmt: skip
    print(f"\nPeak memory of this process: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB.")


if __name__ == "__main__":
    main()
