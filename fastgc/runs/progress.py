"""What a run shows while it lasts: how far it is, the time left, rows as soon as they are done."""

import math
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from fastgc.engine.blocks import Precision, Share
from fastgc.experiments.table import Point
from fastgc.registry import activity
from fastgc.registry.numbers import counted
from fastgc.results.rows import Row
from fastgc.results.stored import StoredUnit
from fastgc.runs.loop import Step
from fastgc.runs.options import Options
from fastgc.runs.plan import Plan, called, name_of
from fastgc.runs.precision import least_certain, precision_of
from fastgc.runs.time_left import Probes, TimeLeft
from fastgc.statistics.estimates import Estimate
from fastgc_kernels._sources import COMPILING_NOW

#: What the exact method of a point takes at least, so that laws count that need no enumeration.
LEAST_SECONDS = 0.02


def waits_for() -> str:
    """Return what this process is busy with where no trials come; empty where they may come."""
    compiled = len(COMPILING_NOW)
    return f"compiling {counted(compiled, 'kernels')}" if compiled else activity.under_way()


@dataclass(frozen=True)
class Progress:
    """How far a run is: shown to people, part of no result."""

    title: str  #: The study's.
    #: How many points it has, how many of them are sampled, and in how many units.
    points: int
    sampled: int
    units: int
    cores: int  #: How many tasks run side by side.
    unit: int  #: The unit in hand, from 0; the earliest of those under way.
    name: str  #: What people call it; empty before and after all sampling.
    #: Its trials, about how many it will have, and how many earlier runs have sampled.
    trials: int
    goal: int
    before: int
    done: int  #: Units that have all their trials.
    #: Points that have been enumerated, and all that are known exactly.
    enumerated: int
    exact: int
    #: The same of all units together.
    all_trials: int
    all_goal: int
    all_before: int
    seconds: float  #: Since the run began.
    #: About how many seconds the sampling of all units still takes; None where nothing is known.
    remaining: float | None
    quantity: str  #: Name of the unit's first measure.
    estimate: Estimate | None  #: The mean of it so far; of several the least certain one.
    kept: int | None  #: Trials of all units in the last checkpoint; None where nothing is kept.


class Watch:
    """Makes `Progress` of the steps of a run's loop.

    ``units``: what is stored of each unit of the plan, changed in place by the loop; ``options``:
    those of the run; ``probes``: whether units to come are probed, in this process.
    """

    def __init__(
        self,
        plan: Plan,
        units: Sequence[StoredUnit],
        options: Options,
        cores: int,
        *,
        probes: bool = False,
    ) -> None:
        self._plan = plan
        self._units = units
        self._cores = cores
        self._began = time.monotonic()
        stop, shard, most = plan.study.stop, options.shard, options.max_seconds
        self._rule: Precision | None = precision_of(stop) if shard[1] == 1 else None
        self._seconds = math.inf if stop.seconds is None else stop.seconds
        self._max_seconds = math.inf if most is None else most
        self._most = [Share.of(each.block, stop.trials, shard).trials(each.block) for each in units]
        self._before = [each.trials for each in units]
        experiments = [unit.points[0].experiment for unit in plan.units]
        self._time_left = TimeLeft(experiments, self._before)
        self._probes = Probes(plan.units if probes else ())
        self._begun = -1
        self._spent: Mapping[int, float] = {}
        self._enumerations: list[float] | None = None

    def progress(
        self, step: Step | None = None, kept: int | None = None, enumerated: int | None = None
    ) -> Progress:
        """Return how far the run is; without a step before and after all sampling.

        ``enumerated`` is the place of a point that has just been enumerated.
        """
        seconds = time.monotonic() - self._began
        trials = [unit.trials for unit in self._units]
        active = () if step is None else step.active
        self._spent = self._spent if step is None else step.spent
        self._begun = max((self._begun, *active))
        is_done = [self._is_done(number) for number in range(len(self._units))]
        self._time_left.charge(trials, self._spent)
        if step is not None:
            self._time_left.compare(self._probes.more(seconds, self._time_left.unprobed))
        known: list[int | None] = []
        estimate = None
        for number, stored in enumerate(self._units):
            seen = None
            if number in active and stored.tally.trials and (self._rule or number == active[0]):
                seen = least_certain(self._plan.units[number], stored.tally)
            if step is not None and number == step.number:
                estimate = seen
            known.append(self._goal(number, is_done[number], seen))
        goals = self._time_left.goals(known, self._most)
        goals = [max(pair) for pair in zip(goals, trials, strict=True)]
        left = self._time_left.remaining(goals, max(0.0, self._seconds - seconds))
        enumerating = self._enumerations_left(seconds)
        left = None if left is None or enumerating is None else left + enumerating
        if left is not None:
            left = min(left, max(0.0, self._max_seconds - seconds))
        name, quantity, own = "", "", (0, 0, 0)
        if step is not None:
            here = step.number
            unit = self._plan.units[here]
            name, quantity = name_of(unit), unit.points[0].table.measure[0]
            own = trials[here], goals[here], self._before[here]
        if enumerated is not None:
            point = self._plan.known[enumerated].point
            name = called([(point.experiment, point.sweep)])
        return Progress(
            title=self._plan.study.title,
            points=len(self._plan.points),
            sampled=sum(len(unit.points) for unit in self._plan.units),
            units=len(self._units),
            cores=self._cores,
            unit=0 if step is None else step.number,
            name=name,
            trials=own[0],
            goal=own[1],
            before=own[2],
            done=sum(is_done),
            enumerated=len(self._plan.found),
            exact=len(self._plan.known),
            all_trials=sum(trials),
            all_goal=sum(goals),
            all_before=sum(self._before),
            seconds=seconds,
            remaining=left,
            quantity=quantity,
            estimate=estimate,
            kept=kept,
        )

    def _enumerations_left(self, seconds: float) -> float | None:
        """Seconds that enumerating still takes, after so many; None where no point is done yet."""
        plan = self._plan
        if len(plan.found) == len(plan.known):
            return 0.0
        if not plan.found:
            return None
        if self._enumerations is None:
            methods = [point.compiled.exact_method for point, _ in plan.known]
            self._enumerations = [
                LEAST_SECONDS if each.why_not is not None else max(each.seconds, LEAST_SECONDS)
                for each in methods
            ]
        done = math.fsum(self._enumerations[place] for place in plan.found)
        return seconds * (math.fsum(self._enumerations) / done - 1)

    def _is_done(self, number: int) -> bool:
        """Whether a unit has all its trials: what ended an earlier run does not end this one."""
        unit = self._units[number]
        is_begun = number <= self._begun or unit.trials != self._before[number]
        return unit.stopped_by is not None and (is_begun or unit.trials >= self._most[number])

    def _goal(self, number: int, is_done: bool, seen: Estimate | None) -> int | None:
        """About how many trials a unit will have; None where its precision decides, unknown yet."""
        stored = self._units[number]
        if is_done:
            return stored.trials
        if self._rule is None:
            return self._most[number]
        if seen is None:
            return None
        wanted = self._rule.needed(seen, stored.tally.trials)
        if wanted is None:
            return self._most[number]
        # the rule is looked at after 1, 2, 4, 8, … blocks
        blocks = max(1, math.ceil(max(wanted) / stored.block), stored.done + 1)
        return min((1 << (blocks - 1).bit_length()) * stored.block, self._most[number])


class Stream:
    """Hands out rows in the order of the finished run, so that they can be printed for good.

    ``plan``: the methods of every point; ``units``: what is sampled, in the order of the plan's
    units; ``found``: called with the rows of one or more points, as plain data.
    """

    def __init__(
        self, plan: Plan, units: Sequence[StoredUnit], found: Callable[[list[dict[str, Any]]], None]
    ) -> None:
        self._plan, self._units, self._found = plan, units, found
        tables = [id(point.table) for point in plan.points]
        self._place_of = place_of = {table: place for place, table in enumerate(tables)}
        # by point: its place among those enumerated, and the unit that samples it
        self._exact = {place_of[id(p.point.table)]: place for place, p in enumerate(plan.known)}
        self._unit = {
            place_of[id(point.table)]: number
            for number, unit in enumerate(plan.units)
            for point in unit.points
        }
        self._open = [(each in self._exact) + (each in self._unit) for each in range(len(tables))]
        self._points = 0
        self._rows = 0

    def enumerated(self, place: int) -> None:
        """Take note that the exact method of a point is done."""
        self._done(self._plan.known[place].point)

    def sampled(self, number: int) -> None:
        """Take note that a unit is done."""
        # points that share trials are done at the end, all at once
        unit = self._plan.units[number]
        if not unit.together:
            self._done(unit.points[0])

    def close(self, entries: Sequence[Row]) -> None:
        """Hand out what was not: ratios, and of a run that was stopped what there is so far."""
        self._tell(entries[self._rows :])

    def _done(self, point: Point) -> None:
        self._open[self._place_of[id(point.table)]] -= 1
        while self._points < len(self._open) and not self._open[self._points]:
            number = self._unit.get(self._points)
            stored = None if number is None else self._units[number]
            exact = self._exact.get(self._points)
            rows = self._plan.rows_of(self._points, exact, number, stored)
            self._points += 1
            self._rows += len(rows)
            self._tell(rows)

    def _tell(self, rows: Sequence[Row]) -> None:
        if rows:
            self._found([row.in_full() for row in rows])
