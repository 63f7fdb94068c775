"""From the pilots of a study to what its run takes: trials, time, memory, bytes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from fastgc.engine.shares import Share
from fastgc.registry.cached import cached_property
from fastgc.results.checkpointer import FIRST_CHECKPOINT
from fastgc.results.sample_files import SEGMENT_BYTES
from fastgc.results.stored import StoredUnit
from fastgc.runs.foretelling.batch_lines import MARGIN, Batch, limit_of, shards_for
from fastgc.runs.foretelling.ending import Ending, ending, in_time
from fastgc.runs.foretelling.exact_pilot import Enumerated
from fastgc.runs.foretelling.expected import Expected
from fastgc.runs.foretelling.forecast import Forecast, Sampled
from fastgc.runs.foretelling.keeping import Keeping, keeping
from fastgc.runs.foretelling.memory import resident
from fastgc.runs.foretelling.pilot import Pilot
from fastgc.runs.plan import Plan
from fastgc.runs.precision import precision_of
from fastgc.statistics.tallies import Tally

DIGEST_BYTES = 8
#: Digests are held, held again while they grow, and stand in the file's image, which grows too.
DIGEST_COPIES = 4
#: Raw samples are collected, two segments are on their way, and each has its file's image.
SEGMENTS_IN_MEMORY = 5
#: A machine that others use, too, takes so many times as long, and has time for more checkpoints.
BUSY = 2.0
#: Making rows and file takes so many times more or less than it did once.
UNSURE = 1.3


@dataclass(frozen=True)
class Reckoning:
    """What follows from the pilots of a study.

    Attributes
    ----------
    plan : Plan
    shard : (i, N)
    threads : int
    checkpoint_seconds : float or None
        As for `fastgc.run`.
    start_up : float
        Processor seconds until something is sampled.
    enumerated : tuple of Enumerated
        Of the points on the exact road.
    pilots, shares
        Of the plan's units.
    asked_trials : bool
        Whether the trials are not the study's own.
    """

    plan: Plan
    shard: tuple[int, int]
    threads: int
    checkpoint_seconds: float | None
    start_up: float
    enumerated: tuple[Enumerated, ...]
    pilots: Sequence[Pilot]
    shares: Sequence[Share]
    asked_trials: bool

    def forecast(self, command: Sequence[str] | None, out: str) -> Forecast:
        """Return what the run takes; ``command`` is what starts it, ``out`` its file."""
        base, kept = self._base, self._keeping
        return Forecast(
            plan=self.plan,
            shard=self.shard,
            threads=self.threads,
            enumerated=self.enumerated,
            sampled=self._sampled,
            exact=self._exact,
            sampling=self._sampling,
            keeping=self._keeping_seconds,
            clock=self._clock,
            start_up=self.start_up,
            memory=None if base is None else base + self._most_memory(),
            bytes=kept.bytes + sum(map(self._digests, range(len(self.pilots)))),
            batch=None if command is None else self._batch(command, out),
        )

    # ---- trials and time

    @cached_property
    def _endings(self) -> list[tuple[Ending, Expected]]:
        """When each unit stops, and its processor seconds; units that stop early leave theirs."""
        stop, found = self.plan.study.stop, []
        rule, left = precision_of(stop), stop.seconds
        for number, (unit, pilot, share) in enumerate(
            zip(self.plan.units, self.pilots, self.shares, strict=True)
        ):
            end = ending(unit, pilot, share, rule)
            most = math.inf
            if left is not None and end.trials:
                most = left * self.threads / (len(self.pilots) - number)
                end = in_time(end, unit.block, pilot.rate, most)
            seconds = Expected.exactly(0.0)
            if end.trials:
                rate = pilot.rate
                seconds = rate * Expected(end.trials, end.low, end.high)
                seconds = seconds.at_most(most)
            if left is not None:
                left -= seconds.value / self.threads
            found.append((end, seconds))
        return found

    @property
    def _sampling(self) -> Expected:
        return sum((seconds for _, seconds in self._endings), Expected.exactly(0.0))

    @property
    def _exact(self) -> Expected:
        return sum((each.seconds for each in self.enumerated), Expected.exactly(0.0))

    @cached_property
    def _clock(self) -> Expected:
        """Seconds that sampling takes on idle cores; of few blocks there is not one for each."""
        found = self._sampling.times(1 / self.threads)
        for unit, (end, seconds) in zip(self.plan.units, self._endings, strict=True):
            blocks = max(1, math.ceil(end.trials / unit.block))
            alone = seconds.times(math.ceil(blocks / self.threads) / blocks)
            found = max(found, alone, key=lambda each: each.value)
        return found

    def _seconds_to_keep(self, clock: float) -> float:
        return self._keeping.seconds(clock, self._exact.value, self.checkpoint_seconds)

    @property
    def _keeping_seconds(self) -> Expected:
        """Processor seconds for rows, checkpoints and file.

        There are more checkpoints where the cores are as busy as now, or busier.
        """
        waited = sum(pilot.waited for pilot in self.pilots)
        spent = sum(pilot.seconds for pilot in self.pilots)
        busy = max(1.0, waited / spent) if spent else 1.0
        clock = self._clock.value * busy, self._clock.low, self._clock.high * max(busy, BUSY)
        value, low, high = map(self._seconds_to_keep, clock)
        return Expected(value, low / UNSURE, high * UNSURE)

    # ---- the file

    @cached_property
    def _keeping(self) -> Keeping:
        numbers = range(len(self.pilots))
        return keeping(self.plan, [self._ended(number) for number in numbers], self.enumerated)

    def _ended(self, number: int) -> StoredUnit:
        """A unit as the run leaves it, but for its numbers and digests: those of the pilot."""
        unit, (end, _) = self.plan.units[number], self._endings[number]
        found = self.pilots[number].stored
        total = found.total()
        whole = total if end.trials >= unit.block else Tally.empty(*unit.shape)
        partial = self.pilots[number].rest if end.trials % unit.block else None
        digests = np.empty(0, np.uint64)
        return replace(found, done=0, digests=digests, tally=whole, partial=partial)

    def _digests(self, number: int) -> int:
        return DIGEST_BYTES * (self._endings[number][0].trials // self.plan.units[number].block)

    # ---- memory

    @cached_property
    def _base(self) -> int | None:
        """What the process has loaded and made, tallies included, without what a worker holds."""
        found = resident()
        return None if found is None else found - sum(pilot.held for pilot in self.pilots)

    @cached_property
    def _workers(self) -> list[int]:
        """Bytes that sampling each unit takes: every thread's own, and samples to be written.

        What a thread took for the units before it holds on to.
        """
        found, held = [], 0
        for unit, pilot, (end, _) in zip(self.plan.units, self.pilots, self._endings, strict=True):
            busy = min(self.threads, math.ceil(end.trials / unit.block))
            samples = min(SEGMENT_BYTES, math.ceil(end.trials * pilot.sample_bytes))
            own = held + (pilot.scratch or 0)
            found.append(busy * own + SEGMENTS_IN_MEMORY * samples)
            held += pilot.held
        return found

    def _most_memory(self, parts: int = 1) -> int:
        """Bytes above the base, where a process has one of so many parts of the blocks.

        Exact roads are taken and checkpoints made one after the other, and while others sample, if
        that lasts long enough.
        """
        digests = DIGEST_COPIES * sum(map(self._digests, range(len(self.pilots)))) // parts
        enumerating = max((each.memory for each in self.enumerated), default=0)
        writing = max(self._keeping.memory + digests, enumerating)
        sampling = max(self._workers, default=0)
        if self._clock.value < FIRST_CHECKPOINT:
            return max(sampling, writing)
        return sampling + writing

    # ---- all of it

    @cached_property
    def _sampled(self) -> tuple[Sampled, ...]:
        base, found = self._base, []
        for number, (unit, pilot) in enumerate(zip(self.plan.units, self.pilots, strict=True)):
            end, seconds = self._endings[number]
            found.append(
                Sampled(
                    unit=unit,
                    pilot=pilot,
                    ending=end,
                    seconds=seconds,
                    memory=None if base is None else base + self._workers[number],
                    bytes=self._keeping.unit_bytes[number] + self._digests(number),
                    sample_bytes=math.ceil(end.trials * pilot.sample_bytes),
                )
            )
        return tuple(found)

    def _batch(self, command: Sequence[str], out: str) -> Batch:
        """What to ask a queue for: shards that take an hour, unless it is said how many.

        Precision stops no shard: where it would stop the run, the shards get the trials it needs.
        """
        stop, cores = self.plan.study.stop, self.threads
        trials = self._trials_of_shards()
        work = sum(pilot.rate.value * trials for pilot in self.pilots if pilot.trials)
        shards = self.shard[1]
        if shards == 1 and self.pilots:
            shards = shards_for(work, cores, [trials // unit.block for unit in self.plan.units])
        if shards == 1:
            trials, work = stop.trials, self._sampling.value
        seconds = min(work / shards / cores, stop.seconds or math.inf)
        alone = self.start_up + self._exact.value + self._seconds_to_keep(seconds)
        memory = None
        if self._base is not None:
            memory = self._base + self._most_memory(shards if self.shard[1] == 1 else 1)
        return Batch(
            shards=shards,
            cores=cores,
            seconds=limit_of(seconds + alone),
            memory=None if memory is None else math.ceil(MARGIN * memory),
            command=tuple(command),
            trials=trials if self.asked_trials or trials != stop.trials else None,
            out=out,
        )

    def _trials_of_shards(self) -> int:
        """Trials that give every point its precision, as far as the study allows so many."""
        stop = self.plan.study.stop
        wanted = []
        for unit, (end, _) in zip(self.plan.units, self._endings, strict=True):
            if end.needed is None:
                return stop.trials
            wanted.append(unit.block * math.ceil(end.needed.high / unit.block))
        return min(stop.trials, max(wanted, default=stop.trials))
