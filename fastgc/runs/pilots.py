"""Pilots: a study's own first blocks and exact points, tried to learn what all of them will cost.

The blocks are those that a run begins with, so that the run finds what the pilot found. One core is
enough: what is counted is processor time. Nothing is kept.
"""

import contextlib
import math
import pickle
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from fastgc.draws.streams import WORD
from fastgc.engine.blocks import MOST_BLOCKS, Rule, Share
from fastgc.engine.executors.local import in_threads
from fastgc.engine.executors.pool import TASK_SECONDS
from fastgc.engine.units import BlockRun, Unit
from fastgc.experiments.table import Point
from fastgc.results import store
from fastgc.results.checkpointer import (
    CHECKPOINT_SECONDS,
    CHECKPOINT_SHARE,
    FIRST_CHECKPOINT,
    provenance,
)
from fastgc.results.rows import Row
from fastgc.results.stored import StoredRun, StoredUnit
from fastgc.runs.plan import Plan, enumerated, rare_part, sought
from fastgc.statistics.estimates import Estimate
from fastgc.statistics.tallies import Tally
from fastgc_kernels._jit import compiled_only

#: Ranges are meant to hold the number in 19 of 20 cases.
SPREADS = 2.0
#: Of a rate, what a pilot of a second does not see: other caches, a warmer processor. The packaged
#: studies took .8 to 1.25 times what their pilots said.
UNSEEN = 0.25
STEP = 8  # from one number of trials that are tried to the next
PARTS = 8  # of a pilot, which are compared with each other
LEAST_BLOCKS = 3
LEAST_SECONDS = 0.1
PATIENCE = 1.0  # seconds of a run from which on its kernels are compiled
#: So long a probe may take: of trials that take longer fewer than a word of them are sampled.
PROBE_SECONDS = 8.0
MOST_LOADS = 20  # times that kernels are compiled or loaded before trials are fast
SHARE = 0.25  # of a unit's trials at most, where these take longer than that

#: Processor seconds for all points that are tried on their exact methods.
EXACT_SECONDS = 5.0
#: A point that should take longer is not tried; that is 3 to 7 times what it then takes.
LONGEST = 30.0
#: Bytes a pattern: measured at n = 20 to 23.
PATTERN_BYTES = 76

_STATUS = Path("/proc/self/status")
_FORGET = Path("/proc/self/clear_refs")


@dataclass(frozen=True)
class Expected:
    """A number between ``low`` and ``high``, most likely ``value``.

    >>> Expected(2.0, 1.5, 3.0) + Expected.exactly(1.0)
    Expected(value=3.0, low=2.5, high=4.0)
    >>> Expected(2.0, 1.5, 3.0) * Expected(10.0, 10.0, 20.0)
    Expected(value=20.0, low=15.0, high=60.0)
    """

    value: float
    low: float
    high: float

    @classmethod
    def exactly(cls, value: float) -> "Expected":
        """Return a number that is known."""
        return cls(value, value, value)

    @classmethod
    def about(cls, value: float, factor: float) -> "Expected":
        """Return a number that may be so many times larger or smaller."""
        return cls(value, value / factor, value * factor)

    @classmethod
    def of_parts(cls, seconds: Sequence[float], trials: Sequence[int]) -> "Expected":
        """Return the seconds that a trial takes, from those of several parts of a pilot.

        The range is that of a single part: what slows a machine down for a while may last for as
        long as the run, and what no pilot sees. Of one part alone it is half to twice the rate.
        """
        whole = sum(seconds) / sum(trials)
        if len(seconds) < 2:
            return cls.about(whole, 2.0)
        variance = sum(
            count / sum(trials) * (took / count / whole - 1) ** 2
            for took, count in zip(seconds, trials, strict=True)
        )
        width = SPREADS * math.sqrt(variance * len(seconds) / (len(seconds) - 1))
        return cls.about(whole, 1 + math.hypot(width, UNSEEN))

    def __add__(self, other: "Expected") -> "Expected":
        """Return the sum of numbers that are high together."""
        return Expected(self.value + other.value, self.low + other.low, self.high + other.high)

    def __mul__(self, other: "Expected | float") -> "Expected":
        """Return the product of numbers that are high together."""
        if isinstance(other, int | float):
            other = Expected.exactly(other)
        return Expected(self.value * other.value, self.low * other.low, self.high * other.high)

    def at_most(self, bound: float) -> "Expected":
        """Return the number where something keeps it from exceeding a bound."""
        return Expected(min(self.value, bound), min(self.low, bound), min(self.high, bound))


def resident() -> int | None:
    """Return the bytes that this process has in memory; None where the system does not say."""
    return _read("VmRSS:")


class Growth:
    """How far memory grew above what was taken when it began to look.

    >>> growth = Growth()
    >>> kept = bytearray(64 << 20)
    >>> growth.most is None or growth.most > 60 << 20
    True
    """

    def __init__(self) -> None:
        self._before = None
        with contextlib.suppress(OSError):
            _FORGET.write_text("5", encoding="ascii")  # the most so far is what there is now
            self._before = resident()

    @property
    def left(self) -> int:
        """Bytes that are still taken; 0 where the system does not say."""
        now = resident()
        return 0 if now is None or self._before is None else max(0, now - self._before)

    @property
    def most(self) -> int | None:
        """Bytes by which memory has grown at most, since the beginning."""
        peak = _read("VmHWM:")
        return None if peak is None or self._before is None else max(0, peak - self._before)


def _read(key: str) -> int | None:
    with contextlib.suppress(OSError):
        for line in _STATUS.read_text(encoding="ascii").splitlines():
            if line.startswith(key):
                return 1024 * int(line.split()[1])
    return None


@dataclass
class Part:
    """Some of a pilot's trials, and the processor time that they took."""

    trials: int = 0
    seconds: float = 0.0


class Pilot:
    """What a unit's first blocks show.

    ``rule`` looks at its precision, and ``threads`` are those of the run: its tasks are as large.
    """

    def __init__(self, unit: Unit, rule: Rule | None, threads: int) -> None:
        self._unit, self._rule, self._threads = unit, rule, threads
        started = time.process_time()
        #: The blocks' tallies, as a run that stops here keeps them. Made here, for making the
        #: measures may take longer than the trials.
        self.stored = unit.fresh()
        #: Processor time until the first trial: parts and measures are made, kernels loaded, if
        #: need be compiled.
        self.preparing = time.process_time() - started
        self.parts: list[Part] = []  #: The same trials, part by part.
        self.scratch: int | None = None  #: Bytes of memory that a worker takes, where known.
        self.held = 0  #: Bytes of these that it does not give back.
        self._fewest = WORD  # trials of a probe

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
        found = Expected.of_parts(seconds, [part.trials for part in self.parts])
        if self._fewest >= min(WORD, self._unit.block):
            return found
        # a word of them takes no less than one, and no more than each of them alone
        low = found.low / WORD
        return Expected(math.sqrt(low * found.high), low, found.high)

    def run(self, share: Share, seconds: float) -> None:
        """Sample for so long, but at most `SHARE` of the trials; until the rule is met.

        Everything is compiled and made before the clock starts. Where a block takes a large part
        of the time, only its first trials are sampled.
        """
        if not share.trials(self._unit.block):
            self.stored.stopped_by = "trials"
            return
        numbers: Sequence[int] = share.blocks or [share.partial]
        length = self._unit.block if share.blocks else share.last
        first = self._clocked(numbers[:1], 1)[1]
        self.preparing += first
        if first > PROBE_SECONDS / WORD:
            self._fewest = 1
        rate = self._rate(numbers, length, PATIENCE)
        is_long = share.trials(self._unit.block) * rate > PATIENCE
        # a run compiles its kernels soon; what NumPy takes until then is no measure of it
        with compiled_only() if is_long else contextlib.nullcontext():
            if is_long:
                started = time.process_time()
                self._settle(numbers, length)
                self.preparing += time.process_time() - started
            memory = Growth()
            with in_threads(1) as pool:  # memory is another thread's, as in a run
                pool.submit(self._sample, share, numbers, length, seconds).result()
            self.scratch, self.held = memory.most, memory.left

    def _settle(self, numbers: Sequence[int], most: int) -> None:
        """Sample until nothing is compiled or loaded any more: trials get no faster then."""
        rate = math.inf
        for _ in range(MOST_LOADS):
            before, rate = rate, self._rate(numbers, most, LEAST_SECONDS)
            if rate > 0.5 * before:
                return

    def _sample(self, share: Share, numbers: Sequence[int], length: int, seconds: float) -> None:
        """Sample the first of some blocks of this length, or their beginnings."""
        rate = self._rate(numbers, length, seconds / PARTS)
        fitting = length
        if seconds / PARTS < length * rate:
            fewest = min(self._fewest, length)
            fitting = max(fewest, int(seconds / PARTS / rate) // fewest * fewest)
        if share.blocks and fitting == length:
            self._sample_blocks(share, seconds)
            return
        # of the first trials of some blocks, of two at least
        self.stored.partial = Tally.empty(*self._unit.shape)
        for number in numbers[:PARTS]:
            if len(self.parts) >= 2 and self.seconds >= seconds:
                break
            self._add([number], fitting, self.stored.partial, 0.0)
        if not share.blocks and fitting == share.last:
            self.stored.stopped_by = "trials"

    def _sample_blocks(self, share: Share, seconds: float) -> None:
        """Sample whole blocks, more and more at once, and ask the rule where a run asks it."""
        stored, count = self.stored, len(share.blocks)
        rule = self._rule if share.alone else None
        size, enough, spent = 1, seconds, 0.0
        while stored.stopped_by is None and stored.done < count:
            if spent >= enough and stored.done >= LEAST_BLOCKS:
                return
            goal = count
            if rule is not None:  # 1, 2, 4, 8, …
                goal = min(count, 1 << stored.done.bit_length())
            left = goal - stored.done
            take = min(size, max(1, left // (2 * self._threads)))
            numbers = share.blocks[stored.done : stored.done + take]
            took = self._add(numbers, self._unit.block, stored.tally, enough / PARTS)
            spent += took
            if took < TASK_SECONDS and take == size:
                size = min(2 * size, MOST_BLOCKS)
            stored.done += take
            enough = min(seconds, max(LEAST_SECONDS, SHARE * spent * count / stored.done))
            if rule is not None and stored.done == goal:
                size = 1
                if not goal & (goal - 1):
                    stored.stopped_by = rule.reached(self._unit, stored.tally)
        if stored.stopped_by is None:
            if share.last:
                stored.partial = Tally.empty(*self._unit.shape)
                self._add([share.partial], share.last, stored.partial, enough / PARTS)
            stored.stopped_by = "trials"

    def _add(self, numbers: Sequence[int], trials: int, tally: Tally, part_seconds: float) -> float:
        """Tally some blocks; begin another part if the one under way has lasted so long."""
        if not self.parts or self.parts[-1].seconds >= part_seconds:
            self.parts.append(Part())
        run, took = self._clocked(numbers, trials, tally)
        self.parts[-1].trials += run.tally.trials
        self.parts[-1].seconds += took
        return took

    def _clocked(
        self, numbers: Sequence[int], trials: int, tally: Tally | None = None
    ) -> tuple[BlockRun, float]:
        """Sample so many trials of some blocks and tally them; return what time that took, too."""
        tally = tally or Tally.empty(*self._unit.shape)
        started = time.process_time()
        run = self._unit.run(numbers, trials)
        tally.merge(run.tally)
        return run, time.process_time() - started

    def _rate(self, numbers: Sequence[int], most: int, seconds: float) -> float:
        """Seconds that a trial of the first block takes, of as many as take a share of the time."""
        size = min(self._fewest, most)
        while True:
            took = self._clocked(numbers[:1], size)[1]
            if size == most or took > seconds / STEP:
                return took / size
            size = min(STEP * size, most)


@dataclass(frozen=True)
class Enumerated:
    """A point that needs no plain sampling."""

    point: Point
    patterns: int  #: How many are enumerated; 1 for a law, 0 for a search for the worst.
    seconds: Expected  #: Of processor time.
    memory: int  #: Bytes that it takes while it lasts.
    rows: list[Row]  #: What it gives; rows like those, where it was not tried.
    tried: bool  #: Whether it was.
    is_rare: bool = False  #: Whether it takes the method for rare events instead.


def exact_pilots(plan: Plan) -> Iterator[Enumerated]:
    """Yield every entry of ``plan.known``, tried as long as there is time."""
    spent = 0.0
    before: dict[str, Enumerated] = {}
    for place, (point, is_rare) in enumerate(plan.known):
        if is_rare:
            found = _rare(plan, place, spent < EXACT_SECONDS)
            spent += found.seconds.low if found.tried else 0.0
            yield found
            continue
        method = point.compiled.exact_method
        said = method.seconds if method.patterns else 0.0
        if spent < EXACT_SECONDS and said <= LONGEST:
            if point.experiment not in before and said < 1.0:
                # load the kernels that the point needs, and forget what they gave
                twin = pickle.loads(pickle.dumps(point))
                list(twin.compiled.exact_method.rows())
            memory, started = Growth(), time.process_time()
            plan.learn(place, enumerated(plan.alone(place)))
            took = time.process_time() - started
            spent += took
            seconds, most = Expected.about(took, 1.2), memory.most or 0
            found = Enumerated(point, method.patterns, seconds, most, plan.found[place], True)
            before[point.experiment] = found
        else:
            found = _untried(point, said, before.get(point.experiment))
        yield found


def _rare(plan: Plan, place: int, try_it: bool) -> Enumerated:
    """A point with rare events: its first look, if there is time for it."""
    point = plan.known[place].point
    if not try_it:
        return Enumerated(point, 0, Expected(0.0, 0.0, LONGEST), 0, [], False, is_rare=True)
    memory, started = Growth(), time.process_time()
    unit, asked = plan.alone(place), plan.asked(place)
    plan.learn(place, sought(unit, replace(asked, trials=1), partial(rare_part, unit)))
    rows = plan.found[place]
    took = time.process_time() - started
    times = [_wider(row.estimate, asked.relative) for row in rows if row.estimate.trials]
    most = max(1.0, min(max(times, default=1.0), asked.trials / 4096))
    seconds = Expected(took * most, took, 2.0 * took * most)
    return Enumerated(point, 0, seconds, memory.most or 0, rows, True, is_rare=True)


def _wider(estimate: Estimate, relative: float) -> float:
    """How many times as many islands make an interval as narrow as is asked for, about."""
    low, high = estimate.interval()
    if not estimate.value or low is None or high is None:
        return 1.0
    smaller = min(estimate.value, 1.0 - estimate.value)  # a failure is to be known as well
    return ((high - low) / (2 * relative * smaller)) ** 2 if smaller else 1.0


def _untried(point: Point, said: float, like: Enumerated | None) -> Enumerated:
    """What a point costs that was not tried: a part of what is ``said``, or as one ``like`` it."""
    patterns = point.compiled.exact_method.patterns
    if patterns > 1:
        seconds = Expected.about(said / 4, 3.0)
    elif like is None:
        seconds = Expected(0.0, 0.0, EXACT_SECONDS)
    else:
        seconds = Expected.about(like.seconds.value, 3.0)
    rows = [] if like is None else [replace(row, point=point.sweep) for row in like.rows]
    return Enumerated(point, patterns, seconds, PATTERN_BYTES * patterns, rows, tried=False)


# ---- What keeping a run costs: rows and file are made of what a pilot found, but not written


QUICK = 0.5  # seconds; what takes less is done twice, for the first time loads what it needs


@dataclass(frozen=True)
class Storage:
    """What a file takes."""

    each: float  #: Processor seconds for a checkpoint.
    memory: int  #: Bytes of memory while a checkpoint is made, without digests.
    bytes: int  #: Of the file, without digests.

    @classmethod
    def of(cls, plan: Plan, stored: Sequence[StoredUnit], exact: Sequence[Enumerated]) -> "Storage":
        """Make rows and file of what is known so far, and throw them away."""
        untried = [row for each in exact if not each.tried for row in each.rows]
        made = StoredRun(
            study=plan.study.text(),
            identity=plan.study.identity(),
            provenance=provenance() | {"points": plan.describe()},
            units=list(stored),
            complete=True,
        )

        def file() -> int:
            rows = [row.as_dict() for row in [*plan.rows(stored, so_far=True), *untried]]
            return len(store.image_of(replace(made, rows=rows)))

        memory, size, each = Growth(), 0, 0.0
        for _ in range(2):
            started = time.process_time()
            size, each = file(), time.process_time() - started
            if each > QUICK:
                break
        return cls(each, memory.most or 0, size)

    def seconds(self, sampling: float, checkpoint_seconds: float | None) -> float:
        """Return processor seconds for the checkpoints of a run that samples so long, and its file.

        The pauses between the first ones double.
        """
        pause = checkpoint_seconds or max(CHECKPOINT_SECONDS, self.each / CHECKPOINT_SHARE)
        first = min(FIRST_CHECKPOINT, pause)
        written = min(math.log2(1 + sampling / first), sampling / first) + sampling / pause
        return (written + 1) * self.each
