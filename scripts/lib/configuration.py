"""Load folders of YAML entries, check them against their schemas and fill in defaults."""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import yaml
from jsonschema import Draft202012Validator
from jsonschema.exceptions import ValidationError

NAME = re.compile(r"[a-z][a-z0-9_]*")


class ConfigurationError(ValueError):
    """A configuration file that cannot be used; the message names the file and the key."""


class _UniqueKeyLoader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):
    """A loader for plain data that refuses a key given twice."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict:
        seen = set()
        for key_node, _ in node.value:
            key = self.construct_object(key_node, deep=True)
            if key in seen:
                raise ConfigurationError(
                    f"{node.start_mark.name}, line {key_node.start_mark.line + 1}: "
                    f"key {key!r} is given twice"
                )
            seen.add(key)
        return super().construct_mapping(node, deep)


def load_yaml(path: str | Path) -> Any:
    """Return the plain data of a YAML file."""
    with Path(path).open(encoding="utf-8") as stream:
        try:
            return yaml.load(stream, _UniqueKeyLoader)
        except yaml.YAMLError as error:
            raise ConfigurationError(f"{path}: not valid YAML: {error}") from error


def load_entries(folder: str | Path, schema: Mapping, inline: Mapping | None = None) -> dict:
    """Return the checked entries of one kind, by name.

    Parameters
    ----------
    folder
        One YAML file per entry; the stem is its name.
    schema
        JSON schema of an entry.
    inline
        Further entries, given in the config itself; they replace a file of the same name.
    """
    entries = {}
    for path in sorted(Path(folder).glob("*.yaml")):
        check_name(path.stem, str(path))
        entries[path.stem] = checked(load_yaml(path), schema, str(path))
    for name, entry in (inline or {}).items():
        origin = f"config, {Path(folder).name}.{name}"
        check_name(str(name), origin)
        entries[name] = checked(entry, schema, origin)
    return entries


def check_name(name: str, origin: str) -> None:
    """Refuse a name that cannot be a path segment and a wildcard value.

    Examples
    --------
    >>> check_name("my system", "config/systems/my system.yaml")
    Traceback (most recent call last):
    scripts.lib.configuration.ConfigurationError: config/systems/my system.yaml: 'my system' \
cannot be a name; use small letters, digits and _, starting with a letter
    """
    if not NAME.fullmatch(name):
        raise ConfigurationError(
            f"{origin}: {name!r} cannot be a name; "
            "use small letters, digits and _, starting with a letter"
        )


def checked(entry: Any, schema: Mapping, origin: str) -> Any:
    """Return an entry with its defaults filled in and its keys sorted.

    Raises an error that lists every problem with its key.
    """
    filled = _with_defaults({} if entry is None else entry, schema)
    errors = sorted(Draft202012Validator(schema).iter_errors(filled), key=lambda e: list(e.path))
    if errors:
        lines = [f"{origin}: {line}" for error in errors for line in _explain(error)]
        raise ConfigurationError("\n".join(lines))
    return canonical(filled)


def canonical(value: Any) -> Any:
    """Return plain data with sorted keys, because Snakemake compares params by their text.

    Examples
    --------
    >>> canonical({"b": 1, "a": [{"d": 2, "c": 3}]})
    {'a': [{'c': 3, 'd': 2}], 'b': 1}
    """
    if isinstance(value, Mapping):
        return {key: canonical(value[key]) for key in sorted(value, key=str)}
    if isinstance(value, list | tuple):
        return [canonical(item) for item in value]
    return value


def _with_defaults(value: Any, schema: Mapping) -> Any:
    if isinstance(value, list):
        return [_with_defaults(item, schema.get("items", {})) for item in value]
    if not isinstance(value, Mapping):
        return value
    filled = dict(value)
    properties = _known_properties(value, schema)
    for key, rule in properties.items():
        if key not in filled and "default" in rule:
            filled[key] = rule["default"]
    other = schema.get("additionalProperties", {})
    others = other if isinstance(other, Mapping) else {}
    return {key: _with_defaults(item, properties.get(key, others)) for key, item in filled.items()}


def _known_properties(value: Mapping, schema: Mapping) -> dict[str, Mapping]:
    """Return the rule of every key that an entry may hold, given what else it holds."""
    properties = dict(schema.get("properties", {}))
    for branch in _matching_branches(value, schema):
        for key, rule in branch.get("properties", {}).items():
            properties[key] = {**properties.get(key, {}), **rule}
    return properties


def _matching_branches(value: Mapping, schema: Mapping) -> Iterator[Mapping]:
    """Yield the `then` of each `if` that holds: the keys that go with a method or backend."""
    for branch in schema.get("allOf", []):
        if "if" in branch and Draft202012Validator(branch["if"]).is_valid(value):
            yield branch["then"]


def _is_chosen(value: Mapping, schema: Mapping) -> bool:
    """Return whether the shared keys are right, which decide what other keys there may be."""
    shared = {key: schema[key] for key in ("required", "properties") if key in schema}
    return Draft202012Validator(shared).is_valid(value)


def _explain(error: ValidationError) -> list[str]:
    """Word one schema violation for somebody who edits the file."""
    for inner in error.context or []:
        # `oneOf` alternatives: the alternative of the right type is the one that was meant.
        if inner.validator != "type":
            return _explain(inner)
    key = ".".join(map(str, error.absolute_path))
    where = f"{key}: " if key else ""
    closed = error.validator in ("additionalProperties", "unevaluatedProperties")
    if error.validator == "unevaluatedProperties" and not _is_chosen(error.instance, error.schema):
        return []
    if closed and error.schema.get("properties") is not None:
        known = _known_properties(error.instance, error.schema)
        # The keys that a branch with a mistake knows count as unevaluated, too: not unknown here.
        unknown = [str(k) for k in error.instance if k not in known]
        allowed = ", ".join(sorted(known)) or "none"
        return [f"{where}unknown key {name!r}; known keys: {allowed}" for name in unknown]
    if error.validator == "required":
        missing = [name for name in error.validator_value if name not in error.instance]
        return [f"{where}lacks the key {name!r}" for name in missing]
    if error.validator == "type":
        return [f"{where}expected {error.validator_value}, found {error.instance!r}"]
    return [f"{where}{error.message}"]
