"""Weights for a structure: descent along the derivative of the error, then over a grid.

The derivative of the least error ‖Bx − 1‖² by B is that at the optimal x, which stays as it is (the
envelope theorem): 2 (Bx − 1) xᵀ. Only signs are used (Riedmiller and Braun, ICNN 1993), so that the
last bits of sums decide nothing. Between descents an entry changes its place. In the end entries
are multiples of 1/64, whose errors are known as fractions.
"""

import time
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastgc.draws.streams import uniforms
from fastgc.searching.judge import Cost, Judge
from fastgc_kernels.decode import decoding_vectors, pattern_tree

Matrix = NDArray[np.float64]

#: Entries end as multiples of 1 / GRID.
GRID = 64
#: Patterns that the derivative is taken over, at most.
_PATTERNS = 1_024
#: Of a search for the least worst error: the power of errors whose mean is descended.
_POWER = 8
#: First and largest change of an entry, and what it is multiplied by.
_FIRST, _LARGEST, _MORE, _LESS = 0.05, 0.25, 1.2, 0.5
_LARGEST_ENTRY = 8.0
#: Changes along the derivative in one descent, and without a better matrix.
_LONG, _IDLE = 60, 12
#: Share of the steps that goes to the grid, and what entries are changed by there.
_ON_GRID, _CHANGES = 0.3, (8, 4, 2, 1)


class Weights:
    """A search for weights: where it is, the best so far, and how many steps are left.

    Workers that hold fewer partitions than they may are given more, at first with weight 0. What a
    search is begun with and its ``state`` decide what follows.
    """

    def __init__(self, B: Matrix, judge: Judge, steps: int, name: str) -> None:
        self._judge, self._name = judge, name
        self._given = self._left = steps
        self._hops = self._stage = 0
        self._free = B != 0
        self._fill(self._numbers("fill", B.size).reshape(B.shape))
        self._patterns, self._weights = patterns(judge)
        self._power = _POWER if judge.problem.goal == "worst" else 1
        self.best, self.cost = B, judge.quick(B)

    @property
    def state(self) -> dict[str, Any]:
        """What a checkpoint keeps."""
        return {
            "best": self.best.tolist(),
            "free": self._free.tolist(),
            "at": [self._left, self._hops, self._stage],
            "cost": [self.cost.first, self.cost.second],
        }

    @state.setter
    def state(self, kept: dict[str, Any]) -> None:
        self.best = np.array(kept["best"])
        self._free = np.array(kept["free"])
        self._left, self._hops, self._stage = kept["at"]
        self.cost = Cost(*kept["cost"])

    def _numbers(self, what: str, count: int) -> NDArray[np.float64]:
        return uniforms(self._judge.problem.seed, f"search/{self._name}/{what}", count)

    def _fill(self, numbers: Matrix) -> None:
        """Let more entries be other than 0, up to the loads."""
        problem = self._judge.problem
        room = problem.most_entries - int(np.count_nonzero(self._free))
        for j in range(problem.n):
            more = min(problem.most_load - int(self._free[:, j].sum()), room)
            if more > 0:
                order = np.argsort(numbers[:, j] + 2.0 * self._free[:, j], kind="stable")
                self._free[order[:more], j] = True
                room -= more

    @property
    def used(self) -> int:
        """Steps that were taken."""
        return self._given - self._left

    def _judged(self, B: Matrix) -> Cost:
        self._left -= 1
        return self._judge.quick(B)

    def shaken(self) -> None:
        """Descend from the matrix with its weights changed at random."""
        shape = self.best.shape
        factors: Matrix = 0.6 + 0.8 * self._numbers("shake", self.best.size).reshape(shape)
        start = np.where(self._free, self.best * factors, 0.0)
        self._take(self._descended(start, self._free, _LONG), self._free)

    def refined(self, on_grid: bool, seconds: float) -> bool:
        """Go on for about so long, at last on the grid; return whether nothing is left to do.

        When it is interrupted changes nothing of what comes out.
        """
        until = time.monotonic() + seconds
        last = 1 + len(_CHANGES) if on_grid else 1
        while self._stage < last:
            if self._stage == 0:
                self._stage = int(not self._hopped())
            else:
                self._on_grid(_CHANGES[self._stage - 1])
                self._stage += 1
            if time.monotonic() >= until:
                break
        return self._stage >= last

    def _hopped(self) -> bool:
        """Descend, and from then on let an entry change its place before; False at the end."""
        if self._left <= int(_ON_GRID * self._given):
            return False
        free, start = self._free.copy(), self.best.copy()
        if self._hops:
            u = self._numbers(f"hop/{self._hops - 1}", 4).tolist()
            j = int(u[0] * start.shape[1])
            held, empty = np.flatnonzero(free[:, j]), np.flatnonzero(~free[:, j])
            if not held.size or not empty.size:
                return False
            row, new = held[int(u[1] * held.size)], empty[int(u[2] * empty.size)]
            free[row, j], free[new, j] = False, True
            start[new, j] = start[row, j] * (2.0 * u[3] - 1.0)
            start[row, j] = 0.0
        self._hops += 1
        self._take(self._descended(start, free, _LONG), free)
        return True

    def _take(self, found: tuple[Matrix, Cost], free: NDArray[np.bool_]) -> None:
        if found[1].beats(self.cost):
            (self.best, self.cost), self._free = found, free

    def _descended(self, B: Matrix, free: NDArray[np.bool_], rounds: int) -> tuple[Matrix, Cost]:
        """Return the best of the matrices that the signs of the derivative lead to."""
        now, best, cost, idle = B, B, self._judged(B), 0
        size = np.where(free, np.full(now.shape, _FIRST), 0.0)
        before = np.zeros(now.shape)
        for _ in range(rounds):
            if self._left <= 0 or idle > _IDLE:
                break
            slope = self._slope(now)
            same = slope * before
            factor = np.where(same > 0, _MORE, np.where(same < 0, _LESS, 1.0))
            size = np.minimum(factor * size, _LARGEST)
            before = np.where(same < 0, 0.0, slope)
            now = np.clip(now - np.sign(before) * size, -_LARGEST_ENTRY, _LARGEST_ENTRY)
            found = self._judged(now)
            idle += 1
            if found.first < 0.9999 * cost.first:
                best, cost, idle = now, found, 0
        return best, cost

    def _slope(self, B: Matrix) -> Matrix:
        self._left -= 1
        columns = np.ascontiguousarray(B.T)
        vectors: Matrix = np.empty((len(self._patterns), len(columns)))
        decoding_vectors.vectors(self._patterns, columns, vectors)
        out = np.empty(columns.shape)
        pattern_tree.slopes(columns, vectors, self._weights, self._power, out)
        found = np.where(np.abs(out) > 1e-9 * np.abs(out).max(), out, 0.0)
        return np.ascontiguousarray(found.T)

    def _on_grid(self, change: int) -> None:
        """Change entries of the grid by so much, one by one, while that is better.

        What lies between is dropped even where it was better: it is known as no short fraction.
        """
        if change == _CHANGES[0]:
            self.best = np.round(self.best * GRID) / GRID
            self.cost = self._judged(self.best)
        changes = [sign * change / GRID for sign in (1, -1)]
        improved = True
        while improved:
            improved = False
            for i, j in np.argwhere(self._free).tolist():
                for by in changes:
                    if self._left <= 0:
                        return
                    new = self.best.copy()
                    new[i, j] += by
                    found = self._judged(new)
                    if found.beats(self.cost):
                        self.best, self.cost, improved = new, found, True


def patterns(judge: Judge) -> tuple[NDArray[np.uint64], Matrix]:
    """Return the patterns that matter most, and their probabilities, up to a factor."""
    if judge.problem.is_enumerated:
        return judge.heaviest(_PATTERNS)
    drawn = judge.drawn("slope", _PATTERNS)
    return drawn, np.ones(len(drawn))
