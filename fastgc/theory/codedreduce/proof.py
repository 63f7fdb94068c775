"""Steps of Theorem 2's proof: the fastest n − s of n siblings (paper codedreduce, Appendix D).

A worker's whole task takes an exponential time of the given mean, r d/μ; T_(n−s) is the time of
the (n−s)-th fastest sibling, ``receive`` the time t_c that the parent's port takes for a message.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from fastgc.errors import FastgcError
from fastgc.theory.cases.completion import completion, exponential, late, star, timed, whole
from fastgc.theory.cases.finite import finite
from fastgc.theory.codedreduce.load import check_tree
from fastgc.theory.codedreduce.paper import paper
from fastgc.theory.codedreduce.time import Values, check_times, group_mean, more_late
from fastgc.theory.common.arguments import check_count, check_not_negative, elementwise
from fastgc.theory.common.order_statistics import harmonic
from fastgc.theory.common.quadrature import half_line
from fastgc.theory.papers.claim import LOOSE, REFUTED, Case
from fastgc.theory.papers.paper import Cases

#: n, s, receive.
_QUEUES = ((12, 5, 0.5), (24, 10, 0.2), (60, 25, 0.1))
_SIBLINGS = whole(star(12, 5))
_RATES = (2.0, 4.0, 0.5)
#: n, groups, s.
_GROUPS = ((12, 13, 5), (12, 13, 3), (6, 7, 2))


@paper.claim("lemma1.printed", "Lemma 1 (16), without its o(n)", REFUTED, relation=">=")
def _() -> Cases:
    """E[T^ - T_(n-s)] >= n(1-alpha) t_c for n siblings and their parent's port."""
    for n, s, t in _QUEUES:
        yield _delay((n - s) * t, n, s, t)


@paper.formula
@elementwise
def port_delay_bound(n: int, s: int, receive: float, mean: float = 1.0) -> float:
    """Lower bound (n−s) receive − mean (H_{n−1} − H_s) of E[T̂ − T_(n−s)] (Lemma 1, with its o(n)).

    T̂ is when a port has received n − s of n answers. The port starts with the first answer, not
    with the last.

    >>> round(port_delay_bound(12, 5, 1.0), 6)
    6.263456
    """
    check_times(n, 1, s, mean, 0.0, receive)
    return (n - s) * receive - mean * float(harmonic(max(n - 1, s), s))


@paper.claim("lemma1.corrected", "Lemma 1 (16), with an o(n)", relation=">=")
def _() -> Cases:
    """E[T^ - T_(n-s)] >= n(1-alpha) t_c - (r d/mu) (H_(n-1) - H_s): the port starts with the first
    message."""
    for n, s, t in _QUEUES:
        yield _delay(port_delay_bound(n, s, t), n, s, t)


@paper.formula
@elementwise
def group_tail_bound(n: int, s: int, epsilon: float, mean: float = 1.0) -> float:
    """Upper bound of P(T_(n−s) − E T_(n−s) ≥ ε) by Bernstein's inequality (Lemmas 2 and 3).

    It is exp(−ε²/(2 (Σ E[E_i²] + ε B))), where E[E_i²] = 2 mean²/(n−i+1)² and B = mean/s. The λ of
    Lemma 2 is the mean, not the rate.

    >>> round(group_tail_bound(400, 167, 400**-0.25), 4)
    0.0489
    """
    check_times(n, 1, s, mean, 0.0, 0.0, least=1)
    check_not_negative(epsilon=epsilon)
    squares = 2.0 * mean * mean * math.fsum(1.0 / (i * i) for i in range(int(n), int(s), -1))
    return math.exp(-(epsilon**2) / (2.0 * (squares + epsilon * mean / s)))


@paper.claim("lemma2.printed", "Lemma 2 (17) and its proof", LOOSE, relation="<=")
def _() -> Cases:
    """P(T_(n-s) - E T_(n-s) >= epsilon) <= exp(-epsilon^2/(2 (sum E[E_i^2] + epsilon B))) for
    epsilon = n^(-1/4), B = 1/s."""
    for n, s in ((100, 41), (200, 83), (400, 167)):
        yield _exceeds(n, s, n**-0.25)


@paper.claim(
    "lemma2.rate.printed", "Lemma 2, E_i of rate lambda and E[E_i^k] = (...)^k k!", REFUTED
)
def _() -> Cases:
    """With rate lambda, T_(n-s) has mean lambda (H_n - H_s)."""
    for rate in _RATES:
        yield timed(completion(_SIBLINGS, exponential(1 / rate)), group_mean(12, 5, rate))


@paper.claim("lemma2.rate.corrected", "Lemma 2, corrected")
def _() -> Cases:
    """With rate lambda it is (H_n - H_s)/lambda: the proof's lambda is the mean."""
    for rate in _RATES:
        yield timed(completion(_SIBLINGS, exponential(1 / rate)), group_mean(12, 5, 1 / rate))


@paper.claim("lemma3.printed", "Lemma 3", LOOSE, relation="<=")
def _() -> Cases:
    """Bernstein's inequality holds for the sum of gaps that T_(n-s) is."""
    for n, s, epsilon in ((12, 5, 0.5), (12, 5, 1.0), (24, 10, 0.5)):
        yield _exceeds(n, s, epsilon)


@paper.formula
@elementwise
def logarithm_bound_printed(i: int, side: str) -> float:
    """Bound log i ("lower") or log(i+1) ("upper") of H_i (Appendix D). The upper one is wrong.

    >>> logarithm_bound_printed(1, "lower")
    0.0
    """
    return math.log(i if _side(side) else i + 1)


@paper.claim("logarithm.lower.printed", "Appendix D, inequality (a)", relation=">")
def _() -> Cases:
    """log i < H_i."""
    return _harmonic(logarithm_bound_printed, "lower")


@paper.claim("logarithm.upper.printed", "Appendix D, inequality (a)", REFUTED, relation="<")
def _() -> Cases:
    """H_i < log(i+1)."""
    return _harmonic(logarithm_bound_printed, "upper")


@paper.formula
@elementwise
def logarithm_bound(i: int, side: str) -> float:
    """Bound log(i+1) ("lower") or 1 + log i ("upper") of H_i (Appendix D, corrected).

    >>> round(logarithm_bound(1, "lower"), 6), logarithm_bound(1, "upper")
    (0.693147, 1.0)
    """
    return math.log(i + 1) if _side(side) else 1.0 + math.log(i)


@paper.claim("logarithm.lower.corrected", "Appendix D, inequality (a)", relation=">")
def _() -> Cases:
    """log(i+1) < H_i."""
    return _harmonic(logarithm_bound, "lower")


@paper.claim("logarithm.upper.corrected", "Appendix D, inequality (a)", relation="<=")
def _() -> Cases:
    """H_i <= 1 + log i."""
    return _harmonic(logarithm_bound, "upper")


@paper.formula
@elementwise
def group_logarithm_bound(n: int, s: int, side: str) -> float:
    """Bound log((n+1)/(s+1)) ("lower") or log(n/s) ("upper") of H_n − H_s. Derived.

    >>> round(group_logarithm_bound(12, 5, "upper"), 6)
    0.875469
    """
    check_tree(n, 1, s)
    if _side(side):
        return math.log((n + 1) / (s + 1))
    return math.log(n / s) if s else math.inf


@paper.claim("group.logarithm.printed", "Appendix D, inequality (a)", REFUTED, relation=">=")
def _() -> Cases:
    """H_n - H_s >= log(1/alpha)."""
    return _harmonic_difference("upper")


@paper.claim("group.logarithm-upper.corrected", "Appendix D, corrected", relation="<")
def _() -> Cases:
    """H_n - H_s < log(n/s)."""
    return _harmonic_difference("upper")


@paper.claim("group.logarithm-lower.corrected", "Appendix D, corrected", relation=">")
def _() -> Cases:
    """log((n+1)/(s+1)) < H_n - H_s."""
    return _harmonic_difference("lower")


@paper.formula
@elementwise
def slowest_group_mean(n: int, groups: int, s: int, mean: float = 1.0) -> float:
    """Mean time T̃ of the slowest of so many groups of n siblings (Appendix D). Derived.

    A group's time is T_(n−s), when n−s of its siblings are done.

    >>> round(slowest_group_mean(12, 13, 5), 6)
    1.43272
    """
    check_times(n, 1, s, mean, 0.0, 0.0)
    return mean * half_line(_slowest_tail(n, groups, s), 0.0, 1.0)


@paper.claim("conditional-mean.printed", "Appendix D, (20) and (21)", REFUTED, relation="<=")
def _() -> Cases:
    """E[T~ | T~ > E T_(n-s) + epsilon] <= E[T~] for the slowest group's time T~."""
    for n, groups, s in _GROUPS:
        most = slowest_group_mean(n, groups, s)
        yield finite("late_group_mean", most, n=n, groups=groups, s=s, epsilon=n**-0.25)


@paper.formula
@elementwise
def late_groups_bound(n: int, groups: int, s: int, epsilon: float, mean: float = 1.0) -> float:
    """Upper bound (E[T̃²] P(T̃ > c))^½ of E[T̃; T̃ > c], c = E T_(n−s) + ε, by Cauchy–Schwarz.

    T̃ is the time of the slowest group. The bound can replace the false step (20)–(21) of
    codedreduce, E[T̃ | T̃ > c] ≤ E[T̃].

    >>> round(late_groups_bound(12, 13, 5, 12**-0.25), 3)
    1.095
    """
    check_times(n, 1, s, mean, 0.0, 0.0)
    check_not_negative(epsilon=epsilon)
    tail = _slowest_tail(n, groups, s)
    second = half_line(lambda t: 2.0 * t * tail(t), 0.0, 1.0)
    late = tail(np.array([float(harmonic(n, s)) + epsilon / mean]))
    return mean * math.sqrt(second * float(late[0]))


@paper.claim(
    "conditional-mean.corrected",
    "Appendix D, (20) and (21), corrected by the Cauchy-Schwarz inequality",
    relation="<=",
)
def _() -> Cases:
    """E[T~; T~ > c] <= (E[T~^2] P(T~ > c))^(1/2), c = E T_(n-s) + epsilon."""
    for n, groups, s in _GROUPS:
        most = late_groups_bound(n, groups, s, n**-0.25)
        yield finite("late_group_share", most, n=n, groups=groups, s=s, epsilon=n**-0.25)


def _delay(theory: float, n: int, s: int, receive: float) -> Case:
    system = whole(star(n, s))
    return timed(completion(system, receive=receive), theory, against=completion(system))


def _exceeds(n: int, s: int, epsilon: float) -> Case:
    threshold = float(group_mean(n, s)) + epsilon
    return late(whole(star(n, s)), threshold, group_tail_bound(n, s, epsilon))


def _harmonic(bound: Callable[[int, str], float], side: str) -> Cases:
    for i in (1, 10, 100):
        yield finite("harmonic_sum", bound(i, side), i=i)


def _harmonic_difference(side: str) -> Cases:
    for n, s in ((12, 5), (24, 10), (156, 65)):
        yield finite("harmonic_difference", group_logarithm_bound(n, s, side), n=n, s=s)


def _side(side: str) -> bool:
    if side not in ("lower", "upper"):
        raise FastgcError(f"side: got {side!r}, allowed are 'lower', 'upper'")
    return side == "lower"


def _slowest_tail(n: int, groups: int, s: int) -> Callable[[Values], Values]:
    check_count("groups", groups, 1)

    def tail(t: Values) -> Values:
        with np.errstate(divide="ignore"):
            return np.asarray(-np.expm1(groups * np.log1p(-more_late(n, s, np.exp(-t)))))

    return tail
