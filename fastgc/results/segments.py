"""Raw samples in files of their own, which are never changed once they are written."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import h5py
import numpy as np
from numpy.typing import NDArray

from fastgc.errors import FastgcError, StorageError
from fastgc.registry.complaints import one_line
from fastgc.results.image import make, replace, unsealed
from fastgc.results.stored import Segment, StoredUnit
from fastgc.results.text import read_text

SAMPLES_A_CHUNK = 1 << 16


def save_segment(
    folder: Path, name: str, blocks: list[list[dict[str, NDArray[Any]]]], *, partial: bool
) -> Segment:
    """Write raw samples, by block and member, as one file with a checksum in every chunk.

    Raises
    ------
    StorageError
        If it cannot be written.
    """
    joined, image = image_of(blocks)
    path = folder / name
    try:
        make(folder)
        replace(path, image)
    except OSError as error:
        reason = error.strerror or str(error)
        raise StorageError(f"{one_line(str(path))}: cannot be written ({reason})") from None
    shapes = tuple(
        {key: (array.shape, array.dtype.str) for key, array in member.items()} for member in joined
    )
    return Segment(f"{folder.name}/{name}", len(next(iter(joined[0].values()))), partial, shapes)


def image_of(
    blocks: list[list[dict[str, NDArray[Any]]]],
) -> tuple[list[dict[str, NDArray[Any]]], memoryview]:
    """Return raw samples by member, blocks joined, and the file of them, byte for byte."""
    joined = [
        {key: np.concatenate([block[place][key] for block in blocks]) for key in member}
        for place, member in enumerate(blocks[0])
    ]
    buffer = io.BytesIO()
    with h5py.File(buffer, "w", libver="v110") as file:
        for place, member in enumerate(joined):
            for key, array in member.items():
                chunk = (min(len(array), SAMPLES_A_CHUNK), *array.shape[1:])
                file.create_dataset(f"{place}/{key}", data=array, chunks=chunk, fletcher32=True)
    return joined, buffer.getbuffer()


def refuse_gaps(path: Path, unit: StoredUnit) -> None:
    """Raise an error if a unit's segments are not all there, or end before their end.

    Raises
    ------
    FastgcError
        For the first of them.
    """
    for segment in unit.segments:
        file = path.parent / segment.file
        try:
            with h5py.File(file, "r", locking=False):
                continue
        except FileNotFoundError:
            are, remedy = "missing", "bring them back"
        except OSError:
            are, remedy = "damaged", "bring back a copy"
        name = one_line(str(path))
        raise FastgcError(
            f"{name}: the samples in {one_line(str(file))} are {are}; {remedy}, or remove {name} "
            "and run its command again"
        )


def segments_of(path: Path) -> set[str]:
    """Return the names of the segments that a file refers to; none where it is not fastgc's.

    Raises
    ------
    FastgcError
        If it is one of fastgc's, but damaged or of another schema.
    OSError
        If it cannot be read.
    """
    try:
        image = unsealed(path, "bring back a copy, or remove it")
    except FileNotFoundError:
        return set()
    if image is None:
        return set()
    try:
        with h5py.File(io.BytesIO(image), "r") as file:
            units = file["tallies"].values() if "tallies" in file else ()
            kept = [json.loads(read_text(unit["segments"])) for unit in units]
    except (KeyError, ValueError) as problem:
        raise FastgcError(f"{one_line(str(path))}: cannot be read ({problem})") from None
    return {segment["file"] for segments in kept for segment in segments}
