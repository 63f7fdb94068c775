"""Rows for other programs: JSON, CSV, data frames of pandas and datasets of xarray."""

import csv
import io
import json
import math
from collections.abc import Iterable, Sequence
from importlib import import_module
from typing import Any

import numpy as np

from fastgc.errors import FastgcError
from fastgc.results.other_programs import free, identifier

#: More cells make no sense: rows of many experiments with different keys are no grid.
MOST_CELLS = 20_000_000
_PARTS = ("value", "standard_error", "low", "high")

Rows = Sequence[dict[str, Any]]


def column(value: Any) -> Any:
    """Return a swept value as a cell of a table: lists and tables as JSON."""
    return json.dumps(value) if isinstance(value, list | dict) else value


def flat(rows: Rows) -> list[dict[str, Any]]:
    """Return rows with a column for each swept key, in place of the point."""
    names = [name for name in rows[0] if name != "point"] if rows else []
    more = (name for row in rows for name in row if name != "point")
    names = list(dict.fromkeys([*names, "note", *more]))
    keys = dict.fromkeys(key for row in rows for key in row["point"])
    own = {key: f"point.{key}" if key in names else key for key in keys}  # "method" may be swept
    return [
        {name: row.get(name) for name in names}
        | {own[key]: column(row["point"].get(key)) for key in keys}
        for row in rows
    ]


def as_json(data: Any) -> str:
    """Return data as JSON text; raise ValueError at NaN."""
    return json.dumps(data, indent=1, allow_nan=False, ensure_ascii=False)


def as_csv(rows: Rows) -> str:
    """Return rows as CSV, with a column for every swept key."""
    found = flat(rows)
    out = io.StringIO()
    names = list(found[0]) if found else []
    writer = csv.DictWriter(out, names, lineterminator="\n")
    writer.writeheader()
    writer.writerows(found)
    return out.getvalue().rstrip("\n")


def as_csv_table(lines: Sequence[Sequence[Any]]) -> str:
    """Return lines of cells as CSV."""
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows(lines)
    return out.getvalue().rstrip("\n")


def to_pandas(rows: Rows) -> Any:
    """Return rows as a data frame, a column for each swept key.

    Raises FastgcError if pandas is not installed.
    """
    return _library("pandas").DataFrame(flat(rows))


def _library(name: str) -> Any:
    """Import a library that an extra brings."""
    try:
        return import_module(name)
    except ImportError:
        said = f"needs {name}; install it with pip install 'fastgc-sim[{name}]'"
        raise FastgcError(f"to_{name}: {said}") from None


def to_xarray(rows: Rows) -> Any:
    """Return rows as a dataset whose names are attributes, like ``error_mean_low``.

    Raises FastgcError if xarray is not installed, or the rows are no grid.
    """
    xarray = _library("xarray")
    dimensions, followers = _dimensions(rows)
    names: dict[str, str] = {}
    for key in ("experiment", "road", *dimensions, *followers):
        names[key] = free(identifier(key), names.values())
    coordinates = {key: _Coordinate(values) for key, values in dimensions.items()}
    coordinates["experiment"] = _Coordinate([row["experiment"] for row in rows])
    coordinates["road"] = _Coordinate([row["method"] for row in rows])
    variables: dict[str, Any] = {}
    by_number: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for row in rows:
        by_number.setdefault((row["quantity"], row["statistic"]), []).append(row)
    for (quantity, statistic), own in by_number.items():
        words = f"{quantity} {statistic}"
        name = free(identifier(words), variables)
        dims = ["experiment", "road", *dimensions]
        if any(row["index"] is not None for row in own):
            index = f"{quantity} index"
            names.setdefault(index, free(identifier(index), names.values()))
            if index not in coordinates:
                whole = [row["index"] for row in rows if row["quantity"] == quantity]
                coordinates[index] = _Coordinate(each for each in whole if each is not None)
            dims.append(index)
        shape = tuple(len(coordinates[dim]) for dim in dims)
        if math.prod(shape) > MOST_CELLS:
            named = json.dumps(own[0]["experiment"], ensure_ascii=False)
            raise FastgcError(
                f"to_xarray: {words} would have {math.prod(shape)} cells for {len(own)} rows; name "
                f"one experiment, like to_xarray({named}), or take to_pandas()"
            )
        cells = tuple(
            np.array([coordinates[dim].place(_at(row, dim)) for row in own]) for dim in dims
        )
        if len(np.unique(np.ravel_multi_index(cells, shape))) < len(own):
            raise FastgcError(
                f"to_xarray: there are two rows of {words} at one point; take to_pandas()"
            )
        for part in _PARTS:
            data = np.full(shape, np.nan)
            data[cells] = [np.nan if row[part] is None else row[part] for row in own]
            said = words if part == "value" else f"{words} {part}"
            attributes = {"long_name": said} | ({"units": own[0]["unit"]} if own[0]["unit"] else {})
            called = name if part == "value" else f"{name}_{part}"
            variables[called] = ([names[dim] for dim in dims], data, attributes)
    labelled: dict[str, Any] = {
        names[key]: ([names[key]], each.values(), {"long_name": key})
        for key, each in coordinates.items()
    }
    for key, (leader, values) in followers.items():
        led = [values.get(column(each)) for each in coordinates[leader].order]
        labelled[names[key]] = ([names[leader]], _array(led), {"long_name": key})
    return xarray.Dataset(variables, labelled)


class _Coordinate:
    """The values along a dimension, each once, in the order in which they come."""

    def __init__(self, values: Iterable[Any]) -> None:
        self._places: dict[Any, int] = {}
        self.order: list[Any] = []
        for value in values:
            if column(value) not in self._places:
                self._places[column(value)] = len(self.order)
                self.order.append(value)

    def __len__(self) -> int:
        return len(self.order)

    def place(self, value: Any) -> int:
        return self._places[column(value)]

    def values(self) -> Any:
        return _array(self.order)


def _array(values: Sequence[Any]) -> Any:
    """Numbers as numbers; where there are others too, those as text. None is not a number."""
    if all(isinstance(each, int | float | None) and not isinstance(each, bool) for each in values):
        if any(isinstance(each, float | None) for each in values):
            return np.array([np.nan if each is None else each for each in values], np.float64)
        return np.array(values)
    if all(isinstance(each, str) for each in values):
        return np.array(values)
    return np.array(["" if each is None else column(each) for each in values], object)


def _at(row: dict[str, Any], dim: str) -> Any:
    if dim == "experiment":
        return row["experiment"]
    if dim == "road":
        return row["method"]
    return row["point"].get(dim) if not dim.endswith(" index") else row["index"]


def _dimensions(rows: Rows) -> tuple[dict[str, list[Any]], dict[str, tuple[str, dict[Any, Any]]]]:
    """Swept keys that are dimensions with their values, and those that follow another one.

    Of keys that go through their values together one is the dimension, and the others are its
    coordinates: a grid of both would be empty but for its diagonal.
    """
    points = {json.dumps(row["point"], sort_keys=True): row["point"] for row in rows}.values()
    keys = dict.fromkeys(key for point in points for key in point)
    dimensions: dict[str, list[Any]] = {}
    followers: dict[str, tuple[str, dict[Any, Any]]] = {}
    for key in keys:
        for leader in dimensions:
            values = _led(points, leader, key)
            if values is not None:
                followers[key] = leader, values
                break
        else:
            dimensions[key] = [point.get(key) for point in points]
    return dimensions, followers


def _led(points: Iterable[dict[str, Any]], leader: str, key: str) -> dict[Any, Any] | None:
    """The values of a key by those of another, where each of these has one and there are two."""
    values: dict[Any, Any] = {}
    for point in points:
        if (leader in point) != (key in point):
            return None
        own = point.get(key)
        first = values.setdefault(column(point.get(leader)), own)
        if column(first) != column(own):
            return None
    return values if len({column(each) for each in values.values()}) > 1 else None
