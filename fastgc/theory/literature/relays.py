"""Relays that listen to workers and pass on what they have: loads, times, and the master's port.

Gholami, Jahani-Nezhad, Wan, Caire (arXiv:2502.18251).
"""

import numpy as np

from fastgc.arrays import Values
from fastgc.theory.cases.completion import completion, timed
from fastgc.theory.cases.tables import exponential, star
from fastgc.theory.cases.tables import maker as table
from fastgc.theory.common import check
from fastgc.theory.common.numerics import half_line
from fastgc.theory.common.order_statistics import order_tail
from fastgc.theory.literature import paper
from fastgc.theory.papers.claim import LOOSE, Cases

RELAYS = "Gholami, Jahani-Nezhad, Wan, Caire (arXiv:2502.18251)"
_relays = table("family", "relays", "n", "relays", "s", "s_relays")
_ALL = ((12, 3, 1, 1), (12, 4, 1, 0), (20, 5, 2, 1), (8, 2, 0, 1), (6, 6, 0, 2))


@paper.elementwise
def relays_load(n: int, relays: int, s: int, s_relays: int) -> float:
    """Least load that survives any s workers of a relay and any ``s_relays`` relays. Derived.

    Each partition is with s_relays + 1 relays, and with s + 1 workers of each of these.

    >>> relays_load(12, 3, 1, 1) == 4 / 12
    True
    """
    check.count("relays", relays, 1, n)
    return (s + 1) * (s_relays + 1) / n


@paper.elementwise
def relays_mean(
    n: int, relays: int, s: int, s_relays: int, mean: float = 1.0, shift: float = 0.0
) -> float:
    """Mean of the (relays − s_relays)-th of the relays' (n/relays − s)-th exponential times.

    >>> round(relays_mean(4, 2, 1, 0), 9)  # the maximum of two minima of two
    0.75
    """
    check.count("relays", relays, 1, n)
    size = int(n // relays)

    def late(t: Values) -> Values:
        found = []
        for own in np.exp(-t / mean).tolist():
            relay = min(1.0, float(order_tail(size, size - s, own)))
            found.append(float(order_tail(relays, relays - s_relays, relay)))
        return np.array(found)

    return shift + half_line(late, 0.0, mean, 1e-10)


@paper.claim("relays.load.derived", f"Derived, for {RELAYS}: each partition on two hops")
def _() -> Cases:
    """Codes that survive any s workers of every relay and any s' relays load a worker with
    (s+1)(s'+1)/n of the work, and none with less: a partition is with s'+1 relays, and with s+1
    workers of each."""
    for case in _ALL:
        yield timed(completion(_relays(*case), measure="load"), relays_load(*case))


@paper.claim("relays.time.derived", f"Derived, for {RELAYS}: order statistics of order statistics")
def _() -> Cases:
    """Without ports the master has the gradient at the (r-s')-th of r relays' times, each the
    (n/r-s)-th of the times of n/r workers."""
    for case in _ALL:
        for law in (exponential(), exponential(0.5, 0.5)):
            theory = relays_mean(*case, law["mean"], law["shift"])
            yield timed(completion(_relays(*case) | {"load": 1.0}, law), theory)


@paper.claim("relays.star.derived", f"Derived, for {RELAYS}: one hop", LOOSE, relation="<")
def _() -> Cases:
    """Where sending takes no time, relays take less than one gradient code on all workers with the
    same load: both survive any (s+1)(s'+1)-1 stragglers, and relays survive some sets of more."""
    for n, relays, s, s_relays in ((12, 3, 1, 1), (20, 5, 1, 1), (24, 4, 2, 1)):
        one = completion(star(n, (s + 1) * (s_relays + 1) - 1))
        two = completion(_relays(n, relays, s, s_relays))
        yield timed(two, 1.0, against=one, how="ratio")


@paper.claim("relays.port.derived", f"Derived, for {RELAYS}: ports of relays work side by side")
def _() -> Cases:
    """Through ports that receive one message at a time, of workers that all take the time x, the
    master has the gradient at x + (n/r-s) c + (r-s') c."""
    constant = {"distribution": "deterministic", "value": 1.0}
    for n, relays, s, s_relays in _ALL:
        theory = 1.0 + 0.25 * (n // relays - s + relays - s_relays)
        system = _relays(n, relays, s, s_relays) | {"load": 1.0}
        yield timed(completion(system, constant, receive=0.25), theory)
