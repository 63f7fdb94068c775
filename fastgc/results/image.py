"""A file of results as one sealed image: written beside the old one and renamed over it."""

from __future__ import annotations

import contextlib
import hashlib
import os
from pathlib import Path

MAGIC = b"fastgc results\nsha256 "
USER_BLOCK = 512


def seal(content: memoryview) -> bytes:
    """Return the user block, which stands before HDF5's own bytes and holds their checksum."""
    return (MAGIC + hashlib.sha256(content).hexdigest().encode() + b"\n").ljust(USER_BLOCK, b"\0")


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
    directory = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(directory)
    finally:
        os.close(directory)
