"""A linear bandit by its choices' names, and as an object to use in one's own code."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from balanced_bandits.bandits.memory import ROUNDS, Memory, Options, new_memory
from balanced_bandits.estimation.penalty import CRITERIA
from balanced_bandits.estimation.propensity import METHODS
from balanced_bandits.estimation.ridge import VARIANCES, Model
from balanced_bandits.files import read_arrays, write_arrays

DEFAULTS: dict[str, Any] = {
    "alpha": 1.0,
    "gamma": 0.1,
    "intercept": "unpenalised",
    "lams": [1e-4, 1e-3, 1e-2, 1e-1, 1.0, 1e1, 1e2, 1e3, 1e4],
    "criterion": "loo",
    "folds": 5,
    "variance": "residual",
    "prior_weight": 0.1,
    "prior_variance": 0.25,
    "schedule": {"geometric": 0.05},
    "propensity": "exact",
    "draws": 100,
    "posteriors": 8,
    "logistic_c": 1.0,
    "logistic_tolerance": 1e-4,
}
INTERCEPTS = ("unpenalised", "penalised", "none")


def options_of(choices: dict[str, Any], *, balanced: bool = False, thompson: bool = False) -> Options:
    """The choices by name, with defaults for those not given, as the kernels take them.

    alpha           amount of exploration
    gamma           propensities below it count as gamma (balanced bandits)
    intercept       unpenalised, penalised, or none
    lams            the grid of penalties; criterion: loo, gcv, kfold (with folds), or fixed (one lam)
    variance        residual (with prior_weight and prior_variance) or literal; see ``ridge.Model``
    schedule        when lam and weights are refreshed: "every_step", {"batch": b} or {"geometric": rho}
    propensity      exact, monte_carlo (with draws) or assignment (Thompson sampling); posteriors: how many are kept
    logistic_c      C of the logistic regression (UCB); logistic_tolerance: largest gradient entry at which a fit ends
    """
    unknown = sorted(set(choices) - set(DEFAULTS))
    if unknown:
        raise ValueError(f"unknown choice {', '.join(unknown)}; known are {', '.join(DEFAULTS)}.")
    given = DEFAULTS | choices
    _one_of("intercept", given["intercept"], INTERCEPTS)
    for name, known in (("criterion", CRITERIA), ("variance", VARIANCES), ("propensity", METHODS)):
        _one_of(name, given[name], known)
    lams = np.array(sorted(given["lams"]), dtype=float)
    if lams.ndim != 1 or not lams.size or not (np.isfinite(lams) & (lams > 0)).all():
        raise ValueError(f"lams is {given['lams']!r}, but must be a list of finite numbers above 0.")
    if given["criterion"] == "fixed" and lams.size != 1:
        raise ValueError(f"lams is {given['lams']!r}, but the criterion 'fixed' takes exactly one.")
    for name, low, open_end in (
        ("alpha", 0.0, False), ("gamma", 0.0, True), ("prior_weight", 0.0, False), ("prior_variance", 0.0, True),
        ("folds", 2, False), ("draws", 1, False), ("posteriors", 2, False), ("logistic_c", 0.0, True),
        ("logistic_tolerance", 0.0, True),
    ):  # fmt: skip
        if not np.isfinite(given[name]) or given[name] < low or (open_end and given[name] == low):
            raise ValueError(f"{name} is {given[name]!r}, but must be {'above' if open_end else 'at least'} {low:g}.")
    if given["gamma"] > 1.0:
        raise ValueError(f"gamma is {given['gamma']!r}, but a propensity is at most 1.")
    batch, rho = _schedule(given["schedule"])
    model = Model(
        int(given["intercept"] == "unpenalised"),
        lams,
        CRITERIA[given["criterion"]],
        int(given["folds"]),
        VARIANCES[given["variance"]],
        float(given["prior_weight"]),
        float(given["prior_variance"]),
    )
    return Options(
        model,
        float(given["alpha"]),
        float(given["gamma"]),
        batch,
        rho,
        METHODS[given["propensity"]],
        int(given["draws"]),
        2 * (int(given["posteriors"]) // 2) if balanced and thompson and given["propensity"] != "assignment" else 0,
        balanced,
        float(given["logistic_c"]),
        float(given["logistic_tolerance"]),
        int(given["intercept"] != "none"),
    )


def _one_of(name: str, value: Any, known: Any) -> None:
    if value not in known:
        raise ValueError(f"{name} is {value!r}, but must be one of {', '.join(known)}.")


def _schedule(schedule: Any) -> tuple[int, float]:
    """A schedule by name as the numbers (batch, rho)."""
    if schedule == "every_step":
        return 1, 0.0
    if isinstance(schedule, dict) and len(schedule) == 1:
        kind, value = next(iter(schedule.items()))
        if kind == "batch" and value >= 1 and value == int(value):
            return int(value), 0.0
        if kind == "geometric" and 0.0 <= value < np.inf:
            return 1, float(value)
    raise ValueError(f"schedule is {schedule!r}, but must be 'every_step', {{'batch': b}} or {{'geometric': rho}}.")


def design(contexts: ArrayLike, intercept: str) -> NDArray[np.float64]:
    """Contexts (n, d) as the kernels take them: with a first column of ones, unless there is no intercept."""
    x = np.asarray(contexts, dtype=float)
    return np.ascontiguousarray(x if intercept == "none" else np.column_stack([np.ones(len(x)), x]))


class LinearBandit:
    """A linear bandit to use in one's own code: ``choose`` an arm, ``update`` with what came of it.

    Parameters
    ----------
    n_arms, n_features : int
        Number of arms, and of features of a context.
    seed : int
        Start of the bandit's own random stream.
    **choices
        See ``options_of``; the defaults are in ``DEFAULTS``.

    Examples
    --------
    >>> from balanced_bandits.bandits.lints import LinTS
    >>> bandit = LinTS(n_arms=2, n_features=1, seed=1, alpha=0.5)
    >>> for t in range(200):
    ...     x = [(t % 7) / 3 - 1]
    ...     arm, propensities = bandit.choose(x)
    ...     bandit.update(x, arm, reward=x[0] if arm == 1 else 0.0)
    >>> bandit.choose([1.0])[0], bandit.choose([-1.0])[0]
    (1, 0)

    """

    BALANCED: ClassVar[bool] = False
    THOMPSON: ClassVar[bool] = False
    _play: ClassVar[Any]
    _decide: ClassVar[Any]
    _propensities: ClassVar[Any]
    _learn: ClassVar[Any]

    def __init__(self, n_arms: int, n_features: int, *, seed: int = 0, **choices: Any) -> None:
        if n_arms < 1 or n_features < 1:
            raise ValueError(f"{n_arms} arms and {n_features} features; there must be one of each at least.")
        self.n_arms, self.n_features, self.seed = int(n_arms), int(n_features), seed
        self.choices = DEFAULTS | choices
        self._options = options_of(choices, balanced=self.BALANCED, thompson=self.THOMPSON)
        self._rng = np.random.default_rng(seed)
        size = self.n_features + (self.choices["intercept"] != "none")
        self._memory = Memory(*new_memory(64, self.n_arms, size, self._options))

    @classmethod
    def player(cls, choices: dict[str, Any]) -> Callable[..., tuple[NDArray[np.int64], NDArray[np.float64]]]:
        """The compiled loop over whole runs with these choices; see ``balanced_bandits.bandits.player``."""
        options = options_of(choices, balanced=cls.BALANCED, thompson=cls.THOMPSON)
        intercept = (DEFAULTS | choices)["intercept"]

        def play(contexts: Any, rewards: Any, order: Any, forced: Any, snapshots: Any, rng: Any) -> Any:
            record, memory = cls._play(design(contexts, intercept), rewards, order, forced, snapshots, options, rng)
            return memory.chosen, record.thetas

        return play

    def __repr__(self) -> str:
        rounds = int(self._memory.clock[ROUNDS])
        return f"{type(self).__name__}(n_arms={self.n_arms}, n_features={self.n_features}; {rounds} observations)"

    def choose(self, x: ArrayLike) -> tuple[int, NDArray[np.float64]]:
        """The arm for a context ``x`` (d,), and the probability with which each arm would have been chosen (K,)."""
        z = self._checked(x)
        arm, uniform = self._decide(self._memory, z, self._options, self._rng)
        return int(arm), self._propensities(self._memory, arm, uniform)

    def update(self, x: ArrayLike, arm: int, reward: float, *, uniform: bool = False) -> None:
        """Tell the reward of ``arm`` at context ``x`` (d,).

        ``uniform``: the arm was not chosen by this bandit but assigned uniformly at random, as in a warm start.
        """
        z = self._checked(x)
        if isinstance(arm, bool) or int(arm) != arm or not 0 <= arm < self.n_arms:
            raise ValueError(f"arm is {arm!r}, but must be a whole number from 0 to {self.n_arms - 1}.")
        if not np.isfinite(reward):
            raise ValueError(f"reward is {reward!r}, but must be a finite number.")
        if self._memory.clock[ROUNDS] == len(self._memory.rows):
            self._grow()
        uniform = uniform or bool(self._memory.arms.pulls.min() == 0)
        self._learn(self._memory, z, int(arm), float(reward), uniform, self._options, self._rng)

    @property
    def coefficients(self) -> NDArray[np.float64]:
        """Estimated coefficients of each arm (K, p), the intercept first."""
        theta: NDArray[np.float64] = self._memory.arms.theta.copy()
        return theta

    @property
    def penalties(self) -> NDArray[np.float64]:
        """The penalty lambda in force for each arm (K,)."""
        lam: NDArray[np.float64] = self._memory.arms.lam.copy()
        return lam

    def save(self, path: str | Path) -> None:
        """Write the bandit to an npz file: arrays and JSON, nothing that is executed when read."""
        record = {
            "bandit": type(self).__name__,
            "n_arms": self.n_arms,
            "n_features": self.n_features,
            "seed": self.seed,
            "choices": self.choices,
            "rng": self._rng.bit_generator.state,
        }
        write_arrays(Path(path), record, **_flattened(self._memory))

    @classmethod
    def load(cls, path: str | Path) -> Self:
        """Read what ``save`` wrote; the bandit goes on exactly where it was."""
        record, arrays = read_arrays(Path(path))
        if record["bandit"] != cls.__name__:
            raise ValueError(f"{path} holds a {record['bandit']}, not a {cls.__name__}.")
        bandit = cls(record["n_arms"], record["n_features"], seed=record["seed"], **record["choices"])
        bandit._memory = _unflattened(bandit._memory, arrays)
        bandit._rng.bit_generator.state = record["rng"]
        return bandit

    def _checked(self, x: ArrayLike) -> NDArray[np.float64]:
        z = np.asarray(x, dtype=float)
        if z.shape != (self.n_features,):
            raise ValueError(f"a context has shape {z.shape}, but must have shape ({self.n_features},).")
        if not np.isfinite(z).all():
            raise ValueError("a context has entries that are not finite; fill or drop missing values first.")
        row: NDArray[np.float64] = design(z[None], self.choices["intercept"])[0]
        return row

    def _grow(self) -> None:
        """Make room for as many observations again."""
        longer: Any = {}
        for name in ("rows", "chosen", "rewards", "weights", "shares"):
            array = getattr(self._memory, name)
            longer[name] = np.concatenate([array, np.zeros_like(array)])
        self._memory = self._memory._replace(**longer)


def _flattened(memory: Memory) -> dict[str, NDArray[Any]]:
    """The arrays of a memory by name, those of its parts under the part's name."""
    arrays: dict[str, NDArray[Any]] = {}
    part: Any
    for name, part in memory._asdict().items():
        if isinstance(part, tuple):
            arrays |= {f"{name}.{inner}": array for inner, array in part._asdict().items()}  # type: ignore[attr-defined]
        else:
            arrays[name] = part
    return arrays


def _unflattened(like: Memory, arrays: dict[str, NDArray[Any]]) -> Memory:
    """Undo ``_flattened``."""
    parts: dict[str, Any] = {}
    part: Any
    for name, part in like._asdict().items():
        if isinstance(part, tuple):
            parts[name] = type(part)(*(arrays[f"{name}.{inner}"] for inner in part._fields))  # type: ignore[attr-defined]
        else:
            parts[name] = arrays[name]
    return Memory(**parts)
