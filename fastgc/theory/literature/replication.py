"""Completion times of replicated work: the fastest of each group of d workers counts."""

from __future__ import annotations

import math

from fastgc.theory.cases.completion import completion, exponential, late, timed, whole
from fastgc.theory.cases.tables import Table
from fastgc.theory.common.arguments import (
    check_count,
    check_groups,
    check_probabilities,
)
from fastgc.theory.common.order_statistics import (
    exponential_order_mean,
    exponential_order_variance,
    order_tail,
)
from fastgc.theory.literature import paper
from fastgc.theory.papers.claim import Cases


@paper.elementwise
def frc_completion_tail(n: int, d: int, late: float, groups: int | None = None) -> float:
    """Probability P(T > t) that fewer than ``groups`` (all) groups have answered by t.

    A group of d of the n workers has answered with its fastest worker; late = P(X > t) is the
    probability that one worker has not. For all groups 1 − (1 − late^d)^(n/d). Derived.

    >>> frc_completion_tail(4, 2, 0.5)
    0.4375
    """
    check_probabilities(late=late)
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
    check_groups(n, d)
    if groups is None:
        return int(n // d)
    check_count("groups", groups, 1, n // d)
    return int(groups)


@paper.claim("frc.completion.derived", "Derived from the fastest of each group")
def _() -> Cases:
    """Groups of d that share out the work are done by t with probability (1-(1-F)^d)^(n/d); for
    exponential times the mean is mean/d (H_g - H_(g-m)) until m of g have answered."""
    for n, d, groups in ((4, 2, None), (12, 3, None), (30, 5, None), (12, 2, 4)):
        table = _table(n, d) | ({} if groups is None else {"groups": groups})
        theory = frc_completion_mean(n, d, 1.0, 0.5, groups)
        yield timed(completion(table, exponential(1.0, 0.5)), theory)
    for n, d, t in ((4, 2, 1.0), (12, 3, 0.8), (30, 5, 0.5)):
        yield late(_table(n, d), t, frc_completion_tail(n, d, math.exp(-t)))


def _table(n: int, d: int) -> Table:
    return whole({"family": "replication", "n": n, "d": d})
