"""Files that a study names: found from its folder on, opened, and refused before they do harm.

Text, arrays of NumPy and HDF5, and the sealed files of fastgc itself.
"""

import functools
import hashlib
import io
import os
import stat
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TextIO

import numpy as np
from numpy.typing import NDArray

from fastgc.errors import FastgcError
from fastgc.registry.complaints import one_line, show, unknown

if TYPE_CHECKING:
    import h5py


class ResolvedFile(NamedTuple):
    """A file that is there: the name that messages use, and its real, absolute path.

    ``modified`` (nanoseconds) and ``size`` (bytes) tell whether it has changed since.
    """

    name: str
    path: str
    modified: int
    size: int


def find(name: str, context: Mapping[str, Any] | None = None) -> ResolvedFile:
    """Find a file; relative names start at the context's ``folder``, or the working directory.

    Missing files, directories, and all else that is no plain file are refused.
    """
    path = (context or {}).get("folder", Path()) / name
    try:
        real = os.path.realpath(path, strict=True)
        status = os.stat(real)
    except FileNotFoundError:
        raise FastgcError(f"there is no file {path}") from None
    except (OSError, ValueError) as problem:  # ValueError: the name holds a null byte
        raise _unreadable(name, problem) from None
    if stat.S_ISDIR(status.st_mode):
        raise FastgcError(f"{name} is a directory; name a file in it")
    if not stat.S_ISREG(status.st_mode):  # it may have no end, or never begin
        raise FastgcError(f"{name} is no plain file; name one")
    return ResolvedFile(name, real, status.st_mtime_ns, status.st_size)


@contextmanager
def open_text(found: ResolvedFile) -> Iterator[TextIO]:
    """Open a table in UTF-8 with the ends of its lines left as they are."""
    with reading(found.name):
        try:
            with open(found.path, encoding="utf-8-sig", newline="") as stream:
                yield stream
        except UnicodeDecodeError:
            said = f"{found.name} is not UTF-8 text; save it as csv in UTF-8"
            raise FastgcError(said) from None


@contextmanager
def reading(name: str) -> Iterator[None]:
    """Make a sentence, in which a file has a name, of what goes wrong while it is read."""
    try:
        yield
    except OSError as problem:
        raise _unreadable(name, problem) from None


def text_of(name: str, context: Mapping[str, Any] | None = None) -> str:
    """Return the text of a csv table: from the contents that a study carries, else from its file.

    The context has ``folder``, where relative names start, and ``files``, contents by name.
    """
    carried = (context or {}).get("files", {})
    if name not in carried:
        return _text(find(name, context))
    text = carried[name]
    if not isinstance(text, str):
        raise FastgcError(f"files: {show(name)} must be the text of a csv table")
    return text


@functools.lru_cache(maxsize=16)
def _text(found: ResolvedFile) -> str:
    with open_text(found) as stream:
        return stream.read()


def _unreadable(name: str, problem: Exception) -> FastgcError:
    reason = getattr(problem, "strerror", None) or problem
    if isinstance(problem, PermissionError):
        reason = "Permission denied"  # h5py tells it in a page of its own
    return FastgcError(f"{name} cannot be read: {reason}")


# ---- Arrays in files of NumPy and HDF5: what a file says of itself is checked before it is read


def npy(found: ResolvedFile) -> NDArray[Any]:
    """Map the array of a .npy file into memory; refuse other files, and those cut short."""
    try:
        with reading(found.name):
            # numpy.load would leave a file open that begins as an archive and is none
            return np.lib.format.open_memmap(found.path, mode="r")
    except FastgcError:
        raise
    except Exception:  # NumPy raises what it likes
        said = "is not a NumPy .npy file, or is cut short; save it again as float64"
        raise FastgcError(f"{found.name} {said}") from None


def hdf5(
    found: ResolvedFile, dataset: str, name: str, check: "Callable[[h5py.Dataset], None]"
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


def _dataset(stream: "h5py.File", dataset: str, name: str) -> "h5py.Dataset":
    import h5py

    known: list[str] = []
    stream.visititems(
        lambda key, node: known.append(key) if isinstance(node, h5py.Dataset) else None
    )
    if not dataset:
        held = ", ".join(known[:12]) or "none"
        raise FastgcError(f"{name}: name a dataset behind a colon (the file holds {held})")
    if dataset not in stream and stream.get(dataset, getlink=True) is None:
        raise FastgcError(f"{name}: {unknown('dataset', dataset, known[:12])}")
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
_UNPACKED = 1032


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
    return bool(found.nbytes <= held * (1 if found.chunks is None else _UNPACKED))


# ---- Sealed files: bytes of HDF5 behind their checksum, which is checked before they are read

MAGIC = b"fastgc results\nsha256 "
USER_BLOCK = 512


def seal(content: memoryview) -> bytes:
    """Return the user block, which stands before HDF5's own bytes and holds their checksum."""
    return (MAGIC + hashlib.sha256(content).hexdigest().encode() + b"\n").ljust(USER_BLOCK, b"\0")


def with_seal(buffer: io.BytesIO) -> memoryview:
    """Return the bytes of a file made in memory, its user block the seal of the rest."""
    with buffer.getbuffer() as image, image[USER_BLOCK:] as content:
        image[:USER_BLOCK] = seal(content)
    return memoryview(buffer.getvalue())  # none of the buffer, which may be cleared before it


def unsealed(path: Path, remedy: str) -> memoryview | None:
    """Return a sealed file's bytes, which fit their checksum; None if it is not one of fastgc's.

    HDF5 may hang or crash on damaged bytes, and gets none that were not checked here.

    Raises OSError if it cannot be read, and FastgcError with the remedy if it is damaged.
    """
    with path.open("rb") as file:
        head = file.read(USER_BLOCK)
        if not head.startswith(MAGIC):
            return None
        image = memoryview(head + file.read())
    if head != seal(image[USER_BLOCK:]):
        said = "is damaged: its content does not fit its checksum"
        raise FastgcError(f"{one_line(str(path))}: {said}; {remedy}")
    return image
