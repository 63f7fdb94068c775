"""Raw samples in files of their own, which are never changed once they are written."""

import io
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastgc.errors import FastgcError
from fastgc.registry.complaints import one_line
from fastgc.registry.sealed import unsealed
from fastgc.results import sound
from fastgc.results.hdf5 import h5py
from fastgc.results.image import make, replace, writing
from fastgc.results.stored import Segment, StoredUnit

SAMPLES_A_CHUNK = 1 << 16
REMEDY = "bring back a copy, or remove it"

#: Raw samples by block and member: arrays by name, trials first.
Blocks = list[list[dict[str, NDArray[Any]]]]
#: By member, every array's shape and type.
Shapes = tuple[dict[str, tuple[tuple[int, ...], str]], ...]


def save_segment(
    folder: Path, name: str, blocks: Blocks, memory: "Memory | None" = None, *, partial: bool
) -> Segment:
    """Write raw samples, by block and member, as one file with a checksum in every chunk.

    The file is made in ``memory``, so that the next one there costs less.

    Raises StorageError if it cannot be written.
    """
    shapes, image = image_of(blocks, memory)
    path = folder / name
    with writing(path):
        make(folder)
        replace(path, image)
    trials = next(iter(shapes[0].values()))[0][0]
    return Segment(f"{folder.name}/{name}", trials, partial, shapes)


def image_of(blocks: Blocks, memory: "Memory | None" = None) -> tuple[Shapes, memoryview]:
    """Return shapes and types of raw samples by member, and the file of them, byte for byte."""
    memory = memory or Memory()
    memory.empty(sum(a.nbytes for block in blocks for own in block for a in own.values()))
    found, chunks = [], Chunks()
    # chunks go to the file as they come: their cache would only copy them
    with h5py.File(memory, "w", libver="v110", rdcc_nbytes=0) as file:
        for place, member in enumerate(blocks[0]):
            found.append({key: _write(file, place, key, blocks, chunks) for key in member})
    return tuple(found), memory.image


def _write(
    file: "h5py.File", place: int, key: str, blocks: Blocks, chunks: "Chunks"
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

    Raises FastgcError for the first of them.
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

    Raises FastgcError if it is one of fastgc's, but damaged or of another schema. Raises OSError if
    it cannot be read.
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


#: Bytes beyond those asked for, so that what stands between arrays has memory, too.
SPARE = 1 << 20


class Memory(io.RawIOBase):
    """A file in memory, which keeps its memory when it is emptied.

    >>> memory = Memory()
    >>> memory.empty(8)
    >>> memory.write(b"an image")
    8
    >>> bytes(memory.image)
    b'an image'
    """

    def __init__(self) -> None:
        super().__init__()
        self._memory = np.empty(0, np.uint8)
        self._place = 0
        self._end = 0

    def empty(self, size: int) -> None:
        """Begin anew, a file of about so many bytes."""
        self._place = self._end = 0
        if size > self._memory.size:
            self._memory = np.empty(size + SPARE, np.uint8)

    @property
    def image(self) -> memoryview:
        """The file; it changes when the next one is made."""
        return self._memory.data[: self._end]

    def readable(self) -> bool:
        """Return that it can be read, written, and gone to any place of."""
        return True

    writable = seekable = readable

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        """Go to a place."""
        base = {io.SEEK_SET: 0, io.SEEK_CUR: self._place, io.SEEK_END: self._end}[whence]
        self._place = base + offset
        return self._place

    def tell(self) -> int:
        """Return the place."""
        return self._place

    def readinto(self, buffer: object) -> int:
        """Read what there is, at most as much as the buffer holds; return how much."""
        out = memoryview(buffer).cast("B")  # type: ignore[arg-type]
        count = min(len(out), max(0, self._end - self._place))
        out[:count] = self._memory.data[self._place : self._place + count]
        self._place += count
        return count

    def write(self, content: object) -> int:
        """Write bytes; what lies between the end and their place becomes 0."""
        given = memoryview(content).cast("B")  # type: ignore[arg-type]
        stop = self._place + len(given)
        if stop > self._end:
            self.truncate(stop, below=self._place)
        self._memory.data[self._place : stop] = given
        self._place = stop
        return len(given)

    def truncate(self, size: int | None = None, /, *, below: int | None = None) -> int:
        """Make the file end at a place; what is new in it, as far as ``below``, becomes 0."""
        end = self._place if size is None else size
        if end > self._memory.size:
            larger = np.empty(end + end // 2, np.uint8)
            larger[: self._end] = self._memory[: self._end]
            self._memory = larger
        self._memory[self._end : end if below is None else below] = 0
        self._end = end
        return end


_SIDE = 256  # words of 64 bits are summed by row and by column of squares
_SQUARE = _SIDE * _SIDE
_LANES = np.uint64(0x0000FFFF0000FFFF)
_LANE = np.uint64(16)
_HALF = np.uint64(32)
_LOW = np.uint64(0xFFFFFFFF)
_PLACES = np.arange(_SIDE, dtype=np.uint64)
_MODULUS = 0xFFFF
CHECKSUM_BYTES = 4


class Chunks:
    """Writes whole chunks, in memory that is used again."""

    def __init__(self) -> None:
        self._chunk = np.empty(0, np.uint8)
        self._square = np.empty(_SQUARE, np.uint64)

    def write(self, dataset: "h5py.Dataset", first: int, values: NDArray[Any]) -> None:
        """Write the rows from ``first`` on, which are one chunk of a dataset with checksums.

        Those that are not a whole chunk, and on machines with the other byte order, HDF5 writes.
        """
        whole = values.shape == dataset.chunks and values.nbytes % 8 == 0
        if not whole or sys.byteorder != "little":
            dataset[first : first + len(values)] = values
            return
        size = values.nbytes
        if self._chunk.size != size + CHECKSUM_BYTES:
            self._chunk = np.empty(size + CHECKSUM_BYTES, np.uint8)
        self._chunk[:size].view(values.dtype).reshape(values.shape)[...] = values
        checksum = self.checksum(self._chunk[:size].view(np.uint64))
        self._chunk[size:] = np.frombuffer(checksum.to_bytes(CHECKSUM_BYTES, "little"), np.uint8)
        dataset.id.write_direct_chunk((first, *(0,) * (values.ndim - 1)), self._chunk)

    def checksum(self, words: NDArray[np.uint64]) -> int:
        """Return the checksum of words of 64 bits.

        >>> hex(Chunks().checksum(np.array([0x0000000000000201], np.uint64)))
        '0x4080102'
        """
        total = places = before = 0
        for start in range(0, words.size, _SQUARE):
            part = words[start : start + _SQUARE]
            for lane in (0, 1):
                own, weighted = self._sums(part, lane)
                total += sum(own)
                places += sum(
                    4 * (start * each + at) + (lane + 2 * half) * each
                    for half, (each, at) in enumerate(zip(own, weighted, strict=True))
                )
        before = 4 * words.size * total - places
        return _folded(before << 8) << 16 | _folded(total << 8)

    def _sums(self, words: NDArray[np.uint64], lane: int) -> tuple[list[int], list[int]]:
        """Σ w and Σ m w over words m, of two of their four lanes: the lane, and the second next."""
        found = self._square[: words.size]
        if lane:
            np.right_shift(words, _LANE, out=found)
            words = found
        np.bitwise_and(words, _LANES, out=found)
        rows = len(found) // _SIDE
        square, rest = found[: rows * _SIDE].reshape(rows, _SIDE), found[rows * _SIDE :]
        parts = (
            (square.sum(axis=1), _PLACES[:rows] * np.uint64(_SIDE)),
            (square.sum(axis=0), _PLACES),
            (rest, _PLACES[: rest.size] + np.uint64(rows * _SIDE)),
        )
        own, weighted = [], []
        for halves in [[_half(sums, half) for sums, _ in parts] for half in (0, 1)]:
            own.append(int(halves[0].sum() + halves[2].sum()))
            weighted.append(
                sum(int(sums @ at) for sums, (_, at) in zip(halves, parts, strict=True))
            )
        return own, weighted


def _half(sums: NDArray[np.uint64], half: int) -> NDArray[np.uint64]:
    """Sums of one of two lanes: neither has more than 32 bits."""
    return sums >> _HALF if half else sums & _LOW


def _folded(number: int) -> int:
    """Remainder that is 0 for 0 alone: carries are added to the lowest bit."""
    return (number - 1) % _MODULUS + 1 if number else 0
