"""Bounds of the mean time (paper codedreduce, Theorem 2 and Remark 4).

A worker's whole task takes shift + an exponential time of the given mean: shift = a r d and
mean = r d/μ; ``receive`` is the time t_c that a port takes for a message, one at a time. The
theorem is asymptotic: n grows, L, α = s/n and the law of a worker's whole task are fixed.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from fastgc.theory.cases.completion import star, timed, tree
from fastgc.theory.cases.finite import built, finite
from fastgc.theory.cases.growth import at_size
from fastgc.theory.cases.tables import Table
from fastgc.theory.codedreduce import paper
from fastgc.theory.codedreduce.load import on_tree
from fastgc.theory.codedreduce.simulation import HELD, RECEIVE, SECONDS, experiment
from fastgc.theory.codedreduce.time import check_times, mean_time, tree_mean
from fastgc.theory.papers.claim import AS_N_GROWS, LOOSE, Case, Cases

#: What n grows to without a port, and with one on a star; n and s with one on a tree, alpha = 3/5
#: rounded down.
_N, _N_STAR = (12, 96, 1536, 12_288, 98_304), (6, 12, 60, 156, 600)
_N_PORT = ((2, 1), (6, 3), (20, 12), (60, 36), (200, 120))
#: t_c/(r d/μ) of the simulation on its tree.
_SLOW = RECEIVE / (HELD["CR"] * SECONDS)
#: n, layers, s, receive of paths that are followed.
_PATHS = ((12, 2, 5, 0.1), (6, 2, 2, 0.25), (4, 3, 1, 0.2))
#: n, layers, s, receive.
_PORTS = ((12, 2, 5, 0.01), (6, 2, 2, 0.02), (4, 3, 1, 0.02), (12, 2, 5, 0.1))


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


@paper.claim(
    "theorem2.lower.printed", "Theorem 2 (7)", relation=">=", holds=AS_N_GROWS, limit="ratio"
)
def _() -> Cases:
    """E T_CR >= (r d/mu) log(1/alpha) + a r d + (n(1-alpha) - o(n) + L - 1)(1 - o(1)) t_c + o(1)
    (L = 2; t_c as in the simulation)."""
    for n, s in _N_PORT:
        theory = lower_bound_printed(n, 2, s, _SLOW, 1.0, 1.0)
        yield at_size(n, _law(tree(n, 2, s), theory, _SLOW))


@paper.claim(
    "theorem2.lower-star.printed",
    "Theorem 2 (7), for one layer",
    relation=">=",
    holds=AS_N_GROWS,
    limit="ratio",
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


@paper.claim(
    "theorem2.upper.printed", "Theorem 2 (8)", relation="<=", holds=AS_N_GROWS, limit="difference"
)
def _() -> Cases:
    """(8) at t_c = 0: E T_CR <= (r d/mu) log(1/alpha) + a r d + o(1) (L = 2)."""
    return _without_port(2)


@paper.claim(
    "theorem2.upper-port.printed",
    "Appendix D, last display, from which (8) follows",
    relation="<=",
    holds=AS_N_GROWS,
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
    holds=AS_N_GROWS,
    limit="difference",
)
def _() -> Cases:
    """(8) at t_c = 0: E T_CR <= (r d/mu) log(1/alpha) + a r d + o(1) (L = 3)."""
    return _without_port(3)


@paper.claim("theorem2.leading-order.derived", "Theorem 2", holds=AS_N_GROWS, limit="difference")
def _() -> Cases:
    """At t_c = 0, E T_CR = (r d/mu) log(1/alpha) + a r d + o(1): the bounds (7) and (8) meet
    (L = 2, alpha = 1/2; by fastgc's exact law, and by an enumeration for larger n)."""
    for n in (12, 60, 300):
        yield at_size(n, _law(tree(n, 2, n // 2), upper_bound_printed(n, 2, n // 2, 0.0, 1.0, 1.0)))
    for n in (10_000, 100_000):
        theory = upper_bound_printed(n, 2, n // 2, 0.0)
        yield at_size(n, on_tree("tree_time_mean", theory, n, 2, n // 2))


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
    for *shape, t in _PORTS:
        yield mean_time(tree(*shape), upper_bound(*shape, t, 1.0, 1.0), t)


@paper.elementwise
def upper_bound_without_port(n: int, s: int, mean: float = 1.0, shift: float = 0.0) -> float:
    """Upper bound shift + mean (log(n/s) + n^−1/4) of the mean time without a port (Theorem 2 (8)).

    The o(1) of (8) is read as the n^−1/4 of its proof. Derived; not proved for all trees, it holds
    for two and three layers and s = 5n/12.

    >>> round(upper_bound_without_port(12, 5, shift=1.0), 6)
    2.412754
    """
    check_times(n, 1, s, mean, shift, 0.0, least=1)
    return shift + mean * (math.log(n / s) + math.pow(n, -0.25))


@paper.claim("theorem2.rate.derived", "Theorem 2 (8), at finite n", relation="<=")
def _() -> Cases:
    """At t_c = 0, E T_CR exceeds (r d/mu) log(1/alpha) + a r d by less than (r d/mu) n^(-1/4), the
    proof's epsilon, for L = 2 and 3 and alpha = 5/12: by .242 at n = 12 and .0094 at 98 304 for
    L = 2."""
    for layers in (2, 3):
        for n in _N:
            s = 5 * n // 12
            most = upper_bound_without_port(n, s)
            yield on_tree("tree_time_mean", most, n, layers, s)


@paper.claim("theorem2.port.derived", "Theorem 2, at finite n", relation="<=")
def _() -> Cases:
    """At fixed t_c > 0, E T_CR = a r d + L (n-s) t_c + o(1): with L = 2 and t_c = .2 r d/mu at most
    2 (r d/mu)/n^2 more, for n = 12, 24, 48 and alpha = 5/12."""
    for n, s in ((12, 5), (24, 10), (48, 20)):
        yield _law(tree(n, 2, s), lower_bound(n, 2, s, 0.2, 1.0) + 2 / n**2, 0.2)


@paper.claim("theorem2.paths-lower.derived", "Theorem 2, path by path", relation=">=")
def _() -> Cases:
    """On every path T_CR >= a r d + L (n-s) t_c (the shortest of 2000 random paths)."""
    return _followed(("least_time", "least_path"), lambda *shape: lower_bound(*shape, 1.0))


@paper.claim("theorem2.paths-upper.derived", "Theorem 2, path by path", LOOSE, relation="<=")
def _() -> Cases:
    """On every path T_CR <= T_CR(t_c = 0) + L (n-s) t_c (by how much it exceeds T_CR(t_c = 0) at
    most, of 2000 random paths)."""
    return _followed(("longest_delay", "longest_path_delay"), lower_bound)


@paper.claim("remark4.tree.printed", "Remark 4", holds=AS_N_GROWS, limit="order")
def _() -> Cases:
    """E T_CR = Theta(1) + Theta(n): with messages it is of the order of n (L = 2)."""
    for n, s in _N_PORT:
        yield at_size(n, _law(tree(n, 2, s), n, 0.5))


@paper.claim("remark4.computation.printed", "Remark 4", holds=AS_N_GROWS, limit="order")
def _() -> Cases:
    """E T_CR = Theta(1) + Theta(n), of which computation is the Theta(1): so it is without messages
    (L = 2)."""
    for n in _N:
        yield at_size(n, on_tree("tree_time_mean", 1.0, n, 2, 5 * n // 12))


@paper.claim("remark4.star.printed", "Remark 4", holds=AS_N_GROWS, limit="order")
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


def _followed(names: tuple[str, str], bound: Callable[[int, int, int, float], float]) -> Cases:
    for n, layers, s, t in _PATHS:
        shape = {"n": n, "layers": layers, "s": s, "receive": t, "shift": 1.0}
        given = {**shape, "paths": 2000, "seed": 1}
        theory = bound(n, layers, s, t)
        yield finite(names[0], theory, **given)
        yield built(names[1], theory, **given)
