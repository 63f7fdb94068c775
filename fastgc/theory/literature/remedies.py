"""What people do instead of coding: times of rounds, and what they cost.

Clones: Aktas, Peng, Soljanin (arXiv:1710.00748); local steps: Wang, Joshi (arXiv:1810.08313);
deadlines: Giladi et al. (arXiv:2306.10598).
"""

import math
from dataclasses import replace

import numpy as np

from fastgc.arrays import Values
from fastgc.theory.cases.completion import completion, timed
from fastgc.theory.cases.tables import Table, exponential, whole
from fastgc.theory.cases.tables import maker as table
from fastgc.theory.common import check
from fastgc.theory.common.numerics import half_line
from fastgc.theory.common.order_statistics import order_tail
from fastgc.theory.literature import paper
from fastgc.theory.literature.sources import SOURCES
from fastgc.theory.papers.claim import Case, Cases

CLONES = SOURCES["1710.00748"]
_clones = table("family", "clones", "n", "r", "after")
#: (n, r, after, mean) of clones.
_CLONED = ((4, 2, 0.5, 1.0), (10, 2, 1.0, 1.0), (6, 3, 0.3, 2.0), (5, 2, 0.0, 1.0))


# ---- clones, and what work costs


@paper.elementwise
def clones_mean(n: int, r: int, after: float, mean: float = 1.0, shift: float = 0.0) -> float:
    """Mean of the time of n pieces of which up to r copies begin, each ``after`` the last.

    shift + Σ_m (mean/m) Σ_(i ≤ n) ((1 − g_m)^i − (1 − g_(m−1))^i)/i, where g_m is the probability
    that a piece with m copies outlasts the beginning of the next. Derived.

    >>> round(clones_mean(10, 2, 1.0), 4), clones_mean(2, 1, 0.0) == 1.5
    (1.9638, True)
    """
    check.count("r", r, 1)
    check.not_negative(after=after)
    left = [math.exp(-after / mean * m * (m + 1) / 2) for m in range(int(r))] + [0.0]
    return shift + math.fsum(
        mean / m * (_powers(n, left[m]) - _powers(n, left[m - 1])) for m in range(1, int(r) + 1)
    )


def _powers(n: int, left: float) -> float:
    """Σ_(i ≤ n) (1 − left)^i/i, for n pieces each of which is left with this probability."""
    return math.fsum((1.0 - left) ** i / i for i in range(1, int(n) + 1))


@paper.claim("clones.cost.derived", f"Derived, for what {CLONES} says: delay saves no work")
def _() -> Cases:
    """n pieces of exponential work cost n times the mean in seconds of all workers, however many
    copies there are and whenever they begin: all copies that run are as likely to end next."""
    for n, r, after, mean in _CLONED:
        yield _worked(whole(_clones(n, r, after)), exponential(mean), n * mean)


def _worked(system: Table, latency: Table, theory: float) -> Case:
    """Compare seconds of work, whose law is known of no system: they are sampled."""
    case = timed(completion(system, latency, measure="worker_seconds"), theory)
    return replace(case, tolerance=0.01)


# ---- local steps, and deadlines


@paper.elementwise
def local_sgd_mean(n: int, period: int, mean: float = 1.0, shift: float = 0.0) -> float:
    """Mean time of a round of local SGD: shift + that of the slowest of n Erlang sums, ÷ period.

    Wang, Joshi (arXiv:1810.08313), with exponential times.

    >>> [round(local_sgd_mean(16, period), 4) for period in (1, 4, 16)]
    [3.3807, 2.0626, 1.4893]
    """
    return _of_slowest_sum(n, period, mean, shift)[0]


@paper.elementwise
def local_sgd_variance(n: int, period: int, mean: float = 1.0) -> float:
    """Variance of that time.

    >>> round(local_sgd_variance(2, 1), 9)
    1.25
    """
    first, second = _of_slowest_sum(n, period, mean, 0.0)
    return second - first * first


@paper.elementwise
def local_sgd_tail(n: int, period: int, t: float, mean: float = 1.0, shift: float = 0.0) -> float:
    """P(T > t) of it.

    >>> local_sgd_tail(1, 1, 2.0) == math.exp(-2.0)
    True
    """
    from scipy import special

    check.count("period", period, 1)
    own = special.gammaincc(period, period * max(t - shift, 0.0) / mean)
    return float(order_tail(n, n, float(own)))


def _of_slowest_sum(n: int, period: int, mean: float, shift: float) -> tuple[float, float]:
    """First and second moment."""
    check.count("n", n, 1)
    check.positive(mean=mean)

    def late_at(t: Values) -> Values:
        return np.array([float(local_sgd_tail(n, period, x)) for x in t.tolist()])

    scale = 1.0 + math.log(n) / period
    first = mean * half_line(late_at, 0.0, scale)
    second = mean**2 * half_line(lambda t: 2.0 * t * late_at(t), 0.0, scale)
    return shift + first, shift * shift + 2.0 * shift * first + second


@paper.elementwise
def drop_late_mean(n: int, deadline: float, mean: float = 1.0, shift: float = 0.0) -> float:
    """Mean shift + mean Σ_(i ≤ n) (1 − e^(−(deadline − shift)/mean))^i/i of a round cut short.

    It is over when n workers with shifted exponential times have answered, or at the deadline.

    >>> drop_late_mean(2, 99.0), drop_late_mean(2, 0.5, shift=1.0)
    (1.5, 0.5)
    """
    check.positive(deadline=deadline, mean=mean)
    if deadline <= shift:
        return deadline
    return shift + mean * _powers(n, math.exp(-(deadline - shift) / mean))
