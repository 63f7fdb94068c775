"""Plain arrays with named dimensions and units, for programs that read a file without fastgc."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    import h5py


def fill(group: h5py.Group, rows: list[dict[str, Any]]) -> None:
    """Write a group for each experiment, and in it a variable with its unit for each statistic."""
    for name in dict.fromkeys(row["experiment"] for row in rows):
        own = group.create_group(_free_name(group, name))
        own.attrs["experiment"] = name
        mine = [row for row in rows if row["experiment"] == name]
        points = list(dict.fromkeys(json.dumps(row["point"], sort_keys=True) for row in mine))
        place = {point: i for i, point in enumerate(points)}
        own.create_dataset("point", data=np.arange(len(points))).make_scale("point")
        for key in dict.fromkeys(key for row in mine for key in row["point"]):
            values = [json.loads(point).get(key) for point in points]
            if all(isinstance(value, int | float) for value in values):
                data: Any = np.array(values, float)
            else:
                data = [json.dumps(value) for value in values]
            own.create_dataset(key, data=data).dims[0].attach_scale(own["point"])
        variables: dict[tuple[str, str, str, int], list[dict[str, Any]]] = {}
        for row, turn in _turns(mine):
            key = row["quantity"], row["statistic"], row["method"], turn
            variables.setdefault(key, []).append(row)
        quantities = dict.fromkeys(quantity for quantity, *_ in variables)
        labels = {quantity: _labels(mine, quantity) for quantity in quantities}
        for quantity, known in labels.items():
            if known:
                index = f"{quantity} index"
                own.create_dataset(index, data=known).make_scale(index)
        for (quantity, statistic, method, turn), own_rows in variables.items():
            name = f"{quantity} {statistic} {method}" + (f" {turn}" if turn > 1 else "")
            _fill_variable(own, name, quantity, own_rows, place, labels[quantity])


def _turns(rows: list[dict[str, Any]]) -> Iterator[tuple[dict[str, Any], int]]:
    """Each row, and the how-manieth it is of its address: a claim may have two cases at a point."""
    before: Counter[str] = Counter()
    for row in rows:
        address = [row[key] for key in ("point", "quantity", "statistic", "index", "method")]
        key = json.dumps(address, sort_keys=True)
        before[key] += 1
        yield row, before[key]


#: What the group of a claim says of it, where there is something to say.
_SAID = (
    *("statement", "citation", "relation", "expected", "verdict", "holds"),
    *("kind", "reason", "corrects", "reads", "proof"),
)


def say(group: h5py.Group, verdicts: list[dict[str, Any]]) -> None:
    """Write beside the cases of each claim what it says and its verdict, as attributes."""
    own = {entry.attrs["experiment"]: entry for entry in group.values()}
    for verdict in verdicts:
        for key in _SAID:
            if verdict.get(key):
                own[verdict["claim"]].attrs[key] = verdict[key]


def _labels(rows: list[dict[str, Any]], quantity: str) -> list[int] | list[str]:
    """Return the indices of a measure, 0, 1, … or texts; an empty list where it has none."""
    found = {row["index"]: None for row in rows if row["quantity"] == quantity}
    known = [index for index in found if index is not None]
    if all(isinstance(index, int) for index in known):
        return list(range(max(known, default=-1) + 1))
    return [str(index) for index in known]


def _free_name(group: h5py.Group, name: str) -> str:
    """Return the name as HDF5 allows it, changed where the group has that name already."""
    free = name.replace("/", " over ").strip(".") or "experiment"
    while free in group:
        free += "_"
    return free


def _fill_variable(
    group: h5py.Group,
    name: str,
    quantity: str,
    rows: list[dict[str, Any]],
    place: dict[str, int],
    labels: list[int] | list[str],
) -> None:
    """Write value, standard error and interval of one statistic, by point and index."""
    column = {str(label): number for number, label in enumerate(labels)}
    uncertain = any(row["standard_error"] or row["low"] != row["high"] for row in rows)
    for part in ("value", "standard_error", "low", "high") if uncertain else ("value",):
        data = np.full((len(place), len(labels) or 1), np.nan)
        for row in rows:
            at = place[json.dumps(row["point"], sort_keys=True)]
            if row[part] is not None:
                data[at, column.get(str(row["index"]), 0)] = row[part]
        full = name if part == "value" else f"{name} {part}"
        dataset = group.create_dataset(full, data=data if labels else data[:, 0])
        if rows[0]["unit"] is not None:
            dataset.attrs["units"] = rows[0]["unit"]
        dataset.dims[0].attach_scale(group["point"])
        if labels:
            dataset.dims[1].attach_scale(group[f"{quantity} index"])
