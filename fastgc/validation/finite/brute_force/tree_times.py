"""Times of coded trees without ports, by Beta laws.

Workers' own times are exponential with mean 1. T_(n−s) is the time at which n − s of n siblings
have done their own work; T~ is the largest T_(n−s) of all groups of siblings, T the tree's time.
The conditional means are those of trees of two layers, which have n + 1 groups.
"""

import functools
import itertools
import math
from collections.abc import Callable, Sequence

import numpy as np

from fastgc.arrays import Values
from fastgc.validation.finite.brute_force.counting import harmonic_difference

#: Nodes of a Gauss rule on each piece: of deep trees' steep tails, of gaps.
_NODES, _FEW = 160, 64
_gauss = functools.cache(np.polynomial.legendre.leggauss)


def tree_time_mean(n: int, layers: int, s: int) -> float:
    """Mean time of a regular tree: a node is late if it is itself, or if more than s children are.

    More than s of n are late with the probability of a Beta law.
    """

    def late(t: Values) -> Values:
        node = own = np.exp(-t)
        for _ in range(layers - 1):
            node = own + (1 - own) * _more_than(n, s, node)
        return _more_than(n, s, node)

    return _integral(late, _pieces(n, s))


def late_group_exponent(n: int, s: int, groups: int = 1) -> float:
    """−log P(T_(n−s) > E T_(n−s) + n^(−1/4)) in at least one of so many groups."""
    return -math.log(late_group_chance(n, s, n**-0.25, groups))


def late_group_chance(n: int, s: int, epsilon: float, groups: int = 1) -> float:
    """P(T_(n−s) > E T_(n−s) + ε) in at least one of so many groups."""
    return float(_group_late(n, s, groups, np.array(harmonic_difference(n, s) + epsilon)))


def concentrated_mean(n: int, s: int) -> float:
    """E[T | T~ ≤ c] in a tree of two layers, c = E T_(n−s) + n^(−1/4)."""
    c = harmonic_difference(n, s) + n**-0.25
    whole = _within(n, s, c)
    pieces = [p for p in _pieces(n, s) if p < c] + [c]  # T is never later than T~
    late = _integral(lambda t: np.asarray(whole - _done_within(n, s, t, c)), pieces)
    return late / whole


def scattered_mean(n: int, s: int) -> float:
    """E[T | T~ > c] in a tree of two layers."""
    c, high = harmonic_difference(n, s) + n**-0.25, 60.0
    probability = _within(n, s, high) - _within(n, s, c)

    def late(t: Values) -> Values:
        return probability - _done_within(n, s, t, high) + _done_within(n, s, t, c)

    return _integral(late, _pieces(n, s, c)) / probability


def slowest_group_share(n: int, groups: int, s: int, above: float) -> float:
    """E[T~; T~ > above] of so many groups."""
    late = functools.partial(_group_late, n, s, groups)
    probability = float(late(np.array(above)))
    pieces = [above, *(p for p in _pieces(n, s) if p > above)]
    return above * probability + _integral(late, pieces)


def very_late_share(n: int, groups: int, s: int, above: float) -> float:
    """P(T~ > above | T~ > c), c = E T_(n−s) + n^(−1/4)."""
    c = harmonic_difference(n, s) + n**-0.25
    late = _group_late(n, s, groups, np.array([max(above, c), c]))
    return float(late[0] / late[1])


def gap_moment(n: int, i: int, power: int) -> float:
    """E[(T_(i) − T_(i−1))^power] of n siblings, T_(0) = 0, from their joint law.

    All that are left when T_(i−1) is t are later than t + x where the gap is more than x.
    """
    left = n - i + 1
    nodes, weights = _gauss(_FEW)
    pieces = list(itertools.pairwise(_pieces(n, left)))
    t = np.concatenate([low + (high - low) / 2 * (nodes + 1) for low, high in pieces])
    # the density of T_(i−1) at t is this times P(n − i + 1 are later than t)
    logs = math.lgamma(n + 1) - math.lgamma(max(i - 1, 1)) - math.lgamma(left + 1)
    density = np.exp(logs + (i - 2) * np.log(-np.expm1(-t)) - t)
    density *= np.concatenate([(high - low) / 2 * weights for low, high in pieces])

    def more(x: Values) -> Values:
        if i == 1:
            return np.asarray(np.exp(-x) ** n)
        return np.asarray(np.exp(-(t + x[:, None])) ** left @ density)

    ends = [end / left for end in (0, 5, 20, 60)]
    return _integral(lambda x: power * x ** (power - 1) * more(x), ends, _FEW)


def gap_squares(n: int, s: int) -> float:
    """Add up E[(T_(i) − T_(i−1))²] for i ≤ n − s."""
    return math.fsum(gap_moment(n, i, 2) for i in range(1, n - s + 1))


def _more_than(n: int, s: int, late: Values) -> Values:
    from scipy.special import betainc

    return np.asarray(betainc(s + 1, n - s, np.clip(late, 0.0, 1.0)))


def _group_late(n: int, s: int, groups: int, t: Values) -> Values:
    with np.errstate(divide="ignore"):
        return np.asarray(-np.expm1(groups * np.log1p(-_more_than(n, s, np.exp(-t)))))


def _within(n: int, s: int, limit: float) -> float:
    late = _more_than(n, s, np.exp(-np.array([limit])))
    return float(np.exp((n + 1) * np.log1p(-late))[0])


# P(T ≤ t, T~ ≤ limit)
def _done_within(n: int, s: int, t: Values, limit: float) -> Values:
    t = np.minimum(t, limit)
    lower = 1 - _more_than(n, s, np.exp(-np.array([limit])))
    both = (1 - np.exp(-t)) * (1 - _more_than(n, s, np.exp(-t))) / lower
    return np.asarray(np.exp(n * np.log(lower)) * _more_than(n, n - s - 1, both))


def _pieces(n: int, s: int, *more: float) -> list[float]:
    """Moments between which tails are smooth: they fall within some 1/√n of the mean."""
    mean, width = harmonic_difference(n, s), 1 / math.sqrt(n)
    steps = [mean + width * x for x in (-8, -4, -2, -1, 0, 1, 2, 4, 8, 16)]
    return sorted({0.0, *(p for p in steps if 0 < p < 50), *more, mean + 3.0, mean + 9.0, 60.0})


def _integral(
    function: Callable[[Values], Values], pieces: Sequence[float], count: int = _NODES
) -> float:
    nodes, weights = _gauss(count)
    halves = ((low, (high - low) / 2) for low, high in itertools.pairwise(pieces))
    return math.fsum(half * float(weights @ function(x + half * (nodes + 1))) for x, half in halves)
