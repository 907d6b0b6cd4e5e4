"""The effect on regret of choices that the paper leaves open, one at a time, as docs/choices.md shows them.

    python benchmarks/choices.py [--shuffles 4] [--rows 1000] [--columns 40]

Datasets are those of the default suite with at most so many rows and encoded columns, as the pipeline encodes them. All
variants of a bandit meet the same orders of the rows with the same random numbers. The regret of a bandit on a dataset
is its mean over settings and shuffles, with the residual variance. Prints the mean difference from the default in
percentage points, with its standard error over datasets.
"""

import argparse

import numpy as np
from opponents import encoded

RIDGE = {
    "ties smallest": {"ties": "smallest"},
    "ties largest": {"ties": "largest"},
    "no prior": {"prior_weight": 0.0},
}
VARIANTS = {
    "LinTS": RIDGE
    | {
        "prior of one observation": {"prior_weight": 1.0},
        "gcv": {"criterion": "gcv"},
        "kfold": {"criterion": "kfold"},
        "refreshes at 10 %": {"schedule": {"geometric": 0.1}},
        "refreshes at 30 %": {"schedule": {"geometric": 0.3}},
        "penalised intercept": {"intercept": "penalised"},
        "no intercept": {"intercept": "none"},
    },
    "LinUCB": RIDGE,
    "BLTS": {
        "ties smallest": {"ties": "smallest"},
        "ties largest": {"ties": "largest"},
        "propensities as of the assignment": {"propensity": "assignment"},
        "propensities at 5 %": {"propensity_schedule": {"geometric": 0.05}},
        "propensities at doubling": {"propensity_schedule": {"geometric": 1.0}},
        "2 posteriors": {"posteriors": 2},
        "32 posteriors": {"posteriors": 32},
    },
    "BLUCB": {
        "C = 0.1": {"logistic_c": 0.1},
        "C = 10": {"logistic_c": 10.0},
        "propensities at 5 %": {"propensity_schedule": {"geometric": 0.05}},
    },
}


def regret(bandit, change, data, shuffles):
    """Mean regret over the settings of the default grid and over shuffles, in percent."""
    from balanced_bandits.bandits import bandit_class
    from balanced_bandits.core.settings import settings_of
    from balanced_bandits.environments.classification import rewards_of, shuffled
    from balanced_bandits.plan.plan import Plan
    from balanced_bandits.simulation.classification import run_stream

    settings = settings_of(Plan({}).classification.grids[bandit])
    rewards, found = rewards_of(data.y, len(data.classes)), []
    for shuffle in range(shuffles):
        order = shuffled(len(data.y), 2019, data.name, shuffle)
        streams = [run_stream(2019, data.name, bandit, setting, shuffle) for setting in settings]
        runs = bandit_class(bandit).play([change | setting for setting in settings], data.X, rewards, order, streams)
        found += [(run.arms != data.y[order]).mean() for run in runs]
    return 100.0 * np.mean(found)


def main():
    """Command line."""
    from balanced_bandits.plan.plan import Plan

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--shuffles", type=int, default=4)
    parser.add_argument("--rows", type=int, default=1000)
    parser.add_argument("--columns", type=int, default=40)
    arguments = parser.parse_args()
    sizes = {name: Plan({}).datasets.size(name) for name in Plan({}).datasets.rows}
    small = [name for name, (n, d, _) in sizes.items() if n <= arguments.rows and d <= arguments.columns]
    datasets = [encoded(name) for name in small]
    print(f"{len(datasets)} datasets, {arguments.shuffles} shuffles each")
    for bandit, changes in VARIANTS.items():
        usual = np.array([regret(bandit, {}, data, arguments.shuffles) for data in datasets])
        print(f"{bandit}: mean regret {usual.mean():.2f} %")
        for name, change in changes.items():
            apart = np.array([regret(bandit, change, data, arguments.shuffles) for data in datasets]) - usual
            error = apart.std(ddof=1) / np.sqrt(len(apart))
            print(f"  {name:35} {apart.mean():+.2f} ± {error:.2f}", flush=True)


if __name__ == "__main__":
    main()
