"""Compare results of one's own with the published ones."""

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pandas as pd

from balanced_bandits.core.errors import InputError
from balanced_bandits.plan.config import with_defaults
from balanced_bandits.verification.comparison import (
    DIFFERENT,
    IDENTICAL,
    NOT_COMPARABLE,
    ROUNDING,
    Finding,
    compare_runs,
    compare_tables,
)
from balanced_bandits.verification.contents import (
    OF_SYNTHETIC,
    ON_DATASETS,
    RECORD,
    RUNS,
    SOURCE,
    Content,
    own_table,
    published_runs,
    published_table,
    record_in,
    wrong_rounds,
)

# Options that change no published number, and the datasets, of which a part may be run.
IRRELEVANT = ("suite", "datasets", "strict", "openml", "figures", "calibration", "multiverse", "sensitivity",
              "readings")  # fmt: skip
FIXED = "fixed"  # the protocol that chooses settings on the other datasets, and so depends on which there are
_DECISIVE = (DIFFERENT, ROUNDING, IDENTICAL)


@dataclass(frozen=True)
class Report:
    """What ``verify`` found."""

    source: dict[str, Any]
    suite: str  # of the results
    findings: list[Finding]
    circumstances: list[str]  # what is not as in the published run: the revision, the processor, packages

    @property
    def verdict(self) -> str:
        """The worst verdict on a table."""
        return next(verdict for verdict in _DECISIVE if verdict in {finding.verdict for finding in self.findings})


def verify(results: Path, published: Path) -> Report:
    """Compare ``results`` with what is in ``published``; results may have a part of the datasets only."""
    source = _source(published)
    suite = str(source["suite"])
    datasets = published_table(published / suite, "datasets", ON_DATASETS["datasets"])[1]
    own = _own_suite(results, suite, _played(datasets))
    for mine, theirs in ((own, suite), ("synthetic", "synthetic")):
        _check_config(results / mine / RECORD, published / theirs / RECORD)
    example = list(_of_synthetic(results / "synthetic", published / "synthetic"))
    same = all(finding.verdict == IDENTICAL for finding in example)
    findings = [*_on_datasets(results / own, published / suite, same), *example]
    return Report(source, own, findings, _circumstances(record_in(results / own / RECORD), source))


def _circumstances(mine: dict[str, Any], source: dict[str, Any]) -> list[str]:
    """The differences between two runs that may explain those between their results, in words."""
    pairs = [("revision", mine.get("revision"), source.get("revision"))]
    for name in ("processor", "versions"):
        of, other = mine.get(name) or {}, source.get(name) or {}
        pairs += [(f"{name}, {key}", of.get(key), other[key]) for key in other]
    return [f"{name}: {_brief(own)} (published: {_brief(other)})" for name, own, other in pairs if own != other]


def _source(published: Path) -> dict[str, Any]:
    """The account of what is published, after checking that every file is as published."""
    path = published / SOURCE
    if not path.is_file():
        raise InputError(f"{path} does not exist, so there is nothing to compare with; name the folder by --published.")
    source = record_in(path)
    if not isinstance(source.get("suite"), str) or not isinstance(source.get("files"), dict):
        raise InputError(f"{path} has no suite or no files; restore it with git.")
    for name, digest in source["files"].items():
        file = published / name
        if not file.is_file() or hashlib.sha256(file.read_bytes()).hexdigest() != digest:
            raise InputError(f"{file} is not the file that was published; restore it with git.")
    return source


def _own_suite(results: Path, suite: str, datasets: set[str]) -> str:
    """The suite of the results to compare: the published one, or the latest of those with some of its datasets."""
    if (results / suite / RECORD).exists():
        return suite
    made = {path.parent.name: path for path in sorted(results.glob("*/datasets.csv"))}
    others = [name for name in made if (results / name / RECORD).exists()]
    parts = [name for name in others if _played(own_table(made[name], ON_DATASETS["datasets"])[1]) <= datasets]
    if parts:
        return max(parts, key=lambda name: made[name].stat().st_mtime)
    found = f"only results of {', '.join(others)}" if others else "no results"
    raise InputError(
        f"{results} has {found}, but the published ones are of the suite {suite}; run it with 'snakemake --cores all "
        f"--config suite={suite}', or a part of it with datasets='[NAME, ...]'."
    )


def _check_config(mine: Path, theirs: Path) -> None:
    """Raise if results were made with another configuration."""
    if not mine.exists():
        return
    own, published = (with_defaults(record_in(path).get("config", {})) for path in (mine, theirs))
    differing = [
        f"{name} is {_brief(value)} (published: {_brief(other)})"
        for name, value, other in _differences(own, published)
        if name.split(".")[0] not in IRRELEVANT
    ]
    if differing:
        raise InputError(
            f"{mine}: these results were made with another configuration, and can't be compared:\n  "
            + "\n  ".join(differing)
        )


def _differences(own: Any, published: Any, prefix: str = "") -> Iterator[tuple[str, Any, Any]]:
    """The options that differ, with both values."""
    if isinstance(own, dict) and isinstance(published, dict):
        for key in sorted(own.keys() | published.keys()):
            yield from _differences(own.get(key), published.get(key), f"{prefix}.{key}" if prefix else str(key))
    elif own != published:
        yield prefix, own, published


def _brief(value: Any) -> str:
    text = json.dumps(value)
    return text if len(text) <= 60 else f"{text[:57]}..."


def _on_datasets(mine: Path, theirs: Path, same_example: bool) -> Iterator[Finding]:
    """The findings on the experiment on datasets; the scorecard is also about the synthetic example."""
    runs, published = wrong_rounds(mine / "classification.parquet"), published_runs(theirs / RUNS)
    listed = _played(own_table(mine / "datasets.csv", ON_DATASETS["datasets"])[1])
    whole = _played(published_table(theirs, "datasets", ON_DATASETS["datasets"])[1])
    if not listed:
        raise InputError(f"{mine / 'datasets.csv'}: no dataset was played, so there is nothing to compare.")
    part = listed < whole
    if part:
        published = published[published["dataset"].isin(list(listed))]
    texts = dict.fromkeys(("dataset", "bandit", "reading", "setting"), str)
    yield (first := compare_runs("runs", runs.astype(texts), published.astype(texts)))
    same = first.verdict == IDENTICAL
    for name, content in ON_DATASETS.items():
        path = mine / f"{name}.csv"
        if part and not content.by_dataset:
            yield Finding(path.name, NOT_COMPARABLE, f"the run has {len(listed)} of {len(whole)} datasets")
        elif not path.exists():
            yield Finding(path.name, NOT_COMPARABLE, f"{path} does not exist")
        else:
            ours, others = own_table(path, content), published_table(theirs, name, content)
            if part:
                ours, others = (_restricted(table, content, listed) for _, table in (ours, others))
            found = compare_tables(path.name, content, ours, others, same and (same_example or name != "scorecard"))
            yield replace(found, words=f"the rows of these datasets: {found.words}") if part else found


def _played(datasets: pd.DataFrame) -> set[str]:
    """The names of the datasets that were not left out."""
    return set(datasets.loc[datasets["left_out"] == "", "name"])


def _restricted(table: pd.DataFrame, content: Content, names: set[str]) -> tuple[bytes, pd.DataFrame]:
    """The rows of a table that a run of these datasets alone has as well, with their bytes."""
    kept = table[table[content.by_dataset].isin(list(names))]
    kept = kept[kept["protocol"] != FIXED] if "protocol" in kept else kept
    kept = kept.sort_values(list(content.keys), ignore_index=True)
    return kept.to_csv(index=False).encode(), kept


def _of_synthetic(mine: Path, theirs: Path) -> Iterator[Finding]:
    """The findings on the synthetic example."""
    for name, content in OF_SYNTHETIC.items():
        path = mine / f"{name}.csv"
        if path.exists():
            found = compare_tables(
                path.name, content, own_table(path, content), published_table(theirs, name, content), False
            )
            yield Finding(f"synthetic/{found.name}", found.verdict, found.words, found.examples)
        else:
            yield Finding(f"synthetic/{path.name}", NOT_COMPARABLE, f"{path} does not exist")
