"""Lower bounds on the error of any code whose workers hold few partitions.

All rest on one fact: a partition that no survivor holds costs 1, whatever the weights are, for the
row of B is 0 there. So the error of a pattern is at least the number of such partitions.
"""

import math
from fractions import Fraction
from functools import cache


def mean_error(n: int, d: int, p: float | Fraction, k: int | None = None) -> Fraction:
    """Return a lower bound on the mean error with independent stragglers.

    Partition i, which r_i workers hold, is lost with probability p^{r_i}; the sum of r_i is at most
    n·d, and a sum of convex terms is least where the r_i are as equal as integers can be.
    Fractional repetition reaches it where d divides n = k.

    ``n``, ``d``: workers, and partitions that one holds at most; ``p``: probability to straggle, a
    float being read as the decimal that it is written as; ``k``: partitions, n by default.
    """
    k = n if k is None else k
    p = p if isinstance(p, Fraction) else Fraction(repr(float(p)))
    least, more = divmod(min(n * d, n * k), k)
    return (k - more) * p**least + more * p ** (least + 1)


def worst_error(n: int, d: int, s: int) -> int:
    """Return a lower bound on the worst error of s stragglers, k = n: partitions surely lost.

    The largest of three numbers.

    1. Survivors hold at most (n − s) d partitions.
    2. The mean over all sets of s stragglers: partition i is lost in C(n − r_i, s − r_i) of C(n, s)
       sets, which is convex in r_i, and some set loses at least the mean.
    3. Stragglers chosen one partition after another: with a workers gone and j partitions lost, the
       n − a others hold at most (n − a) d places of n − j partitions, so some partition has at most
       ⌊(n − a) d/(n − j)⌋ holders left, which go next. The least over all numbers of holders that
       may turn up is sure.

    For s < d it is 0, which cyclic codes reach (Tandon et al., ICML 2017).
    """
    sets = n * Fraction(math.comb(n - d, n - s), math.comb(n, s))
    return max(n - (n - s) * d, math.ceil(sets), _lost(n, d, s, 0, 0))


@cache
def _lost(n: int, d: int, budget: int, gone: int, lost: int) -> int:
    if lost == n:
        return 0
    most = (n - gone) * d // (n - lost)
    if most <= budget:
        return min(1 + _lost(n, d, budget - c, gone + c, lost + 1) for c in range(most + 1))
    # a partition with more holders than stragglers are left may be all there is
    return 0
