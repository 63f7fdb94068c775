"""Data as users give it, in files and in Python: as nothing but tables, lists, text and numbers."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fastgc.errors import FastgcError
from fastgc.registry import Table
from fastgc.registry.complaints import Complaint, Location, Model, check, lines, show

_DEPTH = 32
_LARGEST = 2**128
#: Entries of a matrix that is written with its zeros.
MOST_WRITTEN = 1 << 20
#: Of an array with entries that are not there.
MASKED = "must not have masked entries; write what stands for them, like B.filled(0)"


def plain(data: Any) -> tuple[Any, list[Complaint]]:
    """Copy data as nothing but tables, lists, text, numbers and booleans, as TOML would give it.

    Tuples and arrays become lists, NumPy scalars Python's, paths text, codes and other members the
    tables that make them; so do graphs of networkx and large sparse matrices of SciPy. What fits
    nowhere is replaced by None and complained about.
    """
    complaints: list[Complaint] = []
    return _plain(data, (), complaints, ()), complaints


def _plain(value: Any, at: Location, complaints: list[Complaint], above: tuple[int, ...]) -> Any:
    def refuse(sentence: str) -> None:
        complaints.append(Complaint(at, sentence))

    if len(above) > _DEPTH:
        return refuse(f"is nested too deeply (more than {_DEPTH} levels)")
    if id(value) in above:
        return refuse("holds itself")
    if isinstance(value, Table):
        value = value.settings()
    elif hasattr(value, "as_table"):  # a code, which knows the table that makes it
        value = value.as_table()
    elif any(kind.__module__.split(".")[0] == "networkx" for kind in type(value).__mro__):
        if value.is_directed():
            return refuse("must be a graph without directions; take its to_undirected()")
        if len(set(map(frozenset, value.edges()))) < value.number_of_edges():
            return refuse("must have each edge once; take networkx.Graph of it, or give its matrix")
        number = {vertex: i for i, vertex in enumerate(value)}  # in the graph's own order
        edges = [[number[a], number[b]] for a, b in value.edges()]
        value = {"family": "graph", "vertices": len(number), "edges": edges}
    elif hasattr(value, "tocoo"):  # a sparse matrix
        if np.prod(value.shape) <= MOST_WRITTEN:
            value = value.toarray()
        else:  # it has too many zeros to be written
            held = value.tocsc().tocoo()
            entries = entries_of(held.shape, held.row, held.col, held.data)
            value = {"family": "matrix", "entries": entries}
    if hasattr(value, "__array__"):  # NumPy's own, and tables of pandas, xarray and others
        array = np.asarray(value)
        if np.ma.is_masked(value):
            return refuse(MASKED)
        if at[-1:] == ("code",) and array.ndim not in (0, 2):
            said = f"must have two axes, partitions × workers (got shape {array.shape})"
            return refuse(said)
        if array.ndim == 2 and array.dtype.kind == "b":  # who holds what
            array = array.astype(np.int64)
        elif array.dtype.kind in "fc":  # also of more digits than Python's
            array = array.astype(np.float64 if array.dtype.kind == "f" else np.complex128)
        value = array.tolist()
    if value is None or isinstance(value, bool | float):
        return value
    if isinstance(value, int):
        if abs(value) >= _LARGEST:
            bits, most = value.bit_length(), _LARGEST.bit_length() - 1
            return refuse(f"must have fewer than {most} bits (got an integer of {bits})")
        return value
    if isinstance(value, Path | complex):
        value = str(value)
    if isinstance(value, str):
        return value if _is_text(value) else refuse("is not valid text (it holds a lone surrogate)")
    above = (*above, id(value))
    if isinstance(value, Mapping):
        out = {}
        for key, item in value.items():
            if isinstance(key, str) and _is_text(key):
                out[key] = _plain(item, (*at, key), complaints, above)
            else:
                refuse(f"every key must be text (got {show(key)})")
        return out
    if isinstance(value, list | tuple | range):
        if any(item is None for item in value):
            return refuse("must not hold None")
        return [_plain(item, (*at, i), complaints, above) for i, item in enumerate(value)]
    return refuse(
        f"must be a table, a list, text, a number or a boolean (got {type(value).__name__})"
    )


def _is_text(value: str) -> bool:
    return not any("\ud800" <= letter <= "\udfff" for letter in value)


def _code(given: Any) -> Any:
    if isinstance(given, list):
        return {"family": "matrix", "rows": given}
    return {"family": "matrix", "file": given} if isinstance(given, str) else given


def _stragglers(given: Any) -> Any:
    # so many where it is a whole number, else a probability
    if isinstance(given, bool) or not isinstance(given, int | float | list):
        return given
    if isinstance(given, int):
        return {"model": "uniform", "stragglers": given}
    return {"model": "iid", "p": given}


#: What makes a table of what a study may write in place of one, by its key.
IN_FULL: dict[str, Callable[[Any], Any]] = {"code": _code, "stragglers": _stragglers}


def is_at(point: Mapping[str, Any], wanted: Mapping[str, Any]) -> bool:
    """Return whether a point has these values of swept keys, also where they are in short."""
    return all(
        point.get(key) in (value, IN_FULL.get(key, lambda own: own)(value))
        for key, value in plain(dict(wanted))[0].items()
    )


def entries_of(
    shape: tuple[int, int], rows: NDArray[Any], columns: NDArray[Any], values: NDArray[Any]
) -> dict[str, Any]:
    """Return the key ``entries`` of a matrix: those that are not 0, complex ones as text."""
    numbers = values.tolist()
    return {
        "shape": list(shape),
        "rows": rows.tolist(),
        "columns": columns.tolist(),
        "values": [str(x) for x in numbers] if values.dtype.kind == "c" else numbers,
    }


def made(model: type[Model], name: str, /, **parameters: Any) -> Model:
    """Make a member from a Python call; errors name the function and all that is wrong."""
    given = {key: value for key, value in parameters.items() if value is not None}
    data, complaints = plain(given)
    if not complaints:
        member, complaints = check(model, data)
        if member is not None:
            return member
    raise FastgcError("; ".join(f"{name}: {line}" for line in lines(complaints)))


def worker_indices(name: str, given: ArrayLike, n: int) -> NDArray[np.int64]:
    """Return the indices of some of n workers, given by them or by one boolean a worker.

    Raises a FastgcError that begins with ``name`` if they are neither, or there is no such worker.
    """
    try:
        workers = np.asarray(given)
    except ValueError:
        workers = np.empty((0, 0))
    if workers.ndim != 1 or not (workers.size == 0 or workers.dtype.kind in "bui"):
        raise FastgcError(
            f"{name}: must be a list of workers' indices or of {n} booleans (got {given!r})"
        )
    if workers.dtype.kind == "b":
        if workers.size != n:
            raise FastgcError(f"{name}: must have {n} booleans, one a worker (got {workers.size})")
        return np.flatnonzero(workers)
    outside = workers[(workers < 0) | (workers >= n)]
    if outside.size:
        raise FastgcError(f"{name}: every index must be from 0 to {n - 1} (got {int(outside[0])})")
    return workers.astype(np.int64)
