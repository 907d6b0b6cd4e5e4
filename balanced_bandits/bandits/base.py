"""What every bandit is to people who use it in their own code."""

import html
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from balanced_bandits.bandits.loop import ROUNDS, Loops
from balanced_bandits.files import read_arrays, write_arrays


def design(contexts: ArrayLike, intercept: str) -> NDArray[np.float64]:
    """Contexts (n, d) as the kernels take them: with a first column of ones, unless there is no intercept."""
    x = np.asarray(contexts, dtype=float)
    return np.ascontiguousarray(x if intercept == "none" else np.column_stack([np.ones(len(x)), x]))


class Run(NamedTuple):
    """What a compiled run leaves."""

    arms: NDArray[np.int64]  # (rounds,): the arm of each round
    coefficients: NDArray[np.float64]  # (snapshots, K, p): the intercept first, if there is one
    penalties: NDArray[np.float64]  # (K,): the penalty lambda of each arm at the end; NaN for a bandit without
    clipped: (
        float  # share of the rounds whose propensity is below gamma at the end; NaN for a bandit that is not balanced
    )


class Bandit:
    """A bandit to use in one's own code: ``choose`` an arm, ``update`` with what came of it.

    Parameters
    ----------
    n_arms, n_features : int
        Number of arms, and of features of a context.
    seed : int
        Start of the bandit's own random stream.
    **choices
        The bandit's own; ``CHOICES`` of its class holds the defaults.

    Examples
    --------
    >>> from balanced_bandits.bandits.lints import LinTS
    >>> bandit = LinTS(n_arms=2, n_features=1, seed=1, alpha=1.0)
    >>> for t in range(200):
    ...     x = [(t % 7) / 3 - 1]
    ...     arm, propensities = bandit.choose(x)
    ...     bandit.update(x, arm, reward=x[0] if arm == 1 else 0.0)
    >>> bandit.choose([1.0])[0], bandit.choose([-1.0])[0]
    (1, 0)

    """

    CHOICES: ClassVar[dict[str, Any]]
    LOOPS: ClassVar[Loops]
    _propensities: ClassVar[Any]
    _new_memory: ClassVar[Any]

    def __init__(self, n_arms: int, n_features: int, *, seed: int = 0, **choices: Any) -> None:
        if n_arms < 1 or n_features < 1:
            raise ValueError(f"{n_arms} arms and {n_features} features; there must be one of each at least.")
        self.n_arms, self.n_features, self.seed = int(n_arms), int(n_features), seed
        self._options = self.options(choices)
        self.choices = self.CHOICES | choices
        self._rng = np.random.default_rng(seed)
        size = self.n_features + (self.choices["intercept"] != "none")
        self._memory: Any = self._new_memory(64, self.n_arms, size, self._options)

    @classmethod
    def with_stream(cls, rng: np.random.Generator, n_arms: int, n_features: int, choices: dict[str, Any]) -> Self:
        """A new bandit with the random stream ``rng``: it chooses what ``play`` does with that stream."""
        bandit = cls(n_arms, n_features, **choices)
        bandit._rng = rng
        return bandit

    @classmethod
    def options(cls, choices: dict[str, Any]) -> Any:
        """The choices by name, with defaults for those not given, as the kernels take them."""
        raise NotImplementedError

    @classmethod
    def play(
        cls,
        settings: Iterable[dict[str, Any]],
        contexts: ArrayLike,
        rewards: ArrayLike,
        order: ArrayLike,
        streams: Iterable[np.random.Generator],
        *,
        forced: ArrayLike = (),
        snapshots: ArrayLike = (),
    ) -> Iterator[Run]:
        """Whole compiled runs on the same rounds, one after the other.

        Parameters
        ----------
        settings
            Choices by name, for each of the runs.
        contexts : (n, d)
            The contexts that there are.
        rewards : (n, K)
            Rewards of all arms, of which the bandit sees that of the arm it chooses.
        order : (rounds,)
            The rows in the order of play.
        streams
            A random stream for each of the runs.
        forced
            Arms of the first rounds, as in a warm start; assigned uniformly at random, not by the bandit.
        snapshots
            Ascending numbers of rounds after which the coefficients are kept.

        Yields
        ------
        run : Run
            For each of the settings.

        """
        x, r = np.asarray(contexts, dtype=float), np.ascontiguousarray(rewards, dtype=float)
        rounds, warm, times = (np.asarray(given, dtype=np.int64) for given in (order, forced, snapshots))
        check_rounds(x, r, rounds, warm)
        if (np.diff(times, prepend=0) < 0).any():
            raise ValueError("snapshots must ascend from 0 on.")
        rows: dict[str, NDArray[np.float64]] = {}
        for choices, rng in zip(settings, streams, strict=True):
            options, intercept = cls.options(choices), (cls.CHOICES | choices)["intercept"]
            if intercept not in rows:
                rows[intercept] = design(x, intercept)
            record, memory = cls.LOOPS.play(rows[intercept], r, rounds, warm, times, options, rng)
            yield Run(memory.chosen, record.thetas, *cls._account(memory, options))

    @classmethod
    def _account(cls, memory: Any, options: Any) -> tuple[NDArray[np.float64], float]:
        """The penalties at the end of a run, and the share of its rounds whose propensity was clipped."""
        return np.full(memory.arms.pulls.size, np.nan), np.nan

    def __repr__(self) -> str:
        """As it was made, with the choices that are not the defaults, and what it has seen."""
        given = {"n_arms": self.n_arms, "n_features": self.n_features} | ({"seed": self.seed} if self.seed else {})
        given |= {name: self.choices[name] for name, usual in self.CHOICES.items() if self.choices[name] != usual}
        rounds = int(self._memory.clock[ROUNDS])
        made = ", ".join(f"{name}={value!r}" for name, value in given.items())
        return f"{type(self).__name__}({made}; {rounds} observation{'s' * (rounds != 1)})"

    def _repr_html_(self) -> str:
        """For notebooks: the same, and a table of the arms."""
        columns = self._arm_facts()
        head = "".join(f"<th>{name}</th>" for name in ("arm", *columns))
        rows = enumerate(zip(*columns.values(), strict=True))
        body = "".join(f"<tr><th>{a}</th>{''.join(f'<td>{fact:g}</td>' for fact in facts)}</tr>" for a, facts in rows)
        return f"<code>{html.escape(repr(self))}</code><table><tr>{head}</tr>{body}</table>"

    def _arm_facts(self) -> dict[str, NDArray[Any]]:
        """What is shown of each arm, (K,) by name."""
        return {"observations": self._memory.arms.pulls}

    def choose(self, x: ArrayLike) -> tuple[int, NDArray[np.float64]]:
        """The arm for a context ``x`` (d,), and the probability with which each arm would have been chosen (K,)."""
        z = self._checked(x)
        arm, uniform = self.LOOPS.decide(self._memory, z, self._options, self._rng)
        return int(arm), self._propensities(self._memory, arm, uniform, self._options)

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
        uniform = uniform or self._is_uniform()
        self.LOOPS.learn(self._memory, z, int(arm), float(reward), uniform, self._options, self._rng)

    @property
    def coefficients(self) -> NDArray[np.float64]:
        """Estimated coefficients of each arm (K, p), the intercept first."""
        theta: NDArray[np.float64] = self._memory.arms.theta.copy()
        return theta

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

    def _is_uniform(self) -> bool:
        """Whether arms are chosen uniformly still, because one has no estimate yet."""
        return bool(self._memory.arms.pulls.min() == 0)

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
        for name in self._memory.HISTORY:
            array = getattr(self._memory, name)
            longer[name] = np.concatenate([array, np.zeros_like(array)])
        self._memory = self._memory._replace(**longer)


def check_rounds(
    contexts: NDArray[np.float64],
    rewards: NDArray[np.float64],
    order: NDArray[np.int64],
    forced: NDArray[np.int64],
) -> None:
    """Raise unless these are rounds that compiled loops, which check nothing, can play."""
    if contexts.ndim != 2 or rewards.ndim != 2 or len(contexts) != len(rewards) or not rewards.size:
        raise ValueError(f"contexts {contexts.shape} and rewards {rewards.shape} must have shapes (n, d) and (n, K).")
    if not (np.isfinite(contexts).all() and np.isfinite(rewards).all()):
        raise ValueError("contexts or rewards have entries that are not finite; fill or drop missing values first.")
    for name, given, end in (("order", order, len(contexts)), ("forced", forced, rewards.shape[1])):
        if given.ndim != 1 or (given.size and not (given.min() >= 0 and given.max() < end)):
            raise ValueError(f"{name} must be a list of whole numbers from 0 to {end - 1}.")
    if len(forced) > len(order):
        raise ValueError(f"{len(forced)} forced arms for {len(order)} rounds.")


def _flattened(memory: Any) -> dict[str, NDArray[Any]]:
    """The arrays of a memory by name, those of its parts under the part's name."""
    arrays: dict[str, NDArray[Any]] = {}
    for name, part in memory._asdict().items():
        if isinstance(part, tuple):
            arrays |= {f"{name}.{inner}": array for inner, array in part._asdict().items()}  # type: ignore[attr-defined]
        else:
            arrays[name] = part
    return arrays


def _unflattened(like: Any, arrays: dict[str, NDArray[Any]]) -> Any:
    """Undo ``_flattened``."""
    parts: dict[str, Any] = {}
    for name, part in like._asdict().items():
        if isinstance(part, tuple):
            parts[name] = type(part)(*(arrays[f"{name}.{inner}"] for inner in part._fields))  # type: ignore[attr-defined]
        else:
            parts[name] = arrays[name]
    return like._replace(**parts)
