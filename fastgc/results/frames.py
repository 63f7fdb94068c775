"""Rows for other programs: JSON, CSV, data frames of pandas and datasets of xarray."""

import csv
import io
import json
import math
from collections.abc import Sequence
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


def to_pandas(rows: Rows) -> Any:
    """Return rows as a data frame, a column for each swept key.

    Raises FastgcError if pandas is not installed.
    """
    return _library("pandas").DataFrame(flat(rows))


def _library(name: str) -> Any:
    try:
        return import_module(name)
    except ImportError:
        said = f"needs {name}; install it with pip install 'fastgc-sim[{name}]'"
        raise FastgcError(f"to_{name}: {said}") from None


def to_xarray(rows: Rows) -> Any:
    """Return rows as a dataset whose names are attributes, like ``error_mean_low``.

    Raises FastgcError if xarray is not installed, or the rows are no grid.
    """
    xarray, pandas = _library("xarray"), _library("pandas")
    codes: dict[str, Any] = {}  # which entry of its dimension a row has
    labels: dict[str, list[Any]] = {}

    def factorize(key: str, values: Sequence[Any]) -> None:
        cells = pandas.Series(list(map(column, values)), dtype=object)
        codes[key] = pandas.factorize(cells, use_na_sentinel=False)[0]
        labels[key] = [values[place] for place in np.unique(codes[key], return_index=True)[1]]

    factorize("experiment", [row["experiment"] for row in rows])
    factorize("road", [row["method"] for row in rows])
    dimensions = ["experiment", "road"]
    followers: dict[str, str] = {}
    for key in dict.fromkeys(key for row in rows for key in row["point"]):
        factorize(key, [row["point"].get(key) for row in rows])
        # of keys that go through their values together one is the dimension, and the others are its
        # coordinates: a grid of both would be empty but for its diagonal
        for leader in dimensions[2:]:
            together = len(set(zip(codes[leader], codes[key], strict=True))) == len(labels[leader])
            missing = all((leader in row["point"]) == (key in row["point"]) for row in rows)
            if together and missing and len(labels[key]) > 1:
                followers[key] = leader
                break
        else:
            dimensions.append(key)
    names: dict[str, str] = {}
    for key in (*dimensions, *followers):
        names[key] = free(identifier(key), names.values())
    variables: dict[str, Any] = {}
    by_number: dict[tuple[str, str], list[int]] = {}
    for place, row in enumerate(rows):
        by_number.setdefault((row["quantity"], row["statistic"]), []).append(place)
    for (quantity, statistic), places in by_number.items():
        words, own = f"{quantity} {statistic}", [rows[place] for place in places]
        dims = dimensions
        if any(row["index"] is not None for row in own):
            index = f"{quantity} index"
            names.setdefault(index, free(identifier(index), names.values()))
            if index not in codes:
                of_it = [row["index"] if row["quantity"] == quantity else None for row in rows]
                known = list(dict.fromkeys(each for each in of_it if each is not None))
                labels[index] = known
                codes[index] = np.array([known.index(x) if x in known else -1 for x in of_it])
            dims = [*dimensions, index]
        shape = tuple(len(labels[dim]) for dim in dims)
        if math.prod(shape) > MOST_CELLS:
            named = json.dumps(own[0]["experiment"], ensure_ascii=False)
            raise FastgcError(
                f"to_xarray: {words} would have {math.prod(shape)} cells for {len(own)} rows; name "
                f"one experiment, like to_xarray({named}), or take to_pandas()"
            )
        cells = tuple(codes[dim][places] for dim in dims)
        if len(np.unique(np.ravel_multi_index(cells, shape))) < len(own):
            raise FastgcError(
                f"to_xarray: there are two rows of {words} at one point; take to_pandas()"
            )
        name = free(identifier(words), variables)
        for part in _PARTS:
            data = np.full(shape, np.nan)
            data[cells] = [np.nan if row[part] is None else row[part] for row in own]
            said = words if part == "value" else f"{words} {part}"
            attributes = {"long_name": said} | ({"units": own[0]["unit"]} if own[0]["unit"] else {})
            called = name if part == "value" else f"{name}_{part}"
            variables[called] = ([names[dim] for dim in dims], data, attributes)
    coordinates = {
        names[key]: ([names[key]], _array(labels[key]), {"long_name": key})
        for key in names
        if key not in followers
    }
    for key, leader in followers.items():
        first = np.unique(codes[leader], return_index=True)[1]
        led = [rows[place]["point"].get(key) for place in first]
        coordinates[names[key]] = ([names[leader]], _array(led), {"long_name": key})
    return xarray.Dataset(variables, coordinates)


def _array(values: Sequence[Any]) -> Any:
    # where there are others than numbers, all as text; None is not a number
    if all(isinstance(each, int | float | None) and not isinstance(each, bool) for each in values):
        if any(isinstance(each, float | None) for each in values):
            return np.array([np.nan if each is None else each for each in values], np.float64)
        return np.array(values)
    if all(isinstance(each, str) for each in values):
        return np.array(values)
    return np.array(["" if each is None else column(each) for each in values], object)
