"""Ring all-reduce: rounds, messages at once, and no straggler survived (codedreduce, II-B)."""

from __future__ import annotations

from fastgc.theory.cases.completion import completion, timed
from fastgc.theory.cases.finite import built, finite
from fastgc.theory.cases.growth import at_size
from fastgc.theory.cases.tables import Table, iid, uniform
from fastgc.theory.codedreduce import paper
from fastgc.theory.common.arguments import check_count
from fastgc.theory.papers.claim import AS_N_GROWS, Cases

_PLACE = "Section II-B"
_MANY = (3, 10, 30, 100, 300)


@paper.elementwise
def ring_rounds(n: int) -> float:
    """Rounds 2(n − 1) of a ring of n workers until all have the whole gradient (Section II-B).

    After half of them each has a segment of it.

    >>> ring_rounds(3)
    4.0
    """
    check_count("n", n, 1)
    return 2.0 * (n - 1)


@paper.claim("ring.reduce-scatter.printed", _PLACE, category="definition")
def _() -> Cases:
    """After N - 1 rounds each worker of a ring has a segment of the whole gradient."""
    for n in (3, 5, 84, 156):
        yield finite("rounds_to_reduce", n - 1, n=n)


@paper.claim("ring.rounds.derived", f"{_PLACE}, with the rounds of AllGather")
def _() -> Cases:
    """After 2(N-1) rounds, in which every worker receives a message of 1/N of a gradient, all of
    them have all of it."""
    for n in (3, 5, 84, 156):
        yield finite("rounds_of_ring", ring_rounds(n), n=n)
        messages = n * ring_rounds(n)
        yield built("messages_received", messages, system=_ring(n), answering=n, seed=1)


@paper.claim(
    "ring.parallel.printed",
    f"{_PLACE} and Table I",
    holds=AS_N_GROWS,
    limit="order",
    category="definition",
)
def _() -> Cases:
    """A ring has Theta(N) messages at once."""
    for n in _MANY:
        yield at_size(n, finite("ring_messages_at_once", n, n=n))


@paper.claim("ring.overhead.printed", "Section I", holds=AS_N_GROWS, limit="order", relation="<=")
def _() -> Cases:
    """The communication overhead of a ring is O(1): it does not depend on the number of
    workers."""
    for n in _MANY:
        yield at_size(n, built("port_delay", 1.0, system=_ring(n), receive=1.0))


@paper.claim("ring.overhead.derived", "Section I, made exact")
def _() -> Cases:
    """It is 2 (N-1)/N times what a whole gradient takes."""
    for n in (3, 30, 300):
        yield built("port_delay", ring_rounds(n) / n, system=_ring(n), receive=1.0)


@paper.claim("ring.resiliency.printed", f"{_PLACE} and Table I")
def _() -> Cases:
    """A ring survives no straggler, its resiliency is 0: with one of N it is never done, and of iid
    stragglers as often as there is none."""
    for n in (3, 84, 156):
        experiment = completion(_ring(n), measure="decodable", stragglers=uniform(1))
        yield timed(experiment, 0.0)
    for n, p in ((3, 0.2), (12, 0.1)):
        experiment = completion(_ring(n), measure="decodable", stragglers=iid(p))
        yield timed(experiment, (1 - p) ** n)


def _ring(n: int) -> Table:
    return {"family": "ring-all-reduce", "n": n}
