"""Sealed files: bytes of HDF5 behind their checksum, which is checked before they are read."""

import hashlib
import io
from pathlib import Path

from fastgc.errors import FastgcError
from fastgc.registry.complaints import one_line

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

    Raises OSError if it cannot be read. Raises FastgcError if it is damaged; the sentence ends in
    the remedy.
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
