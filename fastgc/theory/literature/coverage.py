"""Which share of the partitions is lost: held by no worker that answers.

A placement is balanced if d workers hold each partition and all workers hold as many. With r of n
workers, all sets alike, a partition is lost with probability C(n−d, r)/C(n, r), and two that share
t workers with probability C(n−2d+t, r)/C(n, r), which is convex in t.
Sarmasarkar, Pillai (arXiv:2402.12584).
"""

import math
from collections.abc import Sequence

from fastgc.theory.cases.tables import bibd, circulant, frc, graph, uniform
from fastgc.theory.common import check
from fastgc.theory.literature import paper
from fastgc.theory.literature.cases import sampled
from fastgc.theory.literature.sources import SOURCES
from fastgc.theory.papers.claim import Cases

PLACE = f"Derived, for what {SOURCES['2402.12584']} says in its abstract"
#: n = k, d, survivors.
_CIRCLES = ((7, 3, 3), (6, 2, 3), (13, 4, 6), (12, 3, 5))
#: Symmetric designs, n = k and d; two partitions share a worker.
_DESIGNS = (("fano", 7, 3), ("pg(2,3)", 13, 4))


@paper.elementwise
def lost_mean(n: int, d: int, survivors: int) -> float:
    """Mean share C(n−d, r)/C(n, r) of the partitions that none of r survivors holds.

    >>> round(7 * (1 - lost_mean(7, 3, 3)), 9)
    6.2
    """
    check.count("survivors", survivors, 0, n)
    return math.comb(n - d, survivors) / math.comb(n, survivors)


@paper.formula
def lost_variance(n: int, d: int, survivors: int, shared: Sequence[int]) -> float:
    """Variance of that share, of k partitions of which one and each other have workers in common.

    ``shared`` says how many, for the k − 1 others; it is alike for all partitions.

    >>> round(49 * lost_variance(7, 3, 3, [1] * 6), 9)
    0.16
    """
    one, k = float(lost_mean(n, d, survivors)), len(shared) + 1
    ways = math.comb(n, survivors)
    both = math.fsum(math.comb(n - 2 * d + t, survivors) / ways for t in shared)
    return (one + both) / k - one * one


def _in_groups(n: int, d: int) -> list[int]:
    return [d] * (d - 1) + [0] * (n - d)


@paper.claim("coverage.mean.derived", PLACE)
def _() -> Cases:
    """All balanced placements of k partitions with d workers each cover k (1 - C(n-d,r)/C(n,r)) of
    them with r of n workers, on average: the mean share that is lost is C(n-d,r)/C(n,r)."""
    for n, d, r in _CIRCLES:
        yield sampled(circulant(n, d), uniform(n - r), lost_mean(n, d, r), "lost")
    for name, n, d in _DESIGNS:
        yield sampled(bibd(name), uniform(4), lost_mean(n, d, n - 4), "lost")
    yield sampled(frc(12, 3), uniform(7), lost_mean(12, 3, 5), "lost")
    yield sampled(graph("petersen"), uniform(9), lost_mean(15, 3, 6), "lost")


@paper.claim("coverage.least-variance.derived", PLACE, relation=">=")
def _() -> Cases:
    """No balanced placement of as many partitions as workers has a smaller variance of the share
    that is lost than one where any two partitions share as many workers, as in a block design."""
    for _, n, d in _DESIGNS:
        for r in (n - 4, n // 2, 2):
            theory = lost_variance(n, d, r, [1] * (n - 1))
            code = circulant(n, d)
            yield sampled(code, uniform(n - r), theory, "lost", statistic="variance")


@paper.claim("coverage.most-variance.derived", PLACE, relation="<=")
def _() -> Cases:
    """No balanced placement has a larger variance of the share that is lost than groups of d
    workers that all hold the same d partitions: .96/36 for n = 6, d = 2 and r = 3, against .36/36
    of a ring."""
    for n, d, r in ((6, 2, 3), (12, 3, 5), (12, 4, 4)):
        theory = lost_variance(n, d, r, _in_groups(n, d))
        for code in (circulant(n, d), frc(n, d)):
            yield sampled(code, uniform(n - r), theory, "lost", statistic="variance")
    theory = lost_variance(6, 2, 3, _in_groups(6, 2))
    yield sampled(graph("cycle", 6), uniform(3), theory, "lost", statistic="variance")
