"""A study's experiments in full, from what it says in short, and at every point that they sweep.

In short are kinds, shared keys, ranges, an array or a number for a table; values are put in by
``--set`` and by sweeps.
"""

import copy
import itertools
import json
import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from fastgc import registry
from fastgc.codes.matrix import in_full
from fastgc.errors import FastgcError
from fastgc.experiments.table import MeasuredTable, Point, Range
from fastgc.registry import toml
from fastgc.registry.complaints import (
    TAG_KEYS,
    Complaint,
    Location,
    UnknownKey,
    check,
    show,
    unknown,
)
from fastgc.registry.given import IN_FULL, plain
from fastgc.registry.number_types import spaced

_FULL = IN_FULL | {"code": in_full}  # which warns of a matrix that cannot be meant
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
            table = {"name": table["name"], "kind": experiment_kind(table)} | table
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


def swept_keys(name: str) -> tuple[str, ...]:
    """Return the keys that an entry of a sweep names: one, or several with commas between."""
    return tuple(part.strip() for part in name.split(","))


def experiment_kind(table: dict[str, Any]) -> Any:
    """Return the kind that an experiment names, else the one that its keys settle."""
    swept = table.get("sweep")
    swept = swept if isinstance(swept, dict) else {}
    named = table.keys() | {part.split(".")[0] for key in swept for part in swept_keys(key)}
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
            tags = TAG_KEYS & shared.keys() & value.keys()
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


# ---- points: an experiment's table with every combination of swept values put in


LARGEST_GRID = 100_000


def check_points(
    model: type[MeasuredTable], table: dict[str, Any], context: Mapping[str, Any]
) -> tuple[list[Point], list[Complaint]]:
    """Check an experiment at every point of its grid.

    ``model``: the table of the experiment's kind; ``table``: the experiment as plain data, named;
    ``context``: what `check` needs to find files.
    """
    entries, complaints = _sweep(table.get("sweep", {}))
    base = {key: value for key, value in table.items() if key != "sweep"}
    points = []
    for rows in itertools.product(*entries):
        taken = [value for row in rows for value in row]
        data = copy.deepcopy(base)
        for key, value, place in taken:
            if not assign(data, key.split("."), copy.deepcopy(value)):
                above = key.rpartition(".")[0]
                sentence = f"{above} is no table, so nothing in it can be swept"
                complaints.append(Complaint(place[:2], sentence))
        found, wrong = check(model, data, context)
        # counts as integers
        values = {key: copy.deepcopy(value_at(data, key.split("."))) for key, _, _ in taken}
        # what members make of each other, also where the rest is wrong
        parts = {}
        for group in model.GROUPS:
            members, part = registry.members(group), data.get(group)
            tag = part.get(registry.GROUPS[group].key) if isinstance(part, dict) else None
            if found is not None:
                parts[group] = getattr(found, group)
            elif isinstance(tag, str) and tag in members:  # sound on its own, or None
                parts[group] = check(members[tag], part, context)[0]
        member_errors = model.member_errors(dict.fromkeys(model.GROUPS) | parts)
        if found is not None and not member_errors:
            member_errors = found.cross_field_errors()
        wrong += [Complaint(tuple(key.split(".")), sentence) for key, sentence in member_errors]
        complaints += [_in_sweep(complaint, taken, base) for complaint in wrong]
        if found is not None and not wrong:
            points.append(Point(table["name"], values, found))
    return points, complaints


#: A key, a value of it, and where the study has that: ("sweep", name of the entry, …).
_Value = tuple[str, Any, Location]


def _sweep(given: Any) -> tuple[list[list[list[_Value]]], list[Complaint]]:
    # by entry and row: a value of its key, or of each of the keys that go through theirs together
    if not isinstance(given, dict):
        return [], [Complaint(("sweep",), f"must be a table of lists (got {show(given)})")]
    flat = dict(_flat(given))
    known = {name: swept_keys(name) for name in flat}
    entries: list[list[list[_Value]]] = []
    complaints = []
    for name, values in flat.items():
        others = [key for other, keys in known.items() if other != name for key in keys]
        keys, at = known[name], ("sweep", name)
        if wrong := _wrong_in_sweep(keys, values, others):
            complaints.append(Complaint((*at, *wrong[0]), wrong[1]))
        elif len(keys) == 1:
            entries.append([[(keys[0], value, (*at, i))] for i, value in enumerate(values)])
        else:
            rows = [enumerate(zip(keys, row, strict=True)) for row in values]
            entries.append(
                [[(key, own, (*at, i, j)) for j, (key, own) in row] for i, row in enumerate(rows)]
            )
    size = math.prod(map(len, entries))
    if size > LARGEST_GRID:
        most = f"must have at most {spaced(LARGEST_GRID)} points (got {spaced(size)})"
        sentence = f"{most}; sweep fewer values, or split it into several experiments"
        complaints.append(Complaint(("sweep",), sentence))
        entries = [rows[:1] for rows in entries]
    return entries, complaints


def _wrong_in_sweep(
    keys: tuple[str, ...], values: Any, others: list[str]
) -> tuple[tuple[int, ...], str] | None:
    # where in an entry, and what; ``others`` are the keys of other entries
    if not isinstance(values, list) or not values:
        return (), f"must be a list of at least one value (got {show(values)})"
    for j, key in enumerate(keys):
        first = key.split(".")[0]
        if not key:
            return (), "names no key before or after a comma; name one, like 'code.d'"
        if first in ("name", "kind", "sweep"):
            return (), f"{first} cannot be swept"
        for other in [*others, *keys[:j], *keys[j + 1 :]]:
            if key.startswith(other + "."):
                return (), f"is inside {other}, which is swept too"
        if key in keys[:j] or key in others:
            return (), f"{key} is swept twice; name it once"
    seen = set()
    for i, value in enumerate(values):
        if len(keys) > 1 and not (isinstance(value, list) and len(value) == len(keys)):
            wanted = f"must be a list of {len(keys)} values, one for each of {', '.join(keys)}"
            return (i,), f"{wanted} (got {show(value)})"
        mark = json.dumps(value) if isinstance(value, list | dict) else value
        if mark in seen:
            return (), f"must list each value once (got {show(value)} again)"
        seen.add(mark)
    return None


def _flat(table: dict[str, Any], above: str = "") -> Iterator[tuple[str, Any]]:
    for key, value in table.items():
        if isinstance(value, dict):
            yield from _flat(value, f"{above}{key}.")
        else:
            yield ", ".join(above + part for part in swept_keys(key)) if above else key, value


def _in_sweep(complaint: Complaint, taken: list[_Value], base: dict[str, Any]) -> Complaint:
    # at the swept value that a complaint is about, or at the key that made a table
    at, sentence = complaint
    for key, _, place in taken:
        keys = tuple(key.split("."))
        made = keys[: len(at)] == at != keys and value_at(base, at) is NOTHING
        if made and isinstance(complaint, UnknownKey):
            return Complaint(place[:2], sentence)
        if at[: len(keys)] == keys:
            return Complaint((*place, *at[len(keys) :]), sentence)
    return complaint


#: What a table has at a key that it has not.
NOTHING: Any = object()


def value_at(data: Any, keys: Sequence[str | int]) -> Any:
    """Return the value at a path; `NOTHING` where there is none."""
    for key in keys:
        data = data.get(key, NOTHING) if isinstance(data, dict) else NOTHING
    return data
