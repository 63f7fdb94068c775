"""The points of an experiment: its table with every combination of swept values put in."""

import copy
import itertools
import json
import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from fastgc import registry
from fastgc.experiments.table import MeasuredTable, Point
from fastgc.registry.complaints import Complaint, Location, UnknownKey, check, show
from fastgc.study.shorthand import assign, keys_of

LARGEST_GRID = 100_000


def points_of(
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
        values = {key: copy.deepcopy(_at(data, key.split("."))) for key, _, _ in taken}
        # what members make of each other, also where the rest is wrong
        parts = {}
        for room in model.ROOMS:
            members, part = registry.members(room), data.get(room)
            tag = part.get(registry.ROOMS[room].key) if isinstance(part, dict) else None
            if found is not None:
                parts[room] = getattr(found, room)
            elif isinstance(tag, str) and tag in members:  # sound on its own, or None
                parts[room] = check(members[tag], part, context)[0]
        crossing = model.crossing(dict.fromkeys(model.ROOMS) | parts)
        if found is not None and not crossing:
            crossing = found.cross_field_errors()
        wrong += [Complaint(tuple(key.split(".")), sentence) for key, sentence in crossing]
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
    known = {name: keys_of(name) for name in flat}
    entries: list[list[list[_Value]]] = []
    complaints = []
    for name, values in flat.items():
        others = [key for other, keys in known.items() if other != name for key in keys]
        wrong = _wrong_in_sweep(known[name], values, others)
        if wrong is None:
            keys = known[name]
            entries.append([])
            for i, value in enumerate(values):
                at: Location = ("sweep", name, i)
                row = [(keys[0], value, at)]
                if len(keys) > 1:
                    pairs = enumerate(zip(keys, value, strict=True))
                    row = [(key, own, (*at, j)) for j, (key, own) in pairs]
                entries[-1].append(row)
        else:
            place, sentence = wrong
            complaints.append(Complaint(("sweep", name, *place), sentence))
    size = math.prod(map(len, entries))
    if size > LARGEST_GRID:
        sentence = f"must have at most {LARGEST_GRID} points (got {size})"
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
            yield ", ".join(above + part for part in keys_of(key)) if above else key, value


def _in_sweep(complaint: Complaint, taken: list[_Value], base: dict[str, Any]) -> Complaint:
    # at the swept value that a complaint is about, or at the key that made a table
    at, sentence = complaint
    for key, _, place in taken:
        keys = tuple(key.split("."))
        made = keys[: len(at)] == at != keys and _at(base, at) is _NOTHING
        if made and isinstance(complaint, UnknownKey):
            return Complaint(place[:2], sentence)
        if at[: len(keys)] == keys:
            return Complaint((*place, *at[len(keys) :]), sentence)
    return complaint


#: What a table has at a key that it has not.
_NOTHING: Any = object()


def _at(data: Any, keys: Sequence[str | int]) -> Any:
    for key in keys:
        data = data.get(key, _NOTHING) if isinstance(data, dict) else _NOTHING
    return data
