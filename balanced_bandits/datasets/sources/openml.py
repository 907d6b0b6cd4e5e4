"""Source ``openml``: a dataset on openml.org, or on another server with the same API.

The locator is ID@VERSION; if the server has another version under this id, the dataset is left out. The result is one
zip archive with ``data.arff`` or ``data.parquet`` as published and ``about.json`` with the roles and types of the
columns, so that encoding needs neither the network nor the openml package. The target ``(default)`` is the one that the
server names. Columns that the server marks as ignored or as row identifiers are dropped.

A dataset is left out, with the reason, if the server refuses it, if its file never has the MD5 in its description, or
if the file can't be read. Temporary failures (no connection, an overloaded server, HTML instead of data) are errors:
run again to continue.
"""

import io
import json
import re
import sys
import xml.etree.ElementTree as ElementTree
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from filelock import FileLock

from balanced_bandits.core.errors import InputError, RejectedError
from balanced_bandits.core.files import check_unpacking
from balanced_bandits.datasets.checksum import checked
from balanced_bandits.datasets.missing import EVERYWHERE
from balanced_bandits.datasets.sources.openml_settings import Settings
from balanced_bandits.datasets.suite import Row
from balanced_bandits.datasets.tables import Table

if TYPE_CHECKING:
    import pandas as pd

    from balanced_bandits.datasets.sources.openml_client import Client

DEFAULT_TARGET = "(default)"
LARGEST_FILE = 2**31  # bytes; data files with a larger declared size are refused
QUALITIES = ("NumberOfInstances", "NumberOfFeatures", "NumberOfClasses", "NumberOfMissingValues")


def fetch(row: Row, folder: Path, cache: Path) -> bytes:
    """A zip archive with the data file and its description, or with the reason why the dataset is left out."""
    from balanced_bandits.datasets.sources.openml_client import Client, one_of_few  # imports openml, which is slow

    number, version = parse_locator(row)
    settings = Settings.of_this_run()
    cache.mkdir(parents=True, exist_ok=True)
    with FileLock(cache / f"openml-id-{number}.lock"), one_of_few(cache, settings.simultaneous):
        try:
            about, name, data = _ask(Client(settings), row, number, version)
        except RejectedError as reason:
            return _packed({"rejected": f"OpenML {number}: {reason}"})
        except InputError as error:
            raise InputError(f"dataset {row.name}: {error}") from error
    return _packed(about, name, checked(row, data) if row.has_checksum else data)


def table(row: Row, raw: bytes, missing: Sequence[str] = EVERYWHERE) -> Table:
    """The table in an archive made by ``fetch``."""
    # These import pandas.
    from balanced_bandits.datasets.arff_files import arff_frame
    from balanced_bandits.datasets.formats import parquet_frame
    from balanced_bandits.datasets.reading import split_target

    about, data = _unpacked(row, raw)
    if "rejected" in about:
        raise RejectedError(about["rejected"])
    name = about["file"]
    try:
        frame = arff_frame(name, data) if name.endswith(".arff") else parquet_frame(name, data)
    except Exception as error:  # on broken bytes the libraries raise anything
        raise RejectedError(f"{name} can't be read ({type(error).__name__}: {error})") from error
    features = about["features"]
    if not features:
        raise RejectedError("the server has data but no description of its columns, so their types are unknown")
    if len(features) != frame.shape[1]:
        raise RejectedError(f"the server describes {len(features)} columns, but {name} has {frame.shape[1]}")
    names = [feature["name"] for feature in features]
    target = about["default_target"] if row.target == DEFAULT_TARGET else row.target
    if not target:
        raise RejectedError("the server names no target; give the column with the class in the suite")
    several = [part.strip() for part in target.split(",")]
    if target not in names and len(several) > 1 and set(several) <= set(names):
        raise RejectedError(f"the server names several targets, {', '.join(several)}; give one of them in the suite")
    if names.count(target) != 1:
        raise RejectedError(f"exactly one column must be the target {target!r}; the first are {', '.join(names[:10])}")
    frame = frame.set_axis(names, axis=1)
    kept = [i for i, feature in enumerate(features) if feature["role"] == "feature" or feature["name"] == target]
    typed = [_typed(frame.iloc[:, i], features[i]["type"]) for i in kept]
    return split_target(name, _joined(frame, kept, typed), target)


def parse_locator(row: Row) -> tuple[int, int]:
    """The id and the version in a locator ID@VERSION."""
    found = re.fullmatch(r"([1-9][0-9]{0,8})@([1-9][0-9]{0,4})", row.locator)
    if found is None:
        raise InputError(
            f"dataset {row.name}: the locator {row.locator!r} must have the form ID@VERSION, such as 61@1."
        )
    return int(found[1]), int(found[2])


def _ask(client: "Client", row: Row, number: int, version: int) -> tuple[dict[str, Any], str, bytes]:
    """Fetch a dataset: what the server says about it, the name of its data file in the archive, and its bytes."""
    dataset, qualities = client.dataset(number)
    if dataset.version != version:
        raise RejectedError(f"the server has version {dataset.version} under this id, but the suite says {version}")
    kind, data = _data(client, number, dataset)
    name = f"data.{kind}"
    features = _features((client.folder(number) / "features.xml").read_bytes(), _named(dataset))
    about = {
        "id": number, "version": version, "name": dataset.name, "server": client.server, "licence": dataset.licence,
        "url": dataset.url, "md5": dataset.md5_checksum, "file": name, "features": features,
        "default_target": dataset.default_target_attribute,
        "qualities": {key: qualities[key] for key in QUALITIES if key in qualities},
    }  # fmt: skip
    return about, name, data


def _data(client: "Client", number: int, dataset: Any) -> tuple[str, bytes]:
    """The data file in the preferred format, ARFF or Parquet, or in the other one if that is not available."""
    from balanced_bandits.datasets.sources.openml_client import RefusedError

    offered = {"arff": (dataset.url, dataset.md5_checksum, "dataset.arff")} if "arff" in dataset.format.lower() else {}
    if dataset._parquet_url:
        offered["parquet"] = (dataset._parquet_url, None, f"dataset_{number}.pq")
    if not offered:
        raise RejectedError(f"the server offers the data as {dataset.format} only, not as ARFF or Parquet")
    if client.settings.offline:
        there = {kind: file for kind, file in offered.items() if (client.folder(number) / file[2]).exists()}
        offered = there or offered
    *first, last = sorted(offered, key=lambda kind: kind == client.settings.prefer, reverse=True)
    for kind in first:
        try:
            return kind, client.data(number, *offered[kind])
        except RefusedError as refusal:
            print(f"{refusal}; trying {last} instead", file=sys.stderr)
    return last, client.data(number, *offered[last])


def _named(dataset: Any) -> dict[str, str]:
    """Roles of columns by name, as given in the description."""
    roles: dict[str, str] = {}
    for role, given in (("ignored", dataset.ignore_attribute), ("row_id", dataset.row_id_attribute)):
        for name in [given] if isinstance(given, str) else given or []:
            # A list may be one string separated by commas, and a name may contain commas.
            roles |= {part.strip().strip("'\""): role for part in (name, *name.split(","))}
    return roles


def _features(content: bytes, named: dict[str, str]) -> list[dict[str, str]]:
    """Name, type and role (feature, ignored or row_id) of each column, in the order of the file."""
    from balanced_bandits.datasets.sources.openml_client import NAMESPACE

    features = []
    for feature in ElementTree.fromstring(content).iter(f"{NAMESPACE}feature"):
        text = {part.tag.removeprefix(NAMESPACE): part.text or "" for part in feature}
        role = named.get(text["name"], "feature")
        role = "ignored" if text.get("is_ignore") == "true" else role
        role = "row_id" if text.get("is_row_identifier") == "true" else role
        features.append({"name": text["name"], "type": text["data_type"], "role": role})
    return features


def _typed(column: "pd.Series[Any]", kind: str) -> "pd.Series[Any]":
    """A column with the type in the description: nominal values stored as numbers become text, and so on."""
    import pandas as pd

    numeric = pd.api.types.is_numeric_dtype(column.dtype)
    if kind == "nominal" and numeric:
        names = column.map(lambda value: f"{value:g}" if isinstance(value, float) else str(value), na_action="ignore")
        return names.astype("category")
    if kind == "nominal":
        return column.astype("category")
    if kind == "numeric" and not numeric:
        try:
            return pd.to_numeric(column).astype(float)
        except (ValueError, TypeError) as error:
            raise RejectedError(f"the server describes column {column.name!r} as numeric, but: {error}") from error
    return column


def _joined(frame: "pd.DataFrame", kept: list[int], typed: list["pd.Series[Any]"]) -> "pd.DataFrame":
    """The columns to keep; a new frame only if a type changed, since wide tables have tens of thousands."""
    import pandas as pd

    part = frame.iloc[:, kept]
    if all(new.dtype == old for new, old in zip(typed, part.dtypes, strict=True)):
        return part
    return pd.concat(typed, axis=1)


def _unpacked(row: Row, raw: bytes) -> tuple[dict[str, Any], bytes]:
    """The inverse of ``_packed``; the checksums of the zip archive reveal changes on disk."""
    try:
        with zipfile.ZipFile(io.BytesIO(raw)) as archive:
            check_unpacking(archive)
            about: dict[str, Any] = json.loads(archive.read("about.json"))
            if (size := archive.getinfo(about["file"]).file_size if "file" in about else 0) > LARGEST_FILE:
                raise RejectedError(f"{about['file']} would unpack to {size} bytes, more than allowed")
            return about, archive.read(about["file"]) if size else b""
    except RejectedError:
        raise
    except Exception as error:  # on broken bytes zipfile raises anything
        raise InputError(
            f"dataset {row.name}: data/SUITE/raw/{row.name} has changed since it was fetched "
            f"({type(error).__name__}: {error}); delete it and run again."
        ) from error


def _packed(about: dict[str, Any], name: str = "", data: bytes = b"") -> bytes:
    """The zip archive of a dataset; equal content results in equal bytes."""
    members = {"about.json": json.dumps(about, indent=1, sort_keys=True).encode()} | ({name: data} if name else {})
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for member, content in members.items():
            archive.writestr(zipfile.ZipInfo(member), content, zipfile.ZIP_DEFLATED)
    return packed.getvalue()
