"""What a run shows while it lasts: how far it is, the time left, rows as soon as they are done."""

import math
import time
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from fastgc.engine.blocks import Precision, Share
from fastgc.experiments.table import Point
from fastgc.registry.activity import Step, under_way
from fastgc.registry.numbers import counted
from fastgc.results.rows import Row
from fastgc.results.stored import StoredUnit
from fastgc.runs import loop
from fastgc.runs.plan import Options, Plan, called, name_of
from fastgc.runs.precision import least_certain, precision_of
from fastgc.statistics.estimates import Estimate
from fastgc_kernels._sources import COMPILING_NOW

#: Seconds of sampling after its first result that say more of a unit's speed than others do.
SETTLED = 0.5


def waits_for() -> str:
    """Return what this process is busy with where no trials come; empty where they may come."""
    compiled = len(COMPILING_NOW)
    return f"compiling {counted(compiled, 'kernels')}" if compiled else under_way()


@dataclass
class _Cost:
    """What a unit has cost: seconds and trials, both since it was begun in this run."""

    before: int
    seconds: float = 0.0
    trials: int = 0
    first_seconds: float = 0.0
    first_trials: int = 0
    spent: float = 0.0

    @property
    def settled(self) -> tuple[float, int]:
        """Seconds and trials after the first result: without the start-up."""
        return self.seconds - self.first_seconds, self.trials - self.first_trials


@dataclass
class TimeLeft:
    """Time that is left of a run over several units, some of which may be sampled side by side.

    The time that passes is shared out among the units that got trials in it, as workers spent it.
    A unit of which little is known costs what those of its group have cost a trial, or, where none
    has, all others.
    """

    #: For each unit, what it has in common with those that cost about as much.
    groups: Sequence[Hashable]
    before: Sequence[int]  #: Trials of each unit that earlier runs have sampled.
    clock: Callable[[], float] = time.monotonic  #: Gives the time in seconds.

    def __post_init__(self) -> None:
        self._costs = [_Cost(trials) for trials in self.before]
        self._last = self.clock()
        self._first: int | None = None

    def charge(self, trials: Sequence[int], spent: Mapping[int, float]) -> None:
        """Share out the time since some unit got trials.

        ``trials`` are those of all units, ``spent`` the workers' seconds on each so far.
        """
        pairs = zip(self._costs, trials, strict=True)
        moved = [i for i, (cost, n) in enumerate(pairs) if n > cost.before + cost.trials]
        if not moved:
            return
        now = self.clock()
        passed, self._last = now - self._last, now
        more = [spent.get(number, 0.0) - self._costs[number].spent for number in moved]
        total = math.fsum(more)
        for number, own in zip(moved, more, strict=True):
            cost = self._costs[number]
            cost.spent += own
            cost.seconds += passed * (own / total if total else 1 / len(moved))
            cost.trials = trials[number] - cost.before
            if not cost.first_trials:
                cost.first_trials, cost.first_seconds = cost.trials, cost.seconds
        if self._first is None:
            self._first = moved[0]

    def goals(self, known: Sequence[int | None], most: Sequence[int]) -> list[int]:
        """Return about how many trials each unit will have: ``known``, or as others of its group.

        ``most`` is the largest number of each.
        """
        given = {i: each for i, each in enumerate(known) if each is not None}
        means: dict[Hashable, int] = {}
        if given:
            for group in set(self.groups):
                seen = [given[i] for i in self._like(group, given)]
                means[group] = round(math.fsum(seen) / len(seen))
        every = zip(self.groups, known, most, strict=True)
        return [
            min(means.get(group, limit) if goal is None else goal, limit)
            for group, goal, limit in every
        ]

    def remaining(self, goals: Sequence[int], seconds: float = math.inf) -> float | None:
        """Return the seconds that are left, None where nothing is known of any unit.

        ``seconds`` is what is left until a deadline that all units share: each takes at most its
        part of that, and what it leaves over is the others'.
        """
        left = [number for number in range(len(goals)) if self._missing(number, goals) > 0]
        others: dict[Hashable, float | None] = {}
        total = 0.0
        for place, number in enumerate(left):
            cost = self._cost(number)
            if cost is None:
                group = self.groups[number]
                if group not in others:
                    others[group] = self._of_group(group, goals)
                cost = others[group]
            if cost is None:
                return None
            share = max(0.0, seconds - total) / (len(left) - place)
            total += min(self._missing(number, goals) * cost, share)
        return total

    def _missing(self, number: int, goals: Sequence[int]) -> int:
        cost = self._costs[number]
        return goals[number] - cost.before - cost.trials

    def _cost(self, number: int) -> float | None:
        """Seconds a trial of a unit; None where little is known of it."""
        seconds, trials = self._costs[number].settled
        return seconds / trials if seconds >= SETTLED else None

    def _of_group(self, group: Hashable, goals: Sequence[int]) -> float | None:
        """Seconds a trial of the units of a group."""
        # what is done tells the whole cost; but the first unit waited for the kernels to be loaded
        done = {
            i: (each.seconds, each.trials)
            for i, each in enumerate(self._costs)
            if each.trials > 0 and i != self._first and self._missing(i, goals) <= 0
        }
        settled = {i: each.settled for i, each in enumerate(self._costs) if each.settled[1] > 0}
        like = self._like(group, settled | done)
        known = [done[i] for i in like if i in done] or [settled[i] for i in like]
        trials = sum(count for _, count in known)
        return math.fsum(took for took, _ in known) / trials if trials else None

    def _like(self, group: Hashable, known: Iterable[int]) -> list[int]:
        """Those of some units that are of a group; where there is none, all of them."""
        seen = list(known)
        return [i for i in seen if self.groups[i] == group] or seen


class Watch:
    """Makes a `Step` of the steps of a run's loop.

    ``units``: what is stored of each unit of the plan, changed in place by the loop; ``options``:
    those of the run.
    """

    def __init__(
        self, plan: Plan, units: Sequence[StoredUnit], options: Options, cores: int
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
        self._begun = -1
        self._spent: Mapping[int, float] = {}

    def progress(
        self, step: loop.Step | None = None, kept: int | None = None, enumerated: int | None = None
    ) -> Step:
        """Return how far the run is; without a step before and after all sampling.

        ``enumerated`` is the place of a point that has just been enumerated.
        """
        plan, seconds = self._plan, time.monotonic() - self._began
        begun = {
            "title": plan.study.title,
            "points": len(plan.points),
            "exact": len(plan.points) - sum(len(unit.points) for unit in plan.units),
            "cores": self._cores,
        }
        if enumerated is not None or not self._units:
            done, name = len(plan.found), ""
            if enumerated is not None:
                point = plan.known[enumerated].point
                name = called([(point.experiment, point.sweep)])
            return Step("exact points", done, len(plan.known), name, begun=begun)
        trials = [unit.trials for unit in self._units]
        active = () if step is None else step.active
        self._spent = self._spent if step is None else step.spent
        self._begun = max((self._begun, *active))
        is_done = [self._is_done(number) for number in range(len(self._units))]
        self._time_left.charge(trials, self._spent)
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
        if left is not None:
            left = min(left, max(0.0, self._max_seconds - seconds))
        name, quantity, own = "", None, None
        if step is not None:
            unit = plan.units[step.number]
            name, quantity = name_of(unit), unit.points[0].table.measure[0]
            own = trials[step.number], goals[step.number], self._before[step.number]
        return Step(
            "points",
            sum(is_done),
            len(self._units),
            name,
            trials=sum(trials),
            goal=sum(goals),
            before=sum(self._before),
            own=own,
            eta=left,
            quantity=quantity,
            estimate=estimate,
            kept=kept,
            begun=begun,
        )

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
