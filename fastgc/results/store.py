"""Saving and loading files of results.

No file is modified in place. A checkpoint is a whole new image, written beside the old file, synced
and renamed over it, so that a kill at any moment leaves the last checkpoint readable.
"""

from __future__ import annotations

import io
from pathlib import Path

from fastgc.errors import FastgcError, StorageError
from fastgc.registry.complaints import one_line
from fastgc.results import beside, sound
from fastgc.results.hdf5 import h5py
from fastgc.results.image import USER_BLOCK, replace, seal, unsealed
from fastgc.results.layout import SCHEMA_VERSION, fill, read
from fastgc.results.stored import StoredRun

REMEDY = "bring back a copy, or remove it and run its command again"


def save(path: Path, run: StoredRun) -> None:
    """Write a run as a whole new image and rename it over ``path``.

    Raises
    ------
    StorageError
        If the image cannot be written; the old file is as it was.
    """
    try:
        replace(path, image_of(run))
    except OSError as error:
        reason = error.strerror or str(error)
        raise StorageError(f"{one_line(str(path))}: cannot be written ({reason})") from None


def image_of(run: StoredRun) -> memoryview:
    """Return the file of a run, byte for byte."""
    buffer = io.BytesIO()
    with h5py.File(buffer, "w", libver="v110", userblock_size=USER_BLOCK) as file:
        fill(file, run)
    image = buffer.getbuffer()
    image[:USER_BLOCK] = seal(image[USER_BLOCK:])
    return image


def existing(path: Path) -> Path:
    """Return a file of results, or that of its unfinished run where only that exists."""
    partial = beside.partial_of(path)
    return partial if partial.exists() and not path.exists() else path


def load(path: Path, remedy: str | None = None) -> StoredRun:
    """Read a file of results.

    Parameters
    ----------
    path : Path
    remedy : str, optional
        What to do if it is damaged, not one of fastgc's, or of another schema.

    Raises
    ------
    FastgcError
        If there is no such file, or it is not one of fastgc's.
    """
    name = one_line(str(path))
    instead = f"; {remedy or 'name one that fastgc has written'}"
    try:
        if path.exists() and not (path.is_file() or path.is_dir()):  # it may have no end
            raise FastgcError(f"{name}: is no plain file{instead}")
        image = unsealed(path, remedy or REMEDY)
    except FileNotFoundError:
        partial = beside.partial_of(path)
        see = ""
        if partial.exists():
            see = f"; its run is not complete: see {one_line(str(partial))}"
        raise FastgcError(f"{name}: there is no such file{see}") from None
    except OSError as error:
        raise FastgcError(f"{name}: cannot be read ({error.strerror})") from None
    if image is None:
        if path.suffix.lower() == ".csv" and remedy is None:
            instead = "; if it holds recorded times, `fastgc trace show` looks at them"
        raise FastgcError(f"{name}: is not a file of fastgc results{instead}")
    with sound.reading(name, remedy or REMEDY), h5py.File(io.BytesIO(image), "r") as file:
        found = int(file.attrs["fastgc_schema"])
        if found != SCHEMA_VERSION:
            said = f"has schema {found}, this fastgc reads {SCHEMA_VERSION}"
            raise FastgcError(f"{name}: {said}{instead}")
        return read(file)
