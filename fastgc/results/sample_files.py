"""Files of raw samples beside a file of results: written, linked into merged files, removed."""

import contextlib
import os
import re
import shutil
import threading
from collections.abc import Iterable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

from fastgc.errors import FastgcError
from fastgc.results import image, segments
from fastgc.results.image import make, sync, writing
from fastgc.results.segments import Blocks, Memory
from fastgc.results.stored import Merger, Piece, Segment, StoredUnit

SEGMENT_BYTES = 32 << 20
#: Segments on their way: one is made while the disk has another.
WRITERS = 2
MOST_WAITING = WRITERS + 1


class SampleKeeper:
    """Writes raw samples of units in segments, beside the file of results at ``path``.

    Each of the threads that write has memory of its own.
    """

    def __init__(self, path: Path) -> None:
        self._folder = image.samples_of(path)
        self._threads = ThreadPoolExecutor(WRITERS, thread_name_prefix="fastgc-samples")
        self._own = threading.local()
        self._units: list[UnitSamples] = []

    def unit(self, number: int, stored: StoredUnit) -> "UnitSamples":
        """Return a collector of a unit's samples, which goes on after the segments it has."""
        taking = UnitSamples(self, number, stored)
        self._units.append(taking)
        return taking

    def settle(self) -> None:
        """Write all samples that were taken so far, and list their segments in the units."""
        for unit in self._units:
            unit.settle()

    def close(self) -> None:
        """Wait for the threads, and end them."""
        self._threads.shutdown()

    def save(self, name: str, blocks: Blocks, partial: bool) -> Future[Segment]:
        """Have a segment written."""
        return self._threads.submit(self._save, name, blocks, partial)

    def _save(self, name: str, blocks: Blocks, partial: bool) -> Segment:
        if not hasattr(self._own, "memory"):
            self._own.memory = Memory()
        memory = self._own.memory
        return segments.save_segment(self._folder, name, blocks, memory, partial=partial)


class UnitSamples:
    """Collects raw samples of one unit, whose number stands in the segments' names.

    Its list of segments is kept up to date.
    """

    def __init__(self, keeper: SampleKeeper, number: int, stored: StoredUnit) -> None:
        self._keeper, self._number, self._stored = keeper, number, stored
        whole = [segment for segment in stored.segments if not segment.partial]
        self._first = sum(segment.trials for segment in whole)
        self._waiting: list[Future[Segment]] = []
        self._blocks: Blocks = []
        self._bytes = 0

    def take(self, samples: Blocks, partial: bool) -> None:
        """Take the samples of consecutive blocks, or of the last, partial one."""
        self._drop_partial()
        if partial:
            self._write(partial=False)
        self._blocks += samples
        self._bytes += sum(a.nbytes for block in samples for own in block for a in own.values())
        if partial or self._bytes >= SEGMENT_BYTES:
            self._write(partial=partial)

    def settle(self) -> None:
        """Write all samples that were taken so far, and list their segments in the unit."""
        self._write(partial=False)
        if self._stored.partial is None:  # dropped where a precision rule is met before it
            self._drop_partial()
        self._stored.segments += [future.result() for future in self._waiting]
        self._waiting = []

    def _drop_partial(self) -> None:
        self._stored.segments = [s for s in self._stored.segments if not s.partial]

    def _write(self, *, partial: bool) -> None:
        if not self._blocks:
            return
        trials = sum(len(next(iter(block[0].values()))) for block in self._blocks)
        # the same trials have the same samples: a file of this name can be written again
        name = f"{self._number}-{self._first}-{trials}.h5"
        self._waiting.append(self._keeper.save(name, self._blocks, partial))
        self._blocks, self._bytes = [], 0
        self._first += trials
        if len(self._waiting) >= MOST_WAITING:
            # the disk is slower than sampling: do not fill the memory
            self._waiting[-MOST_WAITING].result()


def linked(
    out: Path, merger: Merger, unit: int, block: int, segments: Mapping[int, list[Segment]]
) -> tuple[list[Segment], dict[Path, Path]]:
    """Return a unit's segments as those of a merged file, and what each of these is to link to.

    ``unit`` is the unit's number; ``segments`` are its segments by shard.
    """
    weave = merger.interleaving(unit)
    folder = image.samples_of(out)
    found, links = [], {}
    for part in merger.parts:
        first = 0
        for segment in segments[part.shard]:
            # these trials of this shard, whatever it is merged with: the file can be linked again
            place = f"{part.shard}of{merger.shards}"
            target = folder / f"{unit}-{first}-{segment.trials}-{place}.h5"
            pieces: tuple[Piece, ...] = ()
            if not segment.partial and len(merger.parts) > 1:
                runs = weave.runs(part.shard, first // block, segment.trials // block)
                pieces = tuple(
                    Piece(start * block, every * block, count, block)
                    for start, every, count in runs
                )
            links[target] = Path(part.file).parent / segment.file
            found.append(replace(segment, file=f"{folder.name}/{target.name}", pieces=pieces))
            first += segment.trials
    return sorted(found, key=lambda segment: segment.partial), links


def link(links: Mapping[Path, Path]) -> None:
    """Give files second names, in another folder too; on another disk, copy them.

    ``links``: by its new name, the file; all new names are in one folder.

    Raises StorageError if that cannot be done.
    """
    for target, source in links.items():
        with writing(target):
            make(target.parent)
            _link(source, target)
    if links:
        with writing(target):
            sync(target.parent)  # before a file of results refers to them


def _link(source: Path, target: Path) -> None:
    temporary = target.with_name(f".{target.name}.{os.getpid()}.tmp")
    try:
        temporary.unlink(missing_ok=True)
        try:
            os.link(source, temporary)
        except OSError:  # another disk, or one that knows no links
            _copy(source, temporary)
        os.replace(temporary, target)
    finally:
        with contextlib.suppress(OSError):  # it stays where target was this file already
            temporary.unlink(missing_ok=True)


def _copy(source: Path, target: Path) -> None:
    shutil.copyfile(source, target)
    handle = os.open(target, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


#: A segment's name, and that of a file on its way to become one.
_NAME = r"\d+-\d+-\d+(-\d+of\d+)?\.h5"
SEGMENT = re.compile(_NAME)
UNFINISHED_SEGMENT = re.compile(rf"\.{_NAME}\.\d+\.tmp")


def remove_temporary_files(path: Path) -> None:
    """Remove half-written files, and raw samples that no file of results refers to.

    The caller must hold the lock of ``path``, so that no other run is writing any of them. Files
    with other names are left alone, and so is everything where it cannot be seen what is needed.
    """
    with contextlib.suppress(OSError):
        _remove_unused(path)


def _remove_unused(path: Path) -> None:
    ends = f"({re.escape(image.PARTIAL_SUFFIX)})?"
    unfinished = re.compile(rf"\.{re.escape(path.name)}{ends}\.\d+\.tmp")
    _unlink(found for found in path.parent.iterdir() if unfinished.fullmatch(found.name))
    folder = image.samples_of(path)
    if not folder.is_dir():
        return
    inside = list(folder.iterdir())
    _unlink(found for found in inside if UNFINISHED_SEGMENT.fullmatch(found.name))
    segments = {f"{folder.name}/{f.name}": f for f in inside if SEGMENT.fullmatch(f.name)}
    try:
        partial = image.partial_of(path)
        unused = segments.keys() - _referred([path, partial])
        if unused:  # a file that was renamed still refers to the segments it was written with
            unused -= _referred(found for found in path.parent.iterdir() if found.is_file())
    except FastgcError:  # what cannot be read may refer to any of them
        return
    _unlink(segments[name] for name in unused)
    with contextlib.suppress(OSError):  # it is not empty
        folder.rmdir()


def _referred(paths: Iterable[Path]) -> set[str]:
    return {name for path in paths for name in segments.segments_of(path)}


def _unlink(files: Iterable[Path]) -> None:
    for file in list(files):
        with contextlib.suppress(OSError):
            file.unlink()
