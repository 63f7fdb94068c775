"""When the master has its gradient if messages take no time (paper codedreduce, Section III-C).

A worker's whole task takes shift + an exponential time of the given mean: shift = a r d and
mean = r d/μ in (6). ``receive`` is the time t_c that a port takes for a message, one at a time.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from fastgc.errors import FastgcError
from fastgc.theory.cases.completion import completion, exponential, late, star, timed, tree, whole
from fastgc.theory.cases.tables import Table
from fastgc.theory.codedreduce import paper
from fastgc.theory.codedreduce.load import check_tree, tree_size
from fastgc.theory.common.arguments import (
    check_not_negative,
    check_positive,
    check_probabilities,
)
from fastgc.theory.common.elementary import exp, log, log1p
from fastgc.theory.common.order_statistics import exponential_order_mean
from fastgc.theory.common.quadrature import half_line
from fastgc.theory.papers.claim import Case, Cases

Values = NDArray[np.float64]

#: Above it a polynomial with exact coefficients takes seconds.
LARGEST_DEGREE = 1000


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


def tree_mean_fraction(n: int, layers: int, s: int) -> Fraction:
    """Mean time of CR without a port for unit exponential times, as a fraction.

    P(T > t) is a polynomial in e^−t with whole coefficients c_i; the mean is Σ c_i/i.

    >>> tree_mean_fraction(2, 2, 1), tree_mean_fraction(3, 2, 1)
    (Fraction(41, 60), Fraction(8357, 6930))
    """
    check_tree(n, layers, s)
    if n**layers + n > LARGEST_DEGREE:
        raise FastgcError(
            f"n, layers: got {n} and {layers}, but fractions are given for n^layers up to "
            f"{LARGEST_DEGREE - n}; use tree_mean"
        )
    late = [0, 1]
    outer = _more_than(int(n), int(s))
    waited = _inserted(outer, late)
    for _ in range(int(layers) - 1):
        # late itself, or else too many late children
        node = _product([1, -1], waited)
        node[1] += 1
        waited = _inserted(outer, node)
    return sum((Fraction(c, i) for i, c in enumerate(waited) if i), Fraction(0))


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
    check_probabilities(late=late)
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
    check_positive(mean=mean)
    check_not_negative(shift=shift, receive=receive)


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


def _more_than(n: int, s: int) -> list[int]:
    """Σ_{i > s} C(n, i) x^i (1 − x)^{n−i} by powers of x."""
    return [
        math.comb(n, j) * sum(math.comb(j, i) * (-1) ** (j - i) for i in range(s + 1, j + 1))
        for j in range(n + 1)
    ]


def _inserted(outer: list[int], inner: list[int]) -> list[int]:
    """outer(inner(x)) by Horner's rule."""
    out = [outer[-1]]
    for coefficient in outer[-2::-1]:
        out = _product(out, inner)
        out[0] += coefficient
    return out


def _product(a: list[int], b: list[int]) -> list[int]:
    out = [0] * (len(a) + len(b) - 1)
    for i, x in enumerate(a):
        for j, y in enumerate(b):
            out[i + j] += x * y
    return out
