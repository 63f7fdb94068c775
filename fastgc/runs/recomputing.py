"""Blocks of a file, drawn at random and sampled again: are they what the file says they are?"""

import heapq
import math
import random
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, wait
from dataclasses import dataclass, field
from typing import Any

from fastgc.engine.blocks import MOST_BLOCKS, timed
from fastgc.engine.executors.pool import Job, Pool
from fastgc.engine.units import BlockRun, Unit
from fastgc.errors import FastgcError
from fastgc.registry.activity import Step
from fastgc.results.stored import StoredUnit
from fastgc.statistics.tallies import Tally

WAIT_SECONDS = 0.2
NO_DIGESTS = "the file keeps no digests of it; only a share of 1 compares its sums"

#: How many blocks it may be that a file says it has and keeps nothing of.
MOST_WITHOUT_DIGESTS = 10**7


@dataclass(frozen=True)
class Subject:
    """A unit of a file, and what it can be sampled again with."""

    name: str
    points: tuple[dict[str, Any], ...]  #: ``experiment`` and ``point`` of each of its points.
    stored: StoredUnit
    unit: Unit | None = None
    obstacle: str = ""  #: Why no block of it can be sampled again; empty where they can.
    numbers: Sequence[int] = ()  #: The study's numbers of its blocks.

    @property
    def blocks(self) -> int:
        """Blocks that the file has of it, a last, partial one too."""
        return self.stored.done + (self.stored.partial is not None)


@dataclass(frozen=True)
class Difference:
    """Something that the file says and that is not so.

    ``block`` counts the study's blocks of the unit from 0, ``trials`` are its first and last one;
    both are None where it is about more than a block.
    """

    unit: str
    points: tuple[dict[str, Any], ...]
    what: str
    block: int | None = None
    trials: tuple[int, int] | None = None


@dataclass
class Checked:
    """How far a unit has been sampled again, and what was found."""

    subject: Subject
    #: Places of the blocks to be sampled again, in the order in which they were drawn; the partial
    #: block has the last place.
    drawn: list[int]
    checked: int = 0  #: How many of them have been compared.
    differences: list[Difference] = field(default_factory=list)
    #: Whether all blocks were added up, and the sum was compared with the file's.
    sums_compared: bool = False
    obstacle: str = ""  #: Why blocks are not checked.

    def __post_init__(self) -> None:
        stored = self.subject.stored
        self._whole = [place for place in self.drawn if place < stored.done]
        self._partial = len(self._whole) < len(self.drawn)
        self._handed_out = 0
        self._size = 1
        self._total: Tally | None = None
        if 0 < stored.done == len(self._whole) and self.subject.unit is not None:
            self._total = Tally.empty(*self.subject.unit.shape)

    def next(self, workers: int) -> list[int]:
        """Hand out the places of some more blocks: tasks grow until one takes long enough."""
        if self.obstacle:
            return []
        left = len(self._whole) - self._handed_out
        if left:
            # near the end smaller tasks keep all workers busy
            count = min(self._size, max(1, left // (2 * workers)))
            self._handed_out += count
            return self._whole[self._handed_out - count : self._handed_out]
        if self._partial:
            self._partial = False
            return [self.subject.stored.done]
        return []

    def task(self, places: Sequence[int]) -> tuple[Unit, list[int], int]:
        """Return what samples blocks again that `next` has handed out: see `timed`."""
        unit, stored = self.subject.unit, self.subject.stored
        assert unit is not None
        partial = stored.partial if places[0] == stored.done else None
        trials = unit.block if partial is None else partial.trials
        return unit, [self._number(place) for place in places], trials

    def compare(self, places: Sequence[int], run: BlockRun, is_short: bool) -> None:
        """Hold blocks that were sampled again against the file; the next tasks may be longer."""
        stored = self.subject.stored
        if is_short and len(places) >= self._size:
            self._size = min(2 * self._size, MOST_BLOCKS)
        self.checked += len(places)
        if places[0] == stored.done and stored.partial is not None:
            if not _same(run.tally, stored.partial):
                self._differs("the sums of this last, partial block are not", places[0])
            return
        for place, digest in zip(places, run.digests.tolist(), strict=True):
            if place < len(stored.digests) and digest != int(stored.digests[place]):
                self._differs("its digest is not", place)
        if self._total is not None:
            self._total.merge(run.tally)
            if self._total.trials == stored.done * stored.block:
                self.sums_compared = True
                if not _same(self._total, stored.tally):
                    self._differs("the sums over all full blocks are not")

    def _number(self, place: int) -> int:
        return self.subject.numbers[place]

    def _differs(self, what: str, place: int | None = None) -> None:
        subject = self.subject
        said = f"{what} what sampling again gives"
        if place is None:
            self.differences.append(Difference(subject.name, subject.points, said))
            return
        block = subject.stored.block
        partial = subject.stored.partial
        length = block if place < subject.stored.done or partial is None else partial.trials
        first = self._number(place) * block
        trials = first, first + length - 1
        found = Difference(subject.name, subject.points, said, self._number(place), trials)
        self.differences.append(found)


def draw(subjects: Sequence[Subject], share: float, seed: int) -> list[Checked]:
    """Draw blocks of every unit, all sets of so many alike: at least one, and none twice.

    ``share``: of each unit's blocks, 0 < share ≤ 1; ``seed``: who forges a file must not know it.
    """
    draws = random.Random(seed)
    found = []
    for subject in subjects:
        count = min(subject.blocks, max(1, math.ceil(share * subject.blocks)))
        obstacle = subject.obstacle
        stored = subject.stored
        drawn = []
        if len(stored.digests) or count <= MOST_WITHOUT_DIGESTS:
            drawn = draws.sample(range(subject.blocks), count)
        if not obstacle and stored.done and not len(stored.digests):
            obstacle = NO_DIGESTS if len(drawn) < subject.blocks else ""
        found.append(Checked(subject, [] if obstacle else drawn, obstacle=obstacle))
    return found


def recompute(
    checked: Sequence[Checked],
    pool: Pool,
    progress: Callable[[Step], None] | None = None,
    interrupted: Callable[[], str | None] = lambda: None,
) -> str | None:
    """Sample the drawn blocks again, side by side, and compare them; return why it was stopped.

    A unit that cannot be sampled here, as without its data, says so as its obstacle.
    """
    started = time.monotonic()
    total = sum(len(each.drawn) for each in checked)
    tasks = _tasks(checked, pool.workers)
    waiting: list[tuple[Job[tuple[BlockRun, float]], Checked, list[int]]] = []
    reason: str | None = None
    if progress is not None:
        progress(Step(0, total, ""))
    try:
        while True:
            while reason is None and pool.has_room and (task := next(tasks, None)) is not None:
                each, places = task
                waiting.append((pool.submit(timed, *each.task(places)), each, places))
            if not waiting:
                return reason
            wait([job.future for job, _, _ in waiting], WAIT_SECONDS, FIRST_COMPLETED)
            left = []
            for job, each, places in waiting:
                if not job.done():
                    left.append((job, each, places))
                    continue
                try:
                    run, seconds = job.result()
                    each.compare(places, run, seconds < pool.task_seconds)
                except FastgcError as problem:
                    each.obstacle = str(problem)
            waiting = left
            if progress is not None:
                done = sum(each.checked for each in checked)
                name = next((each.subject.name for _, each, _ in waiting), "")
                progress(Step(done, total, name, seconds=time.monotonic() - started))
            reason = reason or interrupted()
            if reason is not None:
                waiting = [task for task in waiting if not task[0].cancel()]
    finally:
        for job, _, _ in waiting:
            job.cancel()


def _tasks(checked: Sequence[Checked], workers: int) -> Iterator[tuple[Checked, list[int]]]:
    for each in checked:
        while places := each.next(workers):
            yield each, places


def missed(blocks: Sequence[int], checked: Sequence[int], forged: int) -> float:
    """Return the probability that no forged block is among those drawn, wherever they lie.

    ``blocks``, ``checked``: of each unit: how many blocks it has, and how many of them were drawn;
    ``forged``: number of forged blocks in all units together, which lie where they are found least.

    >>> missed([10_000], [10], 1)
    0.999
    >>> missed([4, 100], [4, 50], 1)  # in the second unit: in the first they would be found
    0.5
    """
    # one more forged block in a unit is missed less likely than the one before: take the best
    units = [(-_next(n, k, 0), n, k, 0) for n, k in zip(blocks, checked, strict=True) if n]
    heapq.heapify(units)
    probability = 1.0
    for _ in range(forged):
        if not units or probability == 0.0:
            return 0.0
        ratio, n, k, already = units[0]
        probability *= -ratio
        heapq.heapreplace(units, (-_next(n, k, already + 1), n, k, already + 1))
    return probability


def _next(blocks: int, checked: int, forged: int) -> float:
    return max(0.0, (blocks - checked - forged) / max(1, blocks - forged))


def _same(a: Tally, b: Tally) -> bool:
    return (
        a.trials == b.trials
        and a.histograms == b.histograms
        and bool((a.sums.limbs() == b.sums.limbs()).all())
    )
