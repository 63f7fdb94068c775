"""The (n, k) MDS code that is fastest."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

from fastgc.theory.cases.completion import answers, completion, exponential, timed
from fastgc.theory.cases.tables import finite
from fastgc.theory.common.arguments import check_count, check_positive
from fastgc.theory.common.order_statistics import exponential_order_mean
from fastgc.theory.literature import paper
from fastgc.theory.papers.claim import AS_N_GROWS, Cases

LEE = (
    "Lee, Lam, Pedarsani, Papailiopoulos, Ramchandran, Speeding Up Distributed Machine Learning "
    "Using Codes (arXiv:1512.02673)"
)


@paper.elementwise
def mds_best_share(mean: float, shift: float) -> float:
    """Share k/n of answers that is fastest for large n, 1 + 1/W₋₁(−e^{−shift/mean−1}).

    Lee, Lam, Pedarsani, Papailiopoulos, Ramchandran (arXiv:1512.02673), Section III: the time of
    an (n, k) MDS code is E X_(k)/k, of about (shift + mean log(n/(n−k)))/k.

    >>> round(mds_best_share(1.0, 1.0), 6)
    0.682156
    """
    check_positive(mean=mean, shift=shift)
    low, high = 0.0, 1.0
    while low < (middle := 0.5 * (low + high)) < high:
        if middle / (1.0 - middle) + math.log1p(-middle) < shift / mean:
            low = middle
        else:
            high = middle
    return low


@paper.elementwise
def mds_best_mean(n: int, mean: float, shift: float) -> float:
    """Time −W₋₁(−e^{−shift/mean−1}) mean/n of the best MDS code for large n, per unit of work.

    Lee et al. (arXiv:1512.02673), Section III.

    >>> round(mds_best_mean(100, 1.0, 1.0), 6)
    0.031462
    """
    check_count("n", n, 1)
    return mean / (1.0 - float(mds_best_share(mean, shift))) / n


@paper.elementwise
def mds_mean(n: int, k: int, mean: float = 1.0, shift: float = 0.0) -> float:
    """Mean time (shift + mean (H_n − H_{n−k}))/k of an (n, k) MDS code, per unit of work.

    >>> mds_mean(2, 1), mds_mean(2, 2)
    (0.5, 0.75)
    """
    return float(exponential_order_mean(n, k, mean, shift)) / k


@paper.claim("mds.optimum.printed", f"{LEE}, Section III", holds=AS_N_GROWS)
def _() -> Cases:
    """For large n the (n,k) MDS code with the best k takes -W_(-1)(-exp(-mu a - 1))/(mu n) on
    average, where workers take a + an exponential time of rate mu for all of the work."""
    for n in (20, 200, 2000, 20000):
        case = finite("fastest_answers_mean", mds_best_mean(n, 1.0, 1.0), n=n, mean=1.0, shift=1.0)
        yield replace(case, size=n)


def _fastest(share: Callable[[int], float]) -> Cases:
    """The best k against so much of the time for large n."""
    for n, mean, shift in ((20, 1.0, 0.5), (50, 1.0, 1.0), (100, 1.0, 0.1), (200, 1.0, 1.0)):
        middle = math.floor(n * mds_best_share(mean, shift))
        k = min(middle, middle + 1, key=lambda k: float(mds_mean(n, k, mean, shift)))
        theory = share(n) * mds_best_mean(n, mean, shift)
        yield timed(completion(answers(n, k), exponential(mean, shift)), theory)


@paper.claim("mds.optimum.above.derived", "Derived: log is concave", relation="<=")
def _() -> Cases:
    """For no n does the (n,k) MDS code with the best k take longer than
    -W_(-1)(-exp(-mu a - 1))/(mu n)."""
    return _fastest(lambda n: 1.0)


@paper.claim("mds.optimum.below.derived", "Derived: how fast the limit is reached", relation=">=")
def _() -> Cases:
    """The (n,k) MDS code with the best k takes at least the share 1 - 1/n of
    -W_(-1)(-exp(-mu a - 1))/(mu n)."""
    return _fastest(lambda n: 1 - 1 / n)
