"""Workers of unlike speed (binary, Section VI): loads that make all groups equally fast."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastgc.errors import FastgcError
from fastgc.theory.binary.encoding import blocks_and_remainder
from fastgc.theory.binary.paper import paper
from fastgc.theory.cases.finite import finite
from fastgc.theory.cases.tables import Table, decoding, point_of, uniform
from fastgc.theory.common.arguments import check_count, elementwise
from fastgc.theory.papers.claim import REFUTED, Case
from fastgc.theory.papers.paper import Cases


@paper.formula
def heterogeneous_loads(
    workers: Sequence[int], times: Sequence[float], s: int, k: int
) -> NDArray[np.float64]:
    """Load of a worker of each group, J_i = (s+1) k/(t_i Σ_j τ_j/t_j) (binary, Section VI).

    ``workers`` are the numbers τ_i, ``times`` the mean times t_i for one partition; then all
    groups need the same mean time, and all loads together are k(s+1). The loads are exact, and in
    general no whole numbers.

    >>> heterogeneous_loads([2, 4], [1, 7], s=1, k=6).round(6).tolist()
    [4.666667, 0.666667]
    """
    tau, t = _groups(workers, times, s, k)
    return np.asarray((s + 1) * k / (t * np.sum(tau / t)), dtype=np.float64)


@paper.formula
def heterogeneous_loads_printed(
    workers: Sequence[int], times: Sequence[float], s: int, k: int
) -> NDArray[np.float64]:
    """Load of a worker of each of two groups, as binary, Section VI, prints it.

    It agrees with ``heterogeneous_loads``; α/β is τ_1/τ_2 in lowest terms:
    J_1 = (s+1) k α t_2/(α t_2 + β t_1)/τ_1 and J_2 = (s+1) k β t_1/(α t_2 + β t_1)/τ_2.

    >>> heterogeneous_loads_printed([2, 4], [1, 7], s=1, k=6).round(6).tolist()
    [4.666667, 0.666667]
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


@paper.formula
@elementwise
def class_workers(n: int, s: int, workers: int) -> float:
    """Number n_i/(s+1) of workers of a group of n_i in each class, where it is whole.

    binary, Section VI, prints α/(α+β)·k/(s+1) (``class_workers_printed``), right only for k = n.

    >>> class_workers(6, 1, 2)
    1.0
    """
    blocks_and_remainder(n, s)
    check_count("workers", workers, 0, n)
    return workers / (s + 1)


@paper.formula
@elementwise
def class_workers_printed(n: int, s: int, workers: int, k: int) -> float:
    """Number of a group's workers in each class, as binary, Section VI, prints it.

    It is wrong unless k = n.

    >>> class_workers_printed(6, 1, 2, k=12)
    2.0
    """
    check_count("k", k, 1)
    return float(class_workers(n, s, workers)) * k / n


def _groups(
    workers: Sequence[int], times: Sequence[float], s: int, k: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    tau, t = np.asarray(workers, dtype=np.float64), np.asarray(times, dtype=np.float64)
    if tau.shape != t.shape or tau.ndim != 1 or len(tau) == 0:
        raise FastgcError(
            f"workers, times: got {len(tau)} and {len(t)} entries, but one of each a group is "
            "needed"
        )
    for name, values in (("workers", tau), ("times", t)):
        if not np.all(values > 0):
            raise FastgcError(f"{name}: got {values.tolist()}, but positive numbers are needed")
    check_count("s", s, 0, int(tau.sum()) - 1)
    check_count("k", k, 1)
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


_TWO = (_Fleet((2, 4), (1, 7), 1, 6), _Fleet((3, 6), (2, 3), 2, 36), _Fleet((4, 6), (1, 4), 1, 50))
_MORE = (
    _Fleet((2, 2, 4), (1, 2, 4), 1, 24),
    _Fleet((3, 3, 6), (1, 3, 5), 2, 60),
    _Fleet((4, 2, 2, 2), (1, 2, 3, 7), 1, 40),
)
_APART = (_Fleet((2, 4), (1, 7), 1, 6), _Fleet((4, 6), (1, 4), 1, 6), _Fleet((2, 4), (1, 4), 1, 9))
_WHOLE = (
    _Fleet((2, 4), (1, 7), 1, 12),
    _Fleet((3, 6), (1, 2), 2, 36),
    _Fleet((4, 6), (1, 4), 1, 50),
)


def _loads(fleet: _Fleet, theory: NDArray[np.float64]) -> Cases:
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
    """The conditions for m groups have the one solution |J_i| = (s+1) k/(t_i sum_j tau_j/t_j)."""
    for fleet in (_TWO[0], *_MORE):
        yield from _loads(fleet, heterogeneous_loads(*fleet))


def _members(fleet: _Fleet, theory: float) -> Case:
    case = finite("workers_in_class", theory, workers=list(fleet.workers), s=fleet.s, group=0)
    return replace(case, point={**case.point, "k": fleet.k})


@paper.claim("heterogeneous.class-workers.printed", "Section VI", REFUTED)
def _() -> Cases:
    """Each class has alpha/(alpha+beta) k/(s+1) workers of the first group."""
    for fleet in _WHOLE:
        n, first = sum(fleet.workers), fleet.workers[0]
        yield _members(fleet, class_workers_printed(n, fleet.s, first, fleet.k))


@paper.claim("heterogeneous.class-workers.corrected", "Section VI, corrected")
def _() -> Cases:
    """Each class has alpha/(alpha+beta) n/(s+1) workers of the first group, where s+1
    divides the sizes of the groups."""
    for fleet in _WHOLE:
        yield _members(fleet, class_workers(sum(fleet.workers), fleet.s, fleet.workers[0]))


@paper.claim("heterogeneous.rounding.printed", "Section VI", REFUTED)
def _() -> Cases:
    """Each |J_i| rounded by itself lets every class hold the k partitions once."""
    for fleet in _APART:
        yield finite("rounded_class_sum", fleet.k, **fleet.table())


@paper.claim("heterogeneous.rounding.corrected", "Section VI, corrected")
def _() -> Cases:
    """Rounded class by class, so that every class holds the data once, the code decodes
    exactly whatever s workers straggle."""
    for fleet in (*_APART, _MORE[1]):
        code = {"family": "heterogeneous-binary", **fleet.table()}
        experiment = decoding("error", code, uniform(fleet.s))
        yield Case(point_of(experiment), 0.0, experiment, "error", scale=fleet.k)
