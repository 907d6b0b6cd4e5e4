"""The configuration: defaults, checks, and sentences about what is wrong with it."""

import copy
import difflib
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema
import yaml

from balanced_bandits.errors import InputError


def _is_number(_: object, value: object, of: Any = (int, float)) -> bool:
    """Whether a value is a finite number; for JSON Schema NaN lies within any bounds."""
    return isinstance(value, of) and not isinstance(value, bool) and abs(value) <= sys.float_info.max


def _is_integer(_: object, value: object) -> bool:
    """Whether a value is a whole number, which for JSON Schema 2.0 is, too."""
    return _is_number(_, value, int)


_TYPES = jsonschema.Draft202012Validator.TYPE_CHECKER.redefine_many({"number": _is_number, "integer": _is_integer})
_extend: Any = jsonschema.validators.extend
_Validator = _extend(jsonschema.Draft202012Validator, type_checker=_TYPES)


def checked_config(given: dict[str, Any], schema_path: Path) -> dict[str, Any]:
    """The configuration ``given``, with the schema's defaults filled in; raises if anything is wrong with it."""
    schema = _with_own_bandits(yaml.safe_load(schema_path.read_text()), given.get("own_bandits"))
    config: dict[str, Any] = _with_types(copy.deepcopy(given), schema)
    problems = [sentence for error in _Validator(schema).iter_errors(config)
                for sentence in _sentences(error)]  # fmt: skip
    if problems:
        raise InputError("the configuration is wrong:\n  " + "\n  ".join(sorted(set(problems))))
    _fill(config, schema)
    return config


def _with_own_bandits(schema: dict[str, Any], own: Any) -> dict[str, Any]:
    """The schema, in which the bandits that ``own_bandits`` names may be given a grid."""
    if isinstance(own, dict) and own:
        schema, own = copy.deepcopy(schema), [name for name in own if isinstance(name, str)]
        for experiment in (schema, schema["properties"]["synthetic"]):
            experiment["properties"]["bandits"]["properties"] |= dict.fromkeys(own, schema["$defs"]["own_grid"])
    return schema


def _with_types(given: Any, schema: dict[str, Any]) -> Any:
    """Text that stands where the schema wants a number, or true or false, as what it would be in config.yaml.

    Snakemake gives what is nested in a value of --config as text: synthetic={simulations: 1000}; and so strict=true.
    """
    types: dict[str, Any] = {"integer": (int, float), "number": (int, float), "boolean": bool}
    wanted = types.get(str(schema.get("type")))
    if isinstance(given, str) and wanted:
        try:
            read = yaml.safe_load(given)
        except (yaml.YAMLError, ValueError):  # the latter for thousands of digits
            return given
        return read if isinstance(read, wanted) and isinstance(read, bool) == (wanted is bool) else given
    if isinstance(given, dict):
        known, others = schema.get("properties", {}), schema.get("additionalProperties") or {}
        given = {key: _with_types(value, known.get(key, others)) for key, value in given.items()}
    if isinstance(given, list):
        given = [_with_types(value, schema.get("items", {})) for value in given]
    for part in schema.get("oneOf", []):
        given = _with_types(given, part)
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
