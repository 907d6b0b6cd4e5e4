"""Families of datasets: versions of one dataset, such as binarised ones, are not independent."""

import re


def family_of(name: str, given: str = "") -> str:
    """The family of a dataset: the one its suite gives, or its name without what marks a version of it.

    That is, without an identifier before it (letters, three digits or more, an underscore) and ``.vN`` after it.

    >>> family_of("letter.v2"), family_of("oml00977_Letter.v2"), family_of("pc1"), family_of("kc1", "nasa")
    ('letter', 'letter', 'pc1', 'nasa')
    """
    return given or re.sub(r"^[a-z]*[0-9]{3,}_(?=.)|\.v[0-9]+$", "", name.lower())
