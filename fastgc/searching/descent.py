"""Exchange over structures: threshold accepting of changes that keep loads.

A change is taken if it makes the cost larger by less than a threshold that falls to 0 (Dueck and
Scheuer, Journal of Computational Physics 90, 1990), which needs no exponentials. With symmetry m,
structures are those that m simultaneous rotations of workers and partitions leave as they are:
what is changed is the first of each m columns.
"""

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from fastgc.draws.streams import uniforms
from fastgc.searching.judge import Judge, Objective
from fastgc.searching.problem import SearchTable

Base = NDArray[np.int8]
Matrix = NDArray[np.float64]

#: Random numbers that a change takes.
_DRAWS = 6
#: Changes that are drawn together, between two looks at the clock.
_TOGETHER = 64
#: The first threshold, as a share of the cost.
_WARM = 0.1


@dataclass(frozen=True)
class Walk:
    """Where a descent is: its structure now, the best so far, and how many changes it tried.

    ``begun`` and ``end``: changes tried when the threshold was first set, and when it is 0.
    """

    name: str
    symmetry: int
    now: Base
    best: Base
    cost: Objective
    steps: int = 0
    begun: int = 0
    end: int = 0
    threshold: float = 0.0

    def towards(self, steps: int, warmth: float) -> "Walk":
        """Return the walk with so many changes more before it, the first threshold warm so."""
        end, threshold = self.steps + steps, _WARM * warmth * self.cost.first
        return replace(self, begun=self.steps, end=end, threshold=threshold)

    @property
    def matrix(self) -> Matrix:
        """The best matrix so far."""
        return expand(self.best, self.symmetry)


def expand(base: Base, symmetry: int) -> Matrix:
    """Return the matrix (k, n) of its first columns (k, n / m).

    Entry (a·m + r, b·m + t) of the matrix is entry (a·m + (r − t) mod m, b) of the base.
    """
    k, blocks = base.shape
    m = symmetry
    parts = base.reshape(k // m, m, blocks)
    B = np.empty((k // m, m, blocks, m))
    for t in range(m):
        B[:, :, :, t] = np.roll(parts, t, axis=1)
    return B.reshape(k, blocks * m)


def random_base(problem: SearchTable, symmetry: int, name: str) -> Base:
    """Return a random structure whose workers and partitions are as even as can be."""
    k, n = problem.partitions, problem.n
    d, blocks = problem.d, n // symmetry
    order = uniforms(problem.seed, f"search/start/{name}", k * blocks).reshape(k, blocks)
    base = np.zeros((k, blocks), np.int8)
    held = np.zeros(k // symmetry)
    for _ in range(d):  # one partition more for each worker
        for b in range(blocks):
            # of partitions that fewest hold, a random one
            rank = np.repeat(held, symmetry) + order[:, b] + 10.0 * k * base[:, b]
            row = int(np.argmin(rank))
            if rank[row] < 10.0 * k:
                base[row, b] = 1
                held[row // symmetry] += 1.0
    return base


def descend(
    walk: Walk, judge: Judge, seconds: float = math.inf, is_over: Callable[[], bool] = lambda: False
) -> Walk:
    """Try changes to the end, the threshold falling to 0, for about so long, or until all is over.

    When it pauses changes nothing of what comes out.
    """
    problem, until = judge.problem, time.monotonic() + seconds
    best, best_cost, steps = walk.best, walk.cost, walk.steps
    now, now_cost = walk.now, judge.quick(expand(walk.now, walk.symmetry))
    for i in range(steps - walk.begun, walk.end - walk.begun):
        if i % _TOGETHER == 0:
            if is_over() or (steps > walk.steps and time.monotonic() >= until):
                break
            name = f"search/{walk.name}/{steps}"
            drawn = uniforms(problem.seed, name, _TOGETHER * _DRAWS).reshape(_TOGETHER, _DRAWS)
            numbers = drawn.tolist()
        steps += 1
        changed = _changed(now, numbers[i % _TOGETHER], problem, walk.symmetry)
        if changed is None:
            continue
        cost = judge.quick(expand(changed, walk.symmetry))
        threshold = walk.threshold * (1.0 - i / (walk.end - walk.begun)) ** 2
        if cost.first < now_cost.first + threshold or cost.beats(now_cost):
            now, now_cost = changed, cost
            if cost.beats(best_cost):
                best, best_cost = changed, cost
    return replace(walk, now=now, best=best, cost=best_cost, steps=steps)


def _changed(base: Base, numbers: list[float], problem: SearchTable, symmetry: int) -> Base | None:
    kind, *u = numbers
    blocks = base.shape[1]
    j, other = int(u[0] * blocks), int(u[1] * blocks)
    new = base.copy()
    if kind < 0.6 and j != other:  # two workers exchange partitions: loads and replication stay
        row = _pick((base[:, j] != 0) & (base[:, other] == 0), u[2])
        back = _pick((base[:, other] != 0) & (base[:, j] == 0), u[3])
        if row is None or back is None:
            return None
        new[back, j] = new[row, other] = 1
        new[row, j] = new[back, other] = 0
        return new
    row, free = _pick(base[:, j] != 0, u[2]), _pick(base[:, j] == 0, u[3])
    if kind < 0.9:  # a worker takes another partition
        if row is None or free is None:
            return None
        new[free, j], new[row, j] = 1, 0
        return new
    if free is not None and np.count_nonzero(base[:, j]) < problem.d:
        new[free, j] = 1
        return new
    if row is None:
        return None
    new[row, j] = 0
    return new


def _pick(which: NDArray[np.bool_], number: float) -> int | None:
    rows = np.flatnonzero(which)
    return int(rows[int(number * rows.size)]) if rows.size else None
