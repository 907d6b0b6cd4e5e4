"""Fit the constants of the cost model (balanced_bandits/plan/cost.py) to the times of a run.

    python benchmarks/fit_cost.py logs/SUITE/timing.csv [...]

The tables are those that a run writes, with one row per job. The constants are non-negative and minimise the squared
relative errors of the CPU seconds of all jobs, together with one start-up time for all bandits. Since an error is
relative to the actual time, a job that compiled its bandit counts at most as much as one predicted at 0. Prints the
constants as cost.py has them and, for the present and the new ones, the share of each bandit's jobs that are predicted
within a factor of two. The constants decide how often large datasets are shuffled: new ones change results.
"""

import argparse
from pathlib import Path

import numpy as np
import pandas as pd
from scipy.optimize import nnls

from balanced_bandits.plan import cost

FIGURES = 2  # significant figures of a constant


def steps(jobs):
    """Seconds (jobs, 6) per unit of each constant: as ``cost.play_seconds``, which multiplies and adds them."""
    K, p = jobs["K"].to_numpy(float), np.minimum(jobs["n"], jobs["columns"]).to_numpy(float) + 1
    parts = np.column_stack([np.ones_like(p), K, p, K * p, p**2, K * p**2])
    return parts * (jobs["runs"] * jobs["n"] * 1e-6).to_numpy()[:, None]


def owner(bandit):
    """The bandit of the paper whose constants predict the time of ``bandit``."""
    return next(name for name in cost.PAPER if cost.PAPER[name] is cost.STEP.get(bandit, cost.STEP["BLTS"]))


def fit(jobs):
    """The start-up time, and the constants of each of the paper's bandits in ``jobs``, by name."""
    jobs = jobs[jobs["bandit"].isin(cost.PAPER)]
    names = [name for name in cost.PAPER if (jobs["bandit"] == name).any()]
    design = np.zeros((len(jobs), 1 + 6 * len(names)))
    design[:, 0] = 1.0
    for place, name in enumerate(names):
        own = (jobs["bandit"] == name).to_numpy()
        design[own, 1 + 6 * place : 7 + 6 * place] = steps(jobs[own])
    relative = design / jobs["cpu_seconds"].to_numpy()[:, None]
    scale = np.maximum(np.linalg.norm(relative, axis=0), 1e-300)  # columns differ by orders of magnitude
    found = nnls(relative / scale, np.ones(len(jobs)), maxiter=100 * design.shape[1])[0] / scale
    rounded = [float(f"{value:.{FIGURES}g}") for value in found]
    return rounded[0], {name: tuple(rounded[1 + 6 * i : 7 + 6 * i]) for i, name in enumerate(names)}


def within_two(jobs, start_up, constants):
    """The share of each bandit's jobs whose CPU time is predicted within a factor of two."""
    shares = {}
    for bandit, own in jobs.groupby("bandit", sort=False):
        if owner(bandit) in constants:
            predicted = start_up + steps(own) @ np.array(constants[owner(bandit)])
            shares[bandit] = float((abs(np.log2(predicted / own["cpu_seconds"])) <= 1.0).mean())
    return shares


def main():
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tables", nargs="+", type=Path)
    tables = [pd.read_csv(path) for path in parser.parse_args().tables]
    jobs = pd.concat(tables, ignore_index=True)
    jobs = jobs[jobs["cpu_seconds"] > 0].reset_index(drop=True)  # 0: too short for a benchmark of Snakemake
    start_up, constants = fit(jobs)
    print(f"{len(jobs)} jobs\nSTART_UP = {start_up}\nPAPER = {{")
    for name, values in constants.items():
        print(f'    "{name}": {values},')
    print("}\nwithin a factor of two: now, fitted")
    present, fitted = within_two(jobs, cost.START_UP, cost.PAPER), within_two(jobs, start_up, constants)
    for bandit, share in fitted.items():
        print(f"    {bandit}: {present[bandit]:.1%}, {share:.1%} of {(jobs['bandit'] == bandit).sum()} jobs")


if __name__ == "__main__":
    main()
