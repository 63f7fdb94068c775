"""Raw samples in files of their own, which are never changed once they are written."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastgc.errors import FastgcError, StorageError
from fastgc.registry.complaints import one_line
from fastgc.results import sound
from fastgc.results.chunks import Chunks
from fastgc.results.hdf5 import h5py
from fastgc.results.image import make, replace, unsealed
from fastgc.results.room import Room
from fastgc.results.stored import Segment, StoredUnit

SAMPLES_A_CHUNK = 1 << 16
REMEDY = "bring back a copy, or remove it"

#: Raw samples by block and member: arrays by name, trials first.
Blocks = list[list[dict[str, NDArray[Any]]]]
#: By member, every array's shape and type.
Shapes = tuple[dict[str, tuple[tuple[int, ...], str]], ...]


def save_segment(
    folder: Path, name: str, blocks: Blocks, room: Room | None = None, *, partial: bool
) -> Segment:
    """Write raw samples, by block and member, as one file with a checksum in every chunk.

    The file is made in ``room``, so that the next one there costs less.

    Raises
    ------
    StorageError
        If it cannot be written.
    """
    shapes, image = image_of(blocks, room)
    path = folder / name
    try:
        make(folder)
        replace(path, image)
    except OSError as error:
        reason = error.strerror or str(error)
        raise StorageError(f"{one_line(str(path))}: cannot be written ({reason})") from None
    trials = next(iter(shapes[0].values()))[0][0]
    return Segment(f"{folder.name}/{name}", trials, partial, shapes)


def image_of(blocks: Blocks, room: Room | None = None) -> tuple[Shapes, memoryview]:
    """Return shapes and types of raw samples by member, and the file of them, byte for byte."""
    room = room or Room()
    room.empty(sum(a.nbytes for block in blocks for own in block for a in own.values()))
    found, chunks = [], Chunks()
    # chunks go to the file as they come: their cache would only copy them
    with h5py.File(room, "w", libver="v110", rdcc_nbytes=0) as file:
        for place, member in enumerate(blocks[0]):
            found.append({key: _write(file, place, key, blocks, chunks) for key in member})
    return tuple(found), room.image


def _write(
    file: h5py.File, place: int, key: str, blocks: Blocks, chunks: Chunks
) -> tuple[tuple[int, ...], str]:
    """Write one array of one member, blocks one after the other; return its shape and type."""
    parts = [block[place][key] for block in blocks]
    trials, dtype = sum(map(len, parts)), parts[0].dtype
    shape = (trials, *parts[0].shape[1:])
    chunk = min(trials, SAMPLES_A_CHUNK)
    dataset = file.create_dataset(
        f"{place}/{key}", shape, dtype, chunks=(chunk, *shape[1:]), fletcher32=True
    )
    first = 0
    for array in _in_chunks(parts, chunk):
        chunks.write(dataset, first, array)
        first += len(array)
    return shape, dtype.str


def _in_chunks(parts: list[NDArray[Any]], chunk: int) -> Iterator[NDArray[Any]]:
    """Join and cut arrays to chunks, of which the last may be shorter."""
    waiting: list[NDArray[Any]] = []
    held = 0
    for part in parts:
        start = 0
        while start < len(part):
            piece = part[start : start + chunk - held]
            waiting.append(piece)
            start, held = start + len(piece), held + len(piece)
            if held == chunk:
                yield waiting[0] if len(waiting) == 1 else np.concatenate(waiting)
                waiting, held = [], 0
    if waiting:
        yield np.concatenate(waiting)


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
        image = unsealed(path, REMEDY)
    except FileNotFoundError:
        return set()
    if image is None:
        return set()
    with sound.reading(one_line(str(path)), REMEDY), h5py.File(io.BytesIO(image), "r") as file:
        tallies = sound.group(file, "tallies") if "tallies" in file else {}
        own = [sound.group(tallies, name) for name in tallies]
        kept = [json.loads(sound.text(unit, "segments")) for unit in own]
        return {segment["file"] for segments in kept for segment in segments}
