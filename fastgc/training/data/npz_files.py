"""Data sets in npz: one array of features, one of targets."""

from __future__ import annotations

import functools
import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastgc.errors import FastgcError
from fastgc.registry.complaints import show
from fastgc.registry.files import Found, find, reading
from fastgc.registry.names import instead, some
from fastgc.training.data.raw import Raw

#: Features are kept as dense float64: 2²⁸ of them are 2 GiB.
LARGEST = 1 << 28
#: Bytes of an array: so many times those of the file, unless they are few anyway.
MOST_TIMES, MOST_SMALL = 20, 1 << 28
_X_NAMES = ("X", "x", "images", "data", "features")
_Y_NAMES = ("y", "Y", "labels", "target", "targets")


def read(path: str, context: Mapping[str, Any], x: str | None, y: str | None) -> Raw:
    """Read a data set, once for as long as the file stays as it is.

    Parameters
    ----------
    path : str
    context : mapping
        ``folder``: where a relative path starts.
    x, y : str or None
        The arrays that hold features and targets; the usual names are tried without them.

    Raises
    ------
    FastgcError
        If the file cannot be read, or does not hold such arrays.
    """
    return _read(find(path, context), x, y)


def _unpacked(archive: Any, key: str, found: Found) -> NDArray[Any]:
    """Read an array; one that is larger than its part of the file can be is refused before."""
    part = archive.zip.getinfo(f"{key}.npy")
    if part.file_size > max(MOST_TIMES * found.size, MOST_SMALL):
        raise FastgcError(
            f"{found.name}: {key} has {part.file_size} bytes of a file of {found.size}; use "
            "numpy.savez"
        )
    with archive.zip.open(part) as stream:
        version = np.lib.format.read_magic(stream)
        header = np.lib.format.read_array_header_1_0
        if version != (1, 0):
            header = np.lib.format.read_array_header_2_0
        shape, _, dtype = header(stream)
    if math.prod(shape) * dtype.itemsize > part.file_size:
        raise ValueError("cut short")
    return np.asarray(archive[key])


@functools.lru_cache(maxsize=4)
def _read(found: Found, x: str | None, y: str | None) -> Raw:
    name = found.name
    try:
        with reading(name), open(found.path, "rb") as stream:
            archive = np.load(stream, allow_pickle=False)
            if not isinstance(archive, np.lib.npyio.NpzFile):
                raise FastgcError(f"{name} holds one array; save features and targets as npz")
            names = _names(archive.files, name, x, y)
            arrays = {key: _unpacked(archive, key, found) for key in names}
    except FastgcError:
        raise
    except Exception as problem:  # NumPy and zip raise what they like
        if "Object arrays" in str(problem):
            raise FastgcError(f"{name} holds Python objects; save numbers") from None
        raise FastgcError(f"{name} is not a NumPy .npz file, or is cut short") from None
    return of_arrays(arrays, name, *names)


def of_arrays(arrays: Any, name: str, x: str | None, y: str | None) -> Raw:
    """Take a data set from arrays by name; features may have any shape beyond the first axis.

    Raises
    ------
    FastgcError
        If an array is missing, or holds anything but finite numbers (targets also: names).

    Examples
    --------
    >>> of_arrays({"images": [[[1, 2], [3, 4]]], "labels": [7]}, "a.npz", None, None).X.tolist()
    [[1.0, 2.0, 3.0, 4.0]]
    """
    if not isinstance(arrays, Mapping):
        raise FastgcError(f"files: {show(name)} must be a table of arrays")
    x_name, y_name = _names(list(arrays), name, x, y)
    X, targets = (_array(arrays, key, name) for key in (x_name, y_name))
    if not X.size:
        raise FastgcError(f"{name}: {x_name} is empty")
    if X.ndim < 2 or X.dtype.kind == "U":
        what = "text" if X.dtype.kind == "U" else "one number a sample"
        raise FastgcError(f"{name}: {x_name} must be numbers, samples × features (got {what})")
    X = np.asarray(X.reshape(len(X), -1), np.float64)
    if targets.ndim == 2 and targets.shape[1] == 1:
        targets = targets[:, 0]
    if targets.shape != (len(X),):
        shape = " × ".join(map(str, targets.shape))
        raise FastgcError(
            f"{name}: {y_name} must hold {len(X)} targets like {x_name} (got {shape})"
        )
    if targets.dtype.kind != "U":
        targets = np.asarray(targets, np.float64)
        _all_finite(targets[:, np.newaxis], y_name, name)
    _all_finite(X, x_name, name)
    return Raw(name, X, targets, (x_name, y_name))


def _names(known: Sequence[str], name: str, x: str | None, y: str | None) -> tuple[str, str]:
    """Return which of the known arrays hold the features and the targets."""
    return (
        _array_name(x, "x", _X_NAMES, known, name),
        _array_name(y, "y", _Y_NAMES, known, name),
    )


def _array_name(
    given: str | None, key: str, usual: Sequence[str], known: Sequence[str], name: str
) -> str:
    if given is not None:
        if given not in known:
            raise FastgcError(f"{name} has no array {show(given)}{instead(given, known)}", key)
        return given
    for each in usual:
        if each in known:
            return each
    raise FastgcError(
        f"must name an array of {name} (got nothing); it has {some(known) or 'none'}", key
    )


def _array(arrays: Mapping[str, Any], key: str, name: str) -> NDArray[Any]:
    found = np.asarray(arrays[key])
    if found.dtype.kind not in "biufU":
        raise FastgcError(f"{name}: {key} must hold real numbers (got {found.dtype})")
    if found.size > LARGEST:
        raise FastgcError(f"{name}: {key} must hold at most {LARGEST} numbers (got {found.size})")
    return found


def _all_finite(values: NDArray[np.float64], key: str, name: str) -> None:
    bad = np.argwhere(~np.isfinite(values))
    if bad.size:
        sample, feature = bad[0]
        raise FastgcError(
            f"{name}: {key} must be finite (got {values[sample, feature]} in sample {sample})"
        )
