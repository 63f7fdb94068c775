"""How long a run still takes: what each unit has cost so far, and what those to come will cost.

Points of a sweep may cost a hundred times what others do, and those that come first are often
cheap. Probes of a few milliseconds of some of them, spread over the whole sweep, tell how much is
to come; nothing of them is kept.
"""

import math
import time
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from fastgc.draws.streams import WORD
from fastgc.engine.units import Unit

#: Seconds of sampling after its first result that say more of a unit's speed than others do.
SETTLED = 0.5

PROBE_SHARE = 0.02  # of the time at most
LEAST_UNITS = 4  # fewer are begun soon enough
AFTER = 1.0  # seconds; a short run needs no time left
ENOUGH = 0.002  # processor seconds of a probe
STEP = 8  # from one number of trials that are probed to the next
TOO_LONG = 0.25  # seconds: the run would have to wait, and is not probed again


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
    has, all others; where some were probed, as much more or less as these probes say.
    """

    #: For each unit, what it has in common with those that cost about as much.
    groups: Sequence[Hashable]
    before: Sequence[int]  #: Trials of each unit that earlier runs have sampled.
    clock: Callable[[], float] = time.monotonic  #: Gives the time in seconds.

    def __post_init__(self) -> None:
        self._costs = [_Cost(trials) for trials in self.before]
        self._last = self.clock()
        self._first: int | None = None
        self._probed: dict[int, float] = {}

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

    def compare(self, probed: Mapping[int, float]) -> None:
        """Take note of what a trial of some units seems to cost: only their proportions count."""
        self._probed |= probed

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
        """Seconds a trial of a unit: its own, or by probes; None where little is known of it."""
        seconds, trials = self._costs[number].settled
        return seconds / trials if seconds >= SETTLED else self._by_probes(number)

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

    def _by_probes(self, number: int) -> float | None:
        """Seconds a trial of a unit by probes of it, or of its neighbours; None without."""
        # those of which a good deal was sampled, but for the first one
        measures = [i for i in self._probed if i != self._first and self._costs[i].settled[1] > 0]
        taken = math.fsum(self._costs[i].seconds for i in measures)
        expected = math.fsum(self._probed[i] * self._costs[i].trials for i in measures)
        like = sorted(self._like(self.groups[number], self._probed))
        if not like or not expected:
            return None
        own = np.interp(number, like, [self._probed[i] for i in like])
        return float(own) * taken / expected

    def _like(self, group: Hashable, known: Iterable[int]) -> list[int]:
        """Those of some units that are of a group; where there is none, all of them."""
        seen = list(known)
        return [i for i in seen if self.groups[i] == group] or seen


class Probes:
    """Probes units, a few at a time, each far from those before it: 0, the middle, the quarters, …

    ``units``: where there are too few, none is probed; ``clock``: gives the time in seconds.
    """

    def __init__(self, units: Sequence[Unit], clock: Callable[[], float] = time.monotonic) -> None:
        self._units = units
        self._clock = clock
        bits = max(1, (len(units) - 1).bit_length())
        order = sorted(range(len(units)), key=lambda number: f"{number:0{bits}b}"[::-1])
        self._left = order if len(units) >= LEAST_UNITS else []
        self._spent = 0.0

    def more(self, seconds: float) -> dict[int, float]:
        """Return processor seconds a trial of some more units, as far as their share allows.

        ``seconds`` have passed since the run began.
        """
        found: dict[int, float] = {}
        while self._left and seconds >= AFTER and self._spent < PROBE_SHARE * seconds:
            number = self._left.pop(0)
            started = self._clock()
            found[number] = probe(self._units[number])
            took = self._clock() - started
            self._spent += took
            if took > TOO_LONG:
                self._left = []
        return found


def probe(unit: Unit) -> float:
    """Return about how many processor seconds a trial of a unit takes."""
    unit.run([0], 1)  # everything is made, if need be compiled

    def sample(trials: int) -> float:
        started = time.thread_time()
        unit.run([0], trials)
        return time.thread_time() - started

    return seconds_a_trial(sample, unit.block, ENOUGH)


def seconds_a_trial(
    sample: Callable[[int], float], most: int, enough: float, fewest: int = WORD
) -> float:
    """Return the seconds that a trial takes, of so many that they take long enough.

    ``sample``: samples a number of trials, and returns the seconds that they took; ``most``: trials
    at most; ``enough``: seconds; ``fewest``: trials of the first look.
    """
    size = min(fewest, most)
    while True:
        took = sample(size)
        if size == most or took > enough:
            return took / size
        size = min(STEP * size, most)
