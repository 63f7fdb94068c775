"""A page's or a picture's file: all of the new one or all of the old one, never half of either."""

from __future__ import annotations

from pathlib import Path

from fastgc.errors import StorageError
from fastgc.registry.complaints import one_line
from fastgc.results import image


def write(path: Path, content: bytes) -> None:
    """Write a file as a whole; what was there stays until then.

    Raises
    ------
    StorageError
        If that cannot be done.
    """
    try:
        if path.exists() and not path.is_file():  # a pipe or a terminal is not replaced
            path.write_bytes(content)
        else:
            image.replace(path.resolve(), memoryview(content))
    except OSError as error:
        reason = error.strerror or str(error)
        raise StorageError(f"{one_line(str(path))}: cannot be written ({reason})") from None
