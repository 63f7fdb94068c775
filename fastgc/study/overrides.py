"""Values put into study data by their key path: ``--set`` and sweeps."""

import copy
from collections.abc import Sequence
from typing import Any

from fastgc.errors import FastgcError
from fastgc.registry import toml
from fastgc.registry.complaints import show, unknown
from fastgc.registry.given import plain, tag_of


def override(data: dict[str, Any], assignment: str) -> dict[str, Any]:
    """Return study data with one value replaced.

    ``data``: a study as data; ``assignment``: ``KEY=VALUE``: a dotted key, experiments by name, and
    a TOML value, where a bare word is text.

    Raises FastgcError if the assignment cannot be read, or leads nowhere.

    >>> override({"experiment": [{"name": "frc", "code": {"d": 2}}]}, "experiment.frc.code.d=4")
    {'experiment': [{'name': 'frc', 'code': {'d': 4}}]}
    """
    key, equals, text = assignment.partition("=")
    try:
        if not equals:
            raise ValueError
        keys = toml.keys_of(key.strip())
        value, complaints = plain(toml.value_of(text.strip()))
        if complaints:
            raise ValueError
    except (ValueError, RecursionError):
        raise FastgcError(
            f"cannot read {show(assignment)}; write KEY=VALUE with a TOML value, like "
            "experiment.frc.code.d=4"
        ) from None
    data = copy.deepcopy(data)
    node: Any = data
    if keys[0] == "experiment" and len(keys) > 1:
        node = _named(data, keys[1], key)
        keys = keys[2:]
        if not keys:
            raise FastgcError(f"{key}: is a whole experiment; name one of its keys")
    if not assign(node, keys, value):
        raise FastgcError(f"{key}: {keys[-1]!r} would stand inside what is no table")
    return data


def _named(data: dict[str, Any], name: str, key: str) -> dict[str, Any]:
    names = {}
    tables = data.get("experiment")
    for i, table in enumerate(tables if isinstance(tables, list) else ()):
        if isinstance(table, dict):
            names[str(table.get("name", f"experiment{i + 1}"))] = table
    if name not in names:
        raise FastgcError(f"{key}: {unknown('experiment', name, names)}")
    return names[name]


def assign(node: Any, keys: Sequence[str], value: Any) -> bool:
    """Put a value at a path, making tables on the way; False where something else stands."""
    *parents, last = keys
    for parent in parents:
        if not isinstance(node, dict):
            return False
        node = node.setdefault(parent, {})
    if not isinstance(node, dict):
        return False
    node[tag_of(last, *parents[-1:])] = value
    return True
