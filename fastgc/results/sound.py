"""HDF5, imported when a file is first opened; what a file must be before anything in it is used.

Its seal says that no accident has changed it; who made it may have written anything. What is not as
fastgc writes it is damaged, and nothing is asked for that the file has no room for.
"""

import contextlib
import json
import math
import types
from collections.abc import Iterator
from datetime import datetime
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from fastgc.errors import FastgcError
from fastgc.registry.files import is_inside

if TYPE_CHECKING:
    import h5py as h5py
else:

    class _LazyModule:
        def __getattr__(self, name: str) -> Any:
            import h5py as module

            return getattr(module, name)

    h5py = _LazyModule()

_NUMBER = (float, int, types.NoneType)
_TEXT = (str, types.NoneType)
#: The keys of a row, with the types of their values; those after it may be missing.
_ROW: dict[str, tuple[type, ...]] = {
    **dict.fromkeys(("experiment", "quantity", "statistic", "method"), (str,)),
    **dict.fromkeys(("value", "standard_error", "low", "high", "theory"), _NUMBER),
    **dict.fromkeys(("claim", "unit"), _TEXT),
    "point": (dict,),
    "index": (int, str, types.NoneType),
    "confidence": (float,),
    "trials": (int, types.NoneType),
}
_MORE: dict[str, tuple[type, ...]] = {
    **dict.fromkeys(("relation", "verdict", "note"), (str,)),
    **dict.fromkeys(("variance_reduction", "at_most"), (float, int)),
}


@contextlib.contextmanager
def reading(name: str, remedy: str) -> Iterator[None]:
    """Turn whatever reading a file raises into one sentence.

    Raises FastgcError if the file is damaged; an error that is a sentence already is left as it is.
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


def read_text(dataset: "h5py.Dataset") -> str:
    """Return the text that a dataset holds."""
    return bytes(dataset[()]).decode()


def write_text(group: "h5py.Group", name: str, text: str) -> None:
    """Write a text as bytes of UTF-8 of a fixed length with a zero after them.

    GNU Octave reads no other text; the netCDF library takes one byte for a character, not for text.
    """
    content = text.encode()
    form = h5py.h5t.C_S1.copy()
    form.set_size(max(len(content) + 1, 2))
    dataset = group.create_dataset(name, (), dtype=h5py.Datatype(form))
    dataset[()] = content


def _own(parent: "h5py.Group", name: str) -> Any:
    # a hard link: others may lead out of the file, or in circles
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
        typed(found["validation"], list[str])
        return
    for point in found["points"]:
        require(isinstance(point["experiment"], str) and isinstance(point["sweep"], dict))
        require(isinstance(point["table"], dict))


def typed(data: Any, hint: Any) -> Any:
    """Return a value of a type, as annotations say it, from its data of JSON.

    Raises ValueError if the data, with all that they hold, are of another type.
    """
    from pydantic import TypeAdapter

    return TypeAdapter(hint).validate_json(json.dumps(data), strict=True)
