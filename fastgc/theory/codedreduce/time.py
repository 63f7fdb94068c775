"""When the master has its gradient, without a port and with one (codedreduce, Section III-C).

A worker's whole task takes shift + an exponential time of the given mean: shift = a r d and
mean = r d/μ in (6). ``receive`` is the time t_c that a port takes for a message, one at a time.
"""

import itertools
import math
from collections.abc import Callable

import numpy as np

from fastgc.arrays import Values
from fastgc.errors import FastgcError
from fastgc.theory.cases.completion import completion, late, timed
from fastgc.theory.cases.tables import Table, exponential, replication, star, tree, uncoded, whole
from fastgc.theory.codedreduce import paper
from fastgc.theory.codedreduce.load import check_tree, tree_size
from fastgc.theory.common import check
from fastgc.theory.common.numerics import exp, expm1, half_line, log, log1p
from fastgc.theory.common.order_statistics import exponential_order_mean, harmonic
from fastgc.theory.common.staircase import staircase_probability
from fastgc.theory.papers.claim import Case, Cases

#: More sums at one moment take minutes, more numbers gigabytes.
_MOST_SUMS = 500_000_000
_MOST_NUMBERS = 10_000
#: Laws that are not exponential, P(X <= x), and what no time exceeds.
_LAWS: tuple[tuple[Table, Callable[[Values], Values], float], ...] = (
    ({"distribution": "uniform", "low": 0.0, "high": 1.0}, lambda x: np.clip(x, 0.0, 1.0), 1.0),
    (
        {"distribution": "weibull", "shape": 2.0, "scale": 1.0},
        lambda x: -expm1(-(np.maximum(x, 0.0) ** 2)),
        7.0,
    ),
)


@paper.elementwise
def group_mean(n: int, s: int, mean: float = 1.0, shift: float = 0.0) -> float:
    """Mean shift + mean (H_n − H_s) of the time T_(n−s) until n−s of n siblings are done. Exact.

    codedreduce, Appendix D. It is also the mean time of gradient coding without a port.

    >>> round(group_mean(12, 5, shift=1.0), 9)
    1.819877345
    """
    check_tree(n, 1, s)
    return float(exponential_order_mean(n, n - s, mean, shift))


@paper.claim("group.mean.printed", "Appendix D, inequality (a)")
def _() -> Cases:
    """E T_(n-s) = a r d + (r d/mu) (H_n - H_s) for n siblings."""
    for n, s in ((12, 5), (24, 3), (156, 65)):
        yield mean_time(star(n, s), group_mean(n, s, 1.0, 1.0))


@paper.elementwise
def tree_mean(n: int, layers: int, s: int, mean: float = 1.0, shift: float = 0.0) -> float:
    """Mean time of CR without a port, by quadrature of its exact distribution. Derived.

    >>> round(tree_mean(12, 2, 5), 8), round(tree_mean(2, 2, 1) - 41 / 60, 12)
    (1.11755114, 0.0)
    """
    check_times(n, layers, s, mean, shift, 0.0)
    return shift + mean * half_line(_unit_tail(n, layers, s), 0.0, 1.0)


@paper.elementwise
def tree_variance(n: int, layers: int, s: int, mean: float = 1.0) -> float:
    """Variance of the time of CR without a port. Derived.

    >>> round(tree_variance(3, 1, 1), 9)
    0.361111111
    """
    check_times(n, layers, s, mean, 0.0, 0.0)
    tail = _unit_tail(n, layers, s)
    second = half_line(lambda t: 2.0 * t * tail(t), 0.0, 1.0)
    return mean * mean * (second - float(tree_mean(n, layers, s)) ** 2)


@paper.claim("tree.mean.derived", "Section III-C, t_c = 0")
def _() -> Cases:
    """Without a port E T_CR is rational for unit exponential times: 41/60 for (n,L,s) = (2,2,1),
    8357/6930 for (3,2,1), 1.11755114 for (12,2,5)."""
    for shape in ((2, 2, 1), (3, 2, 1), (12, 2, 5), (4, 3, 1)):
        yield timed(completion(whole(tree(*shape))), tree_mean(*shape))


@paper.elementwise
def tree_tail(n: int, layers: int, s: int, late: float) -> float:
    """P(T > t) of CR without a port, where ``late`` is P(X > t) of a worker, for any law. Derived.

    A node is late if it is itself, or if more than s of its n children are.

    >>> round(tree_tail(2, 2, 1, 0.5), 6)
    0.390625
    """
    check_tree(n, layers, s)
    check.probabilities(late=late)
    return float(_tree_late(int(n), int(layers), int(s), np.array([float(late)]))[0])


@paper.claim("tree.distribution.derived", "Section III-C, t_c = 0")
def _() -> Cases:
    """Without a port a node is late if it is itself, or if more than s of its children are:
    P(T > t) by L nested binomial tails."""
    for *shape, t in ((2, 2, 1, 0.5), (3, 2, 1, 1.5), (12, 2, 5, 1.1)):
        yield late(whole(tree(*shape)), t, tree_tail(*shape, math.exp(-t)))


def mean_time(system: Table, theory: float, receive: float = 0.0) -> Case:
    """Compare the mean time, for times of unit mean and shift, with a theory."""
    return timed(completion(whole(system), exponential(1.0, 1.0), receive=receive), theory)


def check_times(
    n: int, layers: int, s: int, mean: float, shift: float, receive: float, least: int = 0
) -> None:
    """Refuse what is no regular tree, no law of times or no port; ``least`` is the least s."""
    check_tree(n, layers, s)
    tree_size(n, layers)
    if s < least:
        raise FastgcError(f"s: got {s}, but the bound needs at least {least} straggler")
    check.positive(mean=mean)
    check.not_negative(shift=shift, receive=receive)


def more_late(n: int, s: int, late: Values) -> Values:
    """P(more than s of n are late)."""
    counts = np.arange(s + 1, n + 1)[:, None]
    logs = np.array([math.lgamma(n + 1) - math.lgamma(i + 1) - math.lgamma(n - i + 1) for i in
                     range(s + 1, n + 1)])[:, None]  # fmt: skip
    with np.errstate(divide="ignore", invalid="ignore"):
        late_part = counts * log(late)
        rest = np.where(counts == n, 0.0, (n - counts) * log1p(-late))
    return np.asarray(np.minimum(np.sum(exp(logs + late_part + rest), axis=0), 1.0))


def _tree_late(n: int, layers: int, s: int, late: Values) -> Values:
    """P(T > t) from P(X > t); sums of positive terms only."""
    node = late
    for _ in range(layers - 1):
        node = late + (1.0 - late) * more_late(n, s, node)
    return more_late(n, s, node)


def _unit_tail(n: int, layers: int, s: int) -> Callable[[Values], Values]:
    return lambda t: _tree_late(int(n), int(layers), int(s), exp(-t))


# ---- with a port that takes time for a message


@paper.elementwise
def star_mean_with_port(
    n: int, need: int, receive: float, mean: float = 1.0, shift: float = 0.0
) -> float:
    """Mean time until a port has received ``need`` of n answers, by quadrature. Derived.

    The i-th answer must arrive receive·(need−i+1) before the end, so that the distribution is a
    staircase probability.

    >>> round(star_mean_with_port(2, 1, 0.5), 12)
    1.0
    """
    check_times(n, 1, n - need, mean, shift, receive)
    return float(tree_mean_with_port(n, 1, n - need, receive, mean, shift))


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

    With ``opens`` "after-own" a node receives once its own work is done, otherwise from the start.
    A tree on which the quadrature would take minutes or gigabytes is refused by a FastgcError.

    >>> round(tree_mean_with_port(12, 2, 5, 0.05, 0.416, 0.416), 6)
    1.135047
    """
    check_times(n, layers, s, mean, shift, receive)
    if opens not in ("start", "after-own"):
        raise FastgcError(f"opens: got {opens!r}, allowed are 'start', 'after-own'")
    _check_cost(int(n), int(layers), int(s))
    after_own = opens == "after-own"

    def tail(t: Values) -> Values:
        probability = _received(int(n), int(layers), int(s), receive / mean, after_own, t)
        return np.asarray(np.maximum(1.0 - probability, 0.0))

    first = layers * (n - s) * receive
    return shift + first + mean * half_line(tail, first / mean, 1.0, 1e-10)


@paper.claim("port.mean.derived", "Section III-C, communication time model")
def _() -> Cases:
    """With a port the i-th of k answers must arrive (k-i+1) t_c before the end, so that
    P(C_k <= t) is a staircase probability."""
    for n, need, t in ((12, 7, 0.1), (12, 12, 0.05), (5, 3, 0.5)):
        yield mean_time(star(n, n - need), star_mean_with_port(n, need, t, 1.0, 1.0), t)
    for *shape, t in ((12, 2, 5, 0.1), (6, 2, 2, 0.25)):
        yield mean_time(tree(*shape), tree_mean_with_port(*shape, t, 1.0, 1.0), t)


@paper.claim("port.waiting.derived", "Section III-C, communication time model")
def _() -> Cases:
    """The master's port is idle for E T - (n-s) t_c of the time."""
    systems = ((star(12, 5), (12, 1, 5)), (uncoded(8), (8, 1, 0)), (tree(6, 2, 2), (6, 2, 2)))
    for system, (n, layers, s) in systems:
        idle = float(tree_mean_with_port(n, layers, s, 0.2, 1.0, 1.0)) - (n - s) * 0.2
        law = exponential(1.0, 1.0)
        yield timed(completion(whole(system), law, measure="waiting", receive=0.2), idle)


@paper.claim("port.any-law.derived", "Section III-C, communication time model, extended")
def _() -> Cases:
    """That P(C_k <= t) is a staircase probability holds for any law of independent, equal times."""
    for n, need, t in ((20, 15, 0.05), (12, 7, 0.1), (5, 3, 0.5)):
        for law, cdf, longest in _LAWS:
            theory = _mean_of_law(n, need, t, cdf, longest)
            yield timed(completion(whole(star(n, n - need)), law, receive=t), theory)


@paper.elementwise
def groups_mean_with_port(
    n: int, d: int, receive: float, mean: float = 1.0, shift: float = 0.0
) -> float:
    """Mean time until a port has an answer of each of n/d groups of d workers. Derived.

    All answers are received in order of arrival, also further ones of a group, and any order is as
    likely as another whatever the times: it is Σ_m P(the m-th is the last that is needed) times
    `star_mean_with_port` of m answers.

    >>> round(groups_mean_with_port(2, 2, 0.5), 12)
    1.0
    """
    check.groups(n, d)
    return math.fsum(
        probability * float(star_mean_with_port(n, m, receive, mean, shift))
        for m, probability in enumerate(_last_needed(int(n), int(d)), 1)
        if probability
    )


@paper.elementwise
def groups_messages(n: int, d: int) -> float:
    """Mean number of answers, in random order, until there is one of each of n/d groups. Textbook.

    >>> round(groups_messages(4, 2), 9)
    2.333333333
    """
    check.groups(n, d)
    probabilities = _last_needed(int(n), int(d))
    return math.fsum(m * probability for m, probability in enumerate(probabilities, 1))


@paper.claim("port.groups.derived", "Section III-C, communication time model, extended")
def _() -> Cases:
    """Behind a port, groups of d workers of which each has one answer take sum_m P(M = m) E C_m, M
    being how many answers come in random order until there is one of every group."""
    for n, d, t in ((6, 2, 0.3), (12, 3, 0.1), (8, 4, 0.5)):
        system = replication(n, d)
        law = exponential(1.0, 1.0)
        theory = groups_mean_with_port(n, d, t, 1.0, 1.0)
        yield timed(completion(whole(system), law, receive=t), theory)
        counted = completion(whole(system), law, measure="messages", receive=t)
        yield timed(counted, groups_messages(n, d), scale=float(n))


@paper.elementwise
def ring_mean(n: int, receive: float = 0.0, mean: float = 1.0, shift: float = 0.0) -> float:
    """Mean shift + mean H_n + 2(n−1)/n·receive of ring all-reduce (Section II-B). Derived.

    >>> round(ring_mean(156, 0.05, 0.016, 0.016), 6)
    0.205443
    """
    check_times(n, 1, 0, mean, shift, receive)
    return shift + mean * float(harmonic(n)) + 2.0 * (n - 1) / n * receive


def _check_cost(n: int, layers: int, s: int) -> None:
    need = n - s
    if n * n * need**layers > _MOST_SUMS or n * need ** (layers - 1) > _MOST_NUMBERS:
        raise FastgcError(
            f"n, layers, s: got {n}, {layers} and {s}, but the quadrature takes n (n - s)^(layers "
            f"- 1) numbers and n^2 (n - s)^layers sums at a moment, at most {_MOST_NUMBERS} and "
            f"{_MOST_SUMS}; sample the time instead"
        )


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


def _mean_of_law(
    n: int, need: int, receive: float, cdf: Callable[[Values], Values], longest: float
) -> float:
    """Mean time until a port has received ``need`` of n answers, whose times have any law.

    Integrated between the kinks, which are where a moment that counts is 0 or the longest time.
    """
    lags = receive * np.arange(need, 0, -1)
    kinks = sorted({0.0, *lags.tolist(), *(longest + lags).tolist()})
    nodes, weights = np.polynomial.legendre.leggauss(64)
    total = 0.0
    for low, high in itertools.pairwise(kinks):
        t = low + (high - low) * (nodes + 1.0) / 2.0
        late = 1.0 - staircase_probability(n, range(1, need + 1), cdf(t - lags[:, None]))
        total += (high - low) / 2.0 * float(weights @ late)
    return total


def _last_needed(n: int, d: int) -> list[float]:
    groups = n // d
    by_then = [
        sum((-1) ** j * math.comb(groups, j) * math.comb(n - j * d, m) for j in range(groups + 1))
        / math.comb(n, m)
        for m in range(n + 1)
    ]
    return [after - before for before, after in itertools.pairwise(by_then)]
