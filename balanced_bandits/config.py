"""The configuration: defaults, checks, and sentences about what is wrong with it."""

import copy
import difflib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema
import yaml

from balanced_bandits.errors import InputError


def checked_config(given: dict[str, Any], schema_path: Path) -> dict[str, Any]:
    """The configuration ``given``, with the schema's defaults filled in; raises if anything is wrong with it."""
    schema = _with_own_bandits(yaml.safe_load(schema_path.read_text()), given.get("own_bandits"))
    config: dict[str, Any] = _with_numbers(copy.deepcopy(given), schema)
    problems = [sentence for error in jsonschema.Draft202012Validator(schema).iter_errors(config)
                for sentence in _sentences(error)]  # fmt: skip
    if problems:
        raise InputError("the configuration is wrong:\n  " + "\n  ".join(sorted(set(problems))))
    _fill(config, schema)
    return config


def _with_own_bandits(schema: dict[str, Any], own: Any) -> dict[str, Any]:
    """The schema, in which the bandits that ``own_bandits`` names may be given a grid."""
    if isinstance(own, dict):
        for experiment in (schema, schema["properties"]["synthetic"]):
            experiment["properties"]["bandits"]["properties"] |= dict.fromkeys(own, schema["$defs"]["own_grid"])
    return schema


def _with_numbers(given: Any, schema: dict[str, Any]) -> Any:
    """Text that stands where the schema wants a number, as what it would be in config.yaml.

    Snakemake gives what is nested in a value of --config as text: synthetic={simulations: 1000}.
    """
    if isinstance(given, str) and schema.get("type") in ("integer", "number"):
        try:
            read = yaml.safe_load(given)
        except yaml.YAMLError:
            return given
        return read if isinstance(read, int | float) and not isinstance(read, bool) else given
    if isinstance(given, dict):
        known, others = schema.get("properties", {}), schema.get("additionalProperties") or {}
        given = {key: _with_numbers(value, known.get(key, others)) for key, value in given.items()}
    if isinstance(given, list):
        given = [_with_numbers(value, schema.get("items", {})) for value in given]
    for part in schema.get("oneOf", []):
        given = _with_numbers(given, part)
    return given


def _fill(config: dict[str, Any], schema: dict[str, Any]) -> None:
    """Put the schema's default where the configuration says nothing, at every depth."""
    for key, part in schema.get("properties", {}).items():
        if key not in config and "default" in part:
            config[key] = copy.deepcopy(part["default"])
        if isinstance(config.get(key), dict):
            _fill(config[key], part)


def _sentences(error: jsonschema.ValidationError) -> Iterator[str]:
    """What a person should read about one validation error."""
    place = ".".join(str(part) for part in error.absolute_path)
    schema = error.schema if isinstance(error.schema, dict) else {}
    if error.validator == "additionalProperties" and isinstance(error.instance, dict):
        known = list(schema.get("properties", {}))
        for key in error.instance:
            if key not in known:
                near = difflib.get_close_matches(str(key), known, n=1, cutoff=0.4)
                hint = f"did you mean {near[0]!r}?" if near else f"known here are {', '.join(known)}."
                yield f"unknown key {f'{place}.{key}' if place else key!s}; {hint}"
    else:
        yield f"{place or 'the whole'} is {error.instance!r}, but must be: {schema.get('description', error.message)}"
