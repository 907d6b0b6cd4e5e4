"""The audit of a suite: leaks of the target, what looks wrong within a dataset, and what two datasets have in common.

It looks at the datasets as bandits would get them: labelled rows, without the columns that the suite drops or that
reading leaves out, and with the target as it is cut. Findings have a kind (``findings.KINDS``) and do not depend on the
order of rows and columns, except for ``row order`` and ``identifier``, which are about it.

Thresholds are constants at the top of each module. A coincidence is what has a probability above 1e-9 (``BY_CHANCE``)
if the column is independent of the class: 300 datasets of 100 columns are 3e4 chances, so none is expected in a suite.
"""

from collections.abc import Callable, Mapping
from functools import lru_cache

from balanced_bandits.core.errors import InputError, RejectedError
from balanced_bandits.datasets.audit.across import Fingerprint, across, fingerprint
from balanced_bandits.datasets.audit.findings import Finding, grouped, ordered
from balanced_bandits.datasets.audit.leaks import leaks
from balanced_bandits.datasets.audit.quality import quality
from balanced_bandits.datasets.audit.view import View, view_of
from balanced_bandits.datasets.columns import Rules
from balanced_bandits.datasets.families import family_of
from balanced_bandits.datasets.suite import Row
from balanced_bandits.datasets.tables import Table

KEPT = 16  # datasets in memory while pairs of them are compared


def findings_in(view: View) -> list[Finding]:
    """The findings on one dataset."""
    found = list(quality(view))
    if len(view.classes) > 1:
        found += leaks(view)
    return grouped(found)


def audit(
    rows: Mapping[str, Row], table: Callable[[Row], Table], rules: Rules, report: Callable[[int], None] = lambda _: None
) -> list[Finding]:
    """All findings on a suite.

    ``table`` reads a dataset and drops what its row asks to drop, but does not cut its target. ``report`` is told how
    many datasets have been read.
    """
    found: list[Finding] = []
    prints: list[Fingerprint] = []
    for done, (name, row) in enumerate(rows.items(), start=1):
        try:
            view = view_of(row, table(row), rules)
        except (InputError, RejectedError, OSError) as error:
            found.append(Finding(name, "unreadable", "", " ".join(str(error).split())))
        else:
            found += findings_in(view)
            prints.append(fingerprint(view, family_of(name, row.family)))
        report(done)

    @lru_cache(KEPT)
    def again(name: str) -> View:
        return view_of(rows[name], table(rows[name]), rules)

    return ordered(found + across(prints, again))
