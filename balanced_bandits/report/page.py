"""The page itself: what its template is filled with."""

import base64
import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import docutils.core
import jinja2
import pandas as pd
import yaml
from markupsafe import Markup

from balanced_bandits.analysis.scorecard import RULES, summary
from balanced_bandits.analysis.synthetic import table1_text
from balanced_bandits.core.errors import InputError
from balanced_bandits.report.captions import view_in_words
from balanced_bandits.report.multiverse import curves_of_claims
from balanced_bandits.vocabulary import PROTOCOLS, READINGS, VERDICTS

MEDIA = {".png": "image/png", ".svg": "image/svg+xml"}
SLOWEST = 20
# What is shown of how the columns of each dataset were read.
READ = ["name", "n", "d", "encoded_columns", "missing_cells", "columns_left_out", "columns_read", "warnings"]


class Drawing(NamedTuple):
    """A figure of the page: its file, the template of its caption, the wildcards of its rule, and its heading."""

    file: str
    caption: str
    wildcards: dict[str, str]
    title: str
    section: str


def render(folder: Path, tables: Mapping[str, pd.DataFrame], run: dict[str, Any], suite: str,
           drawings: list[Drawing], explorer: dict[str, Any], words: str,
           multiverse: Mapping[str, pd.DataFrame] | None = None,
           searched: Sequence[dict[str, Any]] = ()) -> str:  # fmt: skip
    """Fill ``page.html`` of ``folder``: nothing on the page is loaded from elsewhere.

    ``tables``: scorecard, claims, table1, table2, datasets and timing, as the run wrote them. ``run``: run.json.
    ``words``: which datasets the figures show, in reStructuredText. ``multiverse``: its tables claims, universes and
    verdicts, if it was run. ``searched``: the search for the reading that made Table 1 in words (``readings_text``), if
    it was made.
    """
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(folder), autoescape=True, undefined=jinja2.StrictUndefined,
        trim_blocks=True, lstrip_blocks=True,
    )  # fmt: skip
    card = tables["scorecard"]
    known = {"config": run["config"], "params": {"datasets": words}}
    datasets = tables["datasets"]
    return environment.get_template("page.html").render(
        style=Markup((folder / "page.css").read_text()),
        script=Markup((folder / "explorer.js").read_text()),
        data=in_script(explorer),
        suite=suite,
        run=run,
        config=yaml.safe_dump(run["config"], sort_keys=False, allow_unicode=True),
        rules=RULES,
        verdicts=VERDICTS,
        summary=summary(card),
        rows=[readable(row) for row in _records(card)],
        matrix=matrix(card, tables["claims"]),
        placebo=placebo(tables["claims"]),
        readings={name: reading.words for name, reading in READINGS.items()},
        protocols={name: f"{protocol.words} ({protocol.fairness})" for name, protocol in PROTOCOLS.items()},
        table1={"caption": table1_text.caption(tables["table1"]), "head": table1_text.HEAD,
                "cells": table1_text.cells(tables["table1"])},
        table2=_records(tables["table2"]),
        drawings=[_shown(drawing, known) for drawing in drawings],
        left_out=_records(datasets[datasets["left_out"] != ""]),
        capped=_records(datasets[datasets["rows_capped_from"].notna() | datasets["features_capped_from"].notna()]),
        different=_records(datasets[datasets["differences"] != ""]),
        read=_records(datasets.reindex(columns=READ)),
        simulations=int(tables["table1"]["simulations"].max()),
        played=int((datasets["left_out"] == "").sum()),
        timing=_times(tables["timing"]),
        searched=searched,
        multiverse=_multiverse(folder, multiverse) if multiverse else None,
    )  # fmt: skip


def _multiverse(folder: Path, tables: Mapping[str, pd.DataFrame]) -> dict[str, Any]:
    """What the page shows of the multiverse: the counts of verdicts, and what its script explores."""
    data = curves_of_claims(tables["claims"], tables["universes"])
    return {
        "universes": data["universes"],
        "datasets": int(tables["claims"]["datasets"].max()),
        "verdicts": data["verdicts"],
        "counts": _records(tables["verdicts"]),
        "data": in_script(data),
        "script": Markup((folder / "multiverse.js").read_text()),
    }


def in_script(data: Any) -> Markup:
    r"""Data as JSON that can stand in a script element: no text in it can end the element.

    >>> str(in_script({"name": "</script>"}))
    '{"name":"\\u003c/script>"}'
    """
    return Markup(json.dumps(data, separators=(",", ":"), allow_nan=False).replace("<", "\\u003c"))


def matrix(card: pd.DataFrame, claims: pd.DataFrame) -> dict[str, Any]:
    """The claims on Figure 4 as a table: one row per claim, one column per reading and protocol."""
    of = card[card["protocol"].fillna("") != ""]
    columns = list(dict.fromkeys(zip(of["reading"], of["protocol"], strict=True)))
    keys = ["better", "worse", "reading", "protocol"]
    counts = {tuple(row[key] for key in keys): row for row in _records(claims)}
    rows: dict[str, list[Any]] = {}
    for row in map(readable, _records(of)):
        values = dict(condition.split("=", 1) for condition in row["rows"].split("; "))
        row["counts"] = counts.get(tuple(values.get(key) for key in keys))
        rows.setdefault(row["claim"], []).append(row)
    return {"columns": columns, "rows": rows}


def placebo(claims: pd.DataFrame) -> dict[str, list[dict[str, Any]]]:
    """The placebos under each reading and protocol, in the order of the columns of ``matrix``."""
    rows: dict[str, list[dict[str, Any]]] = {}
    for row in _records(claims[claims["kind"] == "placebo"]):
        ours, low, high = (100.0 * float(row[key]) for key in ("difference", "low", "high"))
        words = {"ours": f"{ours:+.2f}", "interval": f"{low:+.1f} to {high:+.1f}"}
        rows.setdefault(f"{row['better']} outperforms {row['worse']}", []).append(row | words)
    return rows


def readable(row: dict[str, Any]) -> dict[str, Any]:
    """A row of the scorecard with its numbers as a person writes them."""
    number, low, high = (None if row[key] == "" else float(row[key]) for key in ("ours", "low", "high"))
    sign = "+" if row["unit"].startswith("points") else ""
    regret = row["unit"] == "points of regret"
    form, digits = (".2f", 1) if regret else (".3g", 0)
    ours = "–" if number is None else f"{number:{sign}{form}}" if number < 1000 else f"{number:.0f}"
    between = "" if low is None or high is None else f"{low:{sign}.{digits}f} to {high:{sign}.{digits}f}"
    return row | {"ours": ours, "interval": between, "anchor": _anchor(row["figure"])}


def _records(table: pd.DataFrame) -> list[dict[str, Any]]:
    """The rows of a table, with "" for what is missing."""
    filled = table.astype(object).where(table.notna(), "")
    return [{str(key): value for key, value in row.items()} for row in filled.to_dict("records")]


def _anchor(stem: str) -> str:
    """Where on the page a figure is, given its path without ending."""
    return stem.removeprefix("figures/").replace("/", "-")


def _shown(drawing: Drawing, known: dict[str, Any]) -> dict[str, Any]:
    """A figure as the page has it: the image as a data address, and its caption. A PDF is named, not shown."""
    path = Path(drawing.file)
    media = MEDIA.get(path.suffix)
    source = f"data:{media};base64,{base64.b64encode(path.read_bytes()).decode()}" if media else ""
    return drawing._asdict() | {
        "anchor": _anchor(str(path.with_suffix(""))),
        "source": source,
        "words": _caption(
            Path(drawing.caption),
            known
            | {
                "wildcards": drawing.wildcards,
                "params": known["params"] | {"view": view_in_words(drawing.wildcards)},
            },
        ),
    }


def _caption(path: Path, known: dict[str, Any]) -> Markup:
    """A caption of Snakemake's own report, in reStructuredText with Jinja, as HTML."""
    try:
        text = jinja2.Template(path.read_text(), undefined=jinja2.StrictUndefined).render(snakemake=known)
    except jinja2.TemplateError as error:
        raise InputError(f"{path}: the caption can't be filled in ({error}); it may use snakemake's config, "
                         "wildcards, params['datasets'] and params['view'].") from error  # fmt: skip
    settings = {"file_insertion_enabled": False, "raw_enabled": False, "report_level": 5}
    return Markup(docutils.core.publish_parts(text, writer="html5", settings_overrides=settings)["fragment"])


def _times(timing: pd.DataFrame) -> dict[str, Any]:
    """The run times: all jobs together, by bandit, and the slowest."""
    by_bandit: Iterable[Any] = timing.groupby("bandit", sort=False)
    return {
        "jobs": len(timing), "seconds": timing["seconds"].sum(), "cpu": timing["cpu_seconds"].sum(),
        "megabytes": timing["mb"].max() if len(timing) else 0.0,
        "bandits": [{"bandit": name, "jobs": len(of), "seconds": of["seconds"].sum()} for name, of in by_bandit],
        "slowest": _records(timing.head(SLOWEST)),
    }  # fmt: skip
