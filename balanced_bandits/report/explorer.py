"""What the explorer of the report shows: every bandit on every dataset, with its regret curve."""

import itertools
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.colors import to_hex

from balanced_bandits.analysis.classification.protocols import ALL_SETTINGS
from balanced_bandits.environments.classification import spaced_rounds
from balanced_bandits.figures.style import bandit_styles
from balanced_bandits.vocabulary import ANY_READING, TEST


def explorer(pairs: pd.DataFrame, curves: pd.DataFrame, datasets: pd.DataFrame, bandits: list[str]) -> dict[str, Any]:
    """Gather the data of the page's script, all of it in lists by dataset, in the order of ``datasets``.

    ``views``: for each reading and protocol, by bandit, the mean regret over shuffles, the usual setting and the number
    of its curve; by pair of bandits (i < j, as "i,j"), the standard error of the difference and its p-value.
    ``curves``: wrong rounds so far, a mean over shuffles, at the rounds of the dataset; curves and lists of rounds that
    are the same are there once. What a dataset does not have is null.
    """
    played = datasets[datasets["name"].isin(set(pairs["dataset"]))]
    names = played["name"].tolist()
    known = _Curves(curves)
    views = []
    for (reading, protocol), of in pairs.groupby(["reading", "protocol"], sort=False):
        view: dict[str, Any] = {"reading": reading, "protocol": protocol, "regret": [], "setting": [], "curve": [],
                                "error": {}, "p": {}}  # fmt: skip
        for bandit in bandits:
            own = _of_bandit(of, bandit).reindex(names)
            view["regret"].append([_number(regret, 7) for regret in own["regret"]])
            settings = [None if pd.isna(setting) else str(setting) for setting in own["setting"]]
            view["setting"].append([setting if setting is None else setting or "no setting" for setting in settings])
            view["curve"].append([None if setting is None else known.number(name, bandit, str(reading), setting)
                                  for name, setting in zip(names, settings, strict=True)])  # fmt: skip
        for (i, row), (j, column) in itertools.combinations(enumerate(bandits), 2):
            own = of[(of["row"] == row) & (of["column"] == column)].set_index("dataset").reindex(names)
            view["p"][f"{i},{j}"] = [None if pd.isna(p) else float(f"{p:.3g}") for p in own["p"]]
            view["error"][f"{i},{j}"] = [_number(error, 5) for error in own["difference_se"]]
        views.append(view)
    sizes = sorted(set(played["n"]))
    return {
        "bandits": bandits,
        "styles": [{"colour": to_hex(style["color"]), "dash": _dash(style["linestyle"])}
                   for style in bandit_styles(bandits).values()],
        "test": TEST,
        "datasets": {key: played[key].tolist() for key in ("name", "n", "d", "K", "source", "family", "shuffles")},
        "rounds": [spaced_rounds(n).tolist() for n in sizes],
        "rounds_of": [sizes.index(n) for n in played["n"]],
        "views": views,
        "curves": known.all,
    }  # fmt: skip


def _of_bandit(pairs: pd.DataFrame, bandit: str) -> pd.DataFrame:
    """The regret and setting of a bandit on each dataset, from any of its pairs."""
    tables = [
        pairs[pairs[side] == bandit][["dataset", f"regret_{side}", f"setting_{side}"]].set_axis(
            ["dataset", "regret", "setting"], axis=1
        )
        for side in ("row", "column")
    ]
    return pd.concat(tables).drop_duplicates("dataset").set_index("dataset")


def _number(value: float, digits: int) -> float | None:
    return None if pd.isna(value) else round(float(value), digits)


class _Curves:
    """The regret curves that are asked for, each once."""

    def __init__(self, curves: pd.DataFrame) -> None:
        self.curves = curves
        self.where = curves.groupby(["dataset", "bandit", "reading"], sort=False).indices
        self.numbers: dict[Any, int] = {}
        self.all: list[list[float]] = []

    def number(self, dataset: str, bandit: str, reading: str, setting: str) -> int:
        """The number of the curve of a setting; of all settings together, of their mean."""
        here = reading if (dataset, bandit, reading) in self.where else ANY_READING
        key = (dataset, bandit, here, setting)
        if key not in self.numbers:
            of = self.curves.iloc[self.where[dataset, bandit, here]]
            chosen = of if setting == ALL_SETTINGS else of[of["setting"] == setting]
            wrong = np.mean(chosen["mean"].tolist(), axis=0)
            self.numbers[key] = len(self.all)
            self.all.append([round(number, 1) if number % 1 else int(number) for number in wrong.tolist()])
        return self.numbers[key]


def _dash(style: Any) -> str:
    """A line style of Matplotlib as a dash array of SVG."""
    named = {"-": "", "--": "7 3", ":": "2 3", "-.": "7 3 2 3"}
    return named[style] if isinstance(style, str) else " ".join(map(str, style[1]))
