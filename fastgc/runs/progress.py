"""What a run shows while it lasts: how far it is, the time left, rows as soon as they are done."""

import math
import time
from collections import Counter, defaultdict, deque
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

from fastgc.engine.blocks import ShardPart
from fastgc.experiments.table import Point
from fastgc.registry.activity import Batch, Step, never, under_way
from fastgc.registry.number_types import counted
from fastgc.results.checkpointer import Checkpointer
from fastgc.results.rows import Row
from fastgc.results.stored import StoredUnit
from fastgc.runs import loop
from fastgc.runs.plan import Plan, called, least_certain, precision_rule, unit_name
from fastgc.statistics.estimates import Estimate
from fastgc_kernels._sources import COMPILING_NOW

#: Time left is told once so many tasks of a kind were timed, from the median of the last ones: a
#: kernel may have been compiled in the first, and any may have waited for a checkpoint.
FEW_TASKS, LAST_TASKS = 3, 9
FADING_SECONDS = 10.0  # after so long it counts a third how busy cores were


def waits_for() -> str:
    """Return what this process is busy with where no trials come; empty where they may come."""
    compiled = len(COMPILING_NOW)
    return f"compiling {counted(compiled, 'kernels')}" if compiled else under_way()


@dataclass
class Watch:
    """Tells how far a run is."""

    plan: Plan
    units: Sequence[StoredUnit]  #: What is stored of each unit of it, changed in place by the loop.
    batch: Batch
    keeper: Checkpointer | None  #: Writes its checkpoints.
    cores: int  #: How many sample.
    began: float  #: When the run did: limits of time are counted from there.

    def __post_init__(self) -> None:
        plan, units, batch = self.plan, self.units, self.batch
        stop, shard = plan.study.stop, batch.shard
        self._rule = precision_rule(stop) if shard[1] == 1 else None
        limits = [(math.inf, ""), (stop.seconds, "seconds"), (batch.max_seconds, "max_seconds")]
        self._seconds, self._until = min((n, name) for n, name in limits if n is not None)
        # seconds that a trial took one core in the last tasks, by _kind
        self._rates = defaultdict[Hashable, deque[float]](lambda: deque(maxlen=LAST_TASKS))
        # seconds that passed, and that all cores were busy, of late; when the last task was done
        self._wall, self._busy = 0.0, 0.0
        self._last: float | None = None
        self._away, self._back = 0.0, 0.0  # seconds of checkpoints; when the last one was written
        self._most = [ShardPart.of(u.block, stop.trials, shard).trials(u.block) for u in units]
        self._before = [each.trials for each in units]
        self._begun = -1
        self._facts = {
            "title": plan.study.title,
            "points": len(plan.points),
            "exact": len(plan.points) - sum(len(unit.points) for unit in plan.units),
            "cores": self.cores,
        }

    def show(self, step: loop.UnitStep | None = None, enumerated: int | None = None) -> None:
        """Tell how far the run is; without a step before and after all sampling.

        ``enumerated`` is the place of a point that has just been enumerated.
        """
        if self.batch.progress is None:
            return
        plan, units = self.plan, self.units
        if enumerated is not None or not units:
            point = None if enumerated is None else plan.known[enumerated].point
            name = "" if point is None else called([(point.experiment, point.sweep)])
            done, total = len(plan.found), len(plan.known)
            self.batch.progress(Step("exact points", done, total, name, begun=self._facts))
            return
        active = () if step is None else step.active
        self._begun = max((self._begun, *active))
        is_done = [  # what ended an earlier run does not end this one
            unit.stopped_by is not None
            and (
                number <= self._begun
                or unit.trials != self._before[number]
                or unit.trials >= self._most[number]
            )
            for number, unit in enumerate(units)
        ]
        seen = {
            number: least_certain(plan.units[number], units[number].tally)
            for number in active
            if units[number].tally.trials and (self._rule or number == active[0])
        }
        goals = self._goals(is_done, seen)
        trials, goal = sum(unit.trials for unit in units), sum(goals)
        left, until = self._left(goals), ""
        most = max(0.0, self._seconds - (time.monotonic() - self.began))
        if goal > trials and most < (math.inf if left is None else left):
            left, until = most, self._until
        number = None if step is None else step.number
        self.batch.progress(
            Step(
                "points",
                sum(is_done),
                len(units),
                "" if number is None else unit_name(plan.units[number]),
                trials=trials,
                goal=goal,
                before=sum(self._before),
                eta=left,
                until=until,
                quantity=None if number is None else plan.units[number].points[0].table.measure[0],
                estimate=None if number is None else seen.get(number),
                kept=None if self.keeper is None else self.keeper.kept,
                begun=self._facts,
            )
        )

    def merged(self, number: int, trials: int, seconds: float) -> None:
        """Take note of how long so many trials of a unit took a core."""
        now = time.monotonic()
        if seconds < now - self._back:  # else writing has slowed it down
            self._rates[self._kind(number)].append(seconds / trials)
        now -= self._away
        more = now - (now - seconds if self._last is None else self._last)
        self._last, fades = now, math.exp(-more / FADING_SECONDS)
        self._wall, self._busy = fades * self._wall + more, fades * self._busy + seconds

    def wrote(self, seconds: float) -> None:
        """Take note that a checkpoint took so long: nothing was handed out then."""
        self._away, self._back = self._away + seconds, time.monotonic()

    def _kind(self, number: int) -> Hashable:
        # points that differ in real numbers alone cost about alike
        if self.plan.units[number].together:
            return number
        [point] = self.plan.units[number].points
        return point.experiment, str([v for v in point.sweep.items() if type(v[1]) is not float])

    def _left(self, goals: Sequence[int]) -> float | None:
        """Return about the seconds that are left; None where a unit's cost is not known."""
        if COMPILING_NOW or (self.batch.interrupted or never)() is not None:
            return None  # until kernels are compiled, NumPy does their work
        left, rates = 0.0, dict[Hashable, float]()
        for number, (unit, goal) in enumerate(zip(self.units, goals, strict=True)):
            if goal > unit.trials:
                kind = self._kind(number)
                if kind not in rates:
                    rates[kind] = median(self._rates[kind] or [math.nan])
                if len(self._rates[kind]) < FEW_TASKS:
                    return None
                left += rates[kind] * (goal - unit.trials)
        # what a second of one core has taken of late, with all that is not sampling
        return left and left * max(self._wall / self._busy, 1 / self.cores)

    def _goals(self, is_done: Sequence[bool], seen: Mapping[int, Estimate]) -> list[int]:
        known = {}  # of other units there will be about as many trials
        for number, unit in enumerate(self.units):
            most, estimate = self._most[number], seen.get(number)
            if is_done[number]:
                known[number] = unit.trials
            elif self._rule is None:
                known[number] = most
            elif estimate is not None:
                wanted = self._rule.needed(estimate, unit.tally.trials)
                needed = math.inf if wanted is None else max(wanted)
                if needed < most:
                    needed = self._rule.look(needed, unit.block, unit.done)
                known[number] = int(min(needed, most))
        mean = sum(known.values()) // len(known) if known else max(self._most)
        both = enumerate(zip(self.units, self._most, strict=True))
        return [max(unit.trials, min(known.get(i, mean), most)) for i, (unit, most) in both]


@dataclass
class Stream:
    """Hands out rows in the order of the finished run, so that they can be printed for good."""

    plan: Plan
    units: Sequence[StoredUnit]  #: What is sampled, in the order of the plan's units.
    #: Called with the rows of one or more points, as plain data.
    found: Callable[[list[dict[str, Any]]], None] | None

    def __post_init__(self) -> None:
        points = [each.point for each in self.plan.known]
        points += [point for unit in self.plan.units for point in unit.points]
        self._open = Counter(id(point.table) for point in points)
        self._left = deque(self.plan.points)
        self._rows = 0

    def enumerated(self, place: int) -> None:
        """Take note that the exact method of a point is done."""
        self._done(self.plan.known[place].point)

    def sampled(self, number: int) -> None:
        """Take note that a unit is done."""
        # points that share trials are done at the end, all at once
        unit = self.plan.units[number]
        if not unit.together:
            self._done(unit.points[0])

    def close(self, entries: Sequence[Row]) -> None:
        """Hand out what was not: ratios, and of a run that was stopped what there is so far."""
        self._tell(entries[self._rows :])

    def _done(self, point: Point) -> None:
        self._open[id(point.table)] -= 1
        while self.found and self._left and not self._open[id(self._left[0].table)]:
            rows = self.plan.point_rows(self._left.popleft(), self.units)
            self._rows += len(rows)
            self._tell(rows)

    def _tell(self, rows: Sequence[Row]) -> None:
        if rows and self.found is not None:
            self.found([row.in_full() for row in rows])
