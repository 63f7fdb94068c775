"""Bounds of the mean time, and steps of their proof (codedreduce, Theorem 2, Remark 4, Appendix D).

A worker's whole task takes shift + an exponential time of the given mean: shift = a r d and
mean = r d/μ; ``receive`` is the time t_c that a port takes for a message, one at a time. The
theorem is asymptotic: n grows, L, α = s/n and the law of a worker's whole task are fixed.

T_(n−s) is the time of the (n−s)-th fastest sibling; in the proof's steps shift = 0.
"""

import math
from collections.abc import Callable

from fastgc.errors import FastgcError
from fastgc.theory.cases.completion import timed
from fastgc.theory.cases.statements import at_size, built, finite
from fastgc.theory.cases.tables import Table, star, tree
from fastgc.theory.codedreduce import paper
from fastgc.theory.codedreduce.experiments import HELD, RECEIVE, SECONDS, experiment
from fastgc.theory.codedreduce.load import check_tree, on_tree
from fastgc.theory.codedreduce.time import check_times, group_mean, mean_time, tree_mean
from fastgc.theory.common.order_statistics import harmonic
from fastgc.theory.papers.claim import Case, Cases

#: What n grows to without a port, and with one on a star; n and s with one on a tree, alpha = 3/5
#: rounded down.
_N, _N_STAR = (12, 96, 1536, 12_288, 98_304), (6, 12, 60, 156, 600)
_N_PORT = ((2, 1), (6, 3), (20, 12), (60, 36), (200, 120))
#: t_c/(r d/μ) of the simulation on its tree.
_SLOW = RECEIVE / (HELD["CR"] * SECONDS)


@paper.elementwise
def lower_bound_printed(
    n: int, layers: int, s: int, receive: float, mean: float = 1.0, shift: float = 0.0
) -> float:
    """Lower bound of the mean time, codedreduce, Theorem 2 (7), without its o(·).

    shift + mean log(n/s) + (n − s + L − 1) receive, which holds as n grows; at finite n it may be
    above the exact mean.

    >>> round(lower_bound_printed(12, 2, 5, 0.05, 0.416, 0.416), 4)
    1.1802
    """
    check_times(n, layers, s, mean, shift, receive, least=1)
    return shift + mean * math.log(n / s) + (n - s + layers - 1) * receive


@paper.claim("theorem2.lower.printed", "Theorem 2 (7)", relation=">=", limit="ratio")
def _() -> Cases:
    """E T_CR >= (r d/mu) log(1/alpha) + a r d + (n(1-alpha) - o(n) + L - 1)(1 - o(1)) t_c + o(1)
    (L = 2; t_c as in the simulation)."""
    for n, s in _N_PORT:
        theory = lower_bound_printed(n, 2, s, _SLOW, 1.0, 1.0)
        yield at_size(n, _law(tree(n, 2, s), theory, _SLOW))


@paper.claim(
    "theorem2.lower-star.printed", "Theorem 2 (7), for one layer", relation=">=", limit="ratio"
)
def _() -> Cases:
    """E T_GC >= (r d/mu) log(1/alpha) + a r d + (n(1-alpha) - o(n))(1 - o(1)) t_c + o(1), L = 1."""
    for n in _N_STAR:
        theory = lower_bound_printed(n, 1, 5 * n // 12, 0.5, 1.0, 1.0)
        yield at_size(n, _law(star(n, 5 * n // 12), theory, 0.5))


@paper.elementwise
def lower_bound(n: int, layers: int, s: int, receive: float, shift: float = 0.0) -> float:
    """Lower bound shift + L (n−s) receive of the time of CR on every path. Derived.

    Every message of the last group to be received needs the one before it.

    >>> round(lower_bound(12, 2, 5, 0.05, 0.416), 6)
    1.116
    """
    check_times(n, layers, s, 1.0, shift, receive)
    return shift + layers * (n - s) * receive


@paper.claim("theorem2.lower.derived", "Theorem 2 (7), at finite n", relation=">=")
def _() -> Cases:
    """E T_CR >= a r d + L (n-s) t_c, at any n."""
    for name, (n, layers, s) in (("GC", (156, 1, 65)), ("CR", (12, 2, 5))):
        yield timed(experiment(name), lower_bound(n, layers, s, RECEIVE, HELD[name] * SECONDS))
    for n, s, t in ((12, 5, 0.5), (24, 10, 0.2), (84, 21, 0.1)):
        yield mean_time(star(n, s), lower_bound(n, 1, s, t, 1.0), t)


@paper.elementwise
def upper_bound_printed(
    n: int, layers: int, s: int, receive: float, mean: float = 1.0, shift: float = 0.0
) -> float:
    """Upper bound of the mean time, codedreduce, Theorem 2 (8), without its o(·).

    shift + mean log(n/s) + n L receive, which holds as n grows; at finite n it is below the exact
    mean where receive = 0.

    >>> round(upper_bound_printed(12, 2, 5, 0.0, 1.0, 1.0), 5)
    1.87547
    """
    check_times(n, layers, s, mean, shift, receive, least=1)
    return shift + mean * math.log(n / s) + n * layers * receive


@paper.claim("theorem2.upper.printed", "Theorem 2 (8)", relation="<=", limit="difference")
def _() -> Cases:
    """(8) at t_c = 0: E T_CR <= (r d/mu) log(1/alpha) + a r d + o(1) (L = 2)."""
    return _without_port(2)


@paper.claim(
    "theorem2.upper-port.printed",
    "Appendix D, last display, from which (8) follows",
    relation="<=",
    limit="difference",
)
def _() -> Cases:
    """E T_CR <= (r d/mu) log(1/alpha) + a r d + L n (1-alpha) t_c + o(1) (L = 2; t_c as in the
    simulation)."""
    for n, s in _N_PORT:
        theory = 1.0 + math.log(n / s) + 2 * (n - s) * _SLOW
        yield at_size(n, _law(tree(n, 2, s), theory, _SLOW))


@paper.claim(
    "theorem2.upper-deep.printed",
    "Theorem 2 (8), for three layers",
    relation="<=",
    limit="difference",
)
def _() -> Cases:
    """(8) at t_c = 0: E T_CR <= (r d/mu) log(1/alpha) + a r d + o(1) (L = 3)."""
    return _without_port(3)


@paper.claim(
    "theorem2.computation.printed",
    "Appendix D, display of E T_comp",
    relation="<=",
    limit="difference",
)
def _() -> Cases:
    """E T_comp <= E T_(n-s) + epsilon + o(1) = (r d/mu) (H_n - H_s) + a r d + o(1), epsilon =
    n^(-1/4) (L = 2, alpha = 1/2)."""
    for n in (12, 60, 300):
        theory = group_mean(n, n // 2, 1.0, 1.0)
        yield at_size(n, _law(tree(n, 2, n // 2), theory), n**-0.25)
    for n in (10_000, 100_000):
        case = on_tree("tree_time_mean", group_mean(n, n // 2), n, 2, n // 2)
        yield at_size(n, case, n**-0.25)


@paper.elementwise
def upper_bound(
    n: int, layers: int, s: int, receive: float, mean: float = 1.0, shift: float = 0.0
) -> float:
    """Upper bound of the mean time: that without a port, plus L (n−s) receive (Theorem 2). Derived.

    On every path T_CR ≤ T_CR(receive = 0) + L (n−s) receive.

    >>> round(upper_bound(12, 2, 5, 0.05, 0.416, 0.416), 6)
    1.580901
    """
    check_times(n, layers, s, mean, shift, receive)
    return float(tree_mean(n, layers, s, mean, shift)) + layers * (n - s) * receive


@paper.claim("theorem2.pipelined.printed", "Appendix D, before the event E_1", relation="<=")
def _() -> Cases:
    """E T_CR <= E T_comp + L (n-s) t_c at any n, T_comp being the time without messages."""
    for *shape, t in ((12, 2, 5, 0.01), (6, 2, 2, 0.02), (4, 3, 1, 0.02), (12, 2, 5, 0.1)):
        yield mean_time(tree(*shape), upper_bound(*shape, t, 1.0, 1.0), t)


@paper.claim("remark4.tree.printed", "Remark 4", limit="order")
def _() -> Cases:
    """E T_CR = Theta(1) + Theta(n): with messages it is of the order of n (L = 2)."""
    for n, s in _N_PORT:
        yield at_size(n, _law(tree(n, 2, s), n, 0.5))


@paper.claim("remark4.computation.printed", "Remark 4", limit="order")
def _() -> Cases:
    """E T_CR = Theta(1) + Theta(n), of which computation is the Theta(1): so it is without messages
    (L = 2)."""
    for n in _N:
        yield at_size(n, on_tree("tree_time_mean", 1.0, n, 2, 5 * n // 12))


@paper.claim("remark4.star.printed", "Remark 4", limit="order")
def _() -> Cases:
    """E T_GC = Theta(1) + Theta(N): with messages it is of the order of N."""
    for n in _N_STAR:
        yield at_size(n, _law(star(n, 5 * n // 12), n, 0.5))


def _law(system: Table, theory: float, receive: float = 0.0) -> Case:
    """Compare the mean of fastgc's exact law with a theory, for times of unit mean and shift."""
    return built("mean_time", theory, system=system, receive=receive)


def _without_port(layers: int) -> Cases:
    for n in _N:
        s = 5 * n // 12
        theory = upper_bound_printed(n, layers, s, 0.0)
        case = on_tree("tree_time_mean", theory, n, layers, s)
        yield at_size(n, case, n**-0.25)


# ---- steps of the proof: a group of siblings and its port (Appendix D)


@paper.claim("lemma1.printed", "Lemma 1 (16)", relation=">=", limit="ratio")
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
    for n, s, t in ((12, 5, 0.5), (24, 10, 0.2), (60, 25, 0.1)):
        yield _delay(port_delay_bound(n, s, t), n, s, t)


@paper.elementwise
def logarithm_bound_printed(i: int, side: str) -> float:
    """Bound log i ("lower") or log(i+1) ("upper") of H_i (Appendix D). The upper one is wrong.

    >>> logarithm_bound_printed(1, "lower")
    0.0
    """
    return math.log(i if _side(side) else i + 1)


@paper.claim(
    "logarithm.use.printed",
    "Appendix D, inequality (a), with its o(1)",
    relation=">=",
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
    relation="<",
    kind="false",
    printed="log(i) < H_i = 1 + 1/2 + … + 1/i < log(i+1) for any positive integer i",
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


def _delay(theory: float, n: int, s: int, receive: float) -> Case:
    return built("port_delay", theory, system=star(n, s), receive=receive)


def _harmonic(bound: Callable[[int, str], float], side: str) -> Cases:
    for i in (1, 10, 100):
        yield finite("harmonic_sum", bound(i, side), i=i)


def _side(side: str) -> bool:
    if side not in ("lower", "upper"):
        raise FastgcError(f"side: got {side!r}, allowed are 'lower', 'upper'")
    return side == "lower"
