"""What a run shows while it lasts: how far it is, the time left, rows as soon as they are done."""

import math
import time
from collections import Counter, deque
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from typing import Any

from fastgc.engine.blocks import Share
from fastgc.experiments.table import Point
from fastgc.registry.activity import Batch, Step, under_way
from fastgc.registry.numbers import counted
from fastgc.results.checkpointer import Checkpointer
from fastgc.results.rows import Row
from fastgc.results.stored import StoredUnit
from fastgc.runs import loop
from fastgc.runs.plan import Plan, called, name_of
from fastgc.runs.precision import least_certain, precision_of
from fastgc.statistics.estimates import Estimate
from fastgc_kernels._sources import COMPILING_NOW


def waits_for() -> str:
    """Return what this process is busy with where no trials come; empty where they may come."""
    compiled = len(COMPILING_NOW)
    return f"compiling {counted(compiled, 'kernels')}" if compiled else under_way()


class TimeLeft:
    """Time that is left of several units, some of which may be sampled side by side.

    A unit costs what workers have spent on it a trial, but for its first result, which waits for
    kernels; one of which little is known what those of its group cost, or, where none is known, all
    others. ``groups``: for each unit, what it has in common with those that cost about as much;
    ``before``: its trials of earlier runs; ``clock``: gives the time in seconds.
    """

    def __init__(
        self,
        groups: Sequence[Hashable],
        before: Sequence[int],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._groups, self._before, self._clock = groups, before, clock
        self._began = clock()
        self._first: dict[int, tuple[int, float]] = {}

    def goals(self, known: Sequence[int | None], most: Sequence[int]) -> list[int]:
        """Return about how many trials each unit will have: ``known``, or as others of its group.

        ``most`` is the largest number of each.
        """
        given = {i: each for i, each in enumerate(known) if each is not None}

        def like(number: int) -> int:
            seen = [given[i] for i in self._like(number, given)]
            return round(math.fsum(seen) / len(seen)) if seen else most[number]

        return [min(given.get(i, like(i)), limit) for i, limit in enumerate(most)]

    def remaining(
        self, trials: Sequence[int], goals: Sequence[int], spent: Mapping[int, float]
    ) -> float | None:
        """Return the seconds that are left, None where nothing is known of any unit.

        ``trials`` are those of all units so far, ``spent`` the workers' seconds on each.
        """
        missing = [max(0, goal - done) for goal, done in zip(goals, trials, strict=True)]
        if not any(missing):
            return 0.0
        seen = {}
        for i, seconds in spent.items():
            count = trials[i] - self._before[i]
            if count > 0:
                first, loading = self._first.setdefault(i, (count, seconds))
                later = count - first, seconds - loading
                seen[i] = later if later[0] else (count, seconds)
        passed, total = self._clock() - self._began, math.fsum(spent.values())
        if not seen or not total:
            return None

        def cost(number: int) -> float:
            like = [seen[i] for i in ([number] if number in seen else self._like(number, seen))]
            return math.fsum(seconds for _, seconds in like) / sum(count for count, _ in like)

        work = math.fsum(n * cost(i) for i, n in enumerate(missing) if n)
        return work * passed / total

    def _like(self, number: int, known: Iterable[int]) -> list[int]:
        """Those of some units that are of a unit's group; where there is none, all of them."""
        every = list(known)
        return [i for i in every if self._groups[i] == self._groups[number]] or every


class Watch:
    """Tells how far a run is.

    ``units``: what is stored of each unit of the plan, changed in place by the loop; ``keeper``:
    writes its checkpoints; ``cores``: how many sample.
    """

    def __init__(
        self,
        plan: Plan,
        units: Sequence[StoredUnit],
        batch: Batch,
        keeper: Checkpointer | None,
        cores: int,
    ) -> None:
        self._plan, self._units, self._tell, self._keeper = plan, units, batch.progress, keeper
        stop, shard, limits = (
            plan.study.stop,
            batch.shard,
            (plan.study.stop.seconds, batch.max_seconds),
        )
        self._rule = precision_of(stop) if shard[1] == 1 else None
        self._until = time.monotonic() + min(
            each for each in (*limits, math.inf) if each is not None
        )
        self._most = [Share.of(each.block, stop.trials, shard).trials(each.block) for each in units]
        self._before = [each.trials for each in units]
        experiments = [unit.points[0].experiment for unit in plan.units]
        self._time_left = TimeLeft(experiments, self._before)
        self._begun = -1
        self._spent: Mapping[int, float] = {}
        self._facts = {
            "title": plan.study.title,
            "points": len(plan.points),
            "exact": len(plan.points) - sum(len(unit.points) for unit in plan.units),
            "cores": cores,
        }

    def show(self, step: loop.Step | None = None, enumerated: int | None = None) -> None:
        """Tell how far the run is; without a step before and after all sampling.

        ``enumerated`` is the place of a point that has just been enumerated.
        """
        if self._tell is None:
            return
        plan, units = self._plan, self._units
        if enumerated is not None or not units:
            name = ""
            if enumerated is not None:
                point = plan.known[enumerated].point
                name = called([(point.experiment, point.sweep)])
            done, total = len(plan.found), len(plan.known)
            self._tell(Step("exact points", done, total, name, begun=self._facts))
            return
        trials, active = [unit.trials for unit in units], () if step is None else step.active
        self._spent = self._spent if step is None else step.spent
        self._begun = max((self._begun, *active))
        is_done = [self._is_done(number) for number in range(len(units))]
        seen = {
            number: least_certain(plan.units[number], units[number].tally)
            for number in active
            if units[number].tally.trials and (self._rule or number == active[0])
        }
        known = [self._goal(i, is_done[i], seen.get(i)) for i in range(len(units))]
        goals = [*map(max, self._time_left.goals(known, self._most), trials)]
        left = self._time_left.remaining(trials, goals, self._spent)
        if left is not None:
            left = min(left, max(0.0, self._until - time.monotonic()))
        name, quantity, estimate = "", None, None
        if step is not None:
            unit, estimate = plan.units[step.number], seen.get(step.number)
            name, quantity = name_of(unit), unit.points[0].table.measure[0]
        self._tell(
            Step(
                "points",
                sum(is_done),
                len(units),
                name,
                trials=sum(trials),
                goal=sum(goals),
                before=sum(self._before),
                eta=left,
                quantity=quantity,
                estimate=estimate,
                kept=None if self._keeper is None else self._keeper.kept,
                begun=self._facts,
            )
        )

    def _is_done(self, number: int) -> bool:
        """Whether a unit has all its trials: what ended an earlier run does not end this one."""
        unit = self._units[number]
        is_begun = number <= self._begun or unit.trials != self._before[number]
        return unit.stopped_by is not None and (is_begun or unit.trials >= self._most[number])

    def _goal(self, number: int, is_done: bool, seen: Estimate | None) -> int | None:
        """About how many trials a unit will have; None where its precision decides, unknown yet."""
        stored, most = self._units[number], self._most[number]
        if is_done:
            return stored.trials
        if self._rule is None:
            return most
        if seen is None:
            return None
        wanted = self._rule.needed(seen, stored.tally.trials)
        if wanted is None:
            return most
        # the rule is looked at after 1, 2, 4, 8, … blocks
        blocks = max(1, math.ceil(max(wanted) / stored.block), stored.done + 1)
        return min((1 << (blocks - 1).bit_length()) * stored.block, most)


class Stream:
    """Hands out rows in the order of the finished run, so that they can be printed for good.

    ``plan``: the methods of every point; ``units``: what is sampled, in the order of the plan's
    units; ``found``: called with the rows of one or more points, as plain data.
    """

    def __init__(
        self,
        plan: Plan,
        units: Sequence[StoredUnit],
        found: Callable[[list[dict[str, Any]]], None] | None,
    ) -> None:
        self._plan, self._units, self._found = plan, units, found
        points = [each.point for each in plan.known]
        points += [point for unit in plan.units for point in unit.points]
        self._open = Counter(id(point.table) for point in points)
        self._left = deque(plan.points)
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
        self._open[id(point.table)] -= 1
        while self._found and self._left and not self._open[id(self._left[0].table)]:
            rows = self._plan.rows_of(self._left.popleft(), self._units)
            self._rows += len(rows)
            self._tell(rows)

    def _tell(self, rows: Sequence[Row]) -> None:
        if rows and self._found is not None:
            self._found([row.in_full() for row in rows])
