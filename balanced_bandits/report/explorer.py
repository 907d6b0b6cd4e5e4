"""What the explorer of the report shows: every bandit on every dataset, with its regret curve."""

import itertools
from collections.abc import Iterable
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.colors import to_hex
from numpy.typing import NDArray

from balanced_bandits.figures.style import TESTS, bandit_styles
from balanced_bandits.simulation.classification import spaced_rounds
from balanced_bandits.simulation.readings import ANY


def explorer(
    pairs: pd.DataFrame, runs: pd.DataFrame, datasets: pd.DataFrame, bandits: list[str], test: str
) -> dict[str, Any]:
    """Gather the data of the page's script, all of it in lists by dataset, in the order of ``datasets``.

    ``views``: for each reading and protocol, by bandit, the regret, the setting's name and the number of the curve; by
    pair of bandits (i < j, as "i,j"), the p-value of ``test``. ``curves``: wrong rounds so far, a mean over shuffles,
    at the rounds of the dataset; curves and lists of rounds that are the same are there once.
    """
    played = datasets[datasets["name"].isin(set(pairs["dataset"]))]
    names = played["name"].tolist()
    curves = _Curves(runs, bandits)
    views = []
    for (reading, protocol), of in pairs.groupby(["reading", "protocol"], sort=False):
        view: dict[str, Any] = {
            "reading": reading,
            "protocol": protocol,
            "regret": [],
            "setting": [],
            "curve": [],
            "p": {},
        }
        for bandit in bandits:
            own = of[of["row"] == bandit].drop_duplicates("dataset").set_index("dataset").loc[names]
            view["regret"].append([round(regret, 7) for regret in own["regret_row"]])
            chosen = list(zip(own["setting_row"], own["repeat_row"], strict=True))
            view["setting"].append([_words(setting, repeat) for setting, repeat in chosen])
            view["curve"].append([curves.number(name, bandit, str(reading), *run)
                                  for name, run in zip(names, chosen, strict=True)])  # fmt: skip
        for (i, row), (j, column) in itertools.combinations(enumerate(bandits), 2):
            own = of[(of["row"] == row) & (of["column"] == column)].set_index("dataset").loc[names]
            view["p"][f"{i},{j}"] = [float(f"{p:.3g}") for p in own[f"p_{test}"]]
        views.append(view)
    sizes = sorted(set(played["n"]))
    return {
        "bandits": bandits,
        "styles": [{"colour": to_hex(style["color"]), "dash": _dash(style["linestyle"])}
                   for style in bandit_styles(bandits).values()],
        "test": TESTS[test],
        "datasets": {key: played[key].tolist() for key in ("name", "n", "d", "K", "source", "family")},
        "rounds": [spaced_rounds(n).tolist() for n in sizes],
        "rounds_of": [sizes.index(n) for n in played["n"]],
        "views": views,
        "curves": curves.all,
    }  # fmt: skip


class _Curves:
    """The regret curves of the runs that are asked for, each once."""

    def __init__(self, runs: pd.DataFrame, bandits: list[str]):
        keys = ["dataset", "bandit", "reading", "setting", "repeat"]
        self.runs = runs
        self.where = runs.groupby(keys, sort=False).indices
        self.numbers: dict[Any, int] = {}
        self.all: list[list[float]] = []

    def number(self, dataset: str, bandit: str, reading: str, setting: str, repeat: int) -> int:
        key: Any = (dataset, bandit, reading, setting, repeat)
        if key not in self.where:  # a bandit that uses no variance has one reading
            key = (dataset, bandit, ANY, setting, repeat)
        if key not in self.numbers:
            self.numbers[key] = len(self.all)
            shuffles = self.runs.iloc[self.where[key]]
            self.all.append(_wrong(shuffles["correct"], int(shuffles["n"].iloc[0])))
        return self.numbers[key]


def _wrong(correct: Iterable[bytes], n: int) -> list[float]:
    """Wrong rounds so far at ``spaced_rounds(n)``, the mean over shuffles, given the packed bits of each."""
    right = [np.unpackbits(np.frombuffer(bits, dtype=np.uint8), count=n) for bits in correct]
    wrong: NDArray[np.float64] = np.cumsum(1 - np.array(right, dtype=np.int64), axis=1).mean(axis=0)
    return [round(number, 1) if number % 1 else int(number) for number in wrong[spaced_rounds(n) - 1].tolist()]


def _words(setting: str, repeat: int) -> str:
    """A setting, and which run of it where that is not the first.

    >>> _words("alpha=1", 0), _words("", 2)
    ('alpha=1', 'no setting, run 3')
    """
    return (setting or "no setting") + (f", run {repeat + 1}" if repeat else "")


def _dash(style: Any) -> str:
    """A line style of Matplotlib as a dash array of SVG."""
    named = {"-": "", "--": "7 3", ":": "2 3", "-.": "7 3 2 3"}
    return named[style] if isinstance(style, str) else " ".join(map(str, style[1]))
