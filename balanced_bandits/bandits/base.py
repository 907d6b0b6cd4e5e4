"""The base class of all bandits: their interface for use in other programs."""

import html
import inspect
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from balanced_bandits.bandits.loop import ROUNDS, Loops
from balanced_bandits.bandits.parameters import PARAMETERS, Parameter, check_names, checked, in_numpydoc
from balanced_bandits.core.files import read_arrays, write_arrays

SIZES = ("n_arms", "n_features")


def design(contexts: ArrayLike, intercept: str) -> NDArray[np.float64]:
    """Contexts (n, d) in the form that the kernels take: with a leading column of ones if there is an intercept."""
    x = np.asarray(contexts, dtype=float)
    return np.ascontiguousarray(x if intercept == "none" else np.column_stack([np.ones(len(x)), x]))


class Run(NamedTuple):
    """The results of a whole run."""

    arms: NDArray[np.int64]  # (rounds,): the arm of each round
    coefficients: NDArray[np.float64]  # (snapshots, K, p): the intercept first, if there is one
    penalties: NDArray[np.float64]  # (K,): final penalty lambda of each arm; NaN for bandits without one
    clipped: float  # share of rounds whose final propensity is below gamma; NaN for bandits without propensities


class Bandit:
    """A contextual bandit: ``choose`` an arm, then ``update`` with its reward.

    Examples
    --------
    >>> from balanced_bandits import LinTS
    >>> bandit = LinTS(n_arms=2, n_features=1, seed=1, alpha=1.0)
    >>> for t in range(200):
    ...     x = [(t % 7) / 3 - 1]
    ...     arm, propensities = bandit.choose(x)
    ...     bandit.update(x, arm, reward=x[0] if arm == 1 else 0.0)
    >>> bandit.choose([1.0])[0], bandit.choose([-1.0])[0]
    (1, 0)

    """

    PARAMETERS: ClassVar[Mapping[str, Parameter]] = PARAMETERS
    LOOPS: ClassVar[Loops]
    _propensities: ClassVar[Any]
    _new_memory: ClassVar[Any]

    def __init_subclass__(cls, **keywords: Any) -> None:
        """Add a Parameters section to the docstring of a class that defines a constructor."""
        super().__init_subclass__(**keywords)
        if "__init__" in vars(cls) and cls.__doc__:
            cls.__doc__ = f"{inspect.cleandoc(cls.__doc__)}\n\n{in_numpydoc(cls)}"

    def __new__(cls, *arguments: Any, **keywords: Any) -> Self:
        """Reject keywords that the constructor does not have, and suggest the closest one that it has."""
        check_names(cls.__name__, keywords, [*SIZES, "seed", *cls.parameters()])
        return super().__new__(cls)

    @classmethod
    def parameters(cls) -> tuple[str, ...]:
        """The names of the constructor's parameters, except n_arms, n_features and seed."""
        given = ("self", *SIZES, "seed")
        return tuple(name for name in inspect.signature(cls.__init__).parameters if name not in given)

    @classmethod
    def checked(cls, choices: Mapping[str, Any]) -> dict[str, Any]:
        """All parameters by name, with defaults for those missing from ``choices``; raises for invalid values."""
        return checked(cls.__name__, choices, {name: cls.PARAMETERS[name] for name in cls.parameters()})

    @classmethod
    def options(cls, choices: Mapping[str, Any]) -> Any:
        """The parameters in the form that the kernels take."""
        return cls._options(cls.checked(choices))

    @classmethod
    def _options(cls, values: dict[str, Any]) -> Any:
        """The same as ``options``, for parameters that are already checked and complete."""
        raise NotImplementedError

    def _start(self, arguments: Mapping[str, Any]) -> None:
        """Initialise from the ``locals()`` of the constructor, so that no argument is forgotten or mixed up."""
        self.n_arms, self.n_features = (_whole(name, arguments[name], 1) for name in SIZES)
        self.choices = self.checked({name: arguments[name] for name in self.parameters()})
        self.seed = _whole("seed", arguments["seed"], 0)
        self._options_ = self._options(self.choices)
        self._rng = np.random.default_rng(self.seed)
        size = self.n_features + (self.choices["intercept"] != "none")
        self._memory: Any = self._new_memory(64, self.n_arms, size, self._options_)

    @classmethod
    def with_stream(cls, rng: np.random.Generator, n_arms: int, n_features: int, choices: Mapping[str, Any]) -> Self:
        """A new bandit with the random stream ``rng``; it makes the same choices as ``play`` with that stream."""
        bandit = cls(n_arms, n_features, **choices)
        bandit._rng = rng
        return bandit

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
        """Play whole runs in compiled code, one per setting, all on the same rounds.

        Parameters
        ----------
        settings
            The parameters of each run, by name.
        contexts : (n, d)
            The contexts.
        rewards : (n, K)
            The rewards of all arms; the bandit observes only the reward of the arm it chooses.
        order : (rounds,)
            The rows in the order of play.
        streams
            One random stream per run.
        forced
            Arms of the first rounds, as in a warm start; assigned uniformly at random, not chosen by the bandit.
        snapshots
            Numbers of rounds after which to record the coefficients, in ascending order.

        Yields
        ------
        run : Run
            One per setting.

        """
        x, r = np.asarray(contexts, dtype=float), np.ascontiguousarray(rewards, dtype=float)
        rounds, warm, times = (np.asarray(given, dtype=np.int64) for given in (order, forced, snapshots))
        check_rounds(x, r, rounds, warm)
        if (np.diff(times, prepend=0) < 0).any():
            raise ValueError("snapshots must be non-negative and in ascending order.")
        rows: dict[str, NDArray[np.float64]] = {}
        for choices, rng in zip(settings, streams, strict=True):
            values = cls.checked(choices)
            options, intercept = cls._options(values), values["intercept"]
            if intercept not in rows:
                rows[intercept] = design(x, intercept)
            record, memory = cls.LOOPS.play(rows[intercept], r, rounds, warm, times, options, rng)
            yield Run(memory.chosen, record.thetas, *cls._account(memory, options))

    @classmethod
    def _account(cls, memory: Any, options: Any) -> tuple[NDArray[np.float64], float]:
        """The penalties at the end of a run, and the share of rounds whose propensity was clipped."""
        return np.full(memory.arms.pulls.size, np.nan), np.nan

    def __repr__(self) -> str:
        """The constructor call with all parameters that are not at their defaults, and the number of observations."""
        given = {"n_arms": self.n_arms, "n_features": self.n_features} | ({"seed": self.seed} if self.seed else {})
        usual = self.checked({})
        given |= {name: value for name, value in self.choices.items() if value != usual[name]}
        rounds = int(self._memory.clock[ROUNDS])
        made = ", ".join(f"{name}={value!r}" for name, value in given.items())
        return f"{type(self).__name__}({made}; {rounds} observation{'s' * (rounds != 1)})"

    def _repr_html_(self) -> str:
        """For notebooks: ``repr`` and a table of the arms."""
        columns = self._arm_facts()
        head = "".join(f"<th>{name}</th>" for name in ("arm", *columns))
        rows = enumerate(zip(*columns.values(), strict=True))
        body = "".join(f"<tr><th>{a}</th>{''.join(f'<td>{fact:g}</td>' for fact in facts)}</tr>" for a, facts in rows)
        return f"<code>{html.escape(repr(self))}</code><table><tr>{head}</tr>{body}</table>"

    def _arm_facts(self) -> dict[str, NDArray[Any]]:
        """The columns (K,) of the table of arms, by name."""
        return {"observations": self._memory.arms.pulls}

    def choose(self, x: ArrayLike) -> tuple[int, NDArray[np.float64]]:
        """Return the arm for a context ``x`` (d,), and the probability of choosing each arm (K,)."""
        z = self._checked(x)
        arm, uniform = self.LOOPS.decide(self._memory, z, self._options_, self._rng)
        return int(arm), self._propensities(self._memory, arm, uniform, self._options_)

    def update(self, x: ArrayLike, arm: int, reward: float, *, uniform: bool = False) -> None:
        """Learn from the reward of ``arm`` at context ``x`` (d,).

        ``uniform``: the arm was not chosen by this bandit but assigned uniformly at random, as in a warm start.
        """
        z = self._checked(x)
        if isinstance(arm, bool) or not isinstance(arm, int | np.integer) or not 0 <= arm < self.n_arms:
            raise ValueError(f"arm is {arm!r}, but must be an integer from 0 to {self.n_arms - 1}.")
        if not isinstance(reward, int | float | np.number) or not np.isfinite(reward):
            raise ValueError(f"reward is {reward!r}, but must be a finite number.")
        if self._memory.clock[ROUNDS] == len(self._memory.rows):
            self._grow()
        uniform = uniform or self._is_uniform()
        self.LOOPS.learn(self._memory, z, int(arm), float(reward), uniform, self._options_, self._rng)

    @property
    def coefficients(self) -> NDArray[np.float64]:
        """The estimated coefficients of each arm (K, p), the intercept first."""
        theta: NDArray[np.float64] = self._memory.arms.theta.copy()
        return theta

    def save(self, path: str | Path) -> None:
        """Write the bandit to an npz file of arrays and JSON; reading it executes no code."""
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
        """Read a bandit that ``save`` wrote; it continues exactly where it stopped."""
        record, arrays = read_arrays(Path(path))
        if record["bandit"] != cls.__name__:
            raise ValueError(f"{path} holds a {record['bandit']}, not a {cls.__name__}.")
        bandit = cls(record["n_arms"], record["n_features"], seed=record["seed"], **record["choices"])
        bandit._memory = _unflattened(bandit._memory, arrays)
        bandit._rng.bit_generator.state = record["rng"]
        return bandit

    def _is_uniform(self) -> bool:
        """Whether arms are still chosen uniformly because one of them has no estimate yet."""
        return bool(self._memory.arms.pulls.min() == 0)

    def _checked(self, x: ArrayLike) -> NDArray[np.float64]:
        try:
            z = np.asarray(x, dtype=float)
        except (TypeError, ValueError) as error:
            raise ValueError(f"the context is {x!r}, but must be a sequence of {self.n_features} numbers.") from error
        if z.shape != (self.n_features,):
            raise ValueError(f"the context has shape {z.shape}, but must have shape ({self.n_features},).")
        if not np.isfinite(z).all():
            raise ValueError("the context has entries that are not finite; impute or drop missing values first.")
        row: NDArray[np.float64] = design(z[None], self.choices["intercept"])[0]
        return row

    def _grow(self) -> None:
        """Double the capacity for observations."""
        longer: Any = {}
        for name in self._memory.HISTORY:
            array = getattr(self._memory, name)
            longer[name] = np.concatenate([array, np.zeros_like(array)])
        self._memory = self._memory._replace(**longer)


def _whole(name: str, value: Any, least: int) -> int:
    """An argument as an int; raises unless it is an integer of at least ``least``."""
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < least:
        raise ValueError(f"{name} is {value!r}, but must be an integer of at least {least}.")
    return int(value)


def check_rounds(
    contexts: NDArray[np.float64],
    rewards: NDArray[np.float64],
    order: NDArray[np.int64],
    forced: NDArray[np.int64],
) -> None:
    """Raise unless the rounds can be played; the compiled loops check nothing."""
    if contexts.ndim != 2 or rewards.ndim != 2 or len(contexts) != len(rewards) or not rewards.size:
        raise ValueError(f"contexts {contexts.shape} and rewards {rewards.shape} must have shapes (n, d) and (n, K).")
    if not (np.isfinite(contexts).all() and np.isfinite(rewards).all()):
        raise ValueError("contexts or rewards have entries that are not finite; impute or drop missing values first.")
    for name, given, end in (("order", order, len(contexts)), ("forced", forced, rewards.shape[1])):
        if given.ndim != 1 or (given.size and not (given.min() >= 0 and given.max() < end)):
            raise ValueError(f"{name} must be a list of integers from 0 to {end - 1}.")
    if len(forced) > len(order):
        raise ValueError(f"forced has {len(forced)} arms, but order has only {len(order)} rounds.")


def _flattened(memory: Any) -> dict[str, NDArray[Any]]:
    """The arrays of a memory by name; arrays of a part are named PART.ARRAY."""
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
