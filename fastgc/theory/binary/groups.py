"""Loads that make workers of unlike speed equally fast (binary, Section VI)."""

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from fastgc.arrays import Values
from fastgc.errors import FastgcError
from fastgc.theory.binary import paper
from fastgc.theory.cases.decoding import compared, decoding
from fastgc.theory.cases.statements import at_size, built, finite
from fastgc.theory.cases.tables import Table, uniform
from fastgc.theory.common import check
from fastgc.theory.papers.claim import LOOSE, Cases


@paper.formula
def heterogeneous_loads(workers: Sequence[int], times: Sequence[float], s: int, k: int) -> Values:
    """Load of a worker of each group, J_i = (s+1) k/(t_i Σ_j τ_j/t_j) (binary, Section VI).

    ``workers`` are the numbers τ_i, ``times`` the mean times t_i for one partition; then all
    groups need the same mean time, and all loads together are k(s+1). The loads are exact, and in
    general no whole numbers.
    """
    tau, t = _groups(workers, times, s, k)
    return np.asarray((s + 1) * k / (t * np.sum(tau / t)), dtype=np.float64)


@paper.formula
def heterogeneous_loads_printed(
    workers: Sequence[int], times: Sequence[float], s: int, k: int
) -> Values:
    """Load of a worker of each of two groups, as binary, Section VI, prints it.

    It agrees with ``heterogeneous_loads``; α/β is τ_1/τ_2 in lowest terms:
    J_1 = (s+1) k α t_2/(α t_2 + β t_1)/τ_1 and J_2 = (s+1) k β t_1/(α t_2 + β t_1)/τ_2.
    """
    tau, t = _groups(workers, times, s, k)
    if len(tau) != 2:
        raise FastgcError(
            f"workers: got {len(tau)} groups, but the printed formula is for 2; use "
            "heterogeneous_loads"
        )
    common = math.gcd(int(tau[0]), int(tau[1]))
    alpha, beta = tau / common
    whole = alpha * t[1] + beta * t[0]
    shares = np.array([alpha * t[1] / tau[0], beta * t[0] / tau[1]], dtype=np.float64)
    return np.asarray(shares * (s + 1) * k / whole, dtype=np.float64)


def _groups(
    workers: Sequence[int], times: Sequence[float], s: int, k: int
) -> tuple[Values, Values]:
    tau, t = np.asarray(workers, dtype=np.float64), np.asarray(times, dtype=np.float64)
    if tau.shape != t.shape or tau.ndim != 1 or len(tau) == 0:
        raise FastgcError(
            f"workers, times: got {len(tau)} and {len(t)} entries, but one of each a group is "
            "needed"
        )
    for name, values in (("workers", tau), ("times", t)):
        if not np.all(values > 0):
            raise FastgcError(f"{name}: got {values.tolist()}, but positive numbers are needed")
    check.count("s", s, 0, int(tau.sum()) - 1)
    check.count("k", k, 1)
    return tau, t


class _Fleet(NamedTuple):
    """Groups of workers: how many there are, the time of each for a partition; s and k."""

    workers: tuple[int, ...]
    times: tuple[int, ...]
    s: int
    k: int

    def table(self) -> Table:
        """The fleet as keys of a study."""
        return {**self._asdict(), "workers": list(self.workers), "times": list(self.times)}

    def code(self) -> Table:
        """The fleet's code."""
        return {"family": "heterogeneous-binary", **self.table()}


_TWO = (_Fleet((2, 4), (1, 7), 1, 6), _Fleet((3, 6), (2, 3), 2, 36), _Fleet((4, 6), (1, 4), 1, 50))
_MORE = (
    _Fleet((2, 2, 4), (1, 2, 4), 1, 24),
    _Fleet((3, 3, 6), (1, 3, 5), 2, 60),
    _Fleet((4, 2, 2, 2), (1, 2, 3, 7), 1, 40),
)
_APART = (_Fleet((2, 4), (1, 7), 1, 6), _Fleet((4, 6), (1, 4), 1, 6), _Fleet((2, 4), (1, 4), 1, 9))
#: Fleets whose loads are whole numbers.
_WHOLE = (
    _Fleet((2, 4), (1, 2), 1, 8),
    _Fleet((3, 6), (1, 2), 2, 36),
    _Fleet((2, 2, 4), (1, 2, 4), 1, 24),
)


def _loads(fleet: _Fleet, theory: Values) -> Cases:
    for group, load in enumerate(theory):
        yield finite("equal_time_load", load, **fleet.table(), group=group)


@paper.claim("heterogeneous.two-groups.printed", "Section VI")
def _() -> Cases:
    """Two groups need equal mean times with |J_1| = (s+1) k alpha t_2/(alpha t_2 +
    beta t_1)/tau_1 and |J_2| = (s+1) k beta t_1/(alpha t_2 + beta t_1)/tau_2."""
    for fleet in _TWO:
        yield from _loads(fleet, heterogeneous_loads_printed(*fleet))


@paper.claim("heterogeneous.loads.printed", "Section VI")
def _() -> Cases:
    """The conditions for m groups have the one solution |J_i| = (s+1) k/(t_i sum_j tau_j/t_j),
    which workers are assigned where it is whole."""
    for fleet in (_TWO[0], *_MORE):
        yield from _loads(fleet, heterogeneous_loads(*fleet))
    for fleet in _WHOLE:
        first = 0
        for workers, load in zip(fleet.workers, heterogeneous_loads(*fleet), strict=True):
            yield built("load", load, code=fleet.code(), worker=first)
            first += workers


@paper.claim("heterogeneous.faster.printed", "Section VI", LOOSE, relation=">")
def _() -> Cases:
    """As t_1 < t_2, |J_1| > |J_2|: faster workers are assigned more partitions."""
    for fleet in (*_TWO, _APART[2]):
        theory = heterogeneous_loads(*fleet)[1]
        yield finite("equal_time_load", theory, **fleet.table(), group=0)
    for fleet in (_WHOLE[0], _WHOLE[1]):
        theory = heterogeneous_loads(*fleet)[1]
        yield built("load", theory, code=fleet.code(), worker=0)


@paper.claim("heterogeneous.equations.printed", "Section VI, last sentence")
def _() -> Cases:
    """The 2m-1 equations (i), (ii) and (iii) in the loads of m groups are solvable: their rank,
    right sides included, is m (m-1 of them, (iii), are of the numbers of workers alone)."""
    three, four = (_MORE[0], ["1", "1/2"]), (_MORE[2], ["2", "2", "2"])
    for fleet, ratios in ((_TWO[1], ["1/2"]), three, four):
        groups = len(fleet.workers)
        yield finite("rank_of_equations", groups, **fleet.table(), ratios=ratios)


@paper.claim(
    "heterogeneous.any-n.printed", "Section VI, where s+1 does not divide n", limit="ratio"
)
def _() -> Cases:
    """Where s+1 does not divide n, times of all workers can be about the same: within each class
    they are, and of the classes the slowest takes 1 + o(1) times as long as the fastest, as n
    grows (groups of n/2 workers, t = 1 and 2, s = 1)."""
    for half in (1, 3, 11, 41, 151):
        fleet: Table = {"workers": [half, half + 1], "times": [1, 2], "s": 1}
        case = finite("class_times_apart", 1.0, **fleet)
        yield at_size(2 * half + 1, case, 1 / half)


def _ratios(of: int) -> Cases:
    """t_1/t_2 times the load of a group, against the second group's load."""
    for fleet in _TWO:
        theory = fleet.times[0] / fleet.times[1] * heterogeneous_loads(*fleet)[of]
        yield finite("equal_time_load", theory, **fleet.table(), group=1)


@paper.claim(
    "heterogeneous.condition.corrected",
    "Section VI, condition (i), corrected",
    proof="It is condition (i) itself, t_1 |J_1| = t_2 |J_2|, divided by t_2.",
)
def _() -> Cases:
    """Equal times mean |J_2| = t_1/t_2 |J_1|."""
    return _ratios(0)


@paper.claim(
    "heterogeneous.condition.printed",
    "Section VI, condition (i)",
    kind="misprint",
    printed="t_1·|J_T1| = t_2·|J_T2| ⟺ |J_T2| = (t_1/t_2)·|J_T2|",
)
def _() -> Cases:
    """Equal times mean |J_2| = t_1/t_2 |J_2|."""
    return _ratios(1)


@paper.claim("heterogeneous.class-workers.printed", "Section VI, where n = k")
def _() -> Cases:
    """Each class has alpha/(alpha+beta) k/(s+1) workers of the first group, where s+1 divides the
    sizes of the groups."""
    for fleet in (
        _Fleet((2, 4), (1, 7), 1, 6),
        _Fleet((3, 6), (1, 2), 2, 9),
        _Fleet((4, 6), (1, 4), 1, 10),
    ):
        own: Table = {"workers": list(fleet.workers), "s": fleet.s, "group": 0}
        theory = fleet.workers[0] / (fleet.s + 1)
        case = finite("workers_in_class", theory, **own)
        yield replace(case, point=own | {"k": fleet.k})
        yield built("workers_in_class", theory, code=fleet.code(), group=0, residue=fleet.s)


@paper.claim("heterogeneous.rounding.printed", "Section VI, which does not say how to round")
def _() -> Cases:
    """The loads can be rounded so that every class holds the data once: class by class, as fastgc
    does; then the code decodes exactly whatever s workers straggle."""
    for fleet in (*_APART, _MORE[1]):
        code = fleet.code()
        yield built("unequal_holders", 0, scale=fleet.k, code=code, s=fleet.s)
        for decoder in ("class", "optimal"):
            yield built("failing_sets", 0, code=code, stragglers=fleet.s, decoder=decoder)
        yield compared(decoding("error", code, uniform(fleet.s)), 0.0, scale=fleet.k)
