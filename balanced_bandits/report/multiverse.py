"""What the page shows of the multiverse: the specification curve of every claim, for its script."""

from typing import Any

import pandas as pd

from balanced_bandits.figures.universes import COLOURS
from balanced_bandits.vocabulary import VERDICTS

DIGITS = 3  # of percentage points


def curves_of_claims(claims: pd.DataFrame, universes: pd.DataFrame) -> dict[str, Any]:
    """Gather the data of the page's script.

    ``choices``: the levels of each choice, the default first. ``universes``: the name of each and the numbers of its
    levels, in the order of ``choices``. ``curves``: by claim ("BLTS outperforms LinTS") and protocol, in the order of
    the universes, [difference, low, high, number of the verdict, wins, losses], in percentage points.
    """
    choices = {str(name): [str(level).removeprefix(f"{name} ") for level in dict.fromkeys(of["level"])]
               for name, of in universes.groupby("choice", sort=False)}  # fmt: skip
    names = list(dict.fromkeys(claims["universe"]))
    cells = zip(universes["universe"], universes["choice"], universes["level"], strict=True)
    levels = {(name, choice): str(level).removeprefix(f"{choice} ") for name, choice, level in cells}
    verdicts = [verdict for verdict in VERDICTS if verdict in set(claims["verdict"])]
    curves: dict[str, dict[str, list[list[float]]]] = {}
    for (better, worse, protocol), of in claims.groupby(["better", "worse", "protocol"], sort=False):
        rows = of.set_index("universe").loc[names]
        points = (100.0 * rows[["difference", "low", "high"]].to_numpy(dtype=float)).round(DIGITS).tolist()
        more = zip(map(verdicts.index, rows["verdict"]), rows["wins"].tolist(), rows["losses"].tolist(), strict=True)
        curves.setdefault(f"{better} outperforms {worse}", {})[str(protocol)] = [
            [*numbers, *others] for numbers, others in zip(points, more, strict=True)
        ]
    return {
        "choices": choices,
        "universes": [[name, [of.index(levels[name, choice]) for choice, of in choices.items()]] for name in names],
        "verdicts": verdicts,
        "colours": [COLOURS[verdict] for verdict in verdicts],
        "curves": curves,
    }
