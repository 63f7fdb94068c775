"""A file of results as one sealed image: written beside the old one and renamed over it."""

import contextlib
import errno
import os
import re
from collections.abc import Iterator
from pathlib import Path

from fastgc.errors import StorageError
from fastgc.registry.complaints import one_line

#: What file systems say that sync no folders, or let them be written but not opened.
_NO_SYNC = (errno.EACCES, errno.EBADF, errno.EINVAL, errno.EISDIR, errno.ENOTSUP)


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


PARTIAL_SUFFIX = ".part"


def partial_of(path: Path) -> Path:
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
