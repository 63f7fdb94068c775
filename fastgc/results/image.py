"""A file of results as one image, renamed over the old one; a lock that one process holds."""

import contextlib
import errno
import os
import re
from collections.abc import Iterator
from pathlib import Path

from fastgc.errors import FastgcError, FastgcWarning, StorageError
from fastgc.registry.complaints import one_line

#: What file systems say that sync no folders, or let them be written but not opened.
_NO_SYNC = (errno.EACCES, errno.EBADF, errno.EINVAL, errno.EISDIR, errno.ENOTSUP)
_OF_THE_DISK = (errno.ENOSPC, errno.EDQUOT, errno.EIO)
PARTIAL_SUFFIX = ".part"


def replace(path: Path, image: memoryview) -> None:
    """Write a file beside ``path``, rename it to ``path``, and sync both file and folder."""
    folder = path.parent
    temporary = folder / f".{path.name}.{os.getpid()}.tmp"
    handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o644)
    try:
        try:
            while image:
                image = image[os.write(handle, image) :]
            os.fsync(handle)
        finally:
            os.close(handle)
        os.replace(temporary, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise
    sync(folder)


@contextlib.contextmanager
def writing(path: Path) -> Iterator[None]:
    """Make a sentence of what the disk says while a file is written.

    Raises StorageError if it cannot be written.
    """
    try:
        yield
    except OSError as error:
        reason = error.strerror or str(error)
        raise StorageError(f"{one_line(str(path))}: cannot be written ({reason})") from None


def write(path: Path, content: bytes) -> None:
    """Write a file as a whole; what was there stays until then.

    Raises StorageError if that cannot be done.
    """
    with writing(path):
        if path.exists() and not path.is_file():  # a pipe or a terminal is not replaced
            path.write_bytes(content)
        else:
            replace(path.resolve(), memoryview(content))


def sync(folder: Path) -> None:
    """Sync the names in a folder, where the file system can: no power cut undoes them then."""
    try:
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
    except OSError as error:
        if error.errno not in _NO_SYNC:
            raise


def partial_path(path: Path) -> Path:
    """Return the file of a run that is not done, also of a path without a name, as ``.`` is."""
    return path.parent / (path.name + PARTIAL_SUFFIX)


def remove_temporary_files(path: Path) -> None:
    """Remove half-written files of ``path``; files with other names are left alone.

    The caller must hold the lock of ``path``, so that no other run is writing any of them.
    """
    ends = f"({re.escape(PARTIAL_SUFFIX)})?"
    unfinished = re.compile(rf"\.{re.escape(path.name)}{ends}\.\d+\.tmp")
    with contextlib.suppress(OSError):
        for found in list(path.parent.iterdir()):
            if unfinished.fullmatch(found.name):
                with contextlib.suppress(OSError):
                    found.unlink()


@contextlib.contextmanager
def locked(path: Path) -> Iterator[None]:
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
    # that has this name now: it may have been removed
    try:
        return os.path.samestat(os.fstat(handle), os.stat(path))
    except FileNotFoundError:
        return False


def _lock(handle: int, name: str) -> bool:
    # returns whether it was free; where there are no locks it is, with a warning
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
