"""Completion times by order statistics: replicated work, the fastest MDS code, clones."""

import math
from collections.abc import Callable
from dataclasses import replace

from fastgc.theory.cases.completion import completion, timed
from fastgc.theory.cases.statements import finite
from fastgc.theory.cases.tables import Table, answers, exponential, whole
from fastgc.theory.cases.tables import maker as table
from fastgc.theory.common import check
from fastgc.theory.common import order_statistics as common
from fastgc.theory.common.numerics import bisection
from fastgc.theory.common.order_statistics import exponential_order_mean
from fastgc.theory.literature import SOURCES, paper
from fastgc.theory.papers.claim import Case, Cases

paper.share(
    common.exponential_order_mean,
    common.exponential_order_variance,
    common.harmonic,
    common.order_tail,
)

LEE = SOURCES["1512.02673"]


@paper.elementwise
def mds_best_share(mean: float, shift: float) -> float:
    """Share k/n of answers that is fastest for large n, 1 + 1/W₋₁(−e^{−shift/mean−1}).

    Lee, Lam, Pedarsani, Papailiopoulos, Ramchandran (arXiv:1512.02673), Section III: the time of
    an (n, k) MDS code is E X_(k)/k, of about (shift + mean log(n/(n−k)))/k.
    """
    check.positive(mean=mean, shift=shift)
    return bisection(lambda k: k / (1.0 - k) + math.log1p(-k) < shift / mean, 0.0, 1.0)[0]


@paper.elementwise
def mds_best_mean(n: int, mean: float, shift: float) -> float:
    """Time −W₋₁(−e^{−shift/mean−1}) mean/n of the best MDS code for large n, per unit of work.

    Lee et al. (arXiv:1512.02673), Section III.
    """
    check.count("n", n, 1)
    return mean / (1.0 - float(mds_best_share(mean, shift))) / n


@paper.elementwise
def mds_mean(n: int, k: int, mean: float = 1.0, shift: float = 0.0) -> float:
    """Mean time (shift + mean (H_n − H_{n−k}))/k of an (n, k) MDS code, per unit of work."""
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


# ---- what clones cost


CLONES = SOURCES["1710.00748"]
_clones = table("family", "clones", "n", "r", "after")
#: (n, r, after, mean) of clones.
_CLONED = ((4, 2, 0.5, 1.0), (10, 2, 1.0, 1.0), (6, 3, 0.3, 2.0), (5, 2, 0.0, 1.0))


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
