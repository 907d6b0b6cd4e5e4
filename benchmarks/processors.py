"""What another kind of processor does to the results: the same runs with other instruction sets, compared.

    python benchmarks/processors.py [--folder .processors] [--shuffles 2] [--datasets iris wine ...] [--quick]

Compiled kernels, BLAS, NumPy and the C library choose their instructions by the processor, and so differ in the last
digits of sums. Each variant below pretends to be another processor: it encodes datasets of the default suite and plays
them with the paper's five bandits, in a process of its own. The others make a change that must not pass for rounding:
another seed, another choice, another grid. All are compared with the first one by the rules of `balanced-bandits
verify`, and the tolerances there are derived from what this prints (docs/verify.md). Half an hour of CPU time; what is
in the folder is not played again.
"""

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
DATASETS = ("iris", "zoo", "wine", "sonar", "gunpoint", "pickupgesturewiimotez", "dermatology", "vehicle", "vowel",
            "german", "car", "titanic", "segment", "banana", "page-blocks", "magic")  # fmt: skip
GENERIC = {"NUMBA_CPU_NAME": "generic", "NUMBA_CPU_FEATURES": ""}
OLD_NUMPY = {"NPY_DISABLE_CPU_FEATURES": "X86_V3 X86_V4 AVX512_ICL AVX512_SPR"}
OLD_LIBRARY = {"GLIBC_TUNABLES": "glibc.cpu.hwcaps=-AVX512F,-AVX2,-FMA,-FMA4"}
PROCESSORS = {
    "as it is": {},
    "two threads": {"OPENBLAS_NUM_THREADS": "2"},
    "kernels for any x86-64": GENERIC,
    "NumPy for any x86-64": OLD_NUMPY,
    "C library without FMA": OLD_LIBRARY,
    "BLAS for Haswell": {"OPENBLAS_CORETYPE": "Haswell"},
    "BLAS for SandyBridge": {"OPENBLAS_CORETYPE": "SandyBridge"},
    "BLAS for Nehalem": {"OPENBLAS_CORETYPE": "Nehalem"},
    "BLAS for Prescott": {"OPENBLAS_CORETYPE": "Prescott"},
    "all of it old": {"OPENBLAS_CORETYPE": "Prescott"} | GENERIC | OLD_NUMPY | OLD_LIBRARY,
}
CHANGES = {
    "seed 2020": {"seed": 2020},
    "ties largest": {"ridge": {"ties": "largest"}},
    "refreshes at 6 %": {"schedule": {"geometric": 0.06}},
    "9 posteriors": {"balancing": {"posteriors": 9}},
    "logistic C 1.1": {"balancing": {"logistic_c": 1.1}},
    "prior of 0.11": {"ridge": {"prior_weight": 0.11}},
}


def config_of(shuffles: int, change: dict) -> dict:
    """The configuration of a variant."""
    return {
        "shuffles": shuffles,
        "dataset_seconds": None,
        "references": {},
        "classification": {"placebo": None},
    } | change


def play(folder: Path, datasets: list[str], config: dict) -> None:
    """Encode and play the datasets, as the pipeline does, and make its tables in ``folder``."""
    from balanced_bandits.analysis.classification.collect import collect
    from balanced_bandits.core.tables import write_table
    from balanced_bandits.datasets import source_of
    from balanced_bandits.datasets.prepare import Preparation, prepare
    from balanced_bandits.plan.datasets import ARCHIVES, how_to_prepare
    from balanced_bandits.plan.plan import Plan
    from balanced_bandits.simulation.classification import play

    plan = Plan(config | {"datasets": datasets})
    experiment = plan.classification
    how = Preparation(**how_to_prepare(plan.config))
    jobs = []
    for name in datasets:
        row = plan.datasets.rows[name]
        raw, data = folder / "raw" / name, folder / f"{name}.npz"
        raw.parent.mkdir(parents=True, exist_ok=True)
        raw.write_bytes(source_of(row).fetch(row, plan.datasets.file.parent, ARCHIVES))
        prepare(row, raw, data, how)
        for bandit in experiment.bandits:
            job = folder / "runs" / name / f"{bandit}.npz"
            job.parent.mkdir(parents=True, exist_ok=True)
            play(data, bandit, plan.players.path(bandit), json.loads(experiment.options(name, bandit)), job)
            jobs.append(job)
    found = collect(jobs, plan.datasets.families)
    write_table(folder / "datasets.csv", found.datasets)
    write_table(folder / "classification.parquet", found.runs)
    subprocess.run(
        [sys.executable, str(ROOT / "scripts/compare.py"), "--runs", str(folder / "classification.parquet"),
         "--datasets", str(folder / "datasets.csv"), "--options", experiment.comparison(), "--folder", str(folder)],
        check=True,
    )  # fmt: skip


def run(name: str, folder: Path, datasets: list[str], config: dict, environment: dict) -> None:
    """Play a variant in its own process; the kernels of each kind of processor have their own cache."""
    kind = "generic" if "NUMBA_CPU_NAME" in environment else "native"
    cache = {} if kind == "native" else {"NUMBA_CACHE_DIR": str(folder.parent / "cache")}
    threads = {"OPENBLAS_NUM_THREADS": "1"} | cache | environment
    arguments = [
        sys.executable,
        __file__,
        "--play",
        json.dumps(config),
        "--folder",
        str(folder),
        "--datasets",
        *datasets,
    ]
    folder.mkdir(parents=True, exist_ok=True)
    with open(folder / "log.txt", "w") as log:
        subprocess.run(arguments, env=os.environ | threads, stdout=log, stderr=log, check=True)
    print(f"{name}: played", flush=True)


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folder", type=Path, default=ROOT / ".processors")
    parser.add_argument("--shuffles", type=int, default=2)
    parser.add_argument("--datasets", nargs="+", default=list(DATASETS))
    parser.add_argument("--variants", nargs="+", default=[*PROCESSORS, *CHANGES])
    parser.add_argument("--play", type=json.loads, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.play is not None:
        play(arguments.folder, arguments.datasets, arguments.play)
        return
    for name in arguments.variants:
        folder = arguments.folder / name.replace(" ", "_").replace("%", "percent")
        if not (folder / "claims.csv").exists():
            config = config_of(arguments.shuffles, CHANGES.get(name, {}))
            run(name, folder, arguments.datasets, config, PROCESSORS.get(name, {}))


if __name__ == "__main__":
    main()
