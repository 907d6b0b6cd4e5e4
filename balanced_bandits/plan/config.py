"""The configuration: defaults, validation and error messages.

Each default is defined once: those of the bandits' parameters in ``bandits.parameters``, the grids in the project's
``config.yaml``, all others in ``workflow/schemas/config.schema.yaml``. The schema refers to parameters and vocabularies
instead of repeating them:

    x-parameter: NAME            a parameter of the bandits, with its default
    x-parameters: [NAME, ...]    a mapping of such parameters
    x-words: NAME                one of the words in ``vocabulary.NAME``
    x-grids: KEY                 a mapping of bandits to the values of their parameters to try, by default that of the
                                 project's config.yaml
    x-dimensions: true           a mapping of the dimensions of readings to those of their levels that are searched
    x-settings: true             the settings for OpenML, with the defaults of ``openml_settings.Settings``
"""

import copy
import dataclasses
import difflib
import functools
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import jsonschema
import yaml

from balanced_bandits import vocabulary
from balanced_bandits.bandits import BANDITS
from balanced_bandits.bandits.parameters import PARAMETERS, Number, Several
from balanced_bandits.core.errors import InputError
from balanced_bandits.datasets.sources.openml_settings import Settings
from balanced_bandits.plan.provenance import REPOSITORY

SCHEDULES = [("schedule",), ("epochs",), ("balancing", "propensity_schedule")]
SCHEMA = REPOSITORY / "workflow/schemas/config.schema.yaml"


def _is_number(_: object, value: object, of: Any = (int, float)) -> bool:
    """Whether a value is a finite number; in JSON Schema, NaN satisfies any bounds."""
    return isinstance(value, of) and not isinstance(value, bool) and abs(value) <= sys.float_info.max


def _is_integer(_: object, value: object) -> bool:
    """Whether a value is an integer; in JSON Schema, 2.0 is one as well."""
    return _is_number(_, value, int)


_TYPES = jsonschema.Draft202012Validator.TYPE_CHECKER.redefine_many({"number": _is_number, "integer": _is_integer})
_extend: Any = jsonschema.validators.extend
_Validator = _extend(jsonschema.Draft202012Validator, type_checker=_TYPES)


def given_config(path: Path = Path("config.yaml")) -> dict[str, Any]:
    """The content of a configuration file, by default that of the working folder; empty if it does not exist."""
    try:
        given = (yaml.safe_load(path.read_text()) if path.exists() else None) or {}
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise InputError(f"{path} can't be read: {error}") from error
    if not isinstance(given, dict):
        raise InputError(f"{path} is {type(given).__name__}, but must be a mapping of keys to values.")
    return given


def checked_config(given: Mapping[str, Any]) -> dict[str, Any]:
    """The configuration ``given`` with defaults filled in; raises ``InputError`` if it is invalid."""
    own = given.get("own_bandits")
    schema = config_schema(list(own) if isinstance(own, dict) else [])
    config: dict[str, Any] = _with_types(copy.deepcopy(dict(given)), schema)
    problems = [sentence for error in _Validator(schema).iter_errors(config)
                for sentence in _sentences(error)]  # fmt: skip
    if problems:
        raise InputError("the configuration is invalid:\n  " + "\n  ".join(sorted(set(problems))))
    _fill(config, schema)
    return config


def with_defaults(config: Mapping[str, Any]) -> dict[str, Any]:
    """A configuration of an earlier version, with the defaults of options that this version has added."""
    filled = copy.deepcopy(dict(config))
    _fill(filled, config_schema())
    return filled


def with_schedules(config: Mapping[str, Any], given: Mapping[str, Any]) -> dict[str, Any]:
    """The configuration with the schedules ``given`` on the command line in place of its own.

    Snakemake merges mappings, which would give a schedule two keys.
    """
    replaced = copy.deepcopy(dict(config))
    for *parents, key in SCHEDULES:
        old: Any = replaced
        new: Any = given
        for parent in parents:
            old, new = (part.get(parent) if isinstance(part, dict) else None for part in (old, new))
        if isinstance(old, dict) and isinstance(new, Mapping) and key in new:
            old[key] = new[key]
    return replaced


def config_schema(own: Sequence[Any] = ()) -> dict[str, Any]:
    """The schema of a configuration, with its ``x-`` keys expanded; ``own`` are the names of user-defined bandits."""
    if not SCHEMA.exists():
        raise InputError(f"{SCHEMA} does not exist; install the package from a clone with 'pip install -e .'.")
    schema: dict[str, Any] = _expanded(yaml.safe_load(SCHEMA.read_text()), own)
    return schema


def _expanded(part: Any, own: Sequence[Any]) -> Any:
    """A part of the schema with its ``x-`` keys expanded."""
    if isinstance(part, list):
        return [_expanded(item, own) for item in part]
    if not isinstance(part, dict):
        return part
    if "x-parameter" in part:
        return _of_parameter(part["x-parameter"]) | {k: v for k, v in part.items() if k != "x-parameter"}
    whole = {key: _expanded(value, own) for key, value in part.items() if not key.startswith("x-")}
    if "x-parameters" in part:
        properties = {name: _of_parameter(name) for name in part["x-parameters"]}
        whole |= {"type": "object", "additionalProperties": False, "default": {}, "properties": properties}
    if part.get("x-settings"):
        for key, value in dataclasses.asdict(Settings()).items():
            whole["properties"][key]["default"] = value
    if part.get("x-dimensions"):
        whole |= {
            "type": "object",
            "additionalProperties": False,
            "default": {},
            "properties": {name: _levels(list(of.levels)) for name, of in vocabulary.DIMENSIONS.items()},
        }
    if "x-words" in part:
        whole["enum"] = list(getattr(vocabulary, part["x-words"]))
    if part.get("x-grids"):
        grids = {bandit: _grid(entry.parameters) for bandit, entry in BANDITS.items()}
        whole |= {"type": "object", "additionalProperties": False, "default": _default_grids(part["x-grids"]),
                  "properties": grids | {name: OWN_GRID for name in own if isinstance(name, str)}}  # fmt: skip
    return whole


@functools.cache
def _project_config() -> dict[str, Any]:
    """The project's config.yaml, read once: it takes as long as all else together."""
    return given_config(REPOSITORY / "config.yaml")


def _default_grids(key: str) -> Any:
    """The grids at a key of the project's config.yaml; none if it has no such key."""
    part: Any = _project_config()
    for name in key.split("."):
        part = part.get(name, {}) if isinstance(part, dict) else {}
    return part


def _of_parameter(name: str) -> dict[str, Any]:
    """The schema of a parameter of the bandits, with its default."""
    default, kind, _ = PARAMETERS[name]
    default = list(default) if isinstance(default, tuple) else default
    return kind.schema() | {"default": default}


def _levels(names: list[str]) -> dict[str, Any]:
    """The schema of a list of levels of a dimension, by default all of them."""
    return {"type": "array", "minItems": 1, "uniqueItems": True, "items": {"enum": names}, "default": names,
            "description": f"a list of any of {', '.join(names)}"}  # fmt: skip


def _grid(names: Iterable[str]) -> dict[str, Any]:
    """The schema of the values to try, for those of the parameters that are numbers."""
    kinds = {name: PARAMETERS[name].kind for name in names}
    grids = {name: Several(kind).schema() for name, kind in kinds.items() if isinstance(kind, Number)}
    words = f"a mapping of any of {', '.join(grids)} to the values to try, or {{}}"
    return {"type": "object", "additionalProperties": False, "properties": grids, "description": words}


OWN_GRID = {
    "type": "object",
    "description": "a mapping of the parameters of your bandit to the values to try, {} if it has none",
    "additionalProperties": {
        "type": "array", "minItems": 1, "uniqueItems": True, "items": {"type": "number", "description": "a number"},
        "description": "the values to try: a list of different numbers",
    },
}  # fmt: skip


def _with_types(given: Any, schema: dict[str, Any]) -> Any:
    """Convert text to a number, a Boolean or null where the schema requires one, as YAML would.

    Snakemake passes nested values of --config as text, as in synthetic={simulations: 1000}, and also strict=true.
    """
    types: dict[str, Any] = {"integer": (int, float), "number": (int, float), "boolean": bool}
    either = schema.get("type")
    names = either if isinstance(either, list) else [either]
    if given == "null" and "null" in names:
        return None
    wanted = next((types[name] for name in names if name in types), None)
    if isinstance(given, str) and wanted:
        try:
            read = yaml.safe_load(given)
        except (yaml.YAMLError, ValueError):  # ValueError: thousands of digits
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
    """Fill in the defaults of the schema for missing keys, at every level."""
    for key, part in schema.get("properties", {}).items():
        if key not in config and "default" in part:
            config[key] = copy.deepcopy(part["default"])
        if isinstance(config.get(key), dict):
            _fill(config[key], part)


def _sentences(error: jsonschema.ValidationError) -> Iterator[str]:
    """Describe one validation error to the user."""
    place = ".".join(str(part) for part in error.absolute_path)
    schema = error.schema if isinstance(error.schema, dict) else {}
    if error.validator == "additionalProperties" and isinstance(error.instance, dict):
        known = list(schema.get("properties", {}))
        for key in error.instance:
            if key not in known:
                near = difflib.get_close_matches(str(key), known, n=1, cutoff=0.4)
                hint = f"did you mean {near[0]!r}?" if near else f"the known keys are {', '.join(known)}."
                yield f"unknown key {f'{place}.{key}' if place else key!s}; {hint}"
    else:
        yield f"{place or 'config.yaml'} is {error.instance!r}, but must be: {schema.get('description', error.message)}"
