"""A unit is sampled block by block: tasks on a pool → one tally, and events that say how far it is.

The engine knows executors and blocks, and nothing of codes or laws. Blocks are merged in their
order, so that what is stored is always a prefix of a shard's blocks and precision is judged at
sizes that do not depend on scheduling.
"""

import time
from collections import deque
from collections.abc import Generator, Iterator, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Any

import numpy as np

from fastgc.engine.executors.pool import Job, Pool
from fastgc.engine.limits import Limits, Share
from fastgc.engine.units import BlockRun, Unit
from fastgc.results.stored import StoredUnit

MOST_BLOCKS = 1 << 14
#: Results of a unit that are under way or wait for the one before them, for each worker.
AHEAD = 4


@dataclass(frozen=True)
class Merged:
    """Blocks were merged into the unit's tally, whose worker took so many ``seconds``."""

    seconds: float


@dataclass(frozen=True)
class Waiting:
    """Nothing was merged: the next result is that of ``future``; None where the pool is full."""

    future: Future[Any] | None


Event = Merged | Waiting
#: What blocks amount to, and the seconds they took.
Timed = tuple[BlockRun, float]


def sample(
    unit: Unit, stored: StoredUnit, limits: Limits, pool: Pool, shard: tuple[int, int] = (0, 1)
) -> Generator[Event]:
    """Sample a unit until its limits, going on from what is stored.

    Never waits: who asks for the next event decides what to wait for. ``stored.stopped_by`` is set
    when the last event has been handed out, unless sampling was interrupted.
    """
    share = Share.of(unit.block, limits.trials, shard)
    blocks = share.blocks
    stored.stopped_by = None
    if stored.trials >= share.trials(unit.block):
        stored.stopped_by = "trials"
        return
    if not limits.begins and limits.interrupted() is not None:
        return
    stored.partial = None
    for goal in _goals(stored.done, len(blocks), limits.precision is not None):
        if _is_precise(unit, stored, limits):
            return
        for event in _in_order(unit, blocks[stored.done : goal], pool, limits):
            if isinstance(event, Waiting):
                yield event
                continue
            run, seconds = event
            stored.tally.merge(run.tally)
            stored.done += len(run.digests)
            stored.digests = np.concatenate([stored.digests, run.digests])
            yield Merged(seconds)
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
            yield Waiting(job.future)
        run, seconds = job.result()
        stored.partial = run.tally
        stored.stopped_by = "trials"
        yield Merged(seconds)
    stored.stopped_by = "trials"


def _is_precise(unit: Unit, stored: StoredUnit, limits: Limits) -> bool:
    """Ask the rule after 1, 2, 4, 8, … blocks only: looking often biases the mean."""
    done = stored.done
    if limits.precision is None or done == 0 or done & (done - 1):
        return False
    stored.stopped_by = limits.precision.reached(unit, stored.tally)
    return stored.stopped_by is not None


def _goals(done: int, blocks: int, doubling: bool) -> Iterator[int]:
    if doubling:
        goal = 1
        while goal < blocks:
            if goal > done:
                yield goal
            goal *= 2
    if blocks > done:
        yield blocks


def _in_order(unit: Unit, blocks: range, pool: Pool, limits: Limits) -> Iterator[Timed | Waiting]:
    """Run blocks side by side, and hand them back in their order, with the seconds they took.

    Tasks grow until one takes long enough; how blocks are grouped changes no number. Once
    interrupted, nothing new begins, and what is under way is handed back when it is done.
    """
    waiting: deque[tuple[Job[Timed], int]] = deque()
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
                run, seconds = job.result()
                if seconds < pool.task_seconds and count >= size:
                    size = min(2 * size, MOST_BLOCKS)
                yield run, seconds
            else:
                yield Waiting(waiting[0][0].future if waiting else None)
            if limits.interrupted() is not None:
                start = len(blocks)
                while waiting and waiting[-1][0].cancel():  # the last ones have not begun
                    waiting.pop()
    finally:
        for job, _ in waiting:
            job.cancel()


def timed(unit: Unit, blocks: Sequence[int], trials: int) -> Timed:
    """Sample blocks of a unit, here or in another process, and say how long it took."""
    started = time.perf_counter()
    run = unit.run(blocks, trials)
    return run, time.perf_counter() - started
