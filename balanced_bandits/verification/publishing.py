"""Publish the results of a run: copy its tables, with an account of where they are from."""

import datetime
import gzip
import hashlib
import io
import json
from pathlib import Path
from typing import Any

from balanced_bandits.core.errors import InputError
from balanced_bandits.core.files import write_bytes, write_text
from balanced_bandits.plan.config import with_defaults
from balanced_bandits.verification.contents import (
    LARGE,
    RECORD,
    RUNS,
    SOURCE,
    TEXTS,
    bytes_of,
    contents,
    own_table,
    record_in,
    wrong_rounds,
)


def publish(results: Path, published: Path, suite: str, defaults: dict[str, Any]) -> list[Path]:
    """Copy the tables of ``results`` to ``published``; returns the files. ``defaults``: the default configuration.

    The account, which has the checksum of every other file, is removed first and written last: files that it does not
    describe, because publishing was interrupted, are refused by ``verify``.
    """
    records = {name: record_in(results / name / RECORD) for name in contents(suite)}
    for name, record in records.items():
        _check_clean(results / name / RECORD, record)
    origin, other = records[suite], records["synthetic"]
    for key in ("revision", "versions", "config"):
        if origin.get(key) != other.get(key):
            raise InputError(
                f"{results / suite / RECORD} and {results / 'synthetic' / RECORD} differ in {key}, but must be of the "
                "same run; run all of it again."
            )
    files: dict[str, bytes] = {}
    for folder, tables in contents(suite).items():
        for name, content in tables.items():
            files |= _packed(f"{folder}/{name}.csv", own_table(results / folder / f"{name}.csv", content)[0])
            for ending in TEXTS.get(name, ()):
                files[f"{folder}/{name}.{ending}"] = bytes_of(results / folder / f"{name}.{ending}")
        files[f"{folder}/{RECORD}"] = bytes_of(results / folder / RECORD)
    runs = results / suite / "classification.parquet"
    files[f"{suite}/{RUNS}"] = _runs_in_parquet(runs)
    source = {
        "suite": suite,
        "command": command(with_defaults(origin["config"]), defaults),
        "date": datetime.datetime.fromtimestamp(runs.stat().st_mtime, datetime.UTC).date().isoformat(),
        **{key: origin.get(key) for key in ("revision", "processor", "versions")},
        "files": {name: hashlib.sha256(raw).hexdigest() for name, raw in sorted(files.items())},
    }
    _remove(published)
    for name, raw in files.items():
        write_bytes(published / name, raw)
    write_text(published / SOURCE, json.dumps(source, indent=2) + "\n")
    return [published / name for name in (*files, SOURCE)]


def _remove(published: Path) -> None:
    """Remove what was published before, and nothing else."""
    if not (published / SOURCE).exists():
        return
    before = record_in(published / SOURCE).get("files", {})
    (published / SOURCE).unlink()
    for name in before:
        (published / name).unlink(missing_ok=True)
    for folder in {(published / name).parent for name in before}:
        if folder.is_dir() and not any(folder.iterdir()):
            folder.rmdir()


def command(config: dict[str, Any], defaults: dict[str, Any]) -> str:
    """The command that repeats a run: Snakemake's, with every option that is not the default.

    >>> command({"suite": "mine", "shuffles": 3, "seed": 1}, {"suite": "registry60", "shuffles": 10, "seed": 1})
    "snakemake --cores all --config 'shuffles=3' 'suite=mine'"
    """
    changed = [f"{key}={value if isinstance(value, str) else json.dumps(value)}"
               for key, value in sorted(config.items()) if value != defaults.get(key)]  # fmt: skip
    return " ".join(["snakemake --cores all", *(["--config"] if changed else []), *(f"'{text}'" for text in changed)])


def _check_clean(path: Path, record: dict[str, Any]) -> None:
    revision = str(record.get("revision", ""))
    if revision.endswith("-dirty"):
        raise InputError(
            f"{path}: these results were made with uncommitted changes ({revision}); commit them, and run again."
        )
    if not revision or " " in revision:
        raise InputError(f"{path}: the revision of these results is {revision or 'missing'}; run in a git checkout.")


def _packed(name: str, content: bytes) -> dict[str, bytes]:
    """A file by its name, gzipped if it is large; the same content gives the same bytes."""
    return {name: content} if len(content) <= LARGE else {f"{name}.gz": gzip.compress(content, 9, mtime=0)}


def _runs_in_parquet(path: Path) -> bytes:
    file = io.BytesIO()
    runs = wrong_rounds(path).astype(dict.fromkeys(("dataset", "bandit", "reading", "setting"), "category"))
    runs.to_parquet(file, index=False, compression="zstd", compression_level=19)
    return file.getvalue()
