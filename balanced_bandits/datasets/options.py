"""How a file is read if its name does not say it: the column ``reading`` of a suite."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from balanced_bandits.core.errors import InputError


@dataclass(frozen=True)
class Options:
    """How the files of a dataset are read."""

    format: str = ""  # the extension that says how the files with the features are read, without the dot
    skip: int = 0  # lines (rows of a sheet) above the table that are skipped
    short: bool = False  # whether rows may end early; the fields that are left out are missing
    transpose: bool = False  # each column of the files is a row of the table; the labels are in a file of their own
    label: str = ""  # a regular expression: the class is the part of the label that it finds, or "other"


def parse_options(entries: Sequence[str]) -> Options:
    """The options in a cell, such as ``format=csv`` or ``transpose``; raises ``InputError`` for others."""
    found: dict[str, str | int | bool] = {}
    for entry in entries:
        key, _, value = entry.partition("=")
        if key in found:
            raise InputError(f"reading has {key!r} twice")
        if entry in ("short", "transpose"):
            found[key] = True
        elif key == "skip" and re.fullmatch(r"[1-9][0-9]{0,2}", value):
            found[key] = int(value)
        elif key == "format" and re.fullmatch(r"[a-z0-9]{1,10}", value):
            found[key] = value
        elif key == "label" and value:
            try:
                re.compile(value)
            except re.error as error:
                raise InputError(f"reading: {value!r} is not a regular expression ({error})") from error
            found[key] = value
        else:
            raise InputError(
                f"reading has {entry!r}, but must be any of format=EXTENSION, skip=LINES (at most 999), short, "
                "transpose and label=REGULAR EXPRESSION, separated by commas"
            )
    return Options(**found)  # type: ignore[arg-type]
