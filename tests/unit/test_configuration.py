import pytest
import yaml

from scripts.lib.configuration import (
    ConfigurationError,
    canonical,
    checked,
    load_entries,
    load_yaml,
)

SCHEMA = {
    "type": "object",
    "additionalProperties": False,
    "required": ["method"],
    "properties": {
        "method": {"enum": ["one", "two"]},
        "level": {"type": "string", "default": "speaker"},
        "params": {"type": "object", "default": {}},
    },
    "allOf": [
        {
            "if": {"properties": {"method": {"const": "two"}}},
            "then": {
                "properties": {
                    "params": {
                        "type": "object",
                        "additionalProperties": False,
                        "properties": {"alpha": {"type": "number", "default": 0.8}},
                    }
                }
            },
        }
    ],
}


def write(folder, name, entry):
    folder.mkdir(exist_ok=True)
    (folder / name).write_text(yaml.safe_dump(entry) if isinstance(entry, dict) else entry)


def test_defaults_are_filled_in_at_every_depth():
    entry = checked({"method": "two", "params": {}}, SCHEMA, "a.yaml")
    assert entry == {"level": "speaker", "method": "two", "params": {"alpha": 0.8}}
    assert checked({"method": "one"}, SCHEMA, "a.yaml")["params"] == {}
    assert checked({"method": "two"}, SCHEMA, "a.yaml")["params"] == {"alpha": 0.8}


def test_key_order_does_not_matter():
    one = checked({"level": "x", "method": "one"}, SCHEMA, "a.yaml")
    other = checked({"method": "one", "level": "x"}, SCHEMA, "a.yaml")
    assert repr(one) == repr(other)
    assert repr(canonical({"b": {"d": 1, "c": 2}, "a": 3})) == "{'a': 3, 'b': {'c': 2, 'd': 1}}"


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        (
            {"method": "one", "levle": "x"},
            r"a\.yaml: unknown key 'levle'; known keys: level, method",
        ),
        (
            {"method": "two", "params": {"alfa": 1}},
            r"params: unknown key 'alfa'; known keys: alpha",
        ),
        ({"method": "two", "params": {"alpha": "x"}}, r"params\.alpha: expected number, found 'x'"),
        ({"method": "three"}, r"method: 'three' is not one of"),
        ({}, r"lacks the key 'method'"),
        ({"method": "one", "level": 3}, r"level: expected string, found 3"),
        (["one"], r"a\.yaml: expected object, found \['one'\]"),
    ],
)
def test_mistakes_are_named(entry, message):
    with pytest.raises(ConfigurationError, match=message):
        checked(entry, SCHEMA, "a.yaml")


# Keys of its own for each backend, beside each other in one mapping.
FLAT = {
    "type": "object",
    "unevaluatedProperties": False,
    "required": ["backend"],
    "properties": {"backend": {"enum": ["small", "large"]}, "scoring": {"type": "object"}},
    "allOf": [
        {
            "if": {"required": ["backend"], "properties": {"backend": {"const": name}}},
            "then": {
                "required": ["width"],
                "properties": {
                    "width": {"type": "integer"},
                    f"{name}_only": {"type": "integer", "default": 1},
                    "scoring": {"default": {"method": name}},
                },
            },
        }
        for name in ("small", "large")
    ],
}


def test_each_backend_has_its_own_keys_and_defaults():
    entry = checked({"backend": "large", "width": 4}, FLAT, "a.yaml")
    assert entry == {
        "backend": "large",
        "large_only": 1,
        "scoring": {"method": "large"},
        "width": 4,
    }


@pytest.mark.parametrize(
    ("entry", "lines"),
    [
        (
            {"backend": "large", "width": 4, "small_only": 2},
            ["unknown key 'small_only'; known keys: backend, large_only, scoring, width"],
        ),
        ({"backend": "large", "width": "x"}, ["width: expected integer, found 'x'"]),
        ({"backend": "large"}, ["lacks the key 'width'"]),
        ({"backend": "huge", "width": 4}, ["backend: 'huge' is not one of ['small', 'large']"]),
        ({"width": 4}, ["lacks the key 'backend'"]),
    ],
)
def test_mistakes_of_a_backend_are_named_once(entry, lines):
    with pytest.raises(ConfigurationError) as error:
        checked(entry, FLAT, "a.yaml")
    assert str(error.value).splitlines() == [f"a.yaml: {line}" for line in lines]


def test_every_mistake_of_a_file_is_listed():
    with pytest.raises(ConfigurationError) as error:
        checked({"method": "three", "levle": 1, "level": 2}, SCHEMA, "a.yaml")
    assert len(str(error.value).splitlines()) == 3


def test_a_name_with_a_space_is_refused(tmp_path):
    write(tmp_path / "systems", "my system.yaml", {"method": "one"})
    with pytest.raises(ConfigurationError, match=r"my system\.yaml: 'my system' cannot be a name"):
        load_entries(tmp_path / "systems", SCHEMA)


def test_entries_of_the_config_join_the_files_and_replace_them(tmp_path):
    write(tmp_path / "systems", "a.yaml", {"method": "one"})
    entries = load_entries(
        tmp_path / "systems", SCHEMA, {"a": {"method": "two"}, "b": {"method": "one"}}
    )
    assert {name: entry["method"] for name, entry in entries.items()} == {"a": "two", "b": "one"}
    with pytest.raises(ConfigurationError, match=r"config, systems\.c: lacks the key 'method'"):
        load_entries(tmp_path / "systems", SCHEMA, {"c": {}})


def test_a_key_given_twice_is_refused(tmp_path):
    write(tmp_path, "a.yaml", "method: one\nlevel: x\nmethod: two\n")
    with pytest.raises(ConfigurationError, match=r"a\.yaml, line 3: key 'method' is given twice"):
        load_yaml(tmp_path / "a.yaml")


def test_broken_yaml_names_the_file(tmp_path):
    write(tmp_path, "a.yaml", "method: [one\n")
    with pytest.raises(ConfigurationError, match=r"a\.yaml: not valid YAML"):
        load_yaml(tmp_path / "a.yaml")
