"""Completion times by order statistics: replicated work, and the fastest MDS code."""

import math
from collections.abc import Callable
from dataclasses import replace

from fastgc.theory.cases.completion import completion, timed
from fastgc.theory.cases.statements import finite
from fastgc.theory.cases.tables import answers, exponential
from fastgc.theory.common import check
from fastgc.theory.common import order_statistics as common
from fastgc.theory.common.numerics import bisection
from fastgc.theory.common.order_statistics import (
    exponential_order_mean,
    exponential_order_variance,
    order_tail,
)
from fastgc.theory.literature import paper
from fastgc.theory.literature.sources import SOURCES
from fastgc.theory.papers.claim import Cases

paper.share(
    common.exponential_order_mean,
    common.exponential_order_variance,
    common.harmonic,
    common.order_tail,
    common.pareto_order_mean,
    common.pareto_order_variance,
    common.uniform_order_mean,
    common.uniform_order_variance,
)

LEE = SOURCES["1512.02673"]


# ---- completion times of replicated work: the fastest of each group of d workers counts


@paper.elementwise
def frc_completion_tail(n: int, d: int, late: float, groups: int | None = None) -> float:
    """Probability P(T > t) that fewer than ``groups`` (all) groups have answered by t.

    A group of d of the n workers has answered with its fastest worker; late = P(X > t) is the
    probability that one worker has not. For all groups 1 − (1 − late^d)^(n/d). Derived.

    >>> frc_completion_tail(4, 2, 0.5)
    0.4375
    """
    check.probabilities(late=late)
    return float(order_tail(n // d, _groups(n, d, groups), late**d))


@paper.elementwise
def frc_completion_mean(
    n: int, d: int, mean: float = 1.0, shift: float = 0.0, groups: int | None = None
) -> float:
    """Mean shift + mean/d (H_g − H_{g−m}) until m (all) of g = n/d groups of d have answered.

    For shifted exponential times: the fastest of d is d times as fast. Derived.

    >>> frc_completion_mean(4, 2)
    0.75
    """
    needed = _groups(n, d, groups)
    return float(exponential_order_mean(n // d, needed, mean / d, shift))


@paper.elementwise
def frc_completion_variance(n: int, d: int, mean: float = 1.0, groups: int | None = None) -> float:
    """Variance of the time until m (all) of n/d groups of d exponential workers have answered.

    >>> frc_completion_variance(4, 2)
    0.3125
    """
    needed = _groups(n, d, groups)
    return float(exponential_order_variance(n // d, needed, mean / d))


def _groups(n: int, d: int, groups: int | None) -> int:
    check.groups(n, d)
    if groups is None:
        return int(n // d)
    check.count("groups", groups, 1, n // d)
    return int(groups)


# ---- the (n, k) MDS code that is fastest


@paper.elementwise
def mds_best_share(mean: float, shift: float) -> float:
    """Share k/n of answers that is fastest for large n, 1 + 1/W₋₁(−e^{−shift/mean−1}).

    Lee, Lam, Pedarsani, Papailiopoulos, Ramchandran (arXiv:1512.02673), Section III: the time of
    an (n, k) MDS code is E X_(k)/k, of about (shift + mean log(n/(n−k)))/k.

    >>> round(mds_best_share(1.0, 1.0), 6)
    0.682156
    """
    check.positive(mean=mean, shift=shift)
    return bisection(lambda k: k / (1.0 - k) + math.log1p(-k) < shift / mean, 0.0, 1.0)[0]


@paper.elementwise
def mds_best_mean(n: int, mean: float, shift: float) -> float:
    """Time −W₋₁(−e^{−shift/mean−1}) mean/n of the best MDS code for large n, per unit of work.

    Lee et al. (arXiv:1512.02673), Section III.

    >>> round(mds_best_mean(100, 1.0, 1.0), 6)
    0.031462
    """
    check.count("n", n, 1)
    return mean / (1.0 - float(mds_best_share(mean, shift))) / n


@paper.elementwise
def mds_mean(n: int, k: int, mean: float = 1.0, shift: float = 0.0) -> float:
    """Mean time (shift + mean (H_n − H_{n−k}))/k of an (n, k) MDS code, per unit of work.

    >>> mds_mean(2, 1), mds_mean(2, 2)
    (0.5, 0.75)
    """
    return float(exponential_order_mean(n, k, mean, shift)) / k


@paper.claim("mds.optimum.printed", f"{LEE}, Section III", limit="ratio")
def _() -> Cases:
    """For large n the (n,k) MDS code with the best k takes -W_(-1)(-exp(-mu a - 1))/(mu n) on
    average, where workers take a + an exponential time of rate mu for all of the work."""
    for n in (20, 200, 2000, 20000):
        case = finite("fastest_answers_mean", mds_best_mean(n, 1.0, 1.0), n=n, mean=1.0, shift=1.0)
        yield replace(case, size=n)


def _fastest(share: Callable[[int], float]) -> Cases:
    for n, mean, shift in ((20, 1.0, 0.5), (50, 1.0, 1.0), (100, 1.0, 0.1), (200, 1.0, 1.0)):
        middle = math.floor(n * mds_best_share(mean, shift))
        k = min(middle, middle + 1, key=lambda k: float(mds_mean(n, k, mean, shift)))
        theory = share(n) * mds_best_mean(n, mean, shift)
        yield timed(completion(answers(n, k), exponential(mean, shift)), theory)


@paper.claim(
    "mds.optimum.above.derived", f"Derived, for {LEE}, Section III: log is concave", relation="<="
)
def _() -> Cases:
    """For no n does the (n,k) MDS code with the best k take longer than
    -W_(-1)(-exp(-mu a - 1))/(mu n)."""
    return _fastest(lambda n: 1.0)


@paper.claim(
    "mds.optimum.below.derived",
    f"Derived, for {LEE}, Section III: how fast it is reached",
    relation=">=",
)
def _() -> Cases:
    """The (n,k) MDS code with the best k takes at least the share 1 - 1/n of
    -W_(-1)(-exp(-mu a - 1))/(mu n)."""
    return _fastest(lambda n: 1 - 1 / n)
