"""Regret of ILTCB beside Vowpal Wabbit's cover and epsilon-greedy: is the paper's opponent given its best chance?

    python benchmarks/opponents.py [--folder .peers] [--shuffles 5] [--datasets wine vehicle ...]

Datasets are those of the suite registry300, as the pipeline encodes them, and every bandit meets the same orders of the
rows. Every bandit is shown with the best of its settings on each dataset (mean over shuffles), with the setting that is
best on the other shuffles, and with the mean over its settings. Vowpal Wabbit has its own environment. It plays with
--cbify and --hash all, since integer names of features would collide across arms.
"""

import argparse
import json
import subprocess
import sys
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
DATASETS = ("breast-wisconsin", "cleveland", "dermatology", "ecoli", "german", "vehicle", "vowel", "wine")
RATES = (0.1, 0.5, 2.0, 10.0)
VOWPAL = {
    "VW cover 16": [f"--cover 16 --psi {psi} -l {rate}" for psi in (0.01, 0.1, 1) for rate in RATES],
    "VW epsilon-greedy": [f"--epsilon {epsilon} -l {rate}" for epsilon in (0.02, 0.05, 0.1) for rate in RATES],
    "VW first": [f"--first {rounds} -l {rate}" for rounds in (10, 20, 40) for rate in RATES],
}
OURS = ("LinTS", "BLTS", "LinUCB", "BLUCB", "ILTCB", "EpsilonGreedy", "Greedy")
# What runs in Vowpal Wabbit's environment: reads {"lines": ..., "arms": ..., "options": [...]}, prints regrets.
WORKER = """
import json, sys
from vowpalwabbit import Workspace
job = json.load(sys.stdin)
regrets = []
for options in job["options"]:
    bandit = Workspace(f"--cbify {job['arms']} {options} --hash all --quiet -b 20 --random_seed {job['seed']}")
    for line in job["lines"]:
        bandit.learn(line)
    regrets.append(bandit.get_sum_loss() / len(job["lines"]))
    bandit.finish()
print(json.dumps(regrets))
"""


def encoded(name):
    """Contexts and labels of a dataset of the suite registry300."""
    from balanced_bandits.cli.run import _from_suite
    from balanced_bandits.plan.plan import Plan

    return _from_suite(name, Plan({"suite": "registry300"}))


def regrets_of_ours(bandit, data, shuffles):
    """Regrets (settings, shuffles) of one of our bandits, with the grid of the default configuration."""
    from balanced_bandits.bandits import bandit_class
    from balanced_bandits.core.settings import settings_of
    from balanced_bandits.environments.classification import rewards_of, shuffled
    from balanced_bandits.plan.plan import Plan
    from balanced_bandits.simulation.classification import run_stream

    settings = settings_of(Plan({}).classification.grids[bandit])
    rewards, found = rewards_of(data.y, len(data.classes)), np.empty((len(settings), shuffles))
    for shuffle in range(shuffles):
        order = shuffled(len(data.y), 2019, data.name, shuffle)
        streams = [run_stream(2019, data.name, bandit, setting, shuffle) for setting in settings]
        for i, run in enumerate(bandit_class(bandit).play(settings, data.X, rewards, order, streams)):
            found[i, shuffle] = (run.arms != data.y[order]).mean()
    return found


def regrets_of_vowpal(options, data, shuffles, python):
    """The same of Vowpal Wabbit."""
    from balanced_bandits.environments.classification import shuffled

    found = np.empty((len(options), shuffles))
    texts = ["| " + " ".join(f"f{j}:{value:.6g}" for j, value in enumerate(row)) for row in data.X]
    for shuffle in range(shuffles):
        order = shuffled(len(data.y), 2019, data.name, shuffle)
        job = {"lines": [f"{data.y[i] + 1} {texts[i]}" for i in order], "arms": len(data.classes), "options": options,
               "seed": shuffle + 1}  # fmt: skip
        done = subprocess.run([python, "-c", WORKER], input=json.dumps(job), capture_output=True, text=True, check=True)
        found[:, shuffle] = json.loads(done.stdout)
    return found


def summary(regrets):
    """The best setting, the setting that is best on the other shuffles, and the mean over settings."""
    others = (regrets.sum(axis=1, keepdims=True) - regrets).argmin(axis=0)
    return regrets.mean(axis=1).min(), regrets[others, np.arange(regrets.shape[1])].mean(), regrets.mean()


def main():
    """Command line."""
    sys.path.insert(0, str(ROOT / "benchmarks"))
    from peers import install

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folder", type=Path, default=ROOT / ".peers", help="for the environment of Vowpal Wabbit")
    parser.add_argument("--shuffles", type=int, default=5)
    parser.add_argument("--datasets", nargs="+", default=DATASETS)
    arguments = parser.parse_args()
    python, reason = install("vowpalwabbit", arguments.folder)
    if python is None:
        sys.exit(f"Vowpal Wabbit can't be installed: {reason}")
    table = {name: [] for name in (*OURS, *VOWPAL)}
    for name in arguments.datasets:
        data = encoded(name)
        for bandit in OURS:
            table[bandit].append(summary(regrets_of_ours(bandit, data, arguments.shuffles)))
        for bandit, options in VOWPAL.items():
            table[bandit].append(summary(regrets_of_vowpal(options, data, arguments.shuffles, python)))
        print(f"{name}: " + ", ".join(f"{bandit} {100 * of[-1][1]:.1f}" for bandit, of in table.items()), flush=True)
    print(f"\nmean regret in percent over {len(arguments.datasets)} datasets, {arguments.shuffles} shuffles each")
    print(f"{'':20} {'best setting':>14} {'held out':>10} {'all settings':>14}")
    for bandit, of in table.items():
        best, held_out, typical = 100 * np.mean(of, axis=0)
        print(f"{bandit:20} {best:14.1f} {held_out:10.1f} {typical:14.1f}")


if __name__ == "__main__":
    main()
