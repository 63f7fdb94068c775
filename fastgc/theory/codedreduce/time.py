"""When the master has its gradient (paper codedreduce, Theorem 2): stars, trees, rings.

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
from fastgc.theory.codedreduce.load import check_tree, tree_size
from fastgc.theory.common.arguments import check_count, check_probabilities, elementwise
from fastgc.theory.common.order_statistics import exponential_order_mean, harmonic
from fastgc.theory.common.quadrature import half_line
from fastgc.theory.common.staircase import staircase_probability

Values = NDArray[np.float64]

#: Above it a polynomial with exact coefficients takes seconds.
LARGEST_DEGREE = 1000


@elementwise
def group_mean(n: int, s: int, mean: float = 1.0, shift: float = 0.0) -> float:
    """Mean shift + mean (H_n − H_s) of T_(n−s), the n−s fastest of n siblings (Appendix D). Exact.

    Gradient coding without a port, too.

    >>> round(group_mean(12, 5, shift=1.0), 9)
    1.819877345
    """
    check_tree(n, 1, s)
    return float(exponential_order_mean(n, n - s, mean, shift))


@elementwise
def tree_tail(n: int, layers: int, s: int, late: float) -> float:
    """P(T > t) without a port, for late = P(X > t) of one worker, any law. Derived.

    A node is late if it is itself, or if more than s of its n children are.

    >>> round(tree_tail(2, 2, 1, 0.5), 6)
    0.390625
    """
    check_tree(n, layers, s)
    check_probabilities(late=late)
    return float(_tree_late(int(n), int(layers), int(s), np.array([float(late)]))[0])


@elementwise
def tree_mean(n: int, layers: int, s: int, mean: float = 1.0, shift: float = 0.0) -> float:
    """Mean time of CR without a port. By quadrature of the exact distribution; derived.

    >>> round(tree_mean(12, 2, 5), 8), round(tree_mean(2, 2, 1) - 41 / 60, 12)
    (1.11755114, 0.0)
    """
    _check_times(n, layers, s, mean, shift, 0.0)
    return shift + mean * half_line(_unit_tail(n, layers, s), 0.0, 1.0)


@elementwise
def tree_variance(n: int, layers: int, s: int, mean: float = 1.0) -> float:
    """Variance of the time of CR without a port. Derived.

    >>> round(tree_variance(3, 1, 1), 9)
    0.361111111
    """
    _check_times(n, layers, s, mean, 0.0, 0.0)
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


@elementwise
def star_mean_with_port(
    n: int, need: int, receive: float, mean: float = 1.0, shift: float = 0.0
) -> float:
    """Mean time until a port has received ``need`` of n answers. By quadrature; derived.

    The i-th answer must arrive receive·(need−i+1) before the end: a staircase probability.

    >>> round(star_mean_with_port(2, 1, 0.5), 12)
    1.0
    """
    _check_times(n, 1, n - need, mean, shift, receive)
    return float(tree_mean_with_port(n, 1, n - need, receive, mean, shift))


@elementwise
def tree_mean_with_port(
    n: int,
    layers: int,
    s: int,
    receive: float,
    mean: float = 1.0,
    shift: float = 0.0,
    opens: str = "start",
) -> float:
    """Mean time of CR where every parent has a port. By quadrature; derived.

    With ``opens`` "after-own" a node receives once its own work is done, otherwise from the start.

    >>> round(tree_mean_with_port(12, 2, 5, 0.05, 0.416, 0.416), 6)
    1.135047
    """
    _check_times(n, layers, s, mean, shift, receive)
    if opens not in ("start", "after-own"):
        raise FastgcError(f"opens: got {opens!r}, allowed are 'start', 'after-own'")
    after_own = opens == "after-own"

    def tail(t: Values) -> Values:
        chance = _received(int(n), int(layers), int(s), receive / mean, after_own, t)
        return np.asarray(np.maximum(1.0 - chance, 0.0))

    first = layers * (n - s) * receive
    return shift + first + mean * half_line(tail, first / mean, 1.0, 1e-10)


@elementwise
def ring_mean(n: int, receive: float = 0.0, mean: float = 1.0, shift: float = 0.0) -> float:
    """Mean shift + mean H_n + 2(n−1)/n·receive of ring all-reduce (Section II-B). Derived.

    >>> round(ring_mean(156, 0.05, 0.016, 0.016), 6)
    0.205443
    """
    _check_times(n, 1, 0, mean, shift, receive)
    return shift + mean * float(harmonic(n)) + 2.0 * (n - 1) / n * receive


@elementwise
def lower_bound_printed(
    n: int, layers: int, s: int, receive: float, mean: float = 1.0, shift: float = 0.0
) -> float:
    """Theorem 2 (7) of codedreduce without its o(·). Above the exact mean at finite n.

    shift + mean log(n/s) + (n − s + L − 1) receive.

    >>> round(lower_bound_printed(12, 2, 5, 0.05, 0.416, 0.416), 4)
    1.1802
    """
    _check_times(n, layers, s, mean, shift, receive, least=1)
    return shift + mean * math.log(n / s) + (n - s + layers - 1) * receive


@elementwise
def upper_bound_printed(
    n: int, layers: int, s: int, receive: float, mean: float = 1.0, shift: float = 0.0
) -> float:
    """Theorem 2 (8) of codedreduce without its o(·). Below the exact mean where receive = 0.

    shift + mean log(n/s) + n L receive, with n (1 − o(1)) read as n.

    >>> round(upper_bound_printed(12, 2, 5, 0.0, 1.0, 1.0), 5)
    1.87547
    """
    _check_times(n, layers, s, mean, shift, receive, least=1)
    return shift + mean * math.log(n / s) + n * layers * receive


@elementwise
def lower_bound(n: int, layers: int, s: int, receive: float, shift: float = 0.0) -> float:
    """Bound shift + L (n−s) receive ≤ T_CR on every path (Theorem 2, corrected).

    >>> round(lower_bound(12, 2, 5, 0.05, 0.416), 6)
    1.116
    """
    _check_times(n, layers, s, 1.0, shift, receive)
    return shift + layers * (n - s) * receive


@elementwise
def upper_bound(
    n: int, layers: int, s: int, receive: float, mean: float = 1.0, shift: float = 0.0
) -> float:
    """Bound of the mean of T_CR ≤ T_CR(receive = 0) + L (n−s) receive (Theorem 2, corrected).

    >>> round(upper_bound(12, 2, 5, 0.05, 0.416, 0.416), 6)
    1.580901
    """
    _check_times(n, layers, s, mean, shift, receive)
    return float(tree_mean(n, layers, s, mean, shift)) + layers * (n - s) * receive


@elementwise
def upper_bound_without_port(n: int, s: int, mean: float = 1.0, shift: float = 0.0) -> float:
    """(8) at receive = 0, o(1) read as the proof's n^−1/4: shift + mean (log(n/s) + n^−1/4).

    Not proved for all trees; it holds for two layers and s = 5n/12 up to n = 1536.

    >>> round(upper_bound_without_port(12, 5, shift=1.0), 6)
    2.412754
    """
    _check_times(n, 1, s, mean, shift, 0.0, least=1)
    return shift + mean * (math.log(n / s) + math.pow(n, -0.25))


@elementwise
def port_delay_bound(n: int, s: int, receive: float, mean: float = 1.0) -> float:
    """Bound (n−s) receive − mean (H_{n−1} − H_s) of E[T̂ − T_(n−s)] (Lemma 1, with its o(n)).

    T̂ is when a port has received n − s of n answers; it starts with the first, not with the last.

    >>> round(port_delay_bound(12, 5, 1.0), 6)
    6.263456
    """
    _check_times(n, 1, s, mean, 0.0, receive)
    return (n - s) * receive - mean * float(harmonic(max(n - 1, s), s))


@elementwise
def group_tail_bound(n: int, s: int, epsilon: float, mean: float = 1.0) -> float:
    """Bound of P(T_(n−s) − E T_(n−s) ≥ ε) by Bernstein's inequality (Lemmas 2 and 3).

    exp(−ε²/(2 (Σ E[E_i²] + ε B))), E[E_i²] = 2 mean²/(n−i+1)², B = mean/s. The λ of Lemma 2 is the
    mean, not the rate.

    >>> round(group_tail_bound(400, 167, 400**-0.25), 4)
    0.0489
    """
    _check_times(n, 1, s, mean, 0.0, 0.0, least=1)
    if not epsilon >= 0.0:
        raise FastgcError(f"epsilon: got {epsilon}, but a number of at least 0 is needed")
    squares = 2.0 * mean * mean * math.fsum(1.0 / (i * i) for i in range(int(n), int(s), -1))
    return math.exp(-(epsilon**2) / (2.0 * (squares + epsilon * mean / s)))


@elementwise
def slowest_group_mean(n: int, groups: int, s: int, mean: float = 1.0) -> float:
    """Mean of T̃, the largest T_(n−s) of so many groups of n siblings (Appendix D). Derived.

    >>> round(slowest_group_mean(12, 13, 5), 6)
    1.43272
    """
    _check_times(n, 1, s, mean, 0.0, 0.0)
    return mean * half_line(_slowest_tail(n, groups, s), 0.0, 1.0)


@elementwise
def late_groups_bound(n: int, groups: int, s: int, epsilon: float, mean: float = 1.0) -> float:
    """Bound (E[T̃²] P(T̃ > c))^½ of E[T̃; T̃ > c], c = E T_(n−s) + ε, by Cauchy–Schwarz.

    What can replace the false step (20)–(21) of codedreduce: E[T̃ | T̃ > c] ≤ E[T̃].

    >>> round(late_groups_bound(12, 13, 5, 12**-0.25), 3)
    1.095
    """
    _check_times(n, 1, s, mean, 0.0, 0.0)
    tail = _slowest_tail(n, groups, s)
    second = half_line(lambda t: 2.0 * t * tail(t), 0.0, 1.0)
    late = tail(np.array([float(harmonic(n, s)) + epsilon / mean]))
    return mean * math.sqrt(second * float(late[0]))


@elementwise
def logarithm_bound_printed(i: int, side: str) -> float:
    """log i ("lower") or log(i+1) ("upper") of "log i < H_i < log(i+1)" (Appendix D). Wrong above.

    >>> logarithm_bound_printed(1, "lower")
    0.0
    """
    return math.log(i if _side(side) else i + 1)


@elementwise
def logarithm_bound(i: int, side: str) -> float:
    """log(i+1) < H_i ("lower") or H_i ≤ 1 + log i ("upper") (Appendix D, corrected).

    >>> round(logarithm_bound(1, "lower"), 6), logarithm_bound(1, "upper")
    (0.693147, 1.0)
    """
    return math.log(i + 1) if _side(side) else 1.0 + math.log(i)


@elementwise
def group_logarithm_bound(n: int, s: int, side: str) -> float:
    """log((n+1)/(s+1)) < H_n − H_s ("lower") or H_n − H_s < log(n/s) ("upper"). Derived.

    >>> round(group_logarithm_bound(12, 5, "upper"), 6)
    0.875469
    """
    check_tree(n, 1, s)
    if _side(side):
        return math.log((n + 1) / (s + 1))
    return math.log(n / s) if s else math.inf


def _side(side: str) -> bool:
    if side not in ("lower", "upper"):
        raise FastgcError(f"side: got {side!r}, allowed are 'lower', 'upper'")
    return side == "lower"


def _unit_tail(n: int, layers: int, s: int) -> Callable[[Values], Values]:
    return lambda t: _tree_late(int(n), int(layers), int(s), np.exp(-t))


def _slowest_tail(n: int, groups: int, s: int) -> Callable[[Values], Values]:
    check_count("groups", groups, 1)

    def tail(t: Values) -> Values:
        with np.errstate(divide="ignore"):
            return np.asarray(-np.expm1(groups * np.log1p(-_more_late(n, s, np.exp(-t)))))

    return tail


def _tree_late(n: int, layers: int, s: int, late: Values) -> Values:
    """P(T > t) from P(X > t); sums of positive terms only."""
    node = late
    for _ in range(layers - 1):
        node = late + (1.0 - late) * _more_late(n, s, node)
    return _more_late(n, s, node)


def _more_late(n: int, s: int, late: Values) -> Values:
    """P(more than s of n are late)."""
    counts = np.arange(s + 1, n + 1)[:, None]
    logs = np.array([math.lgamma(n + 1) - math.lgamma(i + 1) - math.lgamma(n - i + 1) for i in
                     range(s + 1, n + 1)])[:, None]  # fmt: skip
    with np.errstate(divide="ignore", invalid="ignore"):
        late_part = counts * np.log(late)
        rest = np.where(counts == n, 0.0, (n - counts) * np.log1p(-late))
    return np.asarray(np.minimum(np.sum(np.exp(logs + late_part + rest), axis=0), 1.0))


def _received(n: int, layers: int, s: int, receive: float, after_own: bool, t: Values) -> Values:
    """P(n − s of n children's answers are received by t), for unit exponential times."""
    need = n - s
    before = t - receive * np.arange(need, 0, -1)[:, None]
    own = -np.expm1(-np.maximum(before, 0.0))
    if layers > 1:
        inner = _received(n, layers - 1, s, receive, after_own, before.ravel())
        if after_own:
            own = -np.expm1(-np.maximum(before - need * receive, 0.0))
        own = own * inner.reshape(before.shape)
    return staircase_probability(n, range(1, need + 1), own)


def _more_than(n: int, s: int) -> list[int]:
    """Σ_{i > s} C(n, i) x^i (1 − x)^{n−i} by powers of x."""
    return [
        sum(
            math.comb(n, i) * math.comb(n - i, j - i) * (-1) ** (j - i) for i in range(s + 1, j + 1)
        )
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


def _check_times(
    n: int, layers: int, s: int, mean: float, shift: float, receive: float, least: int = 0
) -> None:
    check_tree(n, layers, s)
    tree_size(n, layers)
    if s < least:
        raise FastgcError(f"s: got {s}, but the bound needs at least {least} straggler")
    if not 0.0 < mean < math.inf:
        raise FastgcError(f"mean: got {mean}, but a finite number above 0 is needed")
    for name, value in (("shift", shift), ("receive", receive)):
        if not 0.0 <= value < math.inf:
            raise FastgcError(f"{name}: got {value}, but a finite number of at least 0 is needed")
