"""Bandits of one's own: any class with two methods, named by its import path MODULE:CLASS.

    choose(x) -> arm              the arm for a context x (d,); or (arm, propensities), as the bandits here give
    update(x, arm, reward)        what came of it

Its constructor is given by name whatever it names of: ``n_arms``, ``n_features``, ``seed``, the parameters of its grid,
and the choices of the configuration (``lams``, ``intercept``, ...). Who plays the synthetic example needs an attribute
``coefficients`` (K, p) as well, the intercept first. A subclass of ``Bandit`` brings compiled loops and plays by them;
any other class is played a round at a time, in Python.
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
from balanced_bandits.errors import InputError


def own_class(path: str) -> Any:
    """What ``bandit_class`` gives for the import path of a class of one's own."""
    cls = import_class(path)
    return cls if issubclass(cls, Bandit) else Own(path, cls)


def import_class(path: str) -> type[Any]:
    """The class at MODULE:CLASS; modules are looked for where Python does, then in the working folder."""
    module, _, name = path.partition(":")
    if str(Path.cwd()) not in sys.path:
        sys.path.append(str(Path.cwd()))  # at the end, so that a file here hides no package
    try:
        imported = importlib.import_module(module)
    except Exception as error:  # whatever its code raises
        raise InputError(
            f"{path}: the module {module} can't be imported from {Path.cwd()} ({type(error).__name__}: {error})."
        ) from error
    cls = getattr(imported, name, None)
    if not inspect.isclass(cls):
        raise InputError(f"{path}: there is no class {name} in {imported.__file__}.")
    for method in ("choose", "update"):
        if not callable(getattr(cls, method, None)):
            raise InputError(
                f"{path}: the class has no method {method}; a bandit has choose(x) and update(x, arm, reward)."
            )
    return cls


def module_file(path: str) -> Path:
    """The file of the module in MODULE:CLASS."""
    import_class(path)
    return Path(inspect.getfile(sys.modules[path.partition(":")[0]])).resolve()


def check(path: str, setting: dict[str, Any], choices: dict[str, Any]) -> None:
    """Raise unless the class at MODULE:CLASS can be made with a setting of its grid and the choices of all bandits."""
    bandit = own_class(path)
    if isinstance(bandit, Own):
        bandit.check(setting, choices)
        return
    try:
        bandit.options(choices | setting)
    except ValueError as error:
        raise InputError(f"{path}: {error}") from error


class Own:
    """A class of one's own, with the faces that the simulation expects of a class of bandits."""

    def __init__(self, path: str, cls: type[Any]) -> None:
        self.path, self.cls = path, cls
        parameters = inspect.signature(cls).parameters.values()
        self._takes_all = any(parameter.kind is parameter.VAR_KEYWORD for parameter in parameters)
        self._names = {parameter.name for parameter in parameters}

    def check(self, setting: dict[str, Any], choices: dict[str, Any]) -> None:
        """Raise unless its constructor takes every parameter of the setting, and wants nothing that is not offered."""
        for name in setting:
            if not (self._takes_all or name in self._names):
                raise InputError(
                    f"{self.path}: its constructor has no parameter {name!r}, which its grid gives values for."
                )
        try:
            inspect.signature(self.cls).bind(**self._arguments(n_arms=2, n_features=1, seed=0, **choices | setting))
        except TypeError as error:
            raise InputError(
                f"{self.path}: its constructor can't be called ({error}); it is given what it names of n_arms, "
                "n_features, seed, the parameters of its grid and the choices of the configuration."
            ) from error

    def with_stream(self, rng: np.random.Generator, n_arms: int, n_features: int, choices: dict[str, Any]) -> Any:
        """A new bandit, whose seed comes from ``rng``."""
        seed = int(rng.integers(2**32))
        return self.cls(**self._arguments(n_arms=n_arms, n_features=n_features, seed=seed, **choices))

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
        """Whole runs, as ``Bandit.play``."""
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

    def _arguments(self, **offered: Any) -> dict[str, Any]:
        """What of all that is offered its constructor names."""
        return {name: value for name, value in offered.items() if self._takes_all or name in self._names}

    def _coefficients(self, bandit: Any, number: int, size: int) -> NDArray[np.float64]:
        """Its coefficients now; the greedy policy of the synthetic example is made of them."""
        theta = np.asarray(getattr(bandit, "coefficients", np.nan), dtype=float)
        if theta.shape != (number, size) or not np.isfinite(theta).all():
            raise InputError(
                f"{self.path}: the synthetic example asks for `coefficients`, finite numbers of shape "
                f"({number}, {size}): arms, then the intercept (unless the configuration has none) and the features."
            )
        return theta


def steps(
    bandit: Any,
    contexts: NDArray[np.float64],
    rewards: NDArray[np.float64],
    order: NDArray[np.int64],
    forced: NDArray[np.int64] | tuple[()] = (),
) -> Iterator[int]:
    """Play a bandit by its methods, a round at a time; yields the arm of each round when it has learnt from it."""
    for t, row in enumerate(order):
        x = contexts[row]
        arm = int(forced[t]) if t < len(forced) else _arm(bandit, bandit.choose(x.copy()), rewards.shape[1])
        bandit.update(x.copy(), arm, float(rewards[row, arm]))
        yield arm


def _arm(bandit: Any, answer: Any, number: int) -> int:
    """The arm in the answer of ``choose``: a whole number, or the first of a pair."""
    arm = answer[0] if isinstance(answer, tuple) and len(answer) == 2 else answer
    if isinstance(arm, int | np.integer) and not isinstance(arm, bool) and 0 <= arm < number:
        return int(arm)
    raise InputError(
        f"{type(bandit).__name__}.choose gave {answer!r}, but must give an arm, a whole number from 0 to {number - 1}, "
        "or an arm and the propensities of all arms."
    )
