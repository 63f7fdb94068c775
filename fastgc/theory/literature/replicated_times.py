"""Completion times of replicated work, and the MDS code that is fastest."""

from __future__ import annotations

import math

from fastgc.errors import FastgcError
from fastgc.theory.common.arguments import (
    check_count,
    check_groups,
    check_probabilities,
    elementwise,
)
from fastgc.theory.common.order_statistics import (
    exponential_order_mean,
    exponential_order_variance,
    order_tail,
)


@elementwise
def frc_completion_tail(n: int, d: int, late: float, groups: int | None = None) -> float:
    """P(T > t), T when so many (all n/d) groups of d workers have answered; late = P(X > t).

    For all groups 1 − (1 − late^d)^(n/d). Derived.

    >>> frc_completion_tail(4, 2, 0.5)
    0.4375
    """
    check_probabilities(late=late)
    return float(order_tail(n // d, _groups(n, d, groups), late**d))


@elementwise
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


@elementwise
def frc_completion_variance(n: int, d: int, mean: float = 1.0, groups: int | None = None) -> float:
    """Variance of the time until m (all) of n/d groups of d exponential workers have answered.

    >>> frc_completion_variance(4, 2)
    0.3125
    """
    needed = _groups(n, d, groups)
    return float(exponential_order_variance(n // d, needed, mean / d))


@elementwise
def mds_best_share(mean: float, shift: float) -> float:
    """Share k/n of answers that is fastest for large n, 1 + 1/W₋₁(−e^{−shift/mean−1}).

    Lee, Lam, Pedarsani, Papailiopoulos, Ramchandran (arXiv:1512.02673), Section III: the time of
    an (n, k) MDS code is E X_(k)/k, of about (shift + mean log(n/(n−k)))/k.

    >>> round(mds_best_share(1.0, 1.0), 6)
    0.682156
    """
    for name, value in (("mean", mean), ("shift", shift)):
        if not 0.0 < value < math.inf:
            raise FastgcError(f"{name}: got {value}, but a finite number above 0 is needed")
    low, high = 0.0, 1.0
    while low < (middle := 0.5 * (low + high)) < high:
        if middle / (1.0 - middle) + math.log1p(-middle) < shift / mean:
            low = middle
        else:
            high = middle
    return low


@elementwise
def mds_best_mean(n: int, mean: float, shift: float) -> float:
    """Time −W₋₁(−e^{−shift/mean−1}) mean/n of the best MDS code for large n, per unit of work.

    Lee et al. (arXiv:1512.02673), Section III.

    >>> round(mds_best_mean(100, 1.0, 1.0), 6)
    0.031462
    """
    check_count("n", n, 1)
    return mean / (1.0 - float(mds_best_share(mean, shift))) / n


@elementwise
def mds_mean(n: int, k: int, mean: float = 1.0, shift: float = 0.0) -> float:
    """Mean time (shift + mean (H_n − H_{n−k}))/k of an (n, k) MDS code, per unit of work. Exact.

    >>> mds_mean(2, 1), mds_mean(2, 2)
    (0.5, 0.75)
    """
    return float(exponential_order_mean(n, k, mean, shift)) / k


def _groups(n: int, d: int, groups: int | None) -> int:
    check_groups(n, d)
    if groups is None:
        return int(n // d)
    check_count("groups", groups, 1, n // d)
    return int(groups)
