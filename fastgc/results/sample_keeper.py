"""Raw samples, written to files in the background while sampling goes on."""

from __future__ import annotations

from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from fastgc.results import beside, segments
from fastgc.results.stored import Segment, StoredUnit

SEGMENT_BYTES = 32 << 20
MOST_WAITING = 2  # segments on their way to the disk

#: Raw samples by block and point: arrays by name.
Blocks = list[list[dict[str, NDArray[Any]]]]


class SampleKeeper:
    """Writes raw samples of units in segments, beside the file of results.

    Parameters
    ----------
    path : Path
        The file of results; segments lie beside it in the folder ``path`` + ``.samples``.
    """

    def __init__(self, path: Path) -> None:
        self._folder = beside.samples_of(path)
        self._writer = ThreadPoolExecutor(1, thread_name_prefix="fastgc-samples")
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
        """End the thread that writes."""
        self._writer.shutdown()


class UnitSamples:
    """Collects raw samples of one unit.

    Parameters
    ----------
    folder : Path
        Where segments are written.
    writer : ThreadPoolExecutor
        The thread that writes them.
    number : int
        Number of the unit, which stands in the segments' names.
    stored : StoredUnit
        The unit; its list of segments is kept up to date.
    """

    def __init__(
        self, folder: Path, writer: ThreadPoolExecutor, number: int, stored: StoredUnit
    ) -> None:
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
        self._waiting.append(
            self._writer.submit(
                segments.save_segment, self._folder, name, self._blocks, partial=partial
            )
        )
        self._blocks, self._bytes = [], 0
        self._first += trials
        if len(self._waiting) >= MOST_WAITING:
            # the disk is slower than sampling: do not fill the memory
            self._waiting[-MOST_WAITING].result()
