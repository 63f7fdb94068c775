"""Study data to TOML and back."""

import json
import tomllib
from collections.abc import Sequence
from typing import Any

from fastgc.errors import FastgcError


def dumps(data: dict[str, Any]) -> str:
    """Write plain data as TOML that `tomllib` reads back equal; keys that hold None are left out.

    Lists of tables become ``[[name]]``, tables ``[name]``, and what is deeper stands inline.
    """
    plain, tables = [], []
    for name, value in data.items():
        if isinstance(value, dict):
            tables.append("\n".join([f"[{key(name)}]", *_entries(value)]) + "\n")
        elif isinstance(value, list) and value and all(isinstance(item, dict) for item in value):
            tables += ["\n".join([f"[[{key(name)}]]", *_entries(item)]) + "\n" for item in value]
        else:
            plain += [f"{entry}\n" for entry in _entries({name: value})]
    return "\n".join(["".join(plain), *tables] if plain else tables)


def value_of(text: str) -> Any:
    """Read one TOML value; a bare word or file name is text. Else raise ValueError."""
    try:
        parsed = tomllib.loads(f"value = {text}")
        if set(parsed) == {"value"}:
            return parsed["value"]
    except (ValueError, RecursionError):
        bare = text.translate(str.maketrans("", "", "-_./:~"))
        if bare.isalnum() and not text[0].isdigit():
            return text
    raise ValueError(f"{text!r} is not a TOML value; write it like 8, 0.2 or [1, 2]")


def values_of(name: str, arguments: Sequence[str]) -> dict[str, Any]:
    """Read words ``key=value`` as a study's table has them; errors name the member."""
    given: dict[str, Any] = {}
    for argument in arguments:
        key, equals, text = argument.partition("=")
        if not equals:
            raise FastgcError(f"{name}: parameters must be key=value (got {argument!r})")
        try:
            given[key] = value_of(text)
        except ValueError as problem:
            raise FastgcError(f"{name}: {key}: {problem}") from None
    return given


def written(value: Any) -> str:
    """Write one plain value so that `value_of` reads it back."""
    try:
        if isinstance(value, str) and value_of(value) == value:
            return value
    except ValueError:
        pass
    return _value(value)


def keys_of(text: str) -> list[str]:
    """Split a dotted TOML key, ``a."b.c"`` → a, b.c; raise ValueError where it is none."""
    keys = []
    node: Any = tomllib.loads(f"{text} = 0") if "\n" not in text else {}
    while isinstance(node, dict) and len(node) == 1:
        ((key, node),) = node.items()
        keys.append(key)
    if node != 0 or not keys:
        raise ValueError(f"{text!r} is not a key")
    return keys


def _entries(table: dict[str, Any]) -> list[str]:
    return [f"{key(k)} = {_value(value)}" for k, value in table.items() if value is not None]


def key(name: str) -> str:
    """Write one key of a table."""
    bare = name.isascii() and name.replace("-", "").replace("_", "").isalnum()
    return name if bare else _value(name)


def _value(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        # JSON's escapes are TOML's, except that TOML also wants DEL escaped.
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007F")
    if isinstance(value, list):
        return "[" + ", ".join(map(_value, value)) + "]"
    if isinstance(value, dict):
        inside = ", ".join(_entries(value))
        return f"{{ {inside} }}" if inside else "{}"
    return repr(value)
