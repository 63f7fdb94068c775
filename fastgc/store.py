"""HDF5 in and out: the only place that opens a file of results.

No file is modified in place. A checkpoint is a whole new image, written beside the old file, synced
and renamed over it, so that a kill at any moment leaves the last checkpoint readable.
"""

from __future__ import annotations

import contextlib
import hashlib
import io
import json
import os
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import h5py
import numpy as np
from numpy.typing import NDArray

from fastgc import for_other_programs
from fastgc.complaints import one_line
from fastgc.errors import FastgcError, StorageError
from fastgc.tallies import ExactSums, Histogram, Tally

SCHEMA_VERSION = 2
MAGIC = b"fastgc results\nsha256 "
USER_BLOCK = 512
SAMPLES_A_CHUNK = 1 << 16
PARTIAL_SUFFIX = ".part"
SAMPLES_SUFFIX = ".samples"


@dataclass(frozen=True)
class Segment:
    """A file of raw samples beside the file of results; never changed once it is written.

    ``members`` names, for each member of the unit, the samples' arrays with shape and type.
    """

    file: str
    trials: int
    partial: bool
    members: tuple[dict[str, tuple[tuple[int, ...], str]], ...]


@dataclass
class StoredUnit:
    """What is known of one unit of sampling.

    ``done`` counts the full blocks in ``tally``, in the shard's order; ``digests`` (done,) has one
    for each. ``partial`` holds the trials of a last, incomplete block, kept apart so that the run
    can be extended.
    """

    key: str
    block: int
    done: int
    digests: NDArray[np.uint64]
    tally: Tally
    partial: Tally | None = None
    stopped_by: str | None = None
    segments: list[Segment] = field(default_factory=list)


@dataclass(frozen=True)
class Place:
    """Whose raw samples a member of a unit has: experiment and point, and what each array is."""

    experiment: str
    point: dict[str, Any]
    meanings: dict[str, str]


@dataclass
class StoredRun:
    """A file of results.

    ``estimates`` is beside ``rows`` where these cannot be made again from a study and its tallies.
    ``samples`` has a place for every member of every unit, for raw samples.
    """

    study: str
    identity: str
    provenance: dict[str, Any]
    shard: tuple[int, int] = (0, 1)
    units: list[StoredUnit] = field(default_factory=list)
    rows: list[dict[str, Any]] = field(default_factory=list)
    estimates: list[dict[str, Any]] = field(default_factory=list)
    complete: bool = False
    samples: list[list[Place]] = field(default_factory=list)


def save(path: Path, run: StoredRun) -> None:
    """Write a run as a whole new image and rename it over ``path``.

    Raises
    ------
    StorageError
        If the image cannot be written; the old file is as it was.
    """
    buffer = io.BytesIO()
    with h5py.File(buffer, "w", libver="v110", userblock_size=USER_BLOCK) as file:
        _fill(file, run)
    image = buffer.getbuffer()
    image[:USER_BLOCK] = _seal(image[USER_BLOCK:])
    try:
        _replace(path, image)
    except OSError as error:
        reason = error.strerror or str(error)
        raise StorageError(f"{one_line(str(path))}: cannot be written ({reason})") from None


def _seal(content: memoryview) -> bytes:
    """The user block before HDF5's own bytes, which other programs skip: a checksum of them."""
    return (MAGIC + hashlib.sha256(content).hexdigest().encode() + b"\n").ljust(USER_BLOCK, b"\0")


def _replace(path: Path, image: memoryview) -> None:
    """Write, sync, rename, sync the folder."""
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


def load(path: Path) -> StoredRun:
    """Read a file of results.

    Raises
    ------
    FastgcError
        If there is no such file, or it is not one of fastgc's.
    """
    name = one_line(str(path))
    try:
        image = memoryview(path.read_bytes())
    except FileNotFoundError:
        partial = path.with_name(path.name + PARTIAL_SUFFIX)
        remedy = ""
        if partial.exists():
            remedy = f"; its run is not complete: see {one_line(str(partial))}"
        raise FastgcError(f"{name}: there is no such file{remedy}") from None
    except OSError as error:
        raise FastgcError(f"{name}: cannot be read ({error.strerror})") from None
    if bytes(image[: len(MAGIC)]) != MAGIC:
        raise FastgcError(f"{name}: is not a file of fastgc results")
    if bytes(image[:USER_BLOCK]) != _seal(image[USER_BLOCK:]):
        raise FastgcError(f"{name}: is damaged: its content does not fit its checksum")
    with h5py.File(io.BytesIO(image), "r") as file:
        found = int(file.attrs["fastgc_schema"])
        if found != SCHEMA_VERSION:
            raise FastgcError(f"{name}: has schema {found}, this fastgc reads {SCHEMA_VERSION}")
        return _read(file)


@contextlib.contextmanager
def writing(path: Path) -> Iterator[None]:
    """Hold the right to write a file; a second writer is refused.

    Raises
    ------
    FastgcError
        If another process is writing it, or the folder cannot be written to.
    """
    folder, name = path.parent, one_line(str(path))
    if not folder.is_dir():
        raise FastgcError(f"{name}: there is no folder {one_line(str(folder))}; make it first")
    try:
        is_folder = path.is_dir()
        is_device = path.exists() and not (is_folder or path.is_file())
    except OSError as error:  # a name that no file can have
        raise FastgcError(f"{name}: cannot be written ({error.strerror})") from None
    if is_device:
        raise FastgcError(f"{name}: is no plain file; name another")
    if is_folder:
        raise FastgcError(f"{name}: is a folder; name a file in it")
    if not os.access(folder, os.W_OK):
        raise FastgcError(f"{name}: no permission to write to the folder {one_line(str(folder))}")
    lock = folder / f".{path.name}.lock"
    try:
        handle = os.open(lock, os.O_RDWR | os.O_CREAT, 0o644)
    except OSError as error:
        raise FastgcError(f"{name}: cannot be written ({error.strerror})") from None
    try:
        if not (_lock(handle) and _is_file(handle, lock)):
            raise FastgcError(f"{name}: another run is writing it; name another file or wait")
        try:
            yield
        finally:
            with contextlib.suppress(OSError):
                os.unlink(lock)
    finally:
        os.close(handle)


def _is_file(handle: int, path: Path) -> bool:
    """Whether a handle is still the file of that name, and not one that was just removed."""
    try:
        return os.path.samestat(os.fstat(handle), os.stat(path))
    except FileNotFoundError:
        return False


def _lock(handle: int) -> bool:
    """Whether the lock was free; true as well where the file system or platform has no locks."""
    try:
        import fcntl
    except ImportError:
        return True
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        return True
    return True


def _fill(file: h5py.File, run: StoredRun) -> None:
    file.attrs["fastgc_schema"] = SCHEMA_VERSION
    file.attrs["complete"] = run.complete
    file.create_dataset("study", data=run.study)
    file.create_dataset("identity", data=run.identity)
    file.create_dataset("provenance", data=json.dumps(run.provenance))
    file.attrs["shard"] = np.array(run.shard, np.int64)
    file.create_dataset("rows", data=json.dumps(run.rows))
    file.create_dataset("estimates", data=json.dumps(run.estimates))
    for_other_programs.fill(file.create_group("results"), run.rows)
    for number, unit in enumerate(run.units):
        _fill_samples(file, unit, run.samples[number] if number < len(run.samples) else [])
        group = file.create_group(f"tallies/{number}")
        group.create_dataset("segments", data=json.dumps([asdict(s) for s in unit.segments]))
        group.create_dataset("key", data=unit.key)
        group.attrs["block"] = unit.block
        group.attrs["done"] = unit.done
        group.attrs["stopped_by"] = unit.stopped_by or ""
        group.create_dataset("digests", data=unit.digests)
        _fill_tally(group.create_group("blocks"), unit.tally)
        if unit.partial is not None:
            _fill_tally(group.create_group("partial"), unit.partial)


def _segment(entry: dict[str, Any]) -> Segment:
    members = tuple(
        {name: (tuple(shape), kind) for name, (shape, kind) in member.items()}
        for member in entry["members"]
    )
    return Segment(entry["file"], entry["trials"], entry["partial"], members)


def save_segment(
    folder: Path, name: str, blocks: list[list[dict[str, NDArray[Any]]]], *, partial: bool
) -> Segment:
    """Write raw samples, by block and member, as a file of their own; checksums in every chunk.

    Raises
    ------
    StorageError
        If it cannot be written.
    """
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
    path = folder / name
    try:
        folder.mkdir(exist_ok=True)
        _replace(path, buffer.getbuffer())
    except OSError as error:
        reason = error.strerror or str(error)
        raise StorageError(f"{one_line(str(path))}: cannot be written ({reason})") from None
    shapes = tuple(
        {key: (array.shape, array.dtype.str) for key, array in member.items()} for member in joined
    )
    return Segment(f"{folder.name}/{name}", len(next(iter(joined[0].values()))), partial, shapes)


def missing_segments(path: Path, unit: StoredUnit) -> list[str]:
    """Segments of a unit that are not beside the file of results."""
    return [s.file for s in unit.segments if not (path.parent / s.file).is_file()]


def segments_of(path: Path) -> set[str]:
    """Names of the files of raw samples that a file refers to; none where it is not fastgc's.

    Raises
    ------
    FastgcError
        If it is one of fastgc's, but cannot be read.
    """
    try:
        with path.open("rb") as opened:
            if opened.read(len(MAGIC)) != MAGIC:
                return set()
        with h5py.File(path, "r") as file:
            units = file["tallies"].values() if "tallies" in file else ()
            kept = [json.loads(_text(unit["segments"])) for unit in units]
    except FileNotFoundError:
        return set()
    except (OSError, KeyError, RuntimeError, ValueError) as problem:
        raise FastgcError(f"{one_line(str(path))}: cannot be read ({problem})") from None
    return {segment["file"] for segments in kept for segment in segments}


def _fill_samples(file: h5py.File, unit: StoredUnit, places: list[Place]) -> None:
    """One virtual dataset over all segments for each member's samples."""
    if not unit.segments:
        return
    total = sum(segment.trials for segment in unit.segments)
    for number, place in enumerate(places):
        own = file.require_group("samples").require_group(place.experiment.replace("/", " over "))
        group = own.create_group(str(len(own)))
        group.attrs["point"] = json.dumps(place.point)
        for key, (shape, kind) in unit.segments[0].members[number].items():
            layout = h5py.VirtualLayout((total, *shape[1:]), dtype=kind)
            first = 0
            for segment in unit.segments:
                own_shape = segment.members[number][key][0]
                source = h5py.VirtualSource(segment.file, f"{number}/{key}", own_shape)
                layout[first : first + segment.trials] = source
                first += segment.trials
            # a segment that has gone must not look like perfect decoding
            missing = np.nan if np.dtype(kind).kind == "f" else np.iinfo(kind).max
            dataset = group.create_virtual_dataset(key, layout, fillvalue=missing)
            dataset.attrs["meaning"] = place.meanings[key]


def _fill_tally(group: h5py.Group, tally: Tally) -> None:
    group.attrs["trials"] = tally.trials
    group.create_dataset("sums", data=tally.sums.limbs(), compression="gzip", shuffle=True)
    for number, histogram in enumerate(tally.histograms):
        own = group.create_group(f"histogram{number}")
        bins = sorted(histogram.counts)
        own.create_dataset("bin", data=np.array(bins, np.int64))
        own.create_dataset("count", data=np.array([histogram.counts[b] for b in bins], np.int64))
        own.attrs["low"] = histogram.low
        own.attrs["high"] = histogram.high
        own.attrs["not_finite"] = histogram.not_finite
        own.attrs["too_large"] = histogram.too_large


def _read(file: h5py.File) -> StoredRun:
    units = []
    for number in range(len(file["tallies"]) if "tallies" in file else 0):
        group = file[f"tallies/{number}"]
        units.append(
            StoredUnit(
                key=_text(group["key"]),
                block=int(group.attrs["block"]),
                done=int(group.attrs["done"]),
                digests=group["digests"][()],
                tally=_read_tally(group["blocks"]),
                partial=_read_tally(group["partial"]) if "partial" in group else None,
                stopped_by=str(group.attrs["stopped_by"]) or None,
                segments=[_segment(entry) for entry in json.loads(_text(group["segments"]))],
            )
        )
    shard = file.attrs["shard"]
    return StoredRun(
        study=_text(file["study"]),
        identity=_text(file["identity"]),
        provenance=json.loads(_text(file["provenance"])),
        shard=(int(shard[0]), int(shard[1])),
        units=units,
        rows=json.loads(_text(file["rows"])),
        estimates=json.loads(_text(file["estimates"])),
        complete=bool(file.attrs["complete"]),
    )


def _text(dataset: h5py.Dataset) -> str:
    return str(dataset.asstr()[()])


def _read_tally(group: h5py.Group) -> Tally:
    histograms: list[Histogram] = []
    while f"histogram{len(histograms)}" in group:
        own = group[f"histogram{len(histograms)}"]
        counts = dict(zip(own["bin"][()].tolist(), own["count"][()].tolist(), strict=True))
        extremes = float(own.attrs["low"]), float(own.attrs["high"])
        left_out = int(own.attrs["not_finite"]), int(own.attrs["too_large"])
        histograms.append(Histogram(counts, *extremes, *left_out))
    return Tally(
        trials=int(group.attrs["trials"]),
        sums=ExactSums.from_limbs(group["sums"][()]),
        histograms=histograms,
    )
