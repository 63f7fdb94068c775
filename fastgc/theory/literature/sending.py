"""Work and sending that both take random times: which part of the gradient an answer should be.

The codes, and the model of a worker's time: Ye, Abbe (arXiv:1802.03475).
"""

import math
from collections.abc import Iterable

import numpy as np

from fastgc.arrays import Values
from fastgc.theory.cases.completion import completion, timed
from fastgc.theory.cases.tables import Table, exponential
from fastgc.theory.cases.tables import maker as table
from fastgc.theory.common import check
from fastgc.theory.common.numerics import half_line
from fastgc.theory.common.order_statistics import order_tail
from fastgc.theory.literature import paper
from fastgc.theory.literature.sources import SOURCES
from fastgc.theory.papers.claim import Cases

MODEL = SOURCES["1802.03475"]
_code = table("family", "gradient-code", "n", "s", "m")
#: Laws of the seconds for a partition, and for a whole gradient: rates .8 and .1.
_WORK, _SEND = exponential(1.25, 1.6), exponential(10.0, 6.0)


@paper.elementwise
def sent_tail(t: float, work: float, send: float) -> float:
    """P(sum of independent exponential times with the means ``work`` and ``send`` > t). Derived.

    >>> round(sent_tail(1.0, 1.0, 1.0), 9) == round(2 * math.exp(-1.0), 9)
    True
    """
    check.positive(work=work, send=send)
    t = max(t, 0.0)
    if math.isclose(work, send, rel_tol=1e-6):
        mean = 0.5 * (work + send)
        return (1.0 + t / mean) * math.exp(-t / mean)
    return (work * math.exp(-t / work) - send * math.exp(-t / send)) / (work - send)


@paper.elementwise
def vector_code_mean(
    n: int,
    d: int,
    m: int,
    work: float = 1.0,
    work_shift: float = 0.0,
    send: float = 1.0,
    send_shift: float = 0.0,
) -> float:
    """Mean time until n − d + m of n workers have done d partitions and sent an m-th of a gradient.

    A partition takes work_shift + an exponential time of mean ``work``, one for all of a worker,
    and a whole gradient send_shift + one of mean ``send``; d − m stragglers are survived. Derived.

    >>> [round(vector_code_mean(8, d, m, 1.25, 1.6, 10, 6), 4) for d, m in ((1, 1), (4, 3), (8, 1))]
    [36.1138, 21.3697, 24.1063]
    """
    check.count("m", m, 1, d)
    check.count("d", d, m, n)

    def late(t: Values) -> Values:
        each = np.asarray(sent_tail(t, d * work, send / m))
        return np.array([float(order_tail(n, n - d + m, min(1.0, own))) for own in each.tolist()])

    scale = d * work + send / m
    return d * work_shift + send_shift / m + half_line(late, 0.0, scale, 1e-10)


def _sent(system: Table, n: int, work: Table = _WORK, send: Table = _SEND) -> Table:
    return completion(system, work, work=float(n), send=send)


def _means(pairs: Iterable[tuple[int, int]]) -> Iterable[tuple[Table, float]]:
    for d, m in pairs:
        yield _code(8, d - m, m), float(vector_code_mean(8, d, m, 1.25, 1.6, 10.0, 6.0))


@paper.claim("sending.time.derived", f"Derived, for the model of {MODEL}")
def _() -> Cases:
    """Where workers take t1 + an exponential time for each of d partitions and t2 + another one for
    a whole gradient, of which they send an m-th, any n - d + m of them are enough, and the sum of
    both has the tail (A e^(-Bx) - B e^(-Ax))/(A-B), or that of Erlang's law where A = B."""
    for system, mean in _means(((1, 1), (2, 2), (4, 3), (8, 1), (8, 8))):
        yield timed(_sent(system, 8), mean)
    theory = vector_code_mean(5, 2, 1, 1.0, 0.0, 2.0, 0.0)
    yield timed(_sent(_code(5, 1), 5, exponential(1.0), exponential(2.0)), theory)


@paper.claim(
    "sending.best.derived", f"Derived, for the model of {MODEL}: all d and m", relation=">="
)
def _() -> Cases:
    """For 8 workers, rates .8 and .1 and shifts 1.6 and 6, no d and m take less than 4 and 3 do,
    21.3697, among codes that survive any d - m stragglers."""
    least = vector_code_mean(8, 4, 3, 1.25, 1.6, 10.0, 6.0)
    for d in range(1, 9):
        for m in range(1, d + 1):
            yield timed(_sent(_code(8, d - m, m), 8), least)
