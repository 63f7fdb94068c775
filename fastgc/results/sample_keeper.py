"""Raw samples, written to files in the background while sampling goes on."""

from __future__ import annotations

import threading
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

from fastgc.results import beside, segments
from fastgc.results.room import Room
from fastgc.results.segments import Blocks
from fastgc.results.stored import Segment, StoredUnit

SEGMENT_BYTES = 32 << 20
#: Segments on their way: one is made while the disk has another.
WRITERS = 2
MOST_WAITING = WRITERS + 1


class SampleKeeper:
    """Writes raw samples of units in segments, beside the file of results.

    Parameters
    ----------
    path : Path
        The file of results; segments lie beside it in the folder ``path`` + ``.samples``.
    """

    def __init__(self, path: Path) -> None:
        self._folder = beside.samples_of(path)
        self._writer = _Writer()
        self._units: list[UnitSamples] = []

    def unit(self, number: int, stored: StoredUnit) -> UnitSamples:
        """Return a collector of a unit's samples, which goes on after the segments it has."""
        taking = UnitSamples(self._folder, self._writer, number, stored)
        self._units.append(taking)
        return taking

    def settle(self) -> None:
        """Write all samples that were taken so far, and list their segments in the units."""
        for unit in self._units:
            unit.settle()

    def close(self) -> None:
        """End the threads that write."""
        self._writer.shutdown()


class UnitSamples:
    """Collects raw samples of one unit.

    Parameters
    ----------
    folder : Path
        Where segments are written.
    writer : _Writer
        The threads that write them.
    number : int
        Number of the unit, which stands in the segments' names.
    stored : StoredUnit
        The unit; its list of segments is kept up to date.
    """

    def __init__(self, folder: Path, writer: _Writer, number: int, stored: StoredUnit) -> None:
        self._folder = folder
        self._writer = writer
        self._number = number
        self._stored = stored
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
        self._waiting.append(self._writer.save(self._folder, name, self._blocks, partial))
        self._blocks, self._bytes = [], 0
        self._first += trials
        if len(self._waiting) >= MOST_WAITING:
            # the disk is slower than sampling: do not fill the memory
            self._waiting[-MOST_WAITING].result()


class _Writer:
    """Threads that write segments, each in memory of its own."""

    def __init__(self) -> None:
        self._threads = ThreadPoolExecutor(WRITERS, thread_name_prefix="fastgc-samples")
        self._own = threading.local()

    def save(self, folder: Path, name: str, blocks: Blocks, partial: bool) -> Future[Segment]:
        """Have a segment written."""
        return self._threads.submit(self._save, folder, name, blocks, partial)

    def shutdown(self) -> None:
        """Wait for the threads, and end them."""
        self._threads.shutdown()

    def _save(self, folder: Path, name: str, blocks: Blocks, partial: bool) -> Segment:
        if not hasattr(self._own, "room"):
            self._own.room = Room()
        return segments.save_segment(folder, name, blocks, self._own.room, partial=partial)
