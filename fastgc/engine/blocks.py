"""A unit is sampled block by block: tasks on a pool → one tally, and events that say how far it is.

The engine knows executors and blocks, and nothing of codes or laws. Blocks are merged in their
order, so that what is stored is always a prefix of a shard's blocks and precision is judged at
sizes that do not depend on scheduling. Limits say when a unit has enough; of its blocks a shard has
every N-th.
"""

import math
import time
from collections import deque
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from fastgc.engine.executors.pool import Job, Pool
from fastgc.engine.units import BlockRun, Unit
from fastgc.results.stored import StoredUnit
from fastgc.statistics.estimates import Estimate, events, normal_quantile
from fastgc.statistics.tallies import Tally


class StopRule(Protocol):
    """A rule that looks at a unit's tally after 1, 2, 4, 8, … blocks."""

    def reached(self, unit: Unit, tally: Tally) -> str | None:
        """The rule's name if it is satisfied."""


@dataclass(frozen=True)
class Precision:
    """Stop when one estimate's half-width is small enough.

    ``of`` picks the estimate from a unit's tally; ``relative`` is to the estimate's size, and
    neither is looked at with fewer than ``least_events`` non-zero outcomes.
    """

    of: Callable[[Unit, Tally], Estimate]
    relative: float | None = None
    absolute: float | None = None
    least_events: int = 100
    confidence: float = 0.95

    def reached(self, unit: Unit, tally: Tally) -> str | None:
        """The rule that is satisfied, if one is."""
        estimate = self.of(unit, tally)
        if estimate.value is None or estimate.standard_error is None:
            return None
        half = self.half_width(estimate)
        if events(estimate) < self.least_events:
            return None
        if self.absolute is not None and half <= self.absolute:
            return "absolute_error"
        if self.relative is not None and half <= self.relative * abs(estimate.value):
            return "relative_error"
        return None

    @staticmethod
    def look(enough: float, block: int, done: int) -> int:
        """Trials at the next look that finds enough: after 1, 2, 4, 8, … blocks, with some done."""
        blocks = max(done + 1, math.ceil(enough / block))
        return (1 << (blocks - 1).bit_length()) * block

    def half_width(self, estimate: Estimate) -> float:
        """Return half the width of an estimate's interval; 0 where it has none."""
        return normal_quantile(self.confidence) * (estimate.standard_error or 0.0)

    def needed(self, estimate: Estimate, trials: int) -> tuple[float, float] | None:
        """Return about how many trials width and events take; None where nothing is known.

        ``estimate`` is that of the rule, after so many ``trials``: half-widths fall with the square
        root of the trials, and events grow with them.
        """
        seen = events(estimate)
        if not estimate.value or estimate.standard_error is None or not seen:
            return None
        wanted = max(self.absolute or 0.0, (self.relative or 0.0) * abs(estimate.value))
        by_width = trials * (self.half_width(estimate) / wanted) ** 2
        return by_width, trials * self.least_events / seen


@dataclass(frozen=True)
class Limits:
    """When a unit has enough.

    ``deadline`` is a reading of ``time.monotonic``; ``interrupted`` says why to stop when what is
    under way is done, and leaves the unit to be continued; with ``begins`` something is sampled in
    any case.
    """

    trials: int
    precision: StopRule | None = None
    deadline: float | None = None
    interrupted: Callable[[], str | None] = lambda: None
    begins: bool = True


# ---- Which of a unit's blocks are a shard's


@dataclass(frozen=True)
class ShardPart:
    """A shard's part of a unit: every N-th block, from the i-th."""

    blocks: range  #: The numbers of its blocks.
    #: The number of the incomplete block at the end, and how many trials of it are the shard's.
    partial: int
    last: int
    alone: bool  #: Whether there is no other shard; only then precision stops it.

    @classmethod
    def of(cls, block: int, trials: int, shard: tuple[int, int]) -> "ShardPart":
        """Return what is a shard's of so many trials, with so many in a block."""
        own, shards = shard
        full, rest = divmod(trials, block)
        return cls(range(own, full, shards), full, rest if full % shards == own else 0, shards == 1)

    def trials(self, block: int) -> int:
        """Return how many trials that are, with so many in a block."""
        return len(self.blocks) * block + self.last


MOST_BLOCKS = 1 << 14
#: Results of a unit that are under way or wait for the one before them, for each worker.
AHEAD = 4


@dataclass(frozen=True)
class BlocksMerged:
    """Blocks were merged into the unit's tally: so many trials, which took so many seconds."""

    trials: int
    seconds: float


@dataclass(frozen=True)
class BlocksPending:
    """Nothing was merged: the next result is that of ``future``; None where the pool is full."""

    future: Future[Any] | None


Event = BlocksMerged | BlocksPending


def sample(
    unit: Unit, stored: StoredUnit, limits: Limits, pool: Pool, shard: tuple[int, int] = (0, 1)
) -> Generator[Event]:
    """Sample a unit until its limits, going on from what is stored.

    Never waits: who asks for the next event decides what to wait for. ``stored.stopped_by`` is set
    when the last event has been handed out, unless sampling was interrupted.
    """
    share = ShardPart.of(unit.block, limits.trials, shard)
    blocks = share.blocks
    stored.stopped_by = None
    if stored.trials >= share.trials(unit.block):
        stored.stopped_by = "trials"
        return
    if not limits.begins and limits.interrupted() is not None:
        return
    stored.partial = None
    goals = [len(blocks)]
    if limits.precision is not None:  # 1, 2, 4, 8, … before them
        goals = [1 << i for i in range(max(0, goals[0] - 1).bit_length())] + goals
    for goal in (goal for goal in goals if goal > stored.done):
        if _is_precise(unit, stored, limits):
            return
        for event in in_order(unit, blocks[stored.done : goal], pool, limits):
            if isinstance(event, BlocksPending):
                yield event
                continue
            stored.tally.merge(event.tally)
            stored.done += len(event.digests)
            stored.digests = np.concatenate([stored.digests, event.digests])
            yield BlocksMerged(event.tally.trials, event.seconds)
            if limits.deadline is not None and time.monotonic() >= limits.deadline:
                stored.stopped_by = "seconds"
                return
        if limits.interrupted() is not None:
            return
    if _is_precise(unit, stored, limits):
        return
    if share.last:
        job = pool.submit(timed, unit, [share.partial], share.last)
        while not job.done():
            yield BlocksPending(job.future)
        rest = job.future.result()
        stored.partial, stored.stopped_by = rest.tally, "trials"
        yield BlocksMerged(share.last, rest.seconds)
    stored.stopped_by = "trials"


def _is_precise(unit: Unit, stored: StoredUnit, limits: Limits) -> bool:
    """Ask the rule after 1, 2, 4, 8, … blocks only: looking often biases the mean."""
    done = stored.done
    if limits.precision is None or done == 0 or done & (done - 1):
        return False
    stored.stopped_by = limits.precision.reached(unit, stored.tally)
    return stored.stopped_by is not None


def in_order(
    unit: Unit, blocks: Sequence[int], pool: Pool, limits: Limits
) -> Iterator[BlockRun | BlocksPending]:
    """Run blocks side by side, and hand them back in their order.

    Tasks grow until one takes long enough; how blocks are grouped changes no number. Once
    interrupted, nothing new begins, and what is under way is handed back when it is done.
    """
    waiting: deque[tuple[Job[BlockRun], int]] = deque()
    size, start = 1, 0
    try:
        while start < len(blocks) or waiting:
            # where results come faster than they are taken, they must not fill memory
            ahead = AHEAD * pool.workers
            while start < len(blocks) and pool.has_room and len(waiting) < ahead:
                # near the end smaller tasks keep all workers busy
                share = max(1, (len(blocks) - start) // (2 * pool.workers))
                chunk = blocks[start : start + min(size, share)]
                waiting.append((pool.submit(timed, unit, chunk, unit.block), len(chunk)))
                start += len(chunk)
            if waiting and waiting[0][0].done():
                job, count = waiting.popleft()
                run = job.future.result()
                if run.seconds < pool.task_seconds and count >= size:
                    size = min(2 * size, MOST_BLOCKS)
                yield run
            else:
                yield BlocksPending(waiting[0][0].future if waiting else None)
            if limits.interrupted() is not None:
                start = len(blocks)
                while waiting and waiting[-1][0].future.cancel():  # the last ones have not begun
                    waiting.pop()
    finally:
        for job, _ in waiting:
            job.future.cancel()


def timed(unit: Unit, blocks: Sequence[int], trials: int) -> BlockRun:
    """Sample blocks of a unit, here or in another process, and say how long it took."""
    started = time.perf_counter()
    run = unit.run(blocks, trials)
    run.seconds = time.perf_counter() - started
    return run
