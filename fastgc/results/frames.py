"""Rows for other programs: JSON, CSV, data frames of pandas, datasets of xarray, groups of HDF5.

In files names need no quotes anywhere, text is never an array (see `write_text`), and coordinates
and units are named as CF, the conventions of netCDF files, name them.
"""

import csv
import io
import json
import math
import re
from collections import Counter
from collections.abc import Callable, Container, Hashable, Iterable, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from fastgc.errors import FastgcError
from fastgc.results.sound import write_text
from fastgc.results.stored import ArrayMeaning

if TYPE_CHECKING:
    import h5py

#: More cells make no sense: rows of many experiments with different keys are no grid.
MOST_CELLS = 20_000_000
_PARTS = ("value", "standard_error", "low", "high")

Rows = Sequence[dict[str, Any]]
Item = TypeVar("Item")
Key = TypeVar("Key", bound=Hashable)


def grouped(items: Iterable[Item], key: Callable[[Item], Key]) -> dict[Key, list[Item]]:
    """Return items by their keys, all in their order."""
    found: dict[Key, list[Item]] = {}
    for item in items:
        found.setdefault(key(item), []).append(item)
    return found


#: A largest or smallest exact error below it is a squared residual that should be 0.
ROUNDED = 1e-24


def is_zero_minimum(statistic: str, value: float | None) -> bool:
    """Say whether a number is a minimum of 0; a squared residual that should be 0 is rounding."""
    return statistic == "minimum" and value is not None and 0 <= value < ROUNDED


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
    numbers = [(row["quantity"], row["statistic"]) for row in rows]
    for (quantity, statistic), places in grouped(range(len(rows)), lambda i: numbers[i]).items():
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
    # where there are others than numbers, all as text
    numbers = None if any(isinstance(each, bool) for each in values) else _numbers(values)
    if numbers is not None:
        return numbers
    if all(isinstance(each, str) for each in values):
        return np.array(values)
    return np.array(["" if each is None else column(each) for each in values], object)


def identifier(words: str) -> str:
    """Return words as one name of ASCII letters, digits and underscores, a letter first."""
    spoken = re.sub(r"P\(>(.*?)\)", r"above \1", words)
    spoken = re.sub(r"-(?=\d)", " minus ", spoken)
    name = re.sub(r"[^0-9A-Za-z]+", "_", spoken).strip("_")
    return name if name[:1].isalpha() else f"x{name}"


def group_names(experiments: Iterable[str]) -> dict[str, str]:
    """Return the name of each experiment's group: its own where that needs no quotes."""
    names: dict[str, str] = {}
    for experiment in dict.fromkeys(experiments):
        name = re.sub(r"[^\w.+@-]+", "_", experiment.replace("/", " over ")).strip("_.")
        names[experiment] = free(name or "experiment", names.values())
    return names


def free(name: str, taken: Container[str]) -> str:
    """Return a name that is not taken, with underscores after it where it is."""
    while name in taken:
        name += "_"
    return name


#: Units as UDUNITS writes them: xarray would make time spans of whole nanoseconds of "seconds".
_UNITS = {"seconds": "s", "seconds^2": "s^2"}


def fill_results(group: "h5py.Group", rows: list[dict[str, Any]]) -> None:
    """Write a group for each experiment, and in it a variable with its unit for each statistic."""
    by_experiment = grouped(rows, lambda row: str(row["experiment"]))
    for experiment, name in group_names(by_experiment).items():
        own = group.create_group(name)
        own.attrs["experiment"] = experiment
        _fill_experiment(own, by_experiment[experiment])


def _point_text(point: dict[str, Any]) -> str:
    return json.dumps(point, sort_keys=True)


def _fill_experiment(own: "h5py.Group", rows: list[dict[str, Any]]) -> None:
    # the points, their swept keys and indices as coordinates, then what was measured
    place = {text: i for i, text in enumerate(dict.fromkeys(_point_text(r["point"]) for r in rows))}
    own.create_dataset("point", data=np.arange(len(place))).make_scale("point")
    points = list(map(json.loads, place))
    keys = dict.fromkeys(key for row in rows for key in row["point"])
    coordinates = [_write_coordinate(own, key, [p.get(key) for p in points]) for key in keys]
    for coordinate in coordinates:
        own[coordinate].dims[0].attach_scale(own["point"])
    variables: dict[str, list[dict[str, Any]]] = {}
    before: Counter[str] = Counter()  # a claim may have two cases at a point
    for row in rows:
        words = f"{row['quantity']} {row['statistic']} {row['method']}"
        address = json.dumps([words, row["point"], row["index"]], sort_keys=True)
        before[address] += 1
        turn = f" {before[address]}" if before[address] > 1 else ""
        variables.setdefault(words + turn, []).append(row)
    columns: dict[str, tuple[h5py.Dataset, dict[Any, int]]] = {}
    for quantity in dict.fromkeys(own_rows[0]["quantity"] for own_rows in variables.values()):
        found = {row["index"]: None for row in rows if row["quantity"] == quantity}
        known = [index for index in found if index is not None]
        if known and all(isinstance(index, int) for index in known):
            known = list(range(max(known) + 1))
        if known:
            name = _write_coordinate(own, f"{quantity} index", known)
            own[name].make_scale(name)
            columns[quantity] = own[name], {index: number for number, index in enumerate(known)}
    for words, own_rows in variables.items():
        scale, column = columns.get(own_rows[0]["quantity"], (None, {}))
        at = [(place[_point_text(r["point"])], column.get(r["index"], 0)) for r in own_rows]
        uncertain = any(row["standard_error"] or row["low"] != row["high"] for row in own_rows)
        claimed = any(row.get("relation") and row["theory"] is not None for row in own_rows)
        parts = ("standard_error", "low", "high") * uncertain + ("theory",) * claimed
        for part in ("value", *parts):
            data = np.full((len(place), len(column) or 1), np.nan)
            for where, row in zip(at, own_rows, strict=True):
                data[where] = np.nan if row[part] is None else row[part]
            said = words if part == "value" else f"{words} {part}"
            name = free(identifier(said), own)
            variable = own.create_dataset(name, data=data if column else data[:, 0])
            variable.attrs["long_name"] = said
            if own_rows[0]["unit"] is not None:
                variable.attrs["units"] = udunit(own_rows[0]["unit"])
            variable.dims[0].attach_scale(own["point"])
            if scale is not None:
                variable.dims[1].attach_scale(scale)
            if coordinates:
                variable.attrs["coordinates"] = " ".join(coordinates)


def udunit(unit: str) -> str:
    """Return a unit as programs that know units write it."""
    return _UNITS.get(unit, unit)


def _write_coordinate(group: "h5py.Group", words: str, values: Sequence[Any]) -> str:
    """Write what a dimension's entries are, numbers or those of labels, and return its name.

    Labels are named by the attributes ``flag_values`` and ``flag_meanings`` of CF, and in a text
    of their own, one a line, for programs that read no attributes. Where there is none, it is not a
    number, or −1.
    """
    name = free(identifier(words), group)
    data = _numbers(values)
    labels: dict[str, int] = {}
    if data is None:
        lines = (isinstance(x, str) and x.isprintable() and x.strip() for x in values)
        said = [
            value if value is None or is_line else json.dumps(value)
            for value, is_line in zip(values, lines, strict=True)
        ]
        labels = {label: i for i, label in enumerate(dict.fromkeys(filter(None, said)))}
        data = np.array([-1 if label is None else labels[label] for label in said], np.int64)
    dataset = group.create_dataset(name, data=data)
    dataset.attrs["long_name"] = words
    if labels:
        dataset.attrs["flag_values"] = np.arange(len(labels))
        dataset.attrs["flag_meanings"] = " ".join("_".join(label.split()) for label in labels)
        write_text(group, free(f"{name}_labels", group), "\n".join(labels))
    return name


def _numbers(values: Sequence[Any]) -> NDArray[np.int64 | np.float64] | None:
    # None is no number; None where one of them cannot be one
    if not all(value is None or isinstance(value, int | float) for value in values):
        return None
    whole = [value for value in values if isinstance(value, int)]
    if any(abs(value) >= 1 << 63 for value in whole):
        return None
    if len(whole) == len(values):
        return np.array(values, np.int64)
    return np.array([np.nan if value is None else value for value in values], np.float64)


#: What the group of a claim says of it, where there is something to say.
_SAID = (
    *("statement", "citation", "relation", "expected", "verdict", "holds"),
    *("kind", "reason", "corrects", "reads", "proof"),
)


def say(group: "h5py.Group", verdicts: list[dict[str, Any]]) -> None:
    """Write beside the cases of each claim what it says and its verdict, as attributes."""
    own = {entry.attrs["experiment"]: entry for entry in group.values()}
    for verdict in verdicts:
        for key in _SAID:
            if verdict.get(key):
                own[verdict["claim"]].attrs[key] = verdict[key]


#: How the netCDF library knows a dimension that is nothing but a length.
_LENGTH_ONLY = "This is a netCDF dimension but not a netCDF variable.{:10d}"


def describe(dataset: "h5py.Dataset", said: ArrayMeaning) -> None:
    """Say what an array is, in which unit, and name its dimensions."""
    dataset.attrs["meaning"] = said.meaning
    if said.unit is not None:
        dataset.attrs["units"] = udunit(said.unit)
    for axis, (name, size) in enumerate(zip(said.dimensions, dataset.shape, strict=True)):
        if name not in dataset.parent:
            # never written: takes no room
            dataset.parent.create_dataset(name, (size,), "i1").make_scale(_LENGTH_ONLY.format(size))
        dataset.dims[axis].attach_scale(dataset.parent[name])
