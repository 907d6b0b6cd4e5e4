"""Draw the default suite, registry60, from registry300: a random sample with the proportions of the paper's Table 2.

python benchmarks/subsample.py > workflow/suites/registry60.tsv

Every dataset gets a random number, and the 60 datasets with the largest sum of these numbers are taken that have, as
nearly as 60 can, the paper's shares of numbers of rows, classes and features, the shares of subjects in registry300 (to
within one dataset), one dataset per family, and together at most ``SECONDS`` of predicted CPU time. iris, wine and
haberman, which the examples in the docs use, are always among them.
"""

import sys
from collections import Counter
from pathlib import Path

import numpy as np
from scipy.optimize import LinearConstraint, milp

from balanced_bandits.analysis.paper import PAPER_SIZES
from balanced_bandits.plan.plan import Plan
from balanced_bandits.vocabulary import QUANTITIES

DATASETS = 60
SECONDS = 600.0
ALWAYS = ("iris", "wine", "haberman")
SEED = 2019


def rounded(counts, total):
    """Counts in the same proportions with this total, by largest remainders."""
    exact = np.array(counts) * total / np.sum(counts)
    whole = np.floor(exact).astype(int)
    for i in np.argsort(whole - exact, kind="stable")[: total - whole.sum()]:
        whole[i] += 1
    return whole


def main():
    """Print the suite."""
    plan = Plan({"suite": "registry300"})
    names = list(plan.datasets.rows)
    rows = list(plan.datasets.rows.values())
    constraints = []

    def between(members, lowest, highest):
        constraints.append(LinearConstraint(np.array([members], dtype=float), lowest, highest))

    for quantity, counts in PAPER_SIZES.items():
        ends = QUANTITIES[quantity].ends
        stratum = [int(np.searchsorted(ends, getattr(row, quantity))) for row in rows]
        for i, count in enumerate(rounded(counts, DATASETS)):
            between([s == i for s in stratum], count, count)
    for domain, count in Counter(row.domain for row in rows).items():
        share = count * DATASETS / len(rows)
        between([row.domain == domain for row in rows], np.floor(share), np.ceil(share))
    families = plan.datasets.families
    for family, count in Counter(families.values()).items():
        if count > 1:
            between([families[name] == family for name in names], 0, 1)
    seconds = [
        sum(plan.classification.seconds(name, bandit) for bandit in plan.classification.bandits) for name in names
    ]
    between(seconds, 0, SECONDS)
    between([name in ALWAYS for name in names], len(ALWAYS), len(ALWAYS))
    luck = np.random.default_rng(SEED).random(len(names))
    found = milp(-luck, integrality=np.ones(len(names)), bounds=(0, 1), constraints=constraints)
    if found.x is None:
        sys.exit(f"no such sample: {found.message}")
    taken = {name for name, x in zip(names, found.x, strict=True) if x > 0.5}
    header, *lines = Path("workflow/suites/registry300.tsv").read_text().splitlines()
    print(header, *(line for line in lines if line.split("\t")[0] in taken), sep="\n")
    spent = sum(second for name, second in zip(names, seconds, strict=True) if name in taken)
    print(f"{len(taken)} datasets, {spent:.0f} CPU seconds predicted", file=sys.stderr)


if __name__ == "__main__":
    main()
