"""How long a run still takes: what each unit has cost so far, and what those to come will cost."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

#: Seconds of sampling after its first result that say more of a unit's speed than others do.
SETTLED = 0.5


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
    has, all others; where some were looked at, as much more or less as these looks say.

    Parameters
    ----------
    groups : sequence
        For each unit, what it has in common with those that cost about as much.
    before : sequence of int
        Trials of each unit that earlier runs have sampled.
    clock : callable, optional
        Gives the time in seconds.
    """

    groups: Sequence[Hashable]
    before: Sequence[int]
    clock: Callable[[], float] = time.monotonic
    _costs: list[_Cost] = field(default_factory=list, init=False)
    _last: float = field(default=0.0, init=False)
    _first: int | None = field(default=None, init=False)
    _looks: dict[int, float] = field(default_factory=dict, init=False)

    def __post_init__(self) -> None:
        self._costs = [_Cost(trials) for trials in self.before]
        self._last = self.clock()

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

    def look(self, seconds: Mapping[int, float]) -> None:
        """Take note of what a trial of some units seems to cost: only their proportions count."""
        self._looks |= seconds

    @property
    def unlooked(self) -> int | None:
        """A unit that is known and was not looked at; None once others can be compared with one."""
        known = [i for i, each in enumerate(self._costs) if self._is_measure(i, each)]
        return known[-1] if known and not any(i in self._looks for i in known) else None

    def _is_measure(self, number: int, cost: _Cost) -> bool:
        """Whether looks can be compared with a unit: a good deal of it was sampled."""
        return number != self._first and cost.settled[1] > 0

    def goals(self, known: Sequence[int | None], most: Sequence[int]) -> list[int]:
        """Return about how many trials each unit will have: ``known``, or as others of its group.

        ``most`` is the largest number of each.
        """
        made = []
        for number, (goal, limit) in enumerate(zip(known, most, strict=True)):
            if goal is None:
                like = self._like(number, [each is not None for each in known])
                seen = [each for i in like if (each := known[i]) is not None]
                goal = round(math.fsum(seen) / len(seen)) if seen else limit
            made.append(min(goal, limit))
        return made

    def remaining(self, goals: Sequence[int], seconds: float = math.inf) -> float | None:
        """Return the seconds that are left, None where nothing is known of any unit.

        ``seconds`` is what is left until a deadline that all units share: each takes at most its
        part of that, and what it leaves over is the others'.
        """
        left = [number for number in range(len(goals)) if self._missing(number, goals) > 0]
        total = 0.0
        for place, number in enumerate(left):
            cost = self._cost(number, goals)
            if cost is None:
                return None
            share = max(0.0, seconds - total) / (len(left) - place)
            total += min(self._missing(number, goals) * cost, share)
        return total

    def _missing(self, number: int, goals: Sequence[int]) -> int:
        cost = self._costs[number]
        return goals[number] - cost.before - cost.trials

    def _cost(self, number: int, goals: Sequence[int]) -> float | None:
        """Seconds a trial of a unit: its own, or those of units like it."""
        seconds, trials = self._costs[number].settled
        if seconds >= SETTLED:
            return seconds / trials
        looked = self._looked(number)
        if looked is not None:
            return looked
        # what is done tells the whole cost; but the first unit waited for the kernels to be loaded
        is_done = [
            each.trials > 0 and i != self._first and self._missing(i, goals) <= 0
            for i, each in enumerate(self._costs)
        ]
        has_settled = [each.settled[1] > 0 for each in self._costs]
        known = [a or b for a, b in zip(is_done, has_settled, strict=True)]
        like = self._like(number, known)
        done = [i for i in like if is_done[i]]
        if done:
            return _quotient((self._costs[i].seconds, self._costs[i].trials) for i in done)
        return _quotient(self._costs[i].settled for i in like)

    def _looked(self, number: int) -> float | None:
        """Seconds a trial of a unit by looks at it, or at its neighbours; None without."""
        costs = [
            (each.seconds, self._looks[i] * each.trials)
            for i, each in enumerate(self._costs)
            if i in self._looks and self._is_measure(i, each)
        ]
        like = self._like(number, [i in self._looks for i in range(len(self._costs))])
        own = _between(number, {i: self._looks[i] for i in like})
        taken = math.fsum(seconds for seconds, _ in costs)
        expected = math.fsum(looked for _, looked in costs)
        return None if own is None or not expected else own * taken / expected

    def _like(self, number: int, known: Sequence[bool]) -> list[int]:
        """Units of the same group of which something is known; where there is none, of all."""
        seen = [i for i, is_known in enumerate(known) if is_known]
        return [i for i in seen if self.groups[i] == self.groups[number]] or seen


def _between(number: int, known: Mapping[int, float]) -> float | None:
    """Value at a number: known, on the line between its neighbours, or that of the nearest."""
    below = max((i for i in known if i <= number), default=None)
    above = min((i for i in known if i >= number), default=None)
    if below is None or above is None:
        nearest = above if below is None else below
        return None if nearest is None else known[nearest]
    if below == above:
        return known[below]
    share = (number - below) / (above - below)
    return (1 - share) * known[below] + share * known[above]


def _quotient(pairs: Iterable[tuple[float, int]]) -> float | None:
    """Seconds a trial of all together; None where there are no trials."""
    seconds, trials = 0.0, 0
    for each, count in pairs:
        seconds, trials = seconds + each, trials + count
    return seconds / trials if trials else None
