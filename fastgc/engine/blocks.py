"""Points of a study → blocks of trials → tallies.

The engine knows executors and blocks, and nothing of codes or laws. Blocks are merged in their
order, so that what is stored is always a prefix of a shard's blocks and precision is judged at
sizes that do not depend on scheduling.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future, wait
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from fastgc.engine.units import BlockRun, Unit
from fastgc.results.stored import StoredUnit
from fastgc.statistics.estimates import Estimate, events, normal_quantile
from fastgc.statistics.tallies import Tally

TASK_SECONDS = 0.05  # long enough that handing it out costs nothing, short enough to stop soon
WAIT_SECONDS = 0.2  # after so long without a result the caller gets a word in


class Rule(Protocol):
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
        half = normal_quantile(self.confidence) * estimate.standard_error
        if events(estimate) < self.least_events:
            return None
        if self.absolute is not None and half <= self.absolute:
            return "absolute_error"
        if self.relative is not None and half <= self.relative * abs(estimate.value):
            return "relative_error"
        return None


@dataclass(frozen=True)
class Limits:
    """When a unit has enough.

    ``deadline`` is a reading of ``time.monotonic``; ``interrupted`` says why to stop when what is
    under way is done, and leaves the unit to be continued; with ``begins`` something is sampled in
    any case. ``samples`` takes the raw samples of every run of blocks, in their order, and whether
    it is the last, partial block.
    """

    trials: int
    precision: Rule | None = None
    deadline: float | None = None
    interrupted: Callable[[], str | None] = lambda: None
    samples: Callable[[BlockRun, bool], None] | None = None
    begins: bool = True


def fresh(unit: Unit) -> StoredUnit:
    """A unit with no trials yet."""
    return StoredUnit(unit.key, unit.block, 0, np.empty(0, np.uint64), Tally.empty(*unit.shape))


def total(stored: StoredUnit) -> Tally:
    """All trials of a unit, the partial block's too."""
    tally = stored.tally.copy()
    if stored.partial is not None:
        tally.merge(stored.partial)
    return tally


def sample(
    unit: Unit,
    stored: StoredUnit,
    limits: Limits,
    executor: Executor,
    workers: int,
    shard: tuple[int, int] = (0, 1),
) -> Iterator[StoredUnit]:
    """Sample a unit until its limits, going on from what is stored.

    Yields the unit after every task that was merged, and now and then while one is waited for;
    ``stopped_by`` is set in the last one, unless sampling was interrupted.
    """
    own, shards = shard
    full, rest = divmod(limits.trials, unit.block)
    blocks = range(own, full, shards)
    last = rest if full % shards == own else 0
    stored.stopped_by = None
    if total(stored).trials >= len(blocks) * unit.block + last:
        stored.stopped_by = "trials"
        yield stored
        return
    if not limits.begins and limits.interrupted() is not None:
        return
    stored.partial = None
    for goal in _goals(stored.done, len(blocks), limits.precision is not None):
        if limits.precision is not None and _is_checkpoint(stored.done):
            stored.stopped_by = limits.precision.reached(unit, stored.tally)
            if stored.stopped_by:
                yield stored
                return
        for run in _in_order(unit, blocks[stored.done : goal], executor, workers, limits):
            if run is None:
                yield stored
                continue
            if limits.samples is not None:
                limits.samples(run, False)
            run.tally_into(stored.tally)
            stored.done += len(run.digests)
            stored.digests = np.concatenate([stored.digests, run.digests])
            yield stored
            if limits.deadline is not None and time.monotonic() >= limits.deadline:
                stored.stopped_by = "seconds"
                yield stored
                return
        if limits.interrupted() is not None:
            return
    if limits.precision is not None and _is_checkpoint(stored.done):
        stored.stopped_by = limits.precision.reached(unit, stored.tally)
        if stored.stopped_by:
            yield stored
            return
    if last:
        future = executor.submit(unit.run, [full], last, limits.samples is not None)
        while not _is_done(future):
            yield stored
        run = future.result()
        stored.partial = Tally.empty(*unit.shape)
        if limits.samples is not None:
            limits.samples(run, True)
        run.tally_into(stored.partial)
    stored.stopped_by = "trials"
    yield stored


def _is_checkpoint(blocks: int) -> bool:
    """Precision is looked at after 1, 2, 4, 8, … blocks only: looking often biases the mean."""
    return blocks > 0 and blocks & (blocks - 1) == 0


def _goals(done: int, blocks: int, doubling: bool) -> Iterator[int]:
    """Numbers of blocks after which to look."""
    if doubling:
        goal = 1
        while goal < blocks:
            if goal > done:
                yield goal
            goal *= 2
    if blocks > done:
        yield blocks


def _in_order(
    unit: Unit, blocks: range, executor: Executor, workers: int, limits: Limits
) -> Iterator[BlockRun | None]:
    """Run blocks side by side, and hand them back in their order; None while they are waited for.

    Tasks grow until one takes long enough; how blocks are grouped changes no number. Once
    interrupted, nothing new begins, and what is under way is handed back when it is done.
    """
    keep = limits.samples is not None
    waiting: deque[tuple[Future[tuple[BlockRun, float]], int]] = deque()
    size, start = 1, 0
    try:
        while start < len(blocks) or waiting:
            while start < len(blocks) and len(waiting) < 2 * workers:
                # near the end smaller tasks keep all workers busy
                share = max(1, (len(blocks) - start) // (2 * workers))
                chunk = blocks[start : start + min(size, share)]
                waiting.append((executor.submit(_timed, unit, chunk, keep), len(chunk)))
                start += len(chunk)
            if _is_done(waiting[0][0]):
                future, count = waiting.popleft()
                run, seconds = future.result()
                if seconds < TASK_SECONDS and count >= size:
                    size = min(2 * size, 16 if keep else 1024)  # kept samples fill memory
                yield run
            else:
                yield None
            if limits.interrupted() is not None:
                start = len(blocks)
                while waiting and waiting[-1][0].cancel():  # the last ones have not begun
                    waiting.pop()
    finally:
        for future, _ in waiting:
            future.cancel()


def _is_done(future: Future[Any]) -> bool:
    """Wait a little for a result; say whether it is there."""
    return future.done() or bool(wait((future,), WAIT_SECONDS).done)


def _timed(unit: Unit, blocks: range, keep: bool) -> tuple[BlockRun, float]:
    started = time.perf_counter()
    run = unit.run(blocks, unit.block, keep)
    return run, time.perf_counter() - started
