"""Fit the constants of balanced_bandits/plan/choice_cost.py to measured times of runs under other choices.

    python benchmarks/choice_cost.py [--repetitions 2]

Takes one to two minutes. Each bandit plays data drawn at random, of several sizes, under the default choices and under
others. The constants are non-negative and minimise the squared relative errors of the CPU seconds of single runs; they
are then scaled so that the total of each bandit is right, since small relative errors favour predictions that are low.
Prints them, and for the present and the new ones the share of runs that are predicted within a factor of two, the total
predicted time as a share of the actual one, and the worst ratio under each choice.
"""

import argparse
import time

import numpy as np
import pandas as pd
from scipy.optimize import nnls

from balanced_bandits.plan import choice_cost

SIZES = [(50, 3, 2), (150, 4, 3), (400, 5, 2), (1000, 10, 2), (300, 30, 2), (300, 12, 3), (500, 10, 10), (340, 28, 21),
         (90, 300, 3), (60, 500, 4), (1500, 4, 2), (400, 100, 2)]  # fmt: skip
ALL = {"schedule": "every_step", "propensity_schedule": "every_step"}
CHOICES = [
    {}, {"schedule": "every_step"}, {"schedule": {"batch": 50}}, {"schedule": {"geometric": 0.3}},
    {"propensity": "monte_carlo"}, {"propensity": "assignment"}, {"propensity_schedule": "every_step"}, ALL,
    {"posteriors": "all"}, ALL | {"posteriors": "all"}, ALL | {"propensity": "monte_carlo"}, {"criterion": "gcv"},
    {"criterion": "kfold"}, {"variance": "literal"}, {"epochs": {"geometric": 0.3}}, {"epochs": {"geometric": 1.0}},
    {"epochs": {"batch": 20}},
]  # fmt: skip
SETTINGS = {"LinTS": {"alpha": 0.5}, "LinUCB": {"alpha": 2.0}, "BLTS": {"alpha": 0.5, "gamma": 0.05},
            "BLUCB": {"alpha": 2.0, "gamma": 0.05}, "ILTCB": {"mu_scale": 0.001, "psi": 1.0}}  # fmt: skip


def measured(repetitions):
    """The CPU seconds of one run for each size, bandit and choice that concerns it."""
    from balanced_bandits.bandits import BANDITS, bandit_class
    from balanced_bandits.core.command_line import keep_memory
    from balanced_bandits.core.kernels import load_blas
    from balanced_bandits.core.rotation import rotated

    keep_memory()
    load_blas()
    rows = []
    for n, d, K in SIZES:
        rng = np.random.default_rng(n)
        X = rng.standard_normal((n, d))
        y = (X @ rng.standard_normal((d, K)) + np.sqrt(d) * rng.standard_normal((n, K))).argmax(axis=1)
        X = rotated(X) if d > n else X
        for bandit, setting in SETTINGS.items():
            known = BANDITS[bandit].parameters
            own = [choices for choices in CHOICES if set(choices) <= set(known)]
            bandit_class(bandit)  # compiled, or loaded from the cache
            for choices in own:
                seconds = []
                for repetition in range(repetitions):
                    streams = [np.random.default_rng(repetition)]
                    order = np.random.default_rng(repetition).permutation(n)
                    start = time.process_time()
                    list(bandit_class(bandit).play([setting | choices], X, np.eye(K)[y], order, streams))
                    seconds.append(time.process_time() - start)
                rows.append({"bandit": bandit, "n": n, "d": d, "K": K, "choices": choices, "seconds": min(seconds)})
    return pd.DataFrame(rows)


def fit(runs):
    """The constants of each bandit."""
    found = {}
    for bandit, own in runs.groupby("bandit", sort=False):
        kinds = pd.DataFrame([choice_cost.work(bandit, row.choices, row.n, row.d, row.K) for row in own.itertuples()])
        relative = kinds.fillna(0.0).to_numpy() / own["seconds"].to_numpy()[:, None]
        scale = np.linalg.norm(relative, axis=0)
        constants = nnls(relative / scale, np.ones(len(own)), maxiter=10_000)[0] / scale
        constants *= own["seconds"].sum() / (kinds.fillna(0.0).to_numpy() @ constants).sum()
        found[bandit] = {kind: float(f"{value:.2g}") for kind, value in zip(kinds, constants, strict=True)}
    return found


def main():
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repetitions", type=int, default=2)
    runs = measured(parser.parse_args().repetitions)
    present, fitted = choice_cost.SECONDS, fit(runs)
    print("SECONDS = {")
    for bandit, constants in fitted.items():
        print(f'    "{bandit}": {constants},')
    print("}")
    for name, constants in (("now", present), ("fitted", fitted)):
        if not constants:
            continue
        choice_cost.SECONDS = constants
        predicted = [choice_cost.play_seconds(r.bandit, r.choices, r.n, r.d, r.K, 1) for r in runs.itertuples()]
        runs["ratio"] = np.array(predicted) / runs["seconds"]
        close = (np.abs(np.log2(runs["ratio"])) <= 1.0).mean()
        total = sum(predicted) / runs["seconds"].sum()
        print(f"{name}: {close:.0%} within a factor of two; total predicted / actual {total:.2f}")
        names = runs["bandit"] + " " + runs["choices"].astype(str)
        for choice, own in runs.groupby(names, sort=False):
            print(f"    {own['ratio'].min():6.2f} to {own['ratio'].max():6.2f}  {choice}")


if __name__ == "__main__":
    main()
