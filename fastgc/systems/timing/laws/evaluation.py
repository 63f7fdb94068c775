"""P(completion ≤ t) and P(t < completion < ∞) at many t at once: arrivals counted gate by gate.

A gate is a node that waits for enough of its children, and for its own work; flat systems, rings,
groups and trees are all made of them. Equal subtrees are kept once, with how many there are of
each: a regular tree of any width is as many gates as it has layers.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from fastgc.arrays import Values
from fastgc.errors import FastgcError
from fastgc.latency.time import Time
from fastgc.registry.cached import cached_property
from fastgc.systems.timing.terms import Term
from fastgc_kernels.complete.crossing import count, cross, cross_unlike

if TYPE_CHECKING:
    from fastgc.systems.timing.timed_structure import Structure


@dataclass(frozen=True)
class Gate:
    """Waits for ``need`` of its children, 0 for a leaf, and for its own work."""

    own: int | None
    need: int
    children: tuple[tuple[int, int], ...]


@dataclass
class Gates:
    """Distinct gates, children before parents; the last is the master."""

    gates: list[Gate] = field(default_factory=list)
    _known: dict[Gate, int] = field(default_factory=dict)

    def add(self, own: int | None, need: int, children: Sequence[int] = ()) -> int:
        """Return the number of a gate with these children, new or known."""
        if need == 0:
            children = ()
        counts: dict[int, int] = {}
        for child in sorted(children):
            counts[child] = counts.get(child, 0) + 1
        gate = Gate(own, need, tuple(counts.items()))
        if gate not in self._known:
            self._known[gate] = len(self.gates)
            self.gates.append(gate)
        return self._known[gate]

    def add_master(self, need: int, children: Sequence[int]) -> None:
        """Add the master as the last gate, even if there is an equal one already."""
        last = self.add(None, need, children)
        if last != len(self.gates) - 1:
            self.gates.append(self.gates[last])

    def add_enough(self, need: int, classes: Sequence[int]) -> None:
        """Add a master who waits for ``need`` workers, of whom the j-th is of ``classes[j]``."""
        leaf = {own: self.add(own, 0) for own in dict.fromkeys(classes)}
        self.add_master(need, [leaf[own] for own in classes])

    def add_term(self, term: Term, class_of: Callable[[Term], int | None]) -> None:
        """Add a term's gates, its own last; a constant, which always comes, has the class None."""
        if term.repeats:
            raise FastgcError("workers who are waited for at several places have no exact law")
        number: dict[Term, int] = {}
        for each in term.inner:
            need = each.k if each.of else 0
            own = None if each.of else class_of(each)
            number[each] = self.add(own, need, [number[child] for child in each.of])
        self.add_master(1, [number[term]])


def gates_of(structure: "Structure", classes: Sequence[int]) -> list[Gate]:
    """Return the gates of a system whose worker j is of class ``classes[j]``, the master's last."""
    gates = Gates()
    structure.end.add_gates(gates, classes)
    return gates.gates


#: What an incomplete Beta function costs, in additions.
_BETA = 1e3
#: So many unlike arrivals are counted subset by subset.
_MOST_UNLIKE = 20


@dataclass(frozen=True, eq=False)
class Arrivals:
    """``size`` arrivals of one law, at m rising thresholds for each of T times t."""

    size: int
    cdf: Values
    late: Values
    total: float


def crossing(arrivals: Sequence[Arrivals], required: Sequence[int]) -> tuple[Values, Values]:
    """Return the probability (T,) that ``required[i]`` have arrived by threshold i for all i."""
    first, rising = arrivals[0], len(required) > 1
    if not rising and len(arrivals) == 1 and first.total == 1.0:
        from scipy import special

        # the need-th of so many uniform numbers has a Beta law
        need, rest = required[0], first.size - required[0] + 1
        early = special.betainc(need, rest, first.cdf[0])
        return np.asarray(early), np.asarray(special.betainc(rest, need, first.late[0]))
    done, after = np.empty((2, first.cdf.shape[1]))
    never = np.array([1.0 - a.total for a in arrivals])
    sizes = np.array([a.size for a in arrivals], np.int64)
    if not rising and len(arrivals) > 1:
        cdf = np.stack([a.cdf[0] for a in arrivals], 1)
        late = np.stack([a.late[0] for a in arrivals], 1)
        count(cdf, late, never, sizes, required[0], done, after)
        return done, after
    masses = np.ascontiguousarray(np.stack([_between(a) for a in arrivals], 1))
    late = np.ascontiguousarray(np.stack([a.late.T for a in arrivals], 1))
    needs = np.asarray(required, np.int64)
    if 1 < len(arrivals) <= _MOST_UNLIKE and (sizes == 1).all() and not never.any():
        cross_unlike(masses, late, needs, done, after)  # subset by subset
    else:
        cross(masses, late, never, sizes, needs, max(required), done, after)
    return done, after


def _between(alike: Arrivals) -> Values:
    """Return the probability of an arrival between neighbouring thresholds, (T, m)."""
    # differences of the smaller tail lose fewer digits
    rising = np.diff(alike.cdf, axis=0, prepend=0.0)
    falling = -np.diff(alike.late, axis=0, prepend=alike.total)
    return np.maximum(np.where(alike.cdf < 0.5 * alike.total, rising, falling), 0.0).T


def work(sizes: Sequence[int], totals: Sequence[float], need: int, steps: int) -> float:
    """Return about how many additions `crossing` makes for one t."""
    missing = any(total < 1.0 for total in totals)
    if steps > 1 or (len(sizes) == 1 and missing):
        states = math.prod(float(size + 1) for size in sizes)
        return steps * states * sum(sizes) * (1.5 if missing else 0.5)
    if len(sizes) == 1:
        return _BETA
    return float(sum(sizes)) * need * (need if missing else 1)


def completing(arrivals: Sequence[tuple[int, float]], need: int) -> float:
    """Return the probability that ``need`` or more arrive; classes are (size, P(arrival))."""
    if all(total == 1.0 for _, total in arrivals):
        return 1.0
    classes = [
        Arrivals(size, np.full((1, 1), total), np.full((1, 1), 1.0 - total), 1.0)
        for size, total in arrivals
    ]
    return float(crossing(classes, [need])[0][0])


@dataclass(frozen=True, eq=False)
class Worker:
    """A class of workers: the law of their time, and the probability that they answer at all."""

    time: Time
    answers: float

    def seen(self, t: Values) -> tuple[Values, Values]:
        """Return the probabilities of an answer up to t and of one after it."""
        return self.answers * self.time.cdf(t), self.answers * self.time.survival(t)


def late_index(below: Sequence[tuple[float, bool]], need: int) -> float:
    """Return α of ``need`` arrivals, of which each has an α, and may never come or not.

    They are late if more are late or missing than can be done without. One of these must be late
    and adds its α. Each other one adds its α too, or 0 if it may never come.
    """
    costs = sorted(0.0 if missing else index for index, missing in below)
    found = math.inf
    for index, missing in set(below):
        others = list(costs)
        others.remove(0.0 if missing else index)
        found = min(found, index + sum(others[: len(below) - need]))
    return found


@dataclass(frozen=True, eq=False)
class GateEvaluation:
    """Completion of gates; with ``receive`` > 0 their ports receive one message at a time.

    A port that opens at C_0 has received ``need`` messages by t if and only if C_0 + need · receive
    ≤ t and the i-th arrival comes by t − (need − i + 1) · receive for all i. So every gate is
    evaluated at t less some whole number of messages, its lag, and once for each lag.
    """

    gates: Sequence[Gate]
    workers: Sequence[Worker]
    receive: float
    after_own: bool

    @cached_property
    def totals(self) -> list[float]:
        """Probability of every gate to complete at all."""
        totals: list[float] = []
        for gate in self.gates:
            own = 1.0 if gate.own is None else self.workers[gate.own].answers
            children = [(count, totals[child]) for child, count in gate.children]
            totals.append(own * (completing(children, gate.need) if gate.need else 1.0))
        return totals

    @property
    def decodable(self) -> float:
        """Probability to complete at all."""
        return self.totals[-1]

    def limits(self) -> tuple[float, float]:
        """Return the least and the largest completion time."""
        low, high = zip(*(worker.time.ends() for worker in self.workers), strict=True)
        return self.completion_time(low), self.completion_time(high, worst=True)

    def breaks(self) -> list[Values]:
        """Return the times at which the law may jump or bend."""
        bends = [worker.time.bends() for worker in self.workers]
        leaves = {
            (child, at)
            for number, lag in self.parents
            for child, _ in self.gates[number].children
            for at in self._lags(number, lag)
        }
        return [
            bends[own] + self._own_lag(number, lag) * self.receive
            for number, lag in self.parents | leaves
            if (own := self.gates[number].own) is not None
        ]

    def completion_time(
        self, times: Sequence[float], *, worst: bool = False, answering: int = 0
    ) -> float:
        """Return the completion time if workers of class c all take ``times[c]``.

        ``worst``: of the children that may never answer, as many as a gate can miss do not, the
        fastest first; but at least ``answering`` of its children do.
        """
        done: list[float] = []
        for gate in self.gates:
            own = 0.0 if gate.own is None else times[gate.own]
            arrivals = sorted(
                (done[child], self.totals[child] < 1.0)
                for child, count in gate.children
                for _ in range(count)
            )
            spare = len(arrivals) - max(gate.need, answering) if worst else 0
            time = own if self.after_own else 0.0
            waited = 0
            for arrival, may_miss in arrivals:
                if may_miss and spare > 0:
                    spare -= 1
                elif waited < gate.need:
                    time = max(time, arrival) + self.receive
                    waited += 1
            done.append(max(own, time))
        return done[-1]

    @property
    def tail_index(self) -> float:
        """α where P(t < C < ∞) falls like t^(−α)."""
        late: list[float] = []
        for gate in self.gates:
            time = None if gate.own is None else self.workers[gate.own].time
            own = math.inf if time is None else time.tail_exponent()
            if gate.need:
                children = [child for child, count in gate.children for _ in range(count)]
                below = [(late[child], self.totals[child] < 1.0) for child in children]
                own = min(own, late_index(below, gate.need))
            late.append(own)
        return late[-1]

    @property
    def master(self) -> tuple[list[int], list[float], int]:
        """The master's children: numbers alike, probabilities to complete; how many it needs."""
        return self._below(self.gates[-1])

    def _below(self, gate: Gate) -> tuple[list[int], list[float], int]:
        sizes = [count for _, count in gate.children]
        return sizes, [self.totals[child] for child, _ in gate.children], gate.need

    @cached_property
    def parents(self) -> set[tuple[int, int]]:
        """Every (gate, lag) evaluated for one t: gates with children at t less ``lag`` messages."""
        found = {(len(self.gates) - 1, 0)}
        waiting = list(found)
        while waiting:
            number, lag = waiting.pop()
            inner = [child for child, _ in self.gates[number].children if self.gates[child].need]
            fresh = {(child, at) for child in inner for at in self._lags(number, lag)} - found
            found |= fresh
            waiting.extend(fresh)
        return found

    def _lags(self, number: int, lag: int) -> Sequence[int]:
        need = self.gates[number].need
        return range(lag + 1, lag + need + 1) if self.receive > 0 else [lag]

    def _own_lag(self, number: int, lag: int) -> int:
        return lag + self.gates[number].need if self.after_own and self.receive > 0 else lag

    def work(self, master: bool = True) -> float:
        """Return about how many additions one t takes, with the master's or without."""
        additions = 0.0
        for number, _ in self.parents:
            gate = self.gates[number]
            if gate.need and (master or number < len(self.gates) - 1):
                additions += work(*self._below(gate), gate.need if self.receive > 0 else 1)
        return additions

    def __call__(self, t: Values) -> tuple[Values, Values]:
        """Return P(C ≤ t) and P(t < C < ∞) of the master."""
        return self._done(len(self.gates) - 1, 0, t, {})

    def arrivals(self, t: Values) -> tuple[list[Arrivals], list[int]]:
        """Return what arrives at the master, and how much of it is required by each threshold."""
        return self._arrivals(self.gates[-1], 0, t, {})

    def _done(self, number: int, lag: int, t: Values, known: "_GateTails") -> tuple[Values, Values]:
        if (number, lag) in known:
            return known[number, lag]
        gate = self.gates[number]
        if gate.need:
            done, late = crossing(*self._arrivals(gate, lag, t, known))
        else:
            early = t - lag * self.receive < 0
            done, late = np.where(early, 0.0, 1.0), np.where(early, 1.0, 0.0)
        if gate.own is not None:
            own = self.workers[gate.own].seen(t - self._own_lag(number, lag) * self.receive)
            done, late = own[0] * done, own[1] * (done + late) + own[0] * late
        known[number, lag] = done, late
        return done, late

    def _arrivals(
        self, gate: Gate, lag: int, t: Values, known: "_GateTails"
    ) -> tuple[list[Arrivals], list[int]]:
        required = list(range(1, gate.need + 1)) if self.receive > 0 else [gate.need]
        lags = [lag + gate.need + 1 - i for i in required] if self.receive > 0 else [lag]
        points = t - self.receive * np.array(lags, float)[:, np.newaxis]
        classes = []
        for child, size in gate.children:
            below = self.gates[child]
            if below.need or below.own is None:
                seen = [self._done(child, each, t, known) for each in lags]
                cdf, late = (np.stack(each) for each in zip(*seen, strict=True))
            else:
                own = self.workers[below.own].seen(points.ravel())
                cdf, late = (each.reshape(points.shape) for each in own)
            classes.append(Arrivals(size, cdf, late, self.totals[child]))
        return classes, required


#: What is known of gates at one t: each is evaluated once for each lag.
_GateTails = dict[tuple[int, int], tuple[Values, Values]]
