"""Families of datasets: versions of the same dataset, such as binarised ones, are not independent."""

import re


def family_of(name: str, given: str = "") -> str:
    """The family of a dataset: as given in the suite, or its name without the marks of a version.

    These are a leading identifier (letters, at least three digits, an underscore) and a trailing ``.vN``.

    >>> family_of("letter.v2"), family_of("oml00977_Letter.v2"), family_of("pc1"), family_of("kc1", "nasa")
    ('letter', 'letter', 'pc1', 'nasa')
    """
    return given or re.sub(r"^[a-z]*[0-9]{3,}_(?=.)|\.v[0-9]+$", "", name.lower())
