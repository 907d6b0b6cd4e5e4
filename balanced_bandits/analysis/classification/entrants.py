"""Who is compared under one reading of the variance: the bandits, and copies of one of them as a placebo."""

import pandas as pd

from balanced_bandits.vocabulary import ANY_READING

COLUMNS = ["dataset", "bandit", "setting", "shuffle", "regret"]


def entrants(runs: pd.DataFrame, reading: str, placebo: str | None = None) -> pd.DataFrame:
    """The runs of the first copy of every bandit; and of a placebo.

    A placebo is a bandit with the runs of all further copies of the bandit of that name: the same grid several times,
    with other random numbers. Whatever it gains over the bandit itself is luck.
    """
    own = runs[runs["reading"].isin([reading, ANY_READING])]
    first = own[own["copy"] == 0]
    tables = [first[COLUMNS]]
    if placebo is not None:
        further = own[(own["bandit"] == placebo) & (own["copy"] > 0)]
        copies = further["copy"].nunique()
        settings = further["setting"] + " copy " + further["copy"].astype(str)
        tables.append(further.assign(bandit=placebo_name(placebo, copies), setting=settings)[COLUMNS])
    return pd.concat(tables, ignore_index=True)


def placebo_name(bandit: str, copies: int) -> str:
    """What a bandit is called that has several copies of another one's settings.

    >>> placebo_name("LinTS", 4)
    'LinTS×4'
    """
    return f"{bandit}×{copies}"
