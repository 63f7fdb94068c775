"""Workers that straggle by being late: a load, a law of its time, a deadline."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial

from fastgc.theory.cases.completion import exponential
from fastgc.theory.cases.tables import Table, bibd, frc
from fastgc.theory.common.arguments import check_positive
from fastgc.theory.literature import paper
from fastgc.theory.literature.cases import sampled
from fastgc.theory.literature.designs import bibd_mean_error
from fastgc.theory.papers.claim import Cases


@paper.elementwise
def late_exponential(
    deadline: float,
    load: float,
    mean: float = 1.0,
    shift: float = 0.0,
    scaling: str = "server-dependent",
) -> float:
    """P(a load takes longer than a deadline), a load of 1 taking shift + an exponential time.

    Server-dependent: load · (shift + X) > deadline. Data-dependent: load · shift + X > deadline.
    Additive: a sum of load independent times, an integer, Erlang's law.

    >>> round(late_exponential(2.0, 2.0), 6), late_exponential(1.0, 2.0, shift=0.5)
    (0.367879, 1.0)
    """
    check_positive(deadline=deadline, load=load, mean=mean)
    left = max(deadline - load * shift, 0.0) / mean
    if scaling == "server-dependent":
        return math.exp(-left / load)
    if scaling == "data-dependent":
        return math.exp(-left)
    return math.exp(-left) * math.fsum(left**i / math.factorial(i) for i in range(round(load)))


def _table(deadline: float, latency: Table | list[Table], work: float, scaling: str) -> Table:
    return {
        "model": "deadline",
        "deadline": deadline,
        "latency": latency,
        "work": work,
        "scaling": scaling,
    }


def _late(
    code: Table, share: float, error: Callable[[float], float], deadline: float, work: float,
    scaling: str = "server-dependent", shift: float = 0.0,
) -> Cases:  # fmt: skip
    """A code of which every worker holds this share of the data, its mean error known of p."""
    p = float(late_exponential(deadline, work * share, 1.0, shift, scaling))
    stragglers = _table(deadline, exponential(1.0, shift), work, scaling)
    yield sampled(code, stragglers, error(p))


@paper.claim("deadline.load.derived", "Derived: a worker that holds d of k partitions has load d/k")
def _() -> Cases:
    """Workers that hold d of k partitions each and must answer by a deadline straggle
    independently, with P(load * time > deadline) for a load of d/k of the work."""
    yield from _late(frc(8, 2), 2 / 8, lambda p: 8 * p**2, 1.0, 4.0)
    yield from _late(frc(12, 3), 3 / 12, lambda p: 12 * p**3, 2.0, 6.0, shift=0.5)
    for name, share in (("ag(2,3)", 4 / 12), ("fano", 3 / 7)):
        yield from _late(bibd(name), share, partial(bibd_mean_error, name), 1.0, 2.0)


@paper.claim("deadline.scaling.derived", "Derived from what each scaling of time with load says")
def _() -> Cases:
    """A load l is late with probability exp(-(t - l a)/l) if time is l (a + X), exp(-(t - l a)) if
    it is l a + X, and by Erlang's law of l stages if it is the sum of l times."""
    for scaling, shift in (("server-dependent", 0.2), ("data-dependent", 0.2), ("additive", 0.0)):
        yield from _late(frc(8, 2), 2 / 8, lambda p: 8 * p**2, 2.0, 12.0, scaling, shift)
    yield from _late(
        bibd("ag(2,3)"), 4 / 12, partial(bibd_mean_error, "ag(2,3)"), 3.0, 9.0, "additive"
    )


@paper.claim("deadline.unlike.derived", "Derived for workers that are not alike")
def _() -> Cases:
    """If worker j's time is exponential with mean m_j, uncoded work loses sum_j exp(-n t/(W m_j))
    partitions by a deadline t on average, W the work of all n."""
    for means, deadline in (((1.0, 2.0, 4.0), 1.0), ((0.5, 0.5, 3.0, 1.0), 0.5), ((2.0, 1.0), 2.0)):
        n = len(means)
        latency = [exponential(mean) for mean in means]
        theory = math.fsum(math.exp(-n * deadline / (2.0 * mean)) for mean in means)
        stragglers = _table(deadline, latency, 2.0, "server-dependent")
        yield sampled(frc(n, 1), stragglers, theory)
