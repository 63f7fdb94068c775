"""When the master has its gradient if a port takes time for a message (codedreduce, Section III-C).

A worker's whole task takes shift + an exponential time of the given mean; ``receive`` is the time
t_c that a port takes for a message, one at a time.
"""

from __future__ import annotations

import numpy as np

from fastgc.errors import FastgcError
from fastgc.theory.cases.completion import star, tree
from fastgc.theory.codedreduce.paper import paper
from fastgc.theory.codedreduce.time import Values, check_times, mean_time
from fastgc.theory.common.arguments import elementwise
from fastgc.theory.common.order_statistics import harmonic
from fastgc.theory.common.quadrature import half_line
from fastgc.theory.common.staircase import staircase_probability
from fastgc.theory.papers.paper import Cases


@paper.formula
@elementwise
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


@paper.formula
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
    """Mean time of CR where every parent has a port, by quadrature. Derived.

    With ``opens`` "after-own" a node receives once its own work is done, otherwise from the start.

    >>> round(tree_mean_with_port(12, 2, 5, 0.05, 0.416, 0.416), 6)
    1.135047
    """
    check_times(n, layers, s, mean, shift, receive)
    if opens not in ("start", "after-own"):
        raise FastgcError(f"opens: got {opens!r}, allowed are 'start', 'after-own'")
    after_own = opens == "after-own"

    def tail(t: Values) -> Values:
        chance = _received(int(n), int(layers), int(s), receive / mean, after_own, t)
        return np.asarray(np.maximum(1.0 - chance, 0.0))

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


@paper.formula
@elementwise
def ring_mean(n: int, receive: float = 0.0, mean: float = 1.0, shift: float = 0.0) -> float:
    """Mean shift + mean H_n + 2(n−1)/n·receive of ring all-reduce (Section II-B). Derived.

    >>> round(ring_mean(156, 0.05, 0.016, 0.016), 6)
    0.205443
    """
    check_times(n, 1, 0, mean, shift, receive)
    return shift + mean * float(harmonic(n)) + 2.0 * (n - 1) / n * receive


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
