"""What another kind of processor does to the results: the same runs with other instruction sets, compared.

    python benchmarks/processors.py [--folder .processors] [--shuffles 2] [--datasets iris wine ...] [--variants ...]

Compiled kernels, BLAS, NumPy and the C library choose their instructions by the processor, and so differ in the last
digits of sums. Each variant below pretends to be another processor: it encodes datasets of registry300 and plays
them with the paper's five bandits, in a process of its own. The others make a change that must not pass for rounding:
another seed, another choice, another grid. All are compared with the first one by the rules of `balanced-bandits
verify`, and the tolerances there are derived from what this prints (docs/verify.md). Half an hour of CPU time; what is
in the folder is not played again.
"""

import argparse
import json
import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
DATASETS = ("iris", "appendicitis", "wine", "sonar", "gunpoint", "pickupgesturewiimotez", "dermatology", "vowel",
            "vehicle", "german", "abalone", "titanic", "saheart", "phoneme", "penbased", "concrete")  # fmt: skip
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


USUAL = "as it is"
SIMULATIONS = 10
LAST = "synthetic/mis/BLUCB.npz"  # written last
COLUMNS = {
    "same": 7,
    "fewest": 7,
    "sd": 6,
    "mean": 6,
    "dataset": 7,
    "claims": 7,
    "pairs": 7,
    "verdicts": 8,
    "example": 7,
}
HEAD = """
same: runs with the same number of wrong rounds, of all and of the bandit and reading with the fewest, in percent
sd: standard deviation of the differences in regret of the other runs; mean: that of a bandit and reading that moves
most; dataset: the same on a single dataset; all in percentage points
claims, pairs: root mean square difference, in standard deviations of the column `difference`
verdicts: claims whose verdict changed
example: simulations of the synthetic example with the same regret, in percent
"""


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

    plan = Plan(config | {"suite": "registry300", "datasets": datasets})
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


def play_example(folder: Path, config: dict) -> None:
    """Play a few simulations of the synthetic example."""
    from balanced_bandits.environments.optima import write_optima
    from balanced_bandits.plan.plan import Plan
    from balanced_bandits.simulation.synthetic import play

    plan = Plan(config | {"synthetic": {"simulations": SIMULATIONS}})
    write_optima(folder / "optima.npz", folder / "surfaces.csv")
    for specification in plan.synthetic.specifications:
        for bandit in plan.synthetic.bandits:
            output = folder / "synthetic" / specification / f"{bandit}.npz"
            output.parent.mkdir(parents=True, exist_ok=True)
            options = json.loads(plan.synthetic.options(bandit))
            play(specification, bandit, plan.players.path(bandit), options, folder / "optima.npz", output)


def same_simulations(folder: Path, usual: Path) -> float:
    """The percentage of simulations of the synthetic example, over all settings, with the same regret at the end."""
    import numpy as np

    from balanced_bandits.core.files import read_arrays

    files = sorted(path.relative_to(usual) for path in usual.glob("synthetic/*/*.npz"))
    ends = [[read_arrays(of / file)[1]["regret"][..., -1].ravel() for file in files] for of in (folder, usual)]
    return 100.0 * float(np.isclose(*map(np.concatenate, ends), rtol=1e-9).mean())


def compared(folder: Path, usual: Path) -> str:
    """One line: a variant compared with the runs as they are."""
    import numpy as np

    from balanced_bandits.core.tables import read_table
    from balanced_bandits.verification.comparison import compare_runs
    from balanced_bandits.verification.contents import ON_DATASETS, RUN, wrong_rounds

    verdict = compare_runs("runs", *(wrong_rounds(of / "classification.parquet") for of in (folder, usual))).verdict
    mine, theirs = (read_table(of / "classification.parquet").set_index(RUN)["regret"] for of in (folder, usual))
    apart = 100.0 * (mine - theirs)
    apart[np.isclose(apart, 0)] = 0.0
    same, by = 100.0 * (apart == 0), ["bandit", "reading"]
    spread = apart[apart != 0].std() if (apart != 0).sum() > 1 else 0.0
    moves, verdicts = [], []
    for name in ("claims", "pairs"):
        a, b = (read_table(of / f"{name}.csv").set_index(ON_DATASETS[name].keys) for of in (folder, usual))
        moves.append(np.sqrt(((a["difference"] - b["difference"]) ** 2).mean()) / b["difference"].std(ddof=0))
        verdicts += [(a["verdict"] != b["verdict"]).sum()] if "verdict" in b else []
    worst = [apart.groupby([*by, *more]).mean().abs().max() for more in ([], ["dataset"])]
    return (
        f"{same.mean():7.2f} {same.groupby(by).mean().min():7.2f} {spread:6.2f} {worst[0]:6.3f} {worst[1]:7.3f} "
        f"{moves[0]:7.4f} {moves[1]:7.4f} {sum(verdicts):8} "
        f"{same_simulations(folder, usual):7.2f}  {verdict}"
    )


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
        if not (arguments.folder / "claims.csv").exists():
            play(arguments.folder, arguments.datasets, arguments.play)
        play_example(arguments.folder, arguments.play)
        return
    folders = {
        name: arguments.folder / re.sub(r"\W+", "_", name) for name in dict.fromkeys([USUAL, *arguments.variants])
    }
    for name, folder in folders.items():
        if not (folder / LAST).exists():
            config = config_of(arguments.shuffles, CHANGES.get(name, {}))
            run(name, folder, arguments.datasets, config, PROCESSORS.get(name, {}))
    print(HEAD)
    print(f"{'':<24}", *(f"{name:>{width}}" for name, width in COLUMNS.items()), " runs")
    for name, folder in folders.items():
        print(f"{name:<24} {compared(folder, folders[USUAL])}", flush=True)


if __name__ == "__main__":
    main()
