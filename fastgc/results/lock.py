"""A lock that lets only one process write a file of results."""

import contextlib
import errno
import os
from collections.abc import Iterator
from pathlib import Path

from fastgc.errors import FastgcError, FastgcWarning, StorageError
from fastgc.registry.complaints import one_line

_OF_THE_DISK = (errno.ENOSPC, errno.EDQUOT, errno.EIO)


@contextlib.contextmanager
def writing(path: Path) -> Iterator[None]:
    """Hold the lock of a file; raise an error if another process holds it.

    Raises FastgcError if another process is writing it, or the folder cannot be written to.
    """
    folder, name = path.parent, one_line(str(path))
    try:
        refusals = {
            f"there is no folder {one_line(str(folder))}; make it first": not folder.is_dir(),
            "is a folder; name a file in it": path.is_dir(),
            "is no plain file; name another": path.exists()
            and not (path.is_file() or path.is_dir()),
            f"no permission to write to the folder {one_line(str(folder))}; name a file in "
            "another": not os.access(folder, os.W_OK),
        }
    except OSError as error:  # a name that no file can have
        raise FastgcError(f"{name}: cannot be written ({error.strerror}); name another") from None
    for said in (said for said, is_so in refusals.items() if is_so):
        raise FastgcError(f"{name}: {said}")
    lock = folder / f".{path.name}.lock"
    try:
        handle = os.open(lock, os.O_RDWR | os.O_CREAT, 0o644)
    except OSError as error:
        kind = StorageError if error.errno in _OF_THE_DISK else FastgcError
        raise kind(
            f"{name}: cannot be written ({error.strerror}); make that possible, or name another"
        ) from None
    try:
        if not (_lock(handle, name) and _is_file(handle, lock)):
            raise FastgcError(f"{name}: another run is writing it; name another file or wait")
        try:
            yield
        finally:
            with contextlib.suppress(OSError):
                os.unlink(lock)
    finally:
        os.close(handle)


def _is_file(handle: int, path: Path) -> bool:
    """Return whether an open file is the one that has this name now: it may have been removed."""
    try:
        return os.path.samestat(os.fstat(handle), os.stat(path))
    except FileNotFoundError:
        return False


def _lock(handle: int, name: str) -> bool:
    """Take the lock; return whether it was free. Where there are no locks it is, with a warning."""
    try:
        import fcntl
    except ImportError:
        return True
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError as error:
        FastgcWarning.warn(
            f"{name}: its file system has no locks ({error.strerror}): nothing keeps a second "
            "run from writing it too; start only one"
        )
    return True
