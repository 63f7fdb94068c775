"""The law of parts that several workers hold: layers by counting, chunks by matrices or by sets.

A worker has finished N of its d chunks by t. Where the workers lie on a ring and worker w does the
chunks w, w + 1, …, chunk w is there if the first chunk that no worker before w has reached is later
than w, or N_w ≥ 1: a walk on d states around the ring, and P(T ≤ t) is the trace of a product of
d × d matrices. Other orders are counted worker by worker, with the chunks so
far that others may still do, too. Who sends a whole batch at once has finished none of it, or all.

Either way P(T > t) is a sum of positive terms, over the first chunk that is missing.
"""

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from fastgc.arrays import Values
from fastgc.errors import FastgcError
from fastgc.latency.libm import expm1, log1p
from fastgc.registry.cached import cached_property
from fastgc.systems.timing.laws.evaluation import (
    Arrivals,
    GateEvaluation,
    Gates,
    Worker,
    crossing,
    work,
)

if TYPE_CHECKING:
    from fastgc.systems.timing.group_structures import Chunks

#: Steps from one set of counts to another, at most.
_MOST_STEPS = 60_000
#: Additions that a step for one t is worth: it is a call of NumPy for many t.
_STEP = 30.0

#: Of each number of chunks a worker may have finished, N = 0 … d, the probability at each t.
Masses = Sequence[Values]


class _TaskSums:
    sums: Sequence[Mapping[int, Worker]]

    @property
    def workers(self) -> Sequence[Worker]:
        """Classes of workers, with the laws of their first task."""
        return [laws[0] for laws in self.sums]


@dataclass(frozen=True, eq=False)
class LayersEvaluation(_TaskSums):
    """Layers: at least k_j of the workers have done j tasks, for every j.

    ``sums[c][j]`` is the law of the time that a worker of class c takes for its first j + 1 tasks,
    for 0 and every deciding j: layers that deeper ones imply are not counted.
    """

    k: Sequence[int]
    sizes: Sequence[int]
    sums: Sequence[Mapping[int, Worker]]

    def _waiting(self, need: int) -> GateEvaluation:
        gates = Gates()
        gates.add_enough(need, [c for c, size in enumerate(self.sizes) for _ in range(size)])
        return GateEvaluation(gates.gates, self.workers, 0.0, False)

    @property
    def decodable(self) -> float:
        """Probability to complete at all."""
        return self._waiting(self._most).decodable

    @property
    def tail_index(self) -> float:
        """α where P(t < C < ∞) falls like t^(−α): that of the workers needed in the end."""
        return self._waiting(self._most).tail_index

    @cached_property
    def _deciding(self) -> list[int]:
        return deciding_layers(self.k)

    @property
    def _most(self) -> int:
        return max(self.k, default=0)

    def limits(self) -> tuple[float, float]:
        """Return the least and the largest completion time."""
        low, high = [0.0], [0.0]
        for j in self._deciding:
            layer = self._waiting(self.k[j])
            first, last = zip(*(laws[j].time.ends() for laws in self.sums), strict=True)
            low.append(layer.completion_time(first))
            high.append(layer.completion_time(last, worst=True, answering=self._most))
        return max(low), max(high)

    def breaks(self) -> list[Values]:
        """Return the times at which the law may jump or bend."""
        return [laws[j].time.bends() for laws in self.sums for j in self._deciding]

    @property
    def master(self) -> tuple[list[int], list[float], int]:
        """Numbers of workers alike, probabilities to answer, and how many are needed in the end."""
        return list(self.sizes), [worker.answers for worker in self.workers], self._most

    def work(self, master: bool = True) -> float:
        """Return about how many additions one t takes, with the master's or without."""
        return work(*self.master, len(self._deciding)) if master else 0.0

    def __call__(self, t: Values) -> tuple[Values, Values]:
        """Return P(C ≤ t) and P(t < C < ∞)."""
        if not self._deciding:
            return np.where(t < 0, 0.0, 1.0), np.where(t < 0, 1.0, 0.0)
        return crossing(*self.arrivals(t))

    def arrivals(self, t: Values) -> tuple[list[Arrivals], list[int]]:
        """Return what arrives at the master, and how much of it every deciding layer requires."""
        classes = []
        for size, laws in zip(self.sizes, self.sums, strict=True):
            seen = zip(*(laws[j].seen(t) for j in self._deciding), strict=True)
            cdf, late = (np.stack(each) for each in seen)
            classes.append(Arrivals(size, cdf, late, laws[0].answers))
        return classes, [self.k[j] for j in self._deciding]


def deciding_layers(k: Sequence[int]) -> list[int]:
    """Return the layers that no deeper layer implies, deepest first, counted from 0."""
    deciding: list[int] = []
    for j in range(len(k) - 1, -1, -1):
        if k[j] > (k[deciding[-1]] if deciding else 0):
            deciding.append(j)
    return deciding


def ring_size(structure: "Chunks") -> int | None:
    """Return r where workers j·r … j·r + r − 1 are rings, each beginning with its own chunk."""
    n, d = structure.workers, structure.d
    for size in (n, d):
        if n % size == 0 and structure.orders == tuple(
            tuple(w - w % size + (w + place) % size for place in range(d)) for w in range(n)
        ):
            return size
    return None


def _ring_probabilities(masses: Sequence[Masses]) -> tuple[Values, Values]:
    """Return the probabilities that a ring of workers has all chunks, and that one is missing.

    A state c is the number of next chunks that workers so far have reached: N finished ones of the
    next worker make it max(c, N) − 1, or 0 with its chunk missing if c = N = 0. Once around the
    ring a walk is back where it began, which it is from one state exactly.
    """
    d = len(masses[0]) - 1
    one, zero = np.ones_like(masses[0][0]), np.zeros_like(masses[0][0])
    done, late = zero, zero
    for start in range(d):
        # of walks from every state before a worker to the end: all there, and some missing
        there = [one if c == start else zero for c in range(d)]
        missing = [zero] * d
        for own in reversed(masses):
            first = own[0] * (there[0] + missing[0])
            there, missing = _before(own, there), _before(own, missing)
            missing[0] = missing[0] + first
        done, late = done + there[start], late + missing[start]
    return done, late


def _before(own: Masses, after: Sequence[Values]) -> list[Values]:
    """Walks from each state before a worker that misses no chunk."""
    reached, found = np.zeros_like(own[0]), []
    for c in range(len(after) - 1, -1, -1):
        reached = reached + own[c + 1] * after[c]
        stay = sum(own[1 : c + 1], own[0]) * after[c - 1] if c else 0.0
        found.append(reached + stay)
    return found[::-1]


@dataclass(frozen=True)
class ChunkSteps:
    """What every worker's finished chunks make of what is there: steps (before, N, after).

    A state is the chunks that are there of those that others hold, too, and how many chunks are
    missing for good: ``most`` or more of them are one state. ``missing`` says how many of each last
    state.
    """

    steps: tuple[tuple[tuple[int, int, int], ...], ...]
    sizes: tuple[int, ...]
    missing: tuple[int, ...]

    @classmethod
    def of(cls, structure: "Chunks", most: int) -> "ChunkSteps":
        """Return the plan of any orders; a FastgcError says where it has too many steps."""
        last = {i: max(w for w, _ in own) for i, own in enumerate(structure.holders)}
        ends = (0, structure.d) if structure.at_once else range(structure.d + 1)
        states: dict[tuple[frozenset[int], int], int] = {(frozenset(), 0): 0}
        steps, sizes, total = [], [], 0
        for w, order in enumerate(structure.orders):
            closing = {i for i in last if last[i] == w}
            after: dict[tuple[frozenset[int], int], int] = {}
            own = []
            for (so_far, missing), number in states.items():
                for finished in ends:
                    there = so_far.union(order[:finished])
                    now = min(missing + len(closing - there), most)
                    left = there - closing if now < most else frozenset()
                    own.append((number, finished, after.setdefault((left, now), len(after))))
            total += len(own)
            if total > _MOST_STEPS:
                raise FastgcError(
                    "the chunks of so many workers can be there in too many ways; take fewer "
                    'workers, or order = "cyclic", whose law is a small matrix'
                )
            steps.append(tuple(own))
            sizes.append(len(after))
            states = after
        return cls(tuple(steps), tuple(sizes), tuple(missing for _, missing in states))

    def probabilities(self, masses: Sequence[Masses], most: int) -> list[Values]:
        """Return the probabilities that 0, 1, … ``most`` chunks are missing."""
        now = [np.ones_like(masses[0][0])]
        for own, size, steps in zip(masses, self.sizes, self.steps, strict=True):
            after = [np.zeros_like(now[0]) for _ in range(size)]
            for before, finished, place in steps:
                after[place] += now[before] * own[finished]
            now = after
        found = [np.zeros_like(now[0]) for _ in range(most + 1)]
        for number, mass in zip(self.missing, now, strict=True):
            found[number] += mass
        return found


@dataclass(frozen=True, eq=False)
class ChunksEvaluation(_TaskSums):
    """Completion of chunks."""

    structure: "Chunks"
    classes: Sequence[int]
    sums: Sequence[Mapping[int, Worker]]

    @property
    def decodable(self) -> float:
        """Probability to complete at all: every worker answers."""
        return 1.0

    @property
    def tail_index(self) -> float:
        """α where P(T > t) falls like t^(−α)."""
        return self.structure.tail_index(self.workers, self.classes)

    def limits(self) -> tuple[float, float]:
        """Return the least and the largest completion time."""
        found, ends = [], self.structure.ends.tolist()
        for each in zip(*(worker.time.ends() for worker in self.workers), strict=True):
            done = [
                [ends[place] * each[self.classes[w]] for w, place in holders]
                for holders in self.structure.holders
            ]
            found.append(max(map(min, done)))
        return found[0], found[1]

    def breaks(self) -> list[Values]:
        """Return the times at which the law may jump or bend."""
        return [own.time.bends() for laws in self.sums for own in laws.values()]

    def work(self) -> float:
        """Return about how many additions one t takes."""
        if self._ring is not None:
            return 3.0 * self._ring * self.structure.d**2
        return _STEP * sum(map(len, self._plan.steps))

    @cached_property
    def _ring(self) -> int | None:
        return ring_size(self.structure)

    @cached_property
    def _plan(self) -> ChunkSteps:
        return ChunkSteps.of(self.structure, 1)

    def __call__(self, t: Values) -> tuple[Values, Values]:
        """Return P(T ≤ t) and P(T > t)."""
        return self.probabilities(self._masses(t))

    def missing(self, t: float) -> Values:
        """Return P(0, 1, … k chunks are missing at t), (k + 1,)."""
        k = len(self.structure.holders)
        found = ChunkSteps.of(self.structure, k).probabilities(self._masses(np.array([t])), k)
        return np.concatenate(found)

    def probabilities(self, masses: Sequence[Masses]) -> tuple[Values, Values]:
        """Return the probabilities that all chunks are there, and that one is missing."""
        if self._ring is None:
            done, late = self._plan.probabilities(masses, 1)
            return done, late
        rings = [masses[w : w + self._ring] for w in range(0, len(masses), self._ring)]
        found: dict[tuple[int, ...], tuple[Values, Values]] = {}
        done, there = np.ones_like(masses[0][0]), np.zeros_like(masses[0][0])
        for ring in rings:
            key = tuple(map(id, ring))
            if key not in found:
                found[key] = _ring_probabilities(ring)
            own, late = found[key]
            if len(rings) == 1:
                return own, late
            done = done * own
            with np.errstate(divide="ignore"):
                there = there + log1p(-np.minimum(late, 1.0))
        return done, -expm1(there)

    def _masses(self, t: Values) -> list[Masses]:
        # each worker's P(N = 0), …, P(N = d) by t, with the digits of the smaller tail
        of_class: list[Masses] = []
        for laws in self.sums:
            seen = [laws[j].seen(t) for j in range(self.structure.d)]
            masses = [seen[0][1]]
            for (done, late), (more, fewer) in itertools.pairwise(seen):
                masses.append(np.maximum(np.where(done < 0.5, done - more, fewer - late), 0.0))
            of_class.append([*masses, seen[-1][0]])
        return [of_class[c] for c in self.classes]
