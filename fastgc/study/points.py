"""The points of an experiment: its table with every combination of swept values put in."""

from __future__ import annotations

import copy
import itertools
import json
import math
from collections.abc import Iterator, Mapping
from typing import Any

from fastgc import registry
from fastgc.experiments.point import Point
from fastgc.experiments.table import MeasuredTable
from fastgc.registry.complaints import Complaint, UnknownKey, check, show
from fastgc.study.overrides import assign

LARGEST_GRID = 100_000


def points_of(
    model: type[MeasuredTable], table: dict[str, Any], context: Mapping[str, Any]
) -> tuple[list[Point], list[Complaint]]:
    """Check an experiment at every point of its grid.

    Parameters
    ----------
    model : pydantic model class
        The table of the experiment's kind.
    table : dict
        The experiment as plain data, named.
    context : mapping
        What `check` needs to find files.
    """
    sweep, complaints = _sweep(table.get("sweep", {}))
    base = {key: value for key, value in table.items() if key != "sweep"}
    points = []
    for indices in _grid(sweep):
        values = {key: sweep[key][i] for key, i in indices.items()}
        data = copy.deepcopy(base)
        for key, value in values.items():
            if not assign(data, key.split("."), copy.deepcopy(value)):
                sentence = f"{key.rpartition('.')[0]} is no table, so nothing in it can be swept"
                complaints.append(Complaint(("sweep", key), sentence))
        found, wrong = check(model, data, context)
        values = {key: _at(data, key.split(".")) for key in values}  # counts as integers
        wrong += _cross_complaints(model, found, data, context)
        complaints += [_in_sweep(complaint, indices, base) for complaint in wrong]
        if found is not None and not wrong:
            points.append(Point(table["name"], values, found))
    return points, complaints


def _sweep(given: Any) -> tuple[dict[str, list[Any]], list[Complaint]]:
    """Return the keys of a sweep that can be swept, and what is wrong with the others."""
    if not isinstance(given, dict):
        return {}, [Complaint(("sweep",), f"must be a table of lists (got {show(given)})")]
    flat = dict(_flat(given))
    sweep = {}
    complaints = []
    for key, values in flat.items():
        sentence = _wrong_in_sweep(key, values, flat)
        if sentence is None:
            sweep[key] = values
        else:
            complaints.append(Complaint(("sweep", key), sentence))
    size = math.prod(len(values) for values in sweep.values())
    if size > LARGEST_GRID:
        sentence = f"must have at most {LARGEST_GRID} points (got {size})"
        complaints.append(Complaint(("sweep",), sentence))
        sweep = {key: values[:1] for key, values in sweep.items()}
    return sweep, complaints


def _wrong_in_sweep(key: str, values: Any, sweep: dict[str, Any]) -> str | None:
    first = key.split(".")[0]
    if not isinstance(values, list) or not values:
        return f"must be a list of at least one value (got {show(values)})"
    if first in ("name", "kind", "sweep"):
        return f"{first} cannot be swept"
    for other in sweep:
        if key.startswith(other + "."):
            return f"is inside {other}, which is swept too"
    seen = set()
    for value in values:
        mark = json.dumps(value) if isinstance(value, list | dict) else value
        if mark in seen:
            return f"must list each value once (got {show(value)} again)"
        seen.add(mark)
    return None


def _flat(table: dict[str, Any], above: str = "") -> Iterator[tuple[str, Any]]:
    for key, value in table.items():
        if isinstance(value, dict):
            yield from _flat(value, f"{above}{key}.")
        else:
            yield above + key, value


def _grid(sweep: dict[str, list[Any]]) -> Iterator[dict[str, int]]:
    for indices in itertools.product(*(range(len(values)) for values in sweep.values())):
        yield dict(zip(sweep, indices, strict=True))


def _in_sweep(complaint: Complaint, indices: dict[str, int], base: dict[str, Any]) -> Complaint:
    """Point at the swept value that a complaint is about, or at the key that made a table."""
    at, sentence = complaint
    for key, i in indices.items():
        keys = tuple(key.split("."))
        made = keys[: len(at)] == at != keys and not _stands(base, at)
        if made and isinstance(complaint, UnknownKey):
            return Complaint(("sweep", key), sentence)
        if at[: len(keys)] == keys:
            return Complaint(("sweep", key, i, *at[len(keys) :]), sentence)
    return complaint


def _at(data: Any, keys: list[str]) -> Any:
    """The value at a path, None where there is none."""
    for key in keys:
        data = data.get(key) if isinstance(data, dict) else None
    return copy.deepcopy(data)


def _stands(base: Any, at: tuple[str | int, ...]) -> bool:
    """Whether the experiment without its sweep has a value there."""
    for key in at:
        if not isinstance(base, dict) or key not in base:
            return False
        base = base[key]
    return True


def _cross_complaints(
    model: type[MeasuredTable],
    found: MeasuredTable | None,
    data: dict[str, Any],
    context: Mapping[str, Any],
) -> list[Complaint]:
    """What members make of each other, also where the rest is wrong."""
    parts = {room: _part(room, found, data, context) for room in model.ROOMS}
    complaints = model.crossing(parts)
    if found is not None and not complaints:
        complaints = found.misfits()
    return [Complaint(tuple(key.split(".")), sentence) for key, sentence in complaints]


def _part(
    room: str, found: MeasuredTable | None, data: dict[str, Any], context: Mapping[str, Any]
) -> Any:
    """Return the experiment's member of a room, if that is sound on its own."""
    if found is not None:
        return getattr(found, room)
    members = registry.members(room)
    table = data.get(room)
    tag = table.get(registry.discriminator(room)) if isinstance(table, dict) else None
    if not isinstance(tag, str) or tag not in members:
        return None
    return check(members[tag], table, context)[0]
