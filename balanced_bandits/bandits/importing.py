"""Bandits by import path MODULE:CLASS: those of this package, and any user-defined class with two methods.

    choose(x) -> arm              the arm for a context x (d,); or (arm, propensities), as the bandits here return
    update(x, arm, reward)        the observed reward

The constructor of such a class receives, by name, those of its parameters that are among ``n_arms``, ``n_features``,
``seed``, the parameters of its grid, and the choices of the configuration (``lams``, ``intercept``, ...). To play the
synthetic example, the class needs an attribute ``coefficients`` (K, p), the intercept first. A subclass of ``Bandit``
is played by its compiled loops; any other class is played one round at a time, in Python.
"""

import importlib
import inspect
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from balanced_bandits.bandits.base import Bandit, Run, check_rounds
from balanced_bandits.core.errors import InputError


def bandit_at(path: str) -> Any:
    """The class at MODULE:CLASS; an ``Adapter`` adds ``with_stream`` and ``play`` to a user-defined class."""
    cls = import_class(path)
    return cls if issubclass(cls, Bandit) else Adapter(path, cls)


def import_class(path: str) -> type[Any]:
    """The class at MODULE:CLASS; modules are searched on Python's path, then in the working folder."""
    module, _, name = path.partition(":")
    if str(Path.cwd()) not in sys.path:
        sys.path.append(str(Path.cwd()))  # at the end, so that no file here hides a package
    try:
        imported = importlib.import_module(module)
    except Exception as error:  # the module's code may raise anything
        raise InputError(
            f"{path}: the module {module} can't be imported from {Path.cwd()} ({type(error).__name__}: {error})."
        ) from error
    cls = getattr(imported, name, None)
    if not inspect.isclass(cls):
        raise InputError(f"{path}: there is no class {name} in {imported.__file__}.")
    for method in ("choose", "update"):
        if not callable(getattr(cls, method, None)):
            raise InputError(
                f"{path}: the class has no method {method}; a bandit needs choose(x) and update(x, arm, reward)."
            )
    return cls


def module_file(path: str) -> Path:
    """The file of the module in MODULE:CLASS."""
    import_class(path)
    return Path(inspect.getfile(sys.modules[path.partition(":")[0]])).resolve()


def check(path: str, setting: dict[str, Any], choices: dict[str, Any]) -> None:
    """Raise unless the class at MODULE:CLASS accepts a setting of its grid and the choices of the configuration."""
    bandit = bandit_at(path)
    if isinstance(bandit, Adapter):
        bandit.check(setting, choices)
        return
    try:
        bandit.options(taken(path, choices) | setting)
    except (TypeError, ValueError) as error:
        raise InputError(f"{path}: {error}") from error


def taken(path: str, choices: dict[str, Any]) -> dict[str, Any]:
    """The choices of the configuration that are passed to the class at MODULE:CLASS."""
    bandit = bandit_at(path)
    if isinstance(bandit, Adapter):
        return choices  # the adapter passes on those that the constructor names
    return {name: value for name, value in choices.items() if name in bandit.parameters()}


class Adapter:
    """Gives a user-defined class the methods that the simulation expects of a bandit class."""

    def __init__(self, path: str, cls: type[Any]) -> None:
        self.path, self.cls = path, cls
        parameters = inspect.signature(cls).parameters.values()
        self._takes_all = any(parameter.kind is parameter.VAR_KEYWORD for parameter in parameters)
        self._names = {parameter.name for parameter in parameters}

    def check(self, setting: dict[str, Any], choices: dict[str, Any]) -> None:
        """Raise unless the constructor takes every parameter of the setting and requires only available arguments."""
        for name in setting:
            if not (self._takes_all or name in self._names):
                raise InputError(
                    f"{self.path}: its constructor has no parameter {name!r}, but its grid has values for it."
                )
        try:
            inspect.signature(self.cls).bind(
                **self.taken({"n_arms": 2, "n_features": 1, "seed": 0} | choices | setting)
            )
        except TypeError as error:
            raise InputError(
                f"{self.path}: its constructor can't be called ({error}); the available arguments are n_arms, "
                "n_features, seed, the parameters of its grid and the choices of the configuration."
            ) from error

    def with_stream(self, rng: np.random.Generator, n_arms: int, n_features: int, choices: dict[str, Any]) -> Any:
        """A new bandit with a seed drawn from ``rng``."""
        seed = int(rng.integers(2**32))
        return self.cls(**self.taken({"n_arms": n_arms, "n_features": n_features, "seed": seed} | choices))

    def play(
        self,
        settings: Iterable[dict[str, Any]],
        contexts: ArrayLike,
        rewards: ArrayLike,
        order: ArrayLike,
        streams: Iterable[np.random.Generator],
        *,
        forced: ArrayLike = (),
        snapshots: ArrayLike = (),
    ) -> Iterator[Run]:
        """Play whole runs; see ``Bandit.play``."""
        x, r = np.asarray(contexts, dtype=float), np.asarray(rewards, dtype=float)
        rounds, warm, times = (np.asarray(given, dtype=np.int64) for given in (order, forced, snapshots))
        check_rounds(x, r, rounds, warm)
        number, features = r.shape[1], x.shape[1]
        for choices, rng in zip(settings, streams, strict=True):
            bandit = self.with_stream(rng, number, features, choices)
            size = features + (choices.get("intercept") != "none")
            arms, thetas = np.empty(len(rounds), dtype=np.int64), np.zeros((len(times), number, size))
            played = steps(bandit, x, r, rounds, warm)
            for t in range(len(rounds) + 1):
                if (times == t).any():
                    thetas[times == t] = self._coefficients(bandit, number, size)
                if t < len(rounds):
                    arms[t] = next(played)
            yield Run(arms, thetas, np.full(number, np.nan), np.nan)

    def taken(self, offered: dict[str, Any]) -> dict[str, Any]:
        """Those of the offered arguments that the constructor names."""
        return {name: value for name, value in offered.items() if self._takes_all or name in self._names}

    def _coefficients(self, bandit: Any, number: int, size: int) -> NDArray[np.float64]:
        """The current coefficients, which define the greedy policy in the synthetic example."""
        theta = np.asarray(getattr(bandit, "coefficients", np.nan), dtype=float)
        if theta.shape != (number, size) or not np.isfinite(theta).all():
            raise InputError(
                f"{self.path}: the synthetic example needs `coefficients`, finite numbers of shape ({number}, {size}): "
                "one row per arm, the intercept (unless the configuration has none) before the features."
            )
        return theta


def steps(
    bandit: Any,
    contexts: NDArray[np.float64],
    rewards: NDArray[np.float64],
    order: NDArray[np.int64],
    forced: NDArray[np.int64] | tuple[()] = (),
) -> Iterator[int]:
    """Play a bandit one round at a time; yields the arm of each round after the update."""
    for t, row in enumerate(order):
        x = contexts[row]
        arm = int(forced[t]) if t < len(forced) else _arm(bandit, bandit.choose(x.copy()), rewards.shape[1])
        bandit.update(x.copy(), arm, float(rewards[row, arm]))
        yield arm


def _arm(bandit: Any, answer: Any, number: int) -> int:
    """The arm in the return value of ``choose``: an integer, or the first of a pair."""
    arm = answer[0] if isinstance(answer, tuple) and len(answer) == 2 else answer
    if isinstance(arm, int | np.integer) and not isinstance(arm, bool) and 0 <= arm < number:
        return int(arm)
    raise InputError(
        f"{type(bandit).__name__}.choose returned {answer!r}, but must return an arm (an integer from 0 to "
        f"{number - 1}), or a pair of an arm and the propensities of all arms."
    )
