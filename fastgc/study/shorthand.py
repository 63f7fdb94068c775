"""A study's data in full, from what it says in short; values put into it by their key path.

In short are kinds, shared keys, ranges, an array or a number for a table; values are put in by
``--set`` and by sweeps.
"""

import copy
from collections.abc import Sequence
from typing import Any

from fastgc import registry
from fastgc.codes.matrix import in_full
from fastgc.errors import FastgcError
from fastgc.experiments.table import Range
from fastgc.registry import toml
from fastgc.registry.complaints import Complaint, Location, check, show, unknown
from fastgc.registry.given import IN_FULL, plain

_FULL = IN_FULL | {"code": in_full}  # which warns of a matrix that cannot be meant
TAGS = frozenset(room.key for room in registry.ROOMS.values())
#: Keys that settle the kind of an experiment which does not name it; the first that it has counts.
_SETTLING = {"problem": "training", "system": "completion", "latency": "completion"}


def study_in_full(data: dict[str, Any]) -> tuple[dict[str, Any], list[Complaint]]:
    """Return a study's data with its experiments in full, and what is wrong with its ranges.

    The experiments have their names already.
    """
    tables = data.get("experiment")
    defaults = data.get("defaults", {})
    if not isinstance(tables, list):
        return data, []
    found = {key: value for key, value in data.items() if key != "defaults"}
    found["experiment"] = []
    complaints: list[Complaint] = []
    if not isinstance(defaults, dict):
        sentence = f"must be one table, written [defaults] (got {show(defaults)})"
        complaints.append(Complaint(("defaults",), sentence))
        defaults = {}
    for i, table in enumerate(tables):
        if isinstance(table, dict):
            table, wrong = experiment_in_full(with_defaults(table, defaults))
            complaints += [Complaint(("experiment", i, *at), said) for at, said in wrong]
            table = {"name": table["name"], "kind": kind_of(table)} | table
        found["experiment"].append(table)
    return found, complaints


def experiment_in_full(table: dict[str, Any]) -> tuple[dict[str, Any], list[Complaint]]:
    """Return an experiment's table with nothing in short, and what is wrong with its ranges."""
    found = {key: _FULL[key](value) if key in _FULL else value for key, value in table.items()}
    complaints: list[Complaint] = []
    if isinstance(found.get("sweep"), dict):
        found["sweep"] = _listed(found["sweep"], ("sweep",), complaints)
        for key in _FULL.keys() & found["sweep"].keys():
            if isinstance(found["sweep"][key], list):
                found["sweep"][key] = list(map(_FULL[key], found["sweep"][key]))
    return found, complaints


def keys_of(name: str) -> tuple[str, ...]:
    """Return the keys that an entry of a sweep names: one, or several with commas between."""
    return tuple(part.strip() for part in name.split(","))


def kind_of(table: dict[str, Any]) -> Any:
    """Return the kind that an experiment names, else the one that its keys settle."""
    swept = table.get("sweep")
    swept = swept if isinstance(swept, dict) else {}
    named = table.keys() | {part.split(".")[0] for key in swept for part in keys_of(key)}
    settled = (kind for key, kind in _SETTLING.items() if key in named)
    return table.get("kind", next(settled, "decoding"))


def with_defaults(table: dict[str, Any], defaults: dict[str, Any]) -> dict[str, Any]:
    """Return an experiment's table with what all experiments of its study share.

    Its own keys come first, also in the tables that it holds. A table that names another member,
    like another family, takes nothing of the shared one.
    """
    own = {}
    for key, value in table.items():
        shared = defaults.get(key)
        if isinstance(shared, dict) and isinstance(value, dict):
            tags = TAGS & shared.keys() & value.keys()
            value = with_defaults(value, shared if all(shared[k] == value[k] for k in tags) else {})
        own[key] = value
    return copy.deepcopy(defaults) | own


def _listed(sweep: dict[str, Any], at: Location, complaints: list[Complaint]) -> dict[str, Any]:
    found = {}
    for key, value in sweep.items():
        place = (*at, key)
        if isinstance(value, dict) and not {"from", "to", "count"} & value.keys():
            value = _listed(value, place, complaints)
        elif isinstance(value, dict):
            made, wrong = check(Range, value)
            errors = [] if made is None else made.cross_field_errors()
            wrong += [Complaint((k,), said) for k, said in errors]
            complaints += [Complaint((*place, *inner), said) for inner, said in wrong]
            if made is None or wrong:
                continue
            value = made.values()
        found[key] = value
    return found


def override(data: dict[str, Any], assignment: str) -> dict[str, Any]:
    """Return study data with one value replaced.

    ``data``: a study as data; ``assignment``: ``KEY=VALUE``: a dotted key, experiments by name, and
    a TOML value, where a bare word is text.

    Raises FastgcError if the assignment cannot be read, or leads nowhere.
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
        tables = data.get("experiment")
        names = {
            str(table.get("name", f"experiment{i + 1}")): table
            for i, table in enumerate(tables if isinstance(tables, list) else ())
            if isinstance(table, dict)
        }
        if keys[1] not in names:
            raise FastgcError(f"{key}: {unknown('experiment', keys[1], names)}")
        node, keys = names[keys[1]], keys[2:]
        if not keys:
            raise FastgcError(f"{key}: is a whole experiment; name one of its keys")
    if not assign(node, keys, value):
        raise FastgcError(f"{key}: {keys[-1]!r} would stand inside what is no table")
    return data


def assign(node: Any, keys: Sequence[str], value: Any) -> bool:
    """Put a value at a path, making tables on the way; False where something else stands."""
    *parents, last = keys
    for parent in parents:
        if not isinstance(node, dict):
            return False
        node = node.setdefault(parent, {})
    if not isinstance(node, dict):
        return False
    node[last] = value
    return True
