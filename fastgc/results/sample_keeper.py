"""Raw samples on their way to segments, written while sampling goes on."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from fastgc.engine.units import BlockRun
from fastgc.results import segments, store
from fastgc.results.stored import Segment, StoredUnit

SEGMENT_BYTES = 64 << 20

Blocks = list[list[dict[str, NDArray[Any]]]]


class SampleKeeper:
    """Collects raw samples of one unit after another, and writes them in segments.

    Parameters
    ----------
    path : Path
        The file of results; segments lie beside it in the folder ``path`` + ``.samples``.
    """

    def __init__(self, path: Path) -> None:
        self._folder = path.with_name(path.name + store.SAMPLES_SUFFIX)
        self._writer = ThreadPoolExecutor(1, thread_name_prefix="fastgc-samples")
        self._waiting: list[Future[Segment]] = []
        self._blocks: Blocks = []
        self._bytes = 0
        self._unit = 0
        self._first = 0

    def sink(self, number: int, stored: StoredUnit) -> Callable[[BlockRun, bool], None]:
        """What takes the samples of a unit, going on after its segments of whole blocks."""
        whole = [segment for segment in stored.segments if not segment.partial]
        self._unit, self._first = number, sum(segment.trials for segment in whole)

        def take(run: BlockRun, partial: bool) -> None:
            stored.segments = [segment for segment in stored.segments if not segment.partial]
            if partial:
                self._write(partial=False)
            self._blocks += run.samples
            self._bytes += sum(a.nbytes for b in run.samples for m in b for a in m.values())
            if partial or self._bytes >= SEGMENT_BYTES:
                self._write(partial=partial)

        return take

    def _write(self, *, partial: bool) -> None:
        if not self._blocks:
            return
        trials = sum(len(next(iter(block[0].values()))) for block in self._blocks)
        # the same trials have the same samples: a file of this name can be written again
        name = f"{self._unit}-{self._first}-{trials}.h5"
        self._waiting.append(
            self._writer.submit(
                segments.save_segment, self._folder, name, self._blocks, partial=partial
            )
        )
        self._blocks, self._bytes = [], 0
        self._first += trials
        if len(self._waiting) > 2:
            self._waiting[-3].result()  # the disk is slower than sampling: do not fill the memory

    def settle(self, stored: StoredUnit) -> None:
        """Have everything written that was taken so far, and listed in the unit."""
        self._write(partial=False)
        if stored.partial is None:  # dropped where a precision rule is met before it
            stored.segments = [segment for segment in stored.segments if not segment.partial]
        stored.segments += [future.result() for future in self._waiting]
        self._waiting = []

    def close(self) -> None:
        """End the writer."""
        self._writer.shutdown()
