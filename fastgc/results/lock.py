"""One writer a file."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path

from fastgc.errors import FastgcError
from fastgc.registry.complaints import one_line


@contextlib.contextmanager
def writing(path: Path) -> Iterator[None]:
    """Hold the right to write a file; a second writer is refused.

    Raises
    ------
    FastgcError
        If another process is writing it, or the folder cannot be written to.
    """
    folder, name = path.parent, one_line(str(path))
    if not folder.is_dir():
        raise FastgcError(f"{name}: there is no folder {one_line(str(folder))}; make it first")
    try:
        is_folder = path.is_dir()
        is_device = path.exists() and not (is_folder or path.is_file())
    except OSError as error:  # a name that no file can have
        raise FastgcError(f"{name}: cannot be written ({error.strerror})") from None
    if is_device:
        raise FastgcError(f"{name}: is no plain file; name another")
    if is_folder:
        raise FastgcError(f"{name}: is a folder; name a file in it")
    if not os.access(folder, os.W_OK):
        raise FastgcError(f"{name}: no permission to write to the folder {one_line(str(folder))}")
    lock = folder / f".{path.name}.lock"
    try:
        handle = os.open(lock, os.O_RDWR | os.O_CREAT, 0o644)
    except OSError as error:
        raise FastgcError(f"{name}: cannot be written ({error.strerror})") from None
    try:
        if not (_lock(handle) and _is_file(handle, lock)):
            raise FastgcError(f"{name}: another run is writing it; name another file or wait")
        try:
            yield
        finally:
            with contextlib.suppress(OSError):
                os.unlink(lock)
    finally:
        os.close(handle)


def _is_file(handle: int, path: Path) -> bool:
    """Whether a handle is still the file of that name, and not one that was just removed."""
    try:
        return os.path.samestat(os.fstat(handle), os.stat(path))
    except FileNotFoundError:
        return False


def _lock(handle: int) -> bool:
    """Whether the lock was free; true as well where the file system or platform has no locks."""
    try:
        import fcntl
    except ImportError:
        return True
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        return True
    return True
