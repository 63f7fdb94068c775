"""When the master has its gradient, without a port and with one (codedreduce, Section III-C).

A worker's whole task takes shift + an exponential time of the given mean: shift = a r d and
mean = r d/μ in (6). ``receive`` is the time t_c that a port takes for a message, one at a time.
"""

import math
from collections.abc import Callable

import numpy as np

from fastgc.arrays import Values
from fastgc.errors import FastgcError
from fastgc.theory.cases.completion import completion, timed
from fastgc.theory.cases.tables import Table, exponential, star, tree, whole
from fastgc.theory.codedreduce import paper
from fastgc.theory.codedreduce.load import check_tree
from fastgc.theory.common import check
from fastgc.theory.common.numerics import exp, expm1, half_line, log, log1p
from fastgc.theory.common.order_statistics import exponential_order_mean, staircase_probability
from fastgc.theory.papers.claim import Case
from fastgc.theory.papers.paper import at

#: More sums at one moment take minutes, more numbers gigabytes.
_MOST_SUMS = 500_000_000
_MOST_NUMBERS = 10_000


def check_times(
    n: int, layers: int, s: int, mean: float, shift: float, receive: float, least: int = 0
) -> None:
    """Refuse what is no regular tree, no law of times or no port; ``least`` is the least s."""
    check_tree(n, layers, s)
    if s < least:
        raise FastgcError(f"s: got {s}, but the bound needs at least {least} straggler")
    check.positive(mean=mean)
    check.not_negative(shift=shift, receive=receive)


def allowed(n: int) -> float:
    """The deviation ε = n^(−1/4) that the proof of Theorem 2 allows."""
    return float(n**-0.25)


def mean_time(system: Table, theory: float, receive: float = 0.0) -> Case:
    """Compare the mean time, for times of unit mean and shift, with a theory."""
    return timed(completion(whole(system), exponential(1.0, 1.0), receive=receive), theory)


@paper.states("group.mean.printed", "Appendix D, inequality (a)")
@at(
    [(12, 5, 1.0, 1.0), (24, 3, 1.0, 1.0), (156, 65, 1.0, 1.0)],
    lambda theory, n, s: mean_time(star(n, s), theory),
)
def group_mean(n: int, s: int, mean: float = 1.0, shift: float = 0.0) -> float:
    """E T_(n-s) = a r d + (r d/mu) (H_n - H_s) for n siblings."""
    check_tree(n, 1, s)
    return float(exponential_order_mean(n, n - s, mean, shift))


@paper.states("tree.mean.derived", "Section III-C, t_c = 0")
@at(
    [(2, 2, 1), (3, 2, 1), (12, 2, 5), (4, 3, 1)],
    lambda theory, **shape: timed(completion(whole(tree(*shape.values()))), theory),
)
def tree_mean(n: int, layers: int, s: int, mean: float = 1.0, shift: float = 0.0) -> float:
    """Without a port E T_CR is rational for unit exponential times: 41/60 for (n,L,s) = (2,2,1),
    8357/6930 for (3,2,1), 1.11755114 for (12,2,5)."""
    check_times(n, layers, s, mean, shift, 0.0)
    return shift + mean * half_line(_unit_tail(n, layers, s), 0.0, 1.0)


@paper.elementwise
def tree_variance(n: int, layers: int, s: int, mean: float = 1.0) -> float:
    """Variance of the time of CR without a port. Derived."""
    check_times(n, layers, s, mean, 0.0, 0.0)
    tail = _unit_tail(n, layers, s)
    second = half_line(lambda t: 2.0 * t * tail(t), 0.0, 1.0)
    return mean * mean * (second - float(tree_mean(n, layers, s)) ** 2)


def more_late(n: int, s: int, late: Values) -> Values:
    """P(more than s of n are late)."""
    counts = np.arange(s + 1, n + 1)[:, None]
    logs = np.array([[math.lgamma(n + 1) - math.lgamma(i + 1) - math.lgamma(n - i + 1)]
                     for i in range(s + 1, n + 1)])  # fmt: skip
    with np.errstate(divide="ignore", invalid="ignore"):
        late_part = counts * log(late)
        rest = np.where(counts == n, 0.0, (n - counts) * log1p(-late))
    return np.asarray(np.minimum(np.sum(exp(logs + late_part + rest), axis=0), 1.0))


def _unit_tail(n: int, layers: int, s: int) -> Callable[[Values], Values]:
    def tail(t: Values) -> Values:
        """P(T > t) from P(X > t); sums of positive terms only."""
        node = late = exp(-t)
        for _ in range(int(layers) - 1):
            node = late + (1.0 - late) * more_late(int(n), int(s), node)
        return more_late(int(n), int(s), node)

    return tail


@paper.elementwise
def tree_mean_with_port(
    n: int,
    layers: int,
    s: int,
    receive: float,
    mean: float = 1.0,
    shift: float = 0.0,
    opens: str = "start",
) -> float:
    """Mean time of CR where every parent has a port, by quadrature. Derived.

    The i-th of n−s answers must arrive receive·(n−s−i+1) before the end, so that the distribution
    is a staircase probability. With ``opens`` "after-own" a node receives once its own work is
    done, otherwise from the start. A tree on which the quadrature would take minutes or gigabytes
    is refused by a FastgcError.
    """
    check_times(n, layers, s, mean, shift, receive)
    if opens not in ("start", "after-own"):
        raise FastgcError(f"opens: got {opens!r}, allowed are 'start', 'after-own'")
    sums, numbers = n * n * (n - s) ** layers, n * (n - s) ** (layers - 1)
    if sums > _MOST_SUMS or numbers > _MOST_NUMBERS:
        raise FastgcError(
            f"n, layers, s: got {n}, {layers} and {s}, but the quadrature takes n (n - s)^(layers "
            f"- 1) numbers and n^2 (n - s)^layers sums at a moment, at most {_MOST_NUMBERS} and "
            f"{_MOST_SUMS}; sample the time instead"
        )
    after_own = opens == "after-own"

    def tail(t: Values) -> Values:
        probability = _received(int(n), int(layers), int(s), receive / mean, after_own, t)
        return np.asarray(np.maximum(1.0 - probability, 0.0))

    first = layers * (n - s) * receive
    return shift + first + mean * half_line(tail, first / mean, 1.0, 1e-10)


def _received(n: int, layers: int, s: int, receive: float, after_own: bool, t: Values) -> Values:
    need = n - s
    before = t - receive * np.arange(need, 0, -1)[:, None]
    own = -expm1(-np.maximum(before, 0.0))
    if layers > 1:
        inner = _received(n, layers - 1, s, receive, after_own, before.ravel())
        if after_own:
            own = -expm1(-np.maximum(before - need * receive, 0.0))
        own = own * inner.reshape(before.shape)
    return staircase_probability(n, range(1, need + 1), own)
