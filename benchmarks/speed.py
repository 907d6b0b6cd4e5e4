"""The cost of the bandits: CPU seconds, best of several repetitions, and ratios within the same run.

python benchmarks/speed.py            about six minutes
python benchmarks/speed.py --full     measures the plain NumPy BLTS at n = 4000 instead of extrapolating
python benchmarks/speed.py --quick    small problems: only checks that everything runs
python benchmarks/speed.py --only floor growth
"""

import argparse
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

os.environ["OPENBLAS_NUM_THREADS"] = "1"

import numpy as np
from floor import bare
from sklearn.linear_model import RidgeCV

from balanced_bandits.bandits import bandit_class
from balanced_bandits.bandits.base import design
from balanced_bandits.bandits.memory import later
from balanced_bandits.bandits.parameters import DEFAULTS
from balanced_bandits.core.kernels import kernel
from balanced_bandits.estimation.lapack import tridiagonalise
from balanced_bandits.estimation.leave_one_out import add_rows, centred
from balanced_bandits.estimation.ridge import fit, new_arms

BANDITS = ("LinTS", "LinUCB", "BLTS", "BLUCB")
FIXED = {"criterion": "fixed", "lams": [1.0]}
NONE = np.empty(0, dtype=np.int64)
TIMES_FIXED = (5, 5, 8, 15)  # targets for LinTS and LinUCB on the four shapes
TIMES_PLAIN = 1.8  # target for BLTS against LinTS, and BLUCB against LinUCB


def problem(n, d, number, seed=1):
    """Contexts (n, d) and rewards (n, K), linear with noise."""
    rng = np.random.default_rng(seed)
    contexts = rng.standard_normal((n, d))
    return contexts, contexts @ rng.standard_normal((d, number)) / np.sqrt(d) + 0.5 * rng.standard_normal((n, number))


def run_of(name, shape, **choices):
    """A function that plays a whole compiled run and returns its memory."""
    cls, (contexts, rewards) = bandit_class(name), problem(*shape)
    play, options, rows = cls.LOOPS.play, cls.options(choices), design(contexts, "unpenalised")
    order = np.arange(len(rows))
    play(rows[:50], rewards[:50], order[:50], NONE, NONE, options, np.random.default_rng(1))  # compiles
    return lambda: play(rows, rewards, order, NONE, NONE, options, np.random.default_rng(1))[1]


def floor_of(thompson, shape):
    """A function that plays the bare loop."""
    contexts, rewards = problem(*shape)
    rows = design(contexts, "unpenalised")
    bare(rows[:50], rewards[:50], 1.0, 1.0, thompson, np.random.default_rng(1))
    return lambda: bare(rows, rewards, 1.0, 1.0, thompson, np.random.default_rng(1))


def costs(*functions, repetitions=7, enough=3.0):
    """CPU seconds of each function, best of ``repetitions``, taken in turn; fewer if they exceed a time limit."""
    best, begun = [np.inf] * len(functions), time.process_time()
    for _ in range(repetitions):
        for i, function in enumerate(functions):
            start = time.process_time()
            function()
            best[i] = min(best[i], time.process_time() - start)
        if time.process_time() - begun > enough * len(functions):
            break
    return best


def table(title, head, rows):
    """Print a table; the first column is left-aligned, the others are right-aligned."""
    lines = [
        head,
        *[[c if isinstance(c, str) else f"{c:.3g}" if abs(c) < 100 else f"{c:.0f}" for c in r] for r in rows],
    ]
    widths = [max(len(line[i]) for line in lines) for i in range(len(head))]
    print(f"\n{title}")
    for line in lines:
        cells = [c.ljust(w) if i == 0 else c.rjust(w) for i, (c, w) in enumerate(zip(line, widths, strict=True))]
        print("  " + "  ".join(cells), flush=True)


def against_floor(sizes):
    """Compare a fixed lambda with the bare loop."""
    rows = []
    for shape in sizes["shapes"]:
        for name in ("LinUCB", "LinTS"):
            bare_cost, ours = costs(floor_of(name == "LinTS", shape), run_of(name, shape, **FIXED), repetitions=15)
            rows.append([f"{name} {shape}", bare_cost / shape[0] * 1e6, ours / shape[0] * 1e6, ours / bare_cost])
    table("a. Fixed lambda against the floor (target: ratio at most 1.3)",
          ["(n, d, K)", "floor us/step", "ours us/step", "ratio"], rows)  # fmt: skip


def chosen_penalty(sizes):
    """Measure lambda by leave-one-out, refreshed whenever the data grow by 5 %."""
    rows = []
    for shape, target in zip(sizes["shapes"], TIMES_FIXED, strict=True):
        for plain, balanced in (("LinTS", "BLTS"), ("LinUCB", "BLUCB")):
            runs = run_of(plain, shape, **FIXED), run_of(plain, shape), run_of(balanced, shape)
            fixed, ours, weighted = costs(*runs, repetitions=5)
            rows.append([f"{plain} {shape}", ours / shape[0] * 1e6, ours / fixed, str(target), "", ""])
            against = [weighted / ours, str(TIMES_PLAIN)]
            rows.append([f"{balanced} {shape}", weighted / shape[0] * 1e6, weighted / fixed, "", *against])
    table("b. Lambda by leave-one-out, geometric 5 %: against a fixed lambda, and balanced against not balanced",
          ["(n, d, K)", "us/step", "times fixed", "target", "times Lin*", "target"], rows)  # fmt: skip


@kernel
def all_sums(rows, rewards, weights, stops, model):
    """The sums of products at all refreshes with at least as many rows as columns."""
    arms = new_arms(1, rows.shape[1], model)
    for stop in stops:
        if stop >= rows.shape[1] - 1:
            add_rows(arms, 0, rows[:stop], rewards[:stop], weights[:stop], 1)


@kernel
def all_tridiagonal(rows, rewards, weights, stops, model):
    """The sums of products and the tridiagonal matrices at these refreshes."""
    arms = new_arms(1, rows.shape[1], model)
    for stop in stops:
        if stop >= rows.shape[1] - 1:
            add_rows(arms, 0, rows[:stop], rewards[:stop], weights[:stop], 1)
            tridiagonalise(centred(arms.products[0], arms.origin[0], 1).gram)


@kernel
def all_fits(rows, rewards, weights, stops, model):
    """``fit`` at all refreshes."""
    arms = new_arms(1, rows.shape[1], model)
    for stop in stops:
        fit(arms, 0, rows[:stop], rewards[:stop], weights[:stop], model)


def refresh_parts(sizes):
    """Profile the refreshes of LinTS: its parts, timed on the rows that the arms had at each refresh."""
    shape = sizes["shapes"][1]
    options = bandit_class("LinTS").options({})
    play, fixed = run_of("LinTS", shape), run_of("LinTS", shape, **FIXED)
    memory, sums, refreshes = play(), np.zeros(3), 0
    for arm in range(shape[2]):
        mine = memory.chosen == arm
        stops = [1]
        while later(stops[-1], options.batch, options.rho) <= mine.sum():
            stops.append(later(stops[-1], options.batch, options.rho))
        refreshes += len(stops)
        given = memory.rows[mine], memory.rewards[mine], memory.weights[mine], np.array(stops), options.model
        pieces = [lambda piece=piece, given=given: piece(*given) for piece in (all_sums, all_tridiagonal, all_fits)]
        for piece in pieces:
            piece()
        sums += costs(*pieces, repetitions=5, enough=1.0)
    summed, reduced, fitted = sums
    whole, steps = costs(play, fixed)
    parts = {
        "sums of products of the rows": summed,
        "tridiagonal matrices": reduced - summed,
        "rest of fit (leave-one-out pass, inverse, cost)": fitted - reduced,
        "collecting the arm's rows, memory": whole - steps - fitted,
        "the steps themselves (fixed-lambda run)": steps,
        "whole run": whole,
    }
    table(f"b'. Profile of LinTS {shape}; {refreshes} refreshes", ["part", "ms", "share %"],
          [[name, seconds * 1e3, 100 * seconds / whole] for name, seconds in parts.items()])  # fmt: skip


def growth(sizes):
    """Measure the cost as n grows."""
    lengths, rows = sizes["lengths"], []
    for name in BANDITS:
        seconds = [costs(run_of(name, (n, 20, 3)), repetitions=3)[0] for n in lengths]
        pairs = zip(seconds[1:], seconds[:-1], lengths[1:], lengths[:-1], strict=True)
        rows.append([name, *seconds, *[(s / s0) ** (np.log(2) / np.log(n / n0)) for s, s0, n, n0 in pairs]])
    table("c. Growth, (n, 20, 3), leave-one-out, geometric 5 %: seconds, and ratio for each doubling of n (target 2.3)",
          ["", *[f"n = {n}" for n in lengths], *[f"to {n}" for n in lengths[1:]]], rows)  # fmt: skip


def plain_blts(n, d, number, gamma=0.1, draws=100):
    """A direct implementation of BLTS with NumPy and scikit-learn, which recomputes everything after every step."""
    rng = np.random.default_rng(1)
    contexts, rewards = problem(n, d, number)
    rows, penalised = np.column_stack([np.ones(n), contexts]), np.diag([0.0] + [1.0] * d)
    theta, variance = np.zeros((number, d + 1)), np.stack([np.eye(d + 1)] * number)
    chosen, earned, posteriors = np.empty(n, dtype=int), np.empty(n), []
    for t in range(n):
        deviations = np.sqrt(((rows[t] @ variance) * rows[t]).sum(-1))
        arm = int(np.argmax(theta @ rows[t] + deviations * rng.standard_normal(number)))
        chosen[t], earned[t] = arm, rewards[t, arm]
        posteriors.append((theta.copy(), variance.copy()))
        z, r = rows[: t + 1][chosen[: t + 1] == arm], earned[: t + 1][chosen[: t + 1] == arm]
        if len(r) < 2:
            continue
        won = np.zeros(len(r))
        for period in rng.integers(t + 1, size=draws):
            earlier_theta, earlier_variance = posteriors[period]
            spread = np.sqrt(((z @ earlier_variance) * z).sum(-1))
            won += (earlier_theta @ z.T + spread * rng.standard_normal(spread.shape)).argmax(0) == arm
        weights = 1 / np.maximum(gamma, won / draws)
        ridge = RidgeCV(alphas=DEFAULTS["lams"]).fit(z[:, 1:], r, sample_weight=weights)
        gram = (z.T * weights) @ z
        inverse = np.linalg.inv(gram + ridge.alpha_ * penalised)
        residuals = r - ridge.predict(z[:, 1:])
        left = len(r) - np.trace(inverse @ gram) + 0.1
        theta[arm] = np.append(ridge.intercept_, ridge.coef_)
        variance[arm] = inverse * ((weights * residuals**2).sum() + 0.1 * 0.25) / left
    return chosen


def against_plain(sizes):
    """Compare BLTS with the direct implementation in NumPy and scikit-learn."""
    small, large = sizes["plain"]
    plain = {n: costs(lambda n=n: plain_blts(n, 10, 3), repetitions=1)[0] for n in (small // 2, small)}
    how = f"extrapolated from {small // 2} and {small}"
    plain[large] = plain[small] * (plain[small] / plain[small // 2]) ** np.log2(large / small)
    if sizes["full"]:
        plain[large], how = costs(lambda: plain_blts(large, 10, 3), repetitions=1)[0], "measured"
    rows = []
    for n in (small, large):
        rows.append([f"n = {n}: numpy and scikit-learn{f' ({how})' if n == large else ''}", plain[n], "", ""])
        for schedule, target in (({"geometric": 0.05}, "100"), ("every_step", "20")):
            for method in ("exact", "monte_carlo"):
                ours = costs(run_of("BLTS", (n, 10, 3), schedule=schedule, propensity=method), repetitions=3)[0]
                label = schedule if isinstance(schedule, str) else "geometric 5 %"
                rows.append([f"n = {n}: ours, {label}, {method}", ours, plain[n] / ours, target if n == large else ""])
    table("d. BLTS (n, 10, 3) against a direct implementation", ["", "s", "times as fast", "target"], rows)


FIRST_CALL = """
import numpy as np
from balanced_bandits.bandits import bandit_class
rng = np.random.default_rng(1)
x, y = rng.standard_normal((60, 5)), rng.standard_normal((60, 3))
next(bandit_class({name!r}).play([{{}}], x, y, range(60), [rng]))
"""


def child(code, **environment):
    """Run code in a fresh process; returns its CPU seconds and its output."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run([sys.executable, "-c", code], env=os.environ | environment, check=True, capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, done.stdout.decode()


def start_up(sizes):
    """Measure a fresh process up to the end of its first call."""
    rows = [["import numba alone", min(child("import numba")[0] for _ in range(3)), ""]]
    for name in ("LinTS", "BLTS"):
        code, cold = FIRST_CALL.format(name=name), ""
        if sizes["cold"]:
            with tempfile.TemporaryDirectory() as folder:
                cold = child(code, NUMBA_CACHE_DIR=folder)[0]
        child(code)
        rows.append([name, min(child(code)[0] for _ in range(3)), cold])
    table("e. A fresh process up to its first result: CPU seconds", ["", "warm cache", "cold cache"], rows)


PEAK = """
import sys
sys.path.insert(0, {folder!r})
import speed
def peak():  # of this process alone; getrusage would start from the peak of the parent process
    return int(open("/proc/self/status").read().split("VmHWM:")[1].split()[0]) * 1024
play = speed.run_of({name!r}, {shape!r})
open("/proc/self/clear_refs", "w").write("5")  # reset the peak that was reached when creating the data
before = peak()
memory = play()
print(peak() - before)
"""


def memory_use(sizes):
    """Compare the peak resident memory of a run, without its data, with n p + K p^2 (1 + posteriors) numbers."""
    n, d, number = shape = sizes["memory"]
    rows = []
    for name in ("LinTS", "BLTS"):
        grown = int(child(PEAK.format(folder=str(Path(__file__).parent), name=name, shape=shape))[1])
        kept = DEFAULTS["posteriors"] if name == "BLTS" else 0
        bound = 8 * (n * (d + 1) + number * (d + 1) ** 2 * (1 + kept))
        rows.append([f"{name} {shape}", grown / 2**20, bound / 2**20, grown / bound])
    table("f. Peak memory of a run beyond its data: MiB, against 8 bytes * (n p + K p^2 (1 + posteriors))",
          ["(n, d, K)", "peak growth", "bound", "ratio"], rows)  # fmt: skip


PARTS = {
    "floor": against_floor, "loo": chosen_penalty, "refresh": refresh_parts, "growth": growth, "plain": against_plain,
    "start": start_up, "memory": memory_use,
}  # fmt: skip
SIZES = {
    "shapes": ((10_000, 10, 2), (10_000, 50, 5), (2_000, 100, 10), (1_000, 200, 2)),
    "lengths": (10_000, 20_000, 100_000),
    "plain": (1000, 4000),
    "memory": (20_000, 50, 5),
    "cold": True,
}
QUICK = {
    "shapes": ((1_000, 10, 2), (1_000, 50, 5), (300, 100, 10), (300, 200, 2)),
    "lengths": (1_000, 2_000, 4_000),
    "plain": (100, 200),
    "memory": (2_000, 50, 5),
    "cold": False,
}


def main():
    """Measure and print the requested parts."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="small problems")
    parser.add_argument("--full", action="store_true", help="measure the direct implementation of BLTS at n = 4000")
    parser.add_argument("--only", nargs="+", choices=PARTS, default=list(PARTS), help="only these parts")
    given = parser.parse_args()
    sizes = (QUICK if given.quick else SIZES) | {"full": given.full}
    for part in given.only:
        PARTS[part](sizes)


if __name__ == "__main__":
    main()
