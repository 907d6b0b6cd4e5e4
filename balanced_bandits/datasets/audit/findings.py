"""Findings of the audit, and the decisions about them."""

import csv
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from balanced_bandits.core.errors import InputError
from balanced_bandits.datasets.suite import DECISIONS

MANY = 10  # columns of one dataset with a finding of one kind from which on they become one finding
EVERY = "*"  # in place of a column: all columns of the dataset
OPEN, DECIDED, STALE = "open", "decided", "stale"
HEAD = ("dataset", "kind", "column", "decision")  # of a file of decisions
SEVERITIES = ("high", "medium", "low")
KINDS = {  # in the order in which they are listed: severity, and what it means
    "unreadable": ("high", "the dataset can't be read or played"),
    "constant target": ("high", "all rows are of one class"),
    "determines target": ("high", "each value of the column occurs with one class only"),
    "one feature": ("high", "the column alone predicts the class nearly perfectly"),
    "monotone": ("high", "the column is nearly a monotone function of the target before it was cut"),
    "formula": ("high", "a linear regression, maybe of logarithms, gives the target before it was cut"),
    "row order": ("high", "the column follows the order of the rows, and so does the class"),
    "equal tables": ("high", "the features are those of another dataset, maybe renamed, rescaled or reordered"),
    "identifier": ("medium", "the column numbers the rows and is used as a number"),
    "shared columns": ("medium", "columns have the same values as columns of another dataset"),
    "shared rows": ("medium", "rows also occur in another dataset"),
    "code for missing": ("low", "a value looks like a code for missing values"),
    "same classes": ("low", "another dataset has the same number of rows in each class"),
    "duplicated rows": ("low", "rows occur more than once, more often than by chance"),
    "equal columns": ("low", "two columns are the same, up to the names or the scale of their values"),
    "small class": ("low", "a class has only one row"),
}


@dataclass(frozen=True)
class Finding:
    """One finding; dataset, kind and column are its key. ``column`` names the other dataset if there is one."""

    dataset: str
    kind: str
    column: str
    detail: str
    status: str = OPEN
    decision: str = ""

    @property
    def severity(self) -> str:
        """high, medium or low."""
        return KINDS[self.kind][0]

    @property
    def key(self) -> tuple[str, str, str]:
        """What a decision refers to."""
        return self.dataset, self.kind, self.column


Decisions = dict[tuple[str, str, str], str]


def ordered(findings: Iterable[Finding]) -> list[Finding]:
    """By severity, then by kind, dataset and column."""
    at = {kind: i for i, kind in enumerate(KINDS)}
    return sorted(findings, key=lambda f: (SEVERITIES.index(f.severity), at[f.kind], f.dataset.lower(), f.column))


def grouped(findings: Iterable[Finding]) -> list[Finding]:
    """Findings of one dataset, in which those of one kind on many columns are one finding on ``EVERY`` column."""
    by_kind: dict[str, list[Finding]] = {}
    for finding in findings:
        by_kind.setdefault(finding.kind, []).append(finding)
    result: list[Finding] = []
    for some in by_kind.values():
        some.sort(key=lambda finding: (finding.column, finding.detail))
        if len(some) <= MANY:
            result += some
        else:
            said = f"{len(some)} columns: {shown([f.column for f in some])}; for the first, {some[0].detail}"
            result.append(replace(some[0], column=EVERY, detail=said))
    return result


def shown(names: Sequence[str], most: int = 6) -> str:
    """The first names, and the number of the others."""
    return ", ".join(names[:most]) + (f" and {len(names) - most} more" if len(names) > most else "")


def decisions_path(suite: Path) -> Path:
    """The file of decisions of a suite, next to it."""
    return suite.with_name(suite.stem + DECISIONS)


def read_decisions(path: Path) -> Decisions:
    """Read and check a file of decisions: by dataset, kind and column, in the order of the file; none if it is absent.

    All errors are reported at once, with their line numbers.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return {}
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path} can't be read as tab-separated text in UTF-8 ({error}).") from error
    lines = list(csv.reader(text.splitlines(), delimiter="\t", quoting=csv.QUOTE_NONE))
    if not lines or tuple(lines[0]) != HEAD:
        raise InputError(f"{path}, line 1: the columns must be {', '.join(HEAD)}, separated by tabs.")
    decisions: Decisions = {}
    problems = []
    for number, fields in enumerate(lines[1:], start=2):
        if not fields:
            continue
        if len(fields) != len(HEAD):
            problems.append(f"line {number}: {len(fields)} columns instead of {len(HEAD)}")
            continue
        dataset, kind, column, decision = (field.strip() for field in fields)
        if kind not in KINDS:
            problems.append(f"line {number}: there is no kind {kind!r}; it must be one of {', '.join(KINDS)}")
        elif not decision:
            problems.append(f"line {number}: the decision is empty; say in words what was decided and why")
        elif (dataset, kind, column) in decisions:
            problems.append(f"line {number}: there is already a decision about {dataset}, {kind}, {column!r}")
        decisions[dataset, kind, column] = decision
    if problems:
        raise InputError(f"{path} has invalid rows:\n  " + "\n  ".join(problems))
    return decisions


def decided(findings: Iterable[Finding], decisions: Decisions) -> list[Finding]:
    """The findings with their decisions, and the decisions without a finding as findings that are stale.

    A decision about ``EVERY`` column covers all findings of its kind in its dataset.
    """
    used: set[tuple[str, str, str]] = set()
    result = []
    for finding in findings:
        keys = [finding.key, (finding.dataset, finding.kind, EVERY)]
        key = next((key for key in keys if key in decisions), None)
        if key is not None:
            used.add(key)
            finding = replace(finding, status=DECIDED, decision=decisions[key])
        result.append(finding)
    unused = [key for key in decisions if key not in used]
    result += [Finding(*key, "no such finding: delete the decision", STALE, decisions[key]) for key in unused]
    return ordered(result)


def page(suite: str, datasets: int, findings: Collection[Finding]) -> str:
    """A Markdown page of all findings and decisions of a suite; the same findings give the same text."""
    lines = [
        f"# Audit of the suite {suite}",
        "",
        f"*What `balanced-bandits audit {suite}` finds in {datasets} datasets, and what was decided. This page is "
        "generated; [own_dataset.md](own_dataset.md) describes the command.*",
        "",
        "| kind | severity | meaning | findings | open |",
        "|---|---|---|---|---|",
    ]
    real = [finding for finding in findings if finding.status != STALE]
    for kind, (severity, meaning) in KINDS.items():
        of_kind = [finding for finding in real if finding.kind == kind]
        still = sum(finding.status == OPEN for finding in of_kind)
        lines.append(f"| {kind} | {severity} | {meaning} | {len(of_kind)} | {still} |")
    for severity in SEVERITIES:
        some = [finding for finding in ordered(findings) if finding.severity == severity]
        if some:
            lines += ["", f"## Severity {severity}", "", "| dataset | kind | column | finding | decision |"]
            lines += ["|---|---|---|---|---|"]
        for finding in some:
            decision = finding.decision if finding.status != OPEN else "*open*"
            cells = (finding.dataset, finding.kind, finding.column, finding.detail, decision)
            lines.append("| " + " | ".join(_escaped(cell) for cell in cells) + " |")
    return "\n".join(lines) + "\n"


def _escaped(text: str) -> str:
    for character in "\\|*_`<[":
        text = text.replace(character, "\\" + character) if text != "*open*" else text
    return text
