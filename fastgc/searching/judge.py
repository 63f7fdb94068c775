"""What a matrix is worth, by all patterns of stragglers."""

import math
from collections import defaultdict
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from fastgc.arrays import Values as Matrix
from fastgc.registry.cached import cached_property
from fastgc.searching.problem import SearchTable
from fastgc_kernels.decode import pattern_tree

#: Costs closer than this share of the scale are taken for equal.
MARGIN = 1e-9
#: A pattern's error that counts as exact, for each partition.
EXACT = 1e-9
#: Patterns of a quick look, about.
_QUICK = 20_000
#: Share of the mean error that may come from patterns that a quick look leaves out.
_LEFT_OUT = 0.05


@dataclass(frozen=True, order=True)
class Objective:
    """What is to be least, and what decides among equals."""

    first: float
    second: float = 0.0

    def beats(self, other: "Objective") -> bool:
        """Whether this is less by more than rounding."""
        for own, theirs in ((self.first, other.first), (self.second, other.second)):
            margin = MARGIN * max(1e-6, min(abs(own), abs(theirs)))
            if abs(own - theirs) > margin:
                return own < theirs
        return False


@dataclass(frozen=True)
class Spectrum:
    """Errors of a code by the number of stragglers, 0 … n, as fractions or floats.

    ``sums``: of the errors of all patterns; ``worst``: the largest; ``counts``: patterns whose
    error is 0.
    """

    sums: Any
    worst: Any
    counts: Any


def spectrum(B: Matrix, most: int | None = None) -> Spectrum:
    """Return the optimal errors of all patterns with up to ``most`` stragglers.

    ``B``: a matrix of whole numbers, whose inner products lose no digit.
    """
    k, n = B.shape
    columns = np.vstack([B.T, np.ones((1, k))])
    gram = np.zeros((n + 1, n + 1))
    for row in columns.T:  # in one order, on every machine
        gram += row[:, np.newaxis] * row
    sums, worst, counts = np.zeros(n + 1), np.zeros(n + 1), np.zeros(n + 1, np.int64)
    pattern_tree.spectrum(gram, n if most is None else most, EXACT * k, sums, worst, counts)
    return Spectrum(sums, worst, counts)


def exact_spectrum(B: Matrix) -> Spectrum:
    """Return the errors of all patterns of a matrix of whole numbers as fractions.

    Elimination without fractions (Bareiss, Mathematics of Computation 22, 1968) of the inner
    products of columns and the vector of ones, along the tree of patterns: what is left in the last
    entry, over the last pivot, is the error.
    """
    n = B.shape[1]
    columns = [*B.T.astype(int).tolist(), [1] * len(B)]
    M = [[sum(a * b for a, b in zip(x, y, strict=True)) for y in columns] for x in columns]
    totals: list[dict[int, int]] = [defaultdict(int) for _ in range(n + 1)]
    worst, counts = [Fraction(0)] * (n + 1), [0] * (n + 1)

    def visit(left: list[list[int]], pivot: int, lost: int) -> None:
        """Go through what workers may do whose columns, less what is explained, are ``left``."""
        (new, *first), *rest = left
        if not rest:
            totals[lost][pivot] += new
            counts[lost] += not new
            if new * worst[lost].denominator > worst[lost].numerator * pivot:
                worst[lost] = Fraction(new, pivot)
            return
        others = [row[1:] for row in rest]
        visit(others, pivot, lost + 1)
        if new == 0:  # the answers before explain this one
            visit(others, pivot, lost)
            return
        reduced = [
            [(new * b - head * a) // pivot for a, b in zip(first, row, strict=True)]
            for head, *row in rest
        ]
        visit(reduced, new, lost)

    visit(M, 1, 0)
    sums = [sum((Fraction(e, p) for p, e in own.items()), Fraction(0)) for own in totals]
    return Spectrum(tuple(sums), tuple(worst), tuple(counts))


class Judge:
    """Computes costs of 0/1 matrices of one problem."""

    def __init__(self, problem: SearchTable) -> None:
        self.problem = problem
        self._weights = np.array([float(each) for each in problem.weights()])

    def quick(self, B: Matrix) -> Objective:
        """Return about what `full` does: of most patterns that matter."""
        return self._cost(B, self._most)

    def full(self, B: Matrix) -> Objective:
        """Return the cost of a matrix by all patterns."""
        return self._cost(B, self.problem.n)

    def exact_value(self, found: Spectrum) -> Fraction:
        """Return the value of the problem's goal by errors as fractions."""
        own = self.problem
        if own.goal == "worst":
            assert own.s is not None
            return Fraction(found.worst[own.s])
        values = found.sums if own.goal == "mean" else found.counts
        return sum((w * v for w, v in zip(own.weights(), values, strict=True)), Fraction(0))

    def value(self, cost: Objective) -> float:
        """Return what a cost says of the goal: a probability of exact recovery, else the cost."""
        return 1.0 - cost.first if self.problem.goal == "exact" else cost.first

    def _cost(self, B: Matrix, most: int) -> Objective:
        own, found = self.problem, spectrum(B, most)
        if own.goal == "worst":
            assert own.s is not None
            worst = float(found.worst[: own.s + 1].max())
            return Objective(worst, float(found.sums[own.s]) / math.comb(own.n, own.s))
        mean = math.fsum((self._weights * found.sums).tolist())
        if own.goal == "mean":
            return Objective(mean)
        sets = np.array([math.comb(own.n, s) for s in range(own.n + 1)], float)
        broken = sets - found.counts.astype(float)
        broken[most + 1 :] = 0.0  # these were not looked at
        return Objective(math.fsum((self._weights * broken).tolist()), mean)

    @cached_property
    def _most(self) -> int:
        own = self.problem
        if own.s is not None:
            return own.s
        n, patterns = own.n, 0
        share = [
            math.comb(n, s) * w * (s / n) ** own.d for s, w in enumerate(self._weights.tolist())
        ]
        for s in range(n + 1):
            patterns += math.comb(n, s)
            if n > 12 and (patterns > _QUICK or sum(share[s + 1 :]) < _LEFT_OUT * sum(share)):
                return s
        return n
