"""What a file of results must be before anything in it is used.

Its seal says that no accident has changed it; who made it may have written anything. What is not as
fastgc writes it is damaged, and nothing is asked for that the file has no room for.
"""

import contextlib
import math
import types
import typing
from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
from datetime import datetime
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastgc.errors import FastgcError
from fastgc.registry.files import is_inside
from fastgc.results.hdf5 import h5py, read_text

_NUMBER = (float, int, types.NoneType)
_TEXT = (str, types.NoneType)
#: The keys of a row, with the types of their values; those after it may be missing.
_ROW: dict[str, tuple[type, ...]] = {
    "experiment": (str,),
    "point": (dict,),
    "quantity": (str,),
    "statistic": (str,),
    "index": (int, str, types.NoneType),
    "value": _NUMBER,
    "standard_error": _NUMBER,
    "low": _NUMBER,
    "high": _NUMBER,
    "confidence": (float,),
    "trials": (int, types.NoneType),
    "method": (str,),
    "theory": _NUMBER,
    "claim": _TEXT,
    "unit": _TEXT,
}
_MORE: dict[str, tuple[type, ...]] = {
    "relation": (str,),
    "verdict": (str,),
    "note": (str,),
    "variance_reduction": (float, int),
    "at_most": (float, int),
}


@contextlib.contextmanager
def reading(name: str, remedy: str) -> Iterator[None]:
    """Turn whatever reading a file raises into one sentence.

    Raises FastgcError if the file is damaged; an error that is a sentence already is left as it
    is.
    """
    try:
        yield
    except FastgcError:
        raise
    except Exception as problem:  # HDF5, JSON, NumPy and Python raise what they like
        said = "is damaged: what it holds is not as fastgc writes it"
        raise FastgcError(f"{name}: {said}; {remedy}") from problem


def require(holds: object) -> None:
    """Raise ValueError where something that must hold does not."""
    if not holds:
        raise ValueError("not as fastgc writes it")


def group(parent: "h5py.Group", name: str) -> "h5py.Group":
    """Return a group that is in the file itself."""
    found = _own(parent, name)
    require(isinstance(found, h5py.Group))
    return found


def array(parent: "h5py.Group", name: str, kind: str, dimensions: int) -> NDArray[Any]:
    """Return an array of this kind that is in the file itself, and no larger than it can hold."""
    found = dataset(parent, name)
    require(found.dtype.kind == kind and len(found.shape) == dimensions)
    return np.asarray(found[()])


def dataset(parent: "h5py.Group", name: str) -> "h5py.Dataset":
    """Return a dataset that can be read: its data are in the file, which has room for them."""
    found = _own(parent, name)
    require(isinstance(found, h5py.Dataset) and is_inside(found))
    return found


def text(parent: "h5py.Group", name: str) -> str:
    """Return a text that is in the file itself."""
    found = dataset(parent, name)
    require(found.shape == () and found.dtype.kind == "S")
    return read_text(found)


def _own(parent: "h5py.Group", name: str) -> Any:
    """Return what a hard link names: others may lead out of the file, or in circles."""
    require(isinstance(parent.get(name, getlink=True), h5py.HardLink))
    return parent[name]


def whole(value: Any, least: int = 0) -> int:
    """Return a whole number of at least ``least``."""
    number = int(value)
    require(number == value and number >= least and not isinstance(value, bool))
    return number


def rows(found: Any) -> list[dict[str, Any]]:
    """Return rows that have what rows have."""
    require(isinstance(found, list))
    for row in found:
        require(isinstance(row, dict) and row.keys() >= _ROW.keys())
        for key, value in row.items():
            kinds = _ROW.get(key) or _MORE.get(key)
            require(kinds is not None and isinstance(value, kinds) and not isinstance(value, bool))
            require(not isinstance(value, float) or math.isfinite(value))
    return list(found)


def provenance(found: Any) -> dict[str, Any]:
    """Return versions and the moment of writing, with how points were measured."""
    require(isinstance(found, dict) and isinstance(found["fastgc"], str))
    require(isinstance(found["stream_version"], int))
    datetime.fromisoformat(found["written"])
    points = found.get("points", [])
    require(isinstance(points, list) and all(isinstance(each, dict) for each in points))
    return dict(found)


def identity(found: Any, study: str) -> None:
    """Require what a file says of its run: the seed, and its points or its claims."""
    require(isinstance(found, dict) and isinstance(found["seed"], int))
    if not study:
        require(fits(found["validation"], list[str]))
        return
    for point in found["points"]:
        require(isinstance(point["experiment"], str) and isinstance(point["sweep"], dict))
        require(isinstance(point["table"], dict))


def fits(value: Any, hint: Any) -> bool:
    """Whether a value, with all that it holds, is of a type as annotations say it."""
    kind, inside = typing.get_origin(hint), typing.get_args(hint)
    if hint is Any:
        return True
    if kind in (typing.Union, types.UnionType):
        return any(fits(value, each) for each in inside)
    if kind is typing.Literal:
        return value in inside
    if kind is tuple and inside[-1] is not Ellipsis:
        return (
            isinstance(value, tuple | list)
            and len(value) == len(inside)
            and all(fits(*pair) for pair in zip(value, inside, strict=True))
        )
    if kind in (tuple, list):
        return isinstance(value, tuple | list) and all(fits(each, inside[0]) for each in value)
    if kind is not None:  # dict and Mapping
        return isinstance(value, Mapping) and all(
            fits(key, inside[0]) and fits(each, inside[1]) for key, each in value.items()
        )
    if is_dataclass(hint):
        types_of = _types(hint)  # type: ignore[arg-type]
        return isinstance(value, hint) and all(  # type: ignore[arg-type]
            fits(getattr(value, each.name), types_of[each.name]) for each in fields(hint)
        )
    if hint is float:
        return isinstance(value, float | int) and not isinstance(value, bool)
    return isinstance(value, hint) and not (hint is int and isinstance(value, bool))


@cache
def _types(hint: Any) -> dict[str, Any]:
    return typing.get_type_hints(hint)
