"""Steps of Theorem 2's proof: a group of siblings and its port (paper codedreduce, Appendix D).

A worker's whole task takes an exponential time of the given mean, r d/μ; T_(n−s) is the time of
the (n−s)-th fastest sibling, ``receive`` the time t_c that the parent's port takes for a message.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from fastgc.errors import FastgcError
from fastgc.theory.cases.completion import star
from fastgc.theory.cases.finite import built, finite
from fastgc.theory.cases.growth import at_size
from fastgc.theory.codedreduce import paper
from fastgc.theory.codedreduce.load import check_tree
from fastgc.theory.codedreduce.time import check_times
from fastgc.theory.common.order_statistics import harmonic
from fastgc.theory.papers.claim import AS_N_GROWS, FALSE, REFUTED, Case, Cases

#: n, s, receive.
_QUEUES = ((12, 5, 0.5), (24, 10, 0.2), (60, 25, 0.1))


@paper.claim("lemma1.printed", "Lemma 1 (16)", relation=">=", holds=AS_N_GROWS, limit="ratio")
def _() -> Cases:
    """With probability 1 - o(1), T^ >= T_(n-s) + (n(1-alpha) - o(n)) t_c for n siblings and their
    parent's port. As T^ - T_(n-s) is never more than n(1-alpha) t_c, this says that its mean over
    that goes to 1."""
    for n in (6, 12, 60, 156, 600):
        s = 5 * n // 12
        yield at_size(n, _delay((n - s) * 0.5, n, s, 0.5))


@paper.elementwise
def port_delay_bound(n: int, s: int, receive: float, mean: float = 1.0) -> float:
    """Lower bound (n−s) receive − mean (H_{n−1} − H_s) of E[T̂ − T_(n−s)] (Lemma 1). Derived.

    T̂ is when a port has received n − s of n answers. The port starts with the first answer, not
    with the last.

    >>> round(port_delay_bound(12, 5, 1.0), 6)
    6.263456
    """
    check_times(n, 1, s, mean, 0.0, receive)
    return (n - s) * receive - mean * float(harmonic(max(n - 1, s), s))


@paper.claim("lemma1.derived", "Lemma 1 (16), at finite n", relation=">=")
def _() -> Cases:
    """E[T^ - T_(n-s)] >= n(1-alpha) t_c - (r d/mu) (H_(n-1) - H_s) at any n: n - s messages are not
    received before (n-s) t_c after the first of them came."""
    for n, s, t in _QUEUES:
        yield _delay(port_delay_bound(n, s, t), n, s, t)


@paper.elementwise
def logarithm_bound_printed(i: int, side: str) -> float:
    """Bound log i ("lower") or log(i+1) ("upper") of H_i (Appendix D). The upper one is wrong.

    >>> logarithm_bound_printed(1, "lower")
    0.0
    """
    return math.log(i if _side(side) else i + 1)


@paper.claim(
    "logarithm.lower.printed", "Appendix D, inequality (a)", relation=">", category="arithmetic"
)
def _() -> Cases:
    """log i < H_i."""
    return _harmonic(logarithm_bound_printed, "lower")


@paper.claim(
    "logarithm.use.printed",
    "Appendix D, inequality (a), with its o(1)",
    relation=">=",
    holds=AS_N_GROWS,
    limit="difference",
)
def _() -> Cases:
    """E T_(n-s), that is H_n - H_s, is at least log(1/alpha) + o(1): what the inequality is used
    for."""
    for n in (12, 120, 1200, 12_000, 120_000):
        s = 5 * n // 12
        theory = group_logarithm_bound(n, s, "upper")
        yield at_size(n, finite("harmonic_difference", theory, n=n, s=s), 1 / n)


@paper.claim(
    "logarithm.upper.printed",
    "Appendix D, inequality (a)",
    REFUTED,
    relation="<",
    kind=FALSE,
)
def _() -> Cases:
    """H_i < log(i+1) for any positive integer i."""
    return _harmonic(logarithm_bound_printed, "upper")


@paper.elementwise
def logarithm_bound(i: int, side: str) -> float:
    """Bound log(i+1) ("lower") or 1 + log i ("upper") of H_i (Appendix D, corrected).

    >>> round(logarithm_bound(1, "lower"), 6), logarithm_bound(1, "upper")
    (0.693147, 1.0)
    """
    return math.log(i + 1) if _side(side) else 1.0 + math.log(i)


@paper.claim(
    "logarithm.lower.corrected",
    "Appendix D, inequality (a), corrected",
    relation=">",
    corrects="logarithm.upper.printed",
    proof="1/j is more than the integral of 1/x from j to j + 1; add up j = 1 to i. So log(i+1) is "
    "a lower bound.",
)
def _() -> Cases:
    """log(i+1) < H_i."""
    return _harmonic(logarithm_bound, "lower")


@paper.claim(
    "logarithm.upper.corrected",
    "Appendix D, inequality (a), corrected",
    relation="<=",
    corrects="logarithm.upper.printed",
    proof="1/j is less than the integral of 1/x from j - 1 to j; add up j = 2 to i, and 1 for "
    "j = 1.",
)
def _() -> Cases:
    """H_i <= 1 + log i."""
    return _harmonic(logarithm_bound, "upper")


@paper.elementwise
def group_logarithm_bound(n: int, s: int, side: str) -> float:
    """Bound log((n+1)/(s+1)) ("lower") or log(n/s) ("upper") of H_n − H_s. Derived.

    >>> round(group_logarithm_bound(12, 5, "upper"), 6)
    0.875469
    """
    check_tree(n, 1, s)
    if _side(side):
        return math.log((n + 1) / (s + 1))
    return math.log(n / s) if s else math.inf


@paper.claim("group.logarithm-upper.derived", "Appendix D, inequality (a)", relation="<")
def _() -> Cases:
    """H_n - H_s < log(n/s)."""
    return _harmonic_difference("upper")


@paper.claim("group.logarithm-lower.derived", "Appendix D, inequality (a)", relation=">")
def _() -> Cases:
    """H_n - H_s > log((n+1)/(s+1))."""
    return _harmonic_difference("lower")


def _delay(theory: float, n: int, s: int, receive: float) -> Case:
    return built("port_delay", theory, system=star(n, s), receive=receive)


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
