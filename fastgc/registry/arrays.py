"""Arrays in files of NumPy and HDF5: what a file says of itself is checked before it is read."""

import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from fastgc.errors import FastgcError
from fastgc.registry.complaints import unknown
from fastgc.registry.files import Found, reading

if TYPE_CHECKING:
    import h5py

_MOST_NAMED = 12


def npy(found: Found) -> NDArray[Any]:
    """Map the array of a .npy file into memory; refuse other files, and those cut short."""
    name = found.name
    damaged = f"{name} is not a NumPy .npy file, or is cut short; save it again"
    with _refusing(name, f"{name} holds Python objects; save it as float64", damaged):
        with open(found.path, "rb") as stream:
            if stream.read(2) == b"PK" and zipfile.is_zipfile(stream):
                said = "is an archive of arrays; save the one matrix with numpy.save"
                raise FastgcError(f"{name} {said}")
        # numpy.load would leave a file open that begins as an archive and is none
        return np.lib.format.open_memmap(found.path, mode="r")


def hdf5(
    found: Found, dataset: str, name: str, check: "Callable[[h5py.Dataset], None]"
) -> NDArray[Any]:
    """Return a dataset of numbers that are in the file itself; messages call it ``name``.

    ``check`` raises an error for a dataset of the wrong form. Damaged files are refused, and
    datasets that are missing, in another file, or larger than the file.
    """
    import h5py  # 0.1 s that most studies do not need

    with reading(name):
        try:
            stream = h5py.File(found.path, "r", locking=False)
        except PermissionError:
            raise
        except (OSError, RuntimeError):
            raise FastgcError(f"{name}: not an HDF5 file, or cut short; save it again") from None
        with stream:
            try:
                node = _dataset(stream, dataset, name)
                check(node)
                if not is_inside(node):
                    size = " × ".join(map(str, node.shape))
                    raise FastgcError(f"{name}: {size} numbers are not in the file")
                return np.asarray(node[()])
            except FastgcError:
                raise
            except (OSError, RuntimeError, LookupError, TypeError, ValueError, MemoryError):
                said = "the file is damaged or cut short, or its links lead nowhere"
                raise FastgcError(f"{name} cannot be read: {said}") from None


@contextmanager
def _refusing(name: str, objects: str, damaged: str) -> Iterator[None]:
    """Make a sentence of what NumPy says of a file: that it holds objects, or is damaged."""
    try:
        with reading(name):
            yield
    except FastgcError:
        raise
    except Exception as problem:  # NumPy and zip raise what they like
        said = str(problem)
        is_pickled = "Python objects" in said or "Object arrays" in said
        raise FastgcError(objects if is_pickled else damaged) from None


def _dataset(stream: "h5py.File", dataset: str, name: str) -> "h5py.Dataset":
    import h5py

    file = Path(stream.filename).name
    known: list[str] = []
    stream.visititems(
        lambda key, node: known.append(key) if isinstance(node, h5py.Dataset) else None
    )
    if not dataset:
        held = ", ".join(known[:_MOST_NAMED]) or "none"
        raise FastgcError(f"{name}: name a dataset, as in {file}:B (it holds {held})")
    if dataset not in stream and stream.get(dataset, getlink=True) is None:
        raise FastgcError(f"{name}: {unknown('dataset', dataset, known[:_MOST_NAMED])}")
    node = stream[dataset]
    if not isinstance(node, h5py.Dataset):
        raise FastgcError(f"{name} is a group; name a dataset in it")
    home = node.file
    if home.filename != stream.filename or is_elsewhere(node):
        if home.filename != stream.filename:
            home.close()  # a link has opened it
        raise FastgcError(f"{name}: its numbers are in another file; save them in this one")
    return node


#: Bytes that gzip makes of one at most.
_GZIP = 1032


def is_elsewhere(found: "h5py.Dataset") -> bool:
    """Whether a dataset's data are in other files.

    Its properties are closed at once: HDF5 2.0 crashes at the end of a process that leaves those of
    a virtual dataset open.
    """
    import h5py

    properties = found.id.get_create_plist()
    try:
        is_virtual = properties.get_layout() == h5py.h5d.VIRTUAL
        return bool(is_virtual or properties.get_external_count())
    finally:
        properties.close()


def is_inside(found: "h5py.Dataset") -> bool:
    """Whether a dataset's data are in its own file, and no more than the file has room for."""
    if found.shape is None or is_elsewhere(found) or found.dtype.kind == "O":
        return False
    held = min(found.id.get_storage_size(), found.file.id.get_filesize())
    return bool(found.nbytes <= held * (1 if found.chunks is None else _GZIP))
