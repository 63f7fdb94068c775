"""A pilot: a unit's own first blocks, sampled to learn what all of them will cost; nothing is kept.

They are the blocks that a run begins with, so that the run finds what the pilot found. One core is
enough: what is counted is processor time.
"""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass, field

from fastgc.draws.streams import WORD
from fastgc.engine.blocks import MOST_BLOCKS, MOST_KEPT_BLOCKS
from fastgc.engine.executors.pool import TASK_SECONDS
from fastgc.engine.executors.threads import in_threads
from fastgc.engine.limits import Rule
from fastgc.engine.shares import Share
from fastgc.engine.units import BlockRun, Unit
from fastgc.results import segments
from fastgc.results.stored import StoredUnit
from fastgc.runs.foretelling.expected import Expected
from fastgc.runs.foretelling.memory import Growth
from fastgc.statistics.tallies import Tally
from fastgc_kernels._jit import PATIENCE, compiled_only

PARTS = 8  # of a pilot, which are compared with each other
LEAST_BLOCKS = 3
LEAST_SECONDS = 0.1
MOST_LOADS = 20  # times that kernels are compiled or loaded before trials are fast
SHARE = 0.25  # of a unit's trials at most, where these take longer than that
STEP = 8  # from one look at how long trials take to the next, larger one


@dataclass
class Part:
    """Some of a pilot's trials, and the processor time that they took.

    ``tally`` is theirs, where a rule looks at precision and wants to know how sure it is.
    """

    tally: Tally | None
    trials: int = 0
    seconds: float = 0.0


@dataclass
class Pilot:
    """What a unit's first blocks showed.

    Attributes
    ----------
    stored : StoredUnit
        Their tallies, as a run that stops here keeps them; ``stopped_by`` says whether the unit has
        reached its limits already.
    rest : Tally or None
        That of the incomplete block at the end, or of as much of it as there was time for.
    parts : list of Part
        The same trials, part by part.
    waited : float
        Seconds on the clock for all of them: more where others use the cores.
    bytes_sampled : int
        Of their raw samples, if these are kept.
    preparing : float
        Processor time until the first trial: parts and measures are made, kernels loaded, if need
        be compiled.
    scratch : int or None
        Bytes of memory that a worker takes while it samples, where that is known.
    held : int
        Bytes of these that it does not give back.
    """

    stored: StoredUnit
    rest: Tally | None = None
    parts: list[Part] = field(default_factory=list)
    waited: float = 0.0
    bytes_sampled: int = 0
    preparing: float = 0.0
    scratch: int | None = None
    held: int = 0

    @property
    def trials(self) -> int:
        """Trials looked at."""
        return self.stored.trials

    @property
    def seconds(self) -> float:
        """Processor seconds that they took."""
        return sum(part.seconds for part in self.parts)

    @property
    def rate(self) -> Expected:
        """Processor seconds a trial."""
        seconds = [part.seconds for part in self.parts]
        return Expected.of_parts(seconds, [part.trials for part in self.parts])

    @property
    def sample_bytes(self) -> float:
        """Bytes of a trial's raw samples, 0 where none are kept."""
        return self.bytes_sampled / max(1, self.trials)


def pilot(
    unit: Unit, share: Share, rule: Rule | None, keep: bool, seconds: float, threads: int
) -> Pilot:
    """Sample for so many processor seconds, but at most `SHARE` of the trials; until a rule is met.

    Everything is compiled and made before the clock starts, and tasks are as large as those of a
    run with so many threads. Where a block takes a large part of the time, only its first trials
    are sampled.
    """
    started = time.process_time()
    found = Pilot(unit.fresh())  # makes the measures, which may take longer than the trials
    found.preparing = time.process_time() - started
    if not share.trials(unit.block):
        found.stored.stopped_by = "trials"
        return found
    numbers: Sequence[int] = share.blocks or [share.partial]
    length = unit.block if share.blocks else share.last
    sampling = _Sampling(unit, keep, rule, threads, found)
    found.preparing += sampling.clocked(numbers[:1], 1)[1]
    if share.trials(unit.block) * sampling.rate(numbers[:1], length, PATIENCE) > PATIENCE:
        # a run compiles its kernels soon; what NumPy takes until then is no measure of it
        with compiled_only():
            started = time.process_time()
            sampling.settle(numbers[:1], length)
            found.preparing += time.process_time() - started
            return _measured(sampling, share, numbers, length, seconds)
    return _measured(sampling, share, numbers, length, seconds)


def _measured(
    sampling: _Sampling, share: Share, numbers: Sequence[int], length: int, seconds: float
) -> Pilot:
    found = sampling.found
    memory = Growth()
    with in_threads(1) as pool:  # memory is another thread's, as in a run
        pool.submit(sampling.all, share, numbers, length, seconds).result()
    found.scratch, found.held = memory.most, memory.left
    return found


class _Sampling:
    """Samples a unit and clocks it."""

    def __init__(
        self, unit: Unit, keep: bool, rule: Rule | None, threads: int, found: Pilot
    ) -> None:
        self._unit = unit
        self._keep = keep
        self._rule = rule
        self._threads = threads
        self.found = found

    def all(self, share: Share, numbers: Sequence[int], length: int, seconds: float) -> None:
        """Sample the first of some blocks of this length, or their beginnings."""
        found = self.found
        fitting = self.fitting(numbers[:1], length, seconds / PARTS)
        if share.last:
            found.rest = Tally.empty(*self._unit.shape)
            self.clocked([share.partial], min(fitting, share.last), found.rest)
        if share.blocks and fitting == length:
            self.blocks(share, seconds)
        else:
            self.beginnings(numbers[:PARTS], fitting, seconds)
            if not share.blocks and fitting == share.last:
                found.stored.stopped_by = "trials"

    def clocked(
        self, numbers: Sequence[int], trials: int, tally: Tally | None = None
    ) -> tuple[BlockRun, float]:
        """Sample so many trials of some blocks and tally them; say what time that took."""
        tally = tally or Tally.empty(*self._unit.shape)
        started = time.process_time()
        run = self._unit.run(numbers, trials, self._keep)
        tally.merge(run.tally)
        if run.samples:
            segments.image_of(run.samples)  # all of writing them but for the disk
        return run, time.process_time() - started

    def fitting(self, numbers: Sequence[int], most: int, seconds: float) -> int:
        """Return how many trials of a block fit into the time; more and more are tried."""
        rate = self.rate(numbers, most, seconds)
        if seconds >= most * rate:
            return most
        return max(min(WORD, most), int(seconds / rate) // WORD * WORD)

    def settle(self, numbers: Sequence[int], most: int) -> None:
        """Sample until nothing is compiled or loaded any more: trials get no faster then."""
        rate = math.inf
        for _ in range(MOST_LOADS):
            before, rate = rate, self.rate(numbers, most, LEAST_SECONDS)
            if rate > 0.5 * before:
                return

    def rate(self, numbers: Sequence[int], most: int, seconds: float) -> float:
        """Return the seconds that a trial takes, of as many as take a share of the time."""
        size = min(WORD, most)
        while True:
            _, took = self.clocked(numbers, size)
            if size == most or took > seconds / STEP:
                return took / size
            size = min(STEP * size, most)

    def beginnings(self, numbers: Sequence[int], trials: int, seconds: float) -> None:
        """Sample the first trials of some blocks, of two at least."""
        self.found.stored.partial = Tally.empty(*self._unit.shape)
        for number in numbers:
            if len(self.found.parts) >= 2 and self.found.seconds >= seconds:
                break
            self._sample([number], trials, self.found.stored.partial, 0.0)

    def blocks(self, share: Share, seconds: float) -> None:
        """Sample whole blocks, more and more at once, and ask the rule where a run asks it."""
        stored, count = self.found.stored, len(share.blocks)
        most = MOST_KEPT_BLOCKS if self._keep else MOST_BLOCKS
        looks = share.alone and self._rule is not None
        size, enough, spent = 1, seconds, 0.0
        while stored.stopped_by is None and stored.done < count:
            if spent >= enough and stored.done >= LEAST_BLOCKS:
                return
            goal = count
            if looks:  # 1, 2, 4, 8, …
                goal = min(count, 1 << stored.done.bit_length())
            left = goal - stored.done
            take = min(size, max(1, left // (2 * self._threads)))
            numbers = share.blocks[stored.done : stored.done + take]
            before = self.found.waited
            took = self._sample(numbers, self._unit.block, stored.tally, enough / PARTS)
            if self.found.waited - before < TASK_SECONDS and take == size:
                size = min(2 * size, most)
            stored.done, spent = stored.done + take, spent + took
            enough = min(seconds, max(LEAST_SECONDS, SHARE * spent * count / stored.done))
            if looks and self._rule is not None and stored.done == goal:
                size = 1
                if not goal & (goal - 1):
                    stored.stopped_by = self._rule.reached(self._unit, stored.tally)
        if stored.stopped_by is None:
            if share.last:
                stored.partial = Tally.empty(*self._unit.shape)
                self._sample([share.partial], share.last, stored.partial, enough / PARTS)
            stored.stopped_by = "trials"

    def _sample(
        self, numbers: Sequence[int], trials: int, tally: Tally, part_seconds: float
    ) -> float:
        """Tally some blocks; begin another part if the one under way has lasted so long."""
        parts = self.found.parts
        if not parts or parts[-1].seconds >= part_seconds:
            own = None if self._rule is None else Tally.empty(*self._unit.shape)
            parts.append(Part(own))
        started = time.perf_counter()
        run, took = self.clocked(numbers, trials, tally)
        self.found.waited += time.perf_counter() - started
        parts[-1].trials += run.tally.trials
        parts[-1].seconds += took
        if parts[-1].tally is not None:
            parts[-1].tally.merge(run.tally)
        arrays = (a for block in run.samples for own in block for a in own.values())
        self.found.bytes_sampled += sum(array.nbytes for array in arrays)
        return took
