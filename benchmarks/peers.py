"""LinUCB and LinTS of other libraries on the same data: CPU microseconds per step, and the speed-up of ours.

    python benchmarks/peers.py [--folder .peers] [--seconds 5] [--only river ...]

Each library (peer) gets its own virtual environment. All of them learn after every observation with one fixed lambda,
and are stopped after some seconds. They are called step by step, as in typical use. Ours is timed in two ways: as a
compiled run, and step by step from Python with ``choose`` and ``update``. The ratios in the table are relative to the
compiled run.
"""

import argparse
import importlib.util
import json
import os
import subprocess
import sys
import time
import types
from pathlib import Path

os.environ["OPENBLAS_NUM_THREADS"] = os.environ["OMP_NUM_THREADS"] = "1"

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
SHAPES = ((10_000, 10, 2), (10_000, 50, 5), (2_000, 100, 10), (1_000, 200, 2))
# The packages to install for each peer. The requirements of obp no longer build on Python 3.11 and include PyTorch,
# which its linear policies do not use, so obp is installed without them (see ``obp_policy``).
INSTALLS = {
    "mabwiser": [["mabwiser"]],
    "contextualbandits": [["contextualbandits"]],
    "obp": [["numpy<2", "pandas<2.2", "scikit-learn<1.5"], ["--no-deps", "obp==0.5.5"]],
    "river": [["river"]],
    "vowpalwabbit": [["numpy", "vowpalwabbit"]],
}
ALGORITHMS = {
    "mabwiser": ("LinUCB", "LinTS"),
    "contextualbandits": ("LinUCB", "LinTS"),
    "obp": ("LinUCB", "LinTS"),
    "river": ("LinUCB",),
    "vowpalwabbit": ("squarecb", "cover"),
}
OTHER_JOB = {"squarecb", "cover"}  # gradient steps instead of ridge regressions: shown for orientation


def problem(n, d, number):
    """Contexts (n, d) and binary rewards (n, K)."""
    rng = np.random.default_rng(1)
    contexts = rng.standard_normal((n, d))
    scores = contexts @ rng.standard_normal((d, number)) / np.sqrt(d)
    return contexts, (rng.random((n, number)) < 1 / (1 + np.exp(-2 * scores))).astype(float)


def with_ones(contexts):
    """Contexts with a column of ones, for libraries without an intercept."""
    return np.column_stack([np.ones(len(contexts)), contexts])


def mabwiser(algorithm, contexts, number):
    """The functions (choose, learn) of mabwiser."""
    from mabwiser.mab import MAB, LearningPolicy

    rows = with_ones(contexts)
    bandit = MAB(list(range(number)), getattr(LearningPolicy, algorithm)(alpha=1.0, l2_lambda=1.0), seed=1)
    bandit.fit(list(range(number)), [0.0] * number, rows[:number])
    return (
        lambda t: bandit.predict(rows[t : t + 1]),
        lambda t, arm, reward: bandit.partial_fit([arm], [reward], rows[t : t + 1]),
    )


def contextualbandits(algorithm, contexts, number):
    """The functions (choose, learn) of contextualbandits, with rank-one updates and scalar draws (the fastest)."""
    from contextualbandits import online

    settings = {"alpha": 1.0} if algorithm == "LinUCB" else {"v_sq": 1.0, "sample_from": "ci"}
    bandit = getattr(online, algorithm)(number, lambda_=1.0, method="sm", use_float=False, random_state=1, **settings)
    return (
        lambda t: int(bandit.predict(contexts[t : t + 1])[0]),
        lambda t, arm, reward: bandit.partial_fit(contexts[t : t + 1], np.array([arm]), np.array([reward])),
    )


def obp_policy():
    """The module of linear policies of obp, without the parts that need PyTorch."""
    if "obp" in sys.modules:
        return sys.modules["obp.policy.linear"]
    folder = importlib.util.find_spec("obp").submodule_search_locations[0]
    for name, path in (("obp", folder), ("obp.policy", f"{folder}/policy"), ("torch", "")):
        sys.modules[name] = types.ModuleType(name)
        sys.modules[name].__path__ = [path]
    sys.modules["torch"].Tensor = sys.modules["torch"].tensor = type("Tensor", (), {})
    return importlib.import_module("obp.policy.linear")


def obp(algorithm, contexts, number):
    """The functions (choose, learn) of obp."""
    rows = with_ones(contexts)
    settings = {"epsilon": 1.0} if algorithm == "LinUCB" else {}
    bandit = getattr(obp_policy(), algorithm)(dim=rows.shape[1], n_actions=number, random_state=1, **settings)
    return (
        lambda t: int(bandit.select_action(rows[t : t + 1])[0]),
        lambda t, arm, reward: bandit.update_params(arm, reward, rows[t : t + 1]),
    )


def river(_, contexts, number):
    """The functions (choose, learn) of river."""
    from river.bandit import LinUCBDisjoint

    rows = [dict(enumerate(row)) for row in with_ones(contexts).tolist()]
    bandit, arms = LinUCBDisjoint(alpha=1.0, beta=1.0, seed=1), list(range(number))
    return lambda t: bandit.pull(arms, rows[t]), lambda t, arm, reward: bandit.update(arm, rows[t], reward)


def vowpalwabbit(algorithm, contexts, number):
    """The functions (choose, learn) of Vowpal Wabbit."""
    from vowpalwabbit import Workspace

    texts = ["| " + " ".join(f"{j}:{value:.6g}" for j, value in enumerate(row)) for row in contexts]
    option = "--squarecb" if algorithm == "squarecb" else "--cover 5"
    bandit, rng, last = Workspace(f"--cb_explore {number} {option} --quiet"), np.random.default_rng(1), [0.0]

    def choose(t):
        probabilities = bandit.predict(texts[t])
        place, arm = rng.random() * sum(probabilities), 0
        while arm < number - 1 and place >= probabilities[arm]:
            place -= probabilities[arm]
            arm += 1
        last[0] = probabilities[arm]
        return arm

    return choose, lambda t, arm, reward: bandit.learn(f"{arm + 1}:{-reward}:{last[0]} {texts[t]}")


def ours(algorithm, contexts, number):
    """The functions (choose, learn) of this library, called from Python."""
    from balanced_bandits.bandits import bandit_class

    bandit = bandit_class(algorithm)(number, contexts.shape[1], seed=1, criterion="fixed", lams=[1.0])
    return (
        lambda t: bandit.choose(contexts[t])[0],
        lambda t, arm, reward: bandit.update(contexts[t], arm, reward),
    )


def step_by_step(functions, algorithm, shape, seconds):
    """CPU microseconds per step of choosing and learning, after a few untimed steps; number of steps; mean reward."""
    contexts, rewards = problem(*shape)
    choose, learn = functions(algorithm, contexts, shape[2])
    total, start = 0.0, 0.0
    for t in range(len(contexts)):
        if t == 2 * shape[2]:
            start = time.process_time()
        arm = choose(t)
        learn(t, arm, rewards[t, arm])
        total += rewards[t, arm]
        if start and time.process_time() - start > seconds:
            break
    return (time.process_time() - start) / (t + 1 - 2 * shape[2]) * 1e6, t + 1, total / (t + 1)


def compiled(algorithm, shape, repetitions=5):
    """CPU microseconds per step of this library's compiled run, best of several; number of steps; mean reward."""
    from balanced_bandits.bandits import bandit_class

    contexts, rewards = problem(*shape)
    order, fixed = np.arange(len(contexts)), [{"criterion": "fixed", "lams": [1.0]}]
    next(bandit_class(algorithm).play(fixed, contexts, rewards, order[:50], [np.random.default_rng(1)]))
    best = np.inf
    for _ in range(repetitions):
        start = time.process_time()
        arms, *_ = next(bandit_class(algorithm).play(fixed, contexts, rewards, order, [np.random.default_rng(1)]))
        best = min(best, time.process_time() - start)
    return best / len(order) * 1e6, len(order), rewards[order, arms].mean()


def install(peer, folder):
    """The interpreter of the peer's environment, created if missing, and ""; or None and the reason for the failure."""
    uv, python = Path(sys.prefix) / "bin" / "uv", folder / peer / "bin" / "python"
    done = folder / peer / "installed"
    if done.exists():
        return python, ""
    calls = [[uv, "venv", "--quiet", "--clear", "--python", sys.executable, folder / peer]]
    calls += [[uv, "pip", "install", "--quiet", "--python", python, *packages] for packages in INSTALLS[peer]]
    for call in calls:
        try:
            result = subprocess.run([str(part) for part in call], capture_output=True, text=True, timeout=300)
        except subprocess.TimeoutExpired:
            return None, "not installed within 300 s"
        if result.returncode:
            return None, " ".join(result.stderr.split())[:300]
    done.touch()
    return python, ""


def main():
    """Install, play, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folder", type=Path, default=ROOT / ".peers", help="folder of the peers' environments")
    parser.add_argument("--seconds", type=float, default=5.0, help="CPU seconds after which a peer is stopped")
    parser.add_argument("--only", nargs="+", choices=sorted(INSTALLS), default=list(INSTALLS))
    parser.add_argument("--play", nargs=2, help=argparse.SUPPRESS)  # a peer and an algorithm, in the peer's environment
    given = parser.parse_args()
    if given.play:
        peer, algorithm = given.play
        for shape in SHAPES:
            print(json.dumps(step_by_step(globals()[peer], algorithm, shape, given.seconds)), flush=True)
        return

    best = {a: [compiled(a, shape) for shape in SHAPES] for a in ("LinUCB", "LinTS")}
    slowest_of_ours = [max(best[a][s][0] for a in best) for s in range(len(SHAPES))]
    print("CPU microseconds per step (and the ratio to our compiled run); (n, d, K) =")
    print(f"{'':29}" + "".join(f"{shape!s:>22}" for shape in SHAPES) + "   mean rewards")

    def line(name, algorithm, results):
        base = [row[0] for row in best[algorithm]] if algorithm in best else slowest_of_ours
        pairs = zip([row[0] for row in results], base, strict=False)
        cells = [f"{micros:11.1f} ({micros / mine:6.1f}x)".rjust(22) for micros, mine in pairs]
        earned = [f"{row[2]:6.2f}" for row in results]
        print(f"{name:19}{algorithm:10}{''.join(cells)}   {''.join(earned)}", flush=True)

    fastest = {}
    for algorithm, results in best.items():
        line("ours, compiled run", algorithm, results)
    for algorithm in best:
        step_by_step(ours, algorithm, (100, 5, 2), 60.0)
        line("ours, from Python", algorithm, [step_by_step(ours, algorithm, s, given.seconds) for s in SHAPES])
    for peer in given.only:
        python, reason = install(peer, given.folder.resolve())
        if python is None:
            print(f"{peer}: could not be installed: {reason}", flush=True)
            continue
        for algorithm in ALGORITHMS[peer]:
            call = [python, __file__, "--play", peer, algorithm, "--seconds", str(given.seconds)]
            run = subprocess.run([str(part) for part in call], capture_output=True, text=True)
            results = [json.loads(row) for row in run.stdout.splitlines() if row.startswith("[")]
            line(peer, algorithm, results)
            if run.returncode:
                print(f"    stopped: {(run.stderr.strip().splitlines() or ['no reason given'])[-1][:300]}")
            if algorithm not in OTHER_JOB:
                for shape, row in zip(SHAPES, results, strict=False):
                    fastest[algorithm, shape] = min(fastest.get((algorithm, shape), (np.inf, "")), (row[0], peer))
    print("\nThe algorithms of vowpalwabbit are different (gradient steps, no ridge regression): for orientation only;")
    print("its ratios are to the slower of our two. A peer that was stopped early has a lower mean reward.")
    print("\nOurs (compiled run) against the fastest peer with the same algorithm (target: at least 20x):")
    for (algorithm, shape), (micros, peer) in sorted(fastest.items()):
        ratio = micros / best[algorithm][SHAPES.index(shape)][0]
        print(f"{algorithm:8}{shape!s:>18}   {ratio:6.1f}x  {peer:20}{'' if ratio >= 20 else 'below the target'}")


if __name__ == "__main__":
    main()
