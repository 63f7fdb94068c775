"""How evenly workers are loaded: of one speed, and of unlike speed (binary, Sections V and VI)."""

import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from fastgc.arrays import Values
from fastgc.errors import FastgcError
from fastgc.theory.binary import paper
from fastgc.theory.binary.encoding import EXAMPLE, blocks_and_remainder, loads, of_loads
from fastgc.theory.cases.experiment_tables import compared, decoding
from fastgc.theory.cases.statements import as_built, both, brute, built, finite
from fastgc.theory.cases.studies import Table, binary, circulant, frc, matrix, uniform
from fastgc.theory.common import check
from fastgc.theory.papers.claim import LOOSE, Cases, at

_UNEVEN = (EXAMPLE, (7, 2), (9, 3), (8, 2))


def _values_of_s(n: int) -> Table:
    return {"n": n, "least": 1, "most": n - 2, "of": n}


@paper.states(
    "divisor-chance.printed", "Section V, of n values of s and divisors but 1 and n", "number"
)
@at([12, 36, 60], brute("even_share", _values_of_s), as_built("even_share", _values_of_s))
def proper_divisor_chance(n: int) -> float:
    """For fixed n and random s < n, (s+1) | n with probability (sigma_0(n)-2)/n, if s is drawn from
    the n values 0 ... n-1, and s = 0 and s = n-1, for which it always holds, do not count (of the
    n-1 positive integers s < n it holds for sigma_0(n)-1)."""
    check.count("n", n, 2)
    return (sum(n % d == 0 for d in range(1, int(n) + 1)) - 2) / n


@paper.claim("within-class.printed", "Section V", "<=")
def _() -> Cases:
    """Loads differ by at most one inside the classes 0 ... r-1, and inside r ... s."""
    for n, s in (EXAMPLE, (10, 6), (23, 5), (29, 3)):
        yield from both("load_difference_within", 1, code=binary(n, s), s=s)


@paper.elementwise
def unevenness(n: int, s: int) -> float:
    """d_s(B) = Σ_j |load_j − (s+1)| = 2r(s+1−r) of the binary code, k = n."""
    _, r = blocks_and_remainder(n, s)
    return 2.0 * r * (s + 1 - r)


@paper.claim(
    "definition2.iff.corrected",
    "Definition 2, with the constraint of (IP)",
    reads="definition2.iff.printed",
)
def _() -> Cases:
    """Where the loads add up to k(s+1), d_s, the sum of their distances from k(s+1)/n, is 0 if and
    only if they are all equal (repetition, circulants, the binary code if s+1 divides n).
    Proof. If the loads add up to k(s+1), their mean is k(s+1)/n: they are all equal if and only if
    all of them are that, which is d_s = 0."""
    codes: tuple[tuple[Table, int, float], ...] = (
        (frc(12, 3), 2, 0.0),
        (circulant(11, 4), 3, 0.0),
        (binary(12, 3), 3, 0.0),
        (binary(*EXAMPLE), 3, unevenness(*EXAMPLE)),
        (binary(23, 5), 5, unevenness(23, 5)),
    )
    for code, s, theory in codes:
        yield from both("unevenness", theory, scale=code["n"], code=code, s=s)


@paper.claim("definition2.iff.printed", "Definition 2", "missing condition")
def _() -> Cases:
    """The loads of any B are all equal if and only if d_s = 0 (d_s of equal loads, with k = n as in
    Section III, then of loads that are all floor(k(s+1)/n + 1/2)).
    Printed: uniform, i.e., ‖B_(i*)‖_0 = ⌊(k/n)(s+1) + 1/2⌋ for all i … all elements are equal, if
    and only if d_s(B) = 0"""
    for n, k, s, load in ((4, 4, 1, 1), (5, 5, 2, 2), (10, 11, 3, 4), (7, 9, 2, 4)):
        rows = np.zeros((k, n))
        for worker in range(n):
            rows[(load * worker + np.arange(load)) % k, worker] = 1.0
        for case in both("unevenness", 0, scale=n, code=matrix(rows.tolist()), s=s):
            yield replace(case, point={"n": n, "k": k, "s": s, "load": load})


@paper.claim(
    "proposition3.within-classes.printed",
    "Proposition 3, under the condition of the sentence after it",
    corrects="proposition3.printed",
    reads="proposition3.printed",
)
def _() -> Cases:
    """For k = n the code minimises d_s among schemes whose s+1 classes of workers each hold every
    partition once: the minimum is 2r(s+1-r), which it attains.
    Proof. A class of m workers adds |n - m(s+1)| at least, by the triangle inequality, and that
    only if its loads lie on one side of s+1. With r classes of l+1 workers and s+1-r of l that is
    r(s+1-r) + (s+1-r)r, and no other sizes of classes give less."""
    for n, s in (EXAMPLE, (7, 3), (9, 3), (8, 3)):
        yield finite("least_unevenness_of_classes", unevenness(n, s), scale=n, n=n, s=s)
    for n, s in (*_UNEVEN, (12, 3), (40, 11)):
        yield from both("unevenness", unevenness(n, s), scale=n, code=binary(n, s), s=s)


@paper.claim("proposition3.permuted.printed", "after Proposition 3")
def _() -> Cases:
    """Loads and decoding stay the same if the partitions come in another order, in each class its
    own, as long as every class holds each of them once (d_s; vectors of Algorithm 3 that are
    wrong)."""
    for seed, (n, s) in enumerate((EXAMPLE, (10, 4), (7, 2)), 1):
        rows, draw, own = np.zeros((n, n)), np.random.default_rng(seed), loads(n, s)
        for residue in range(s + 1):
            workers, ends = range(residue, n, s + 1), np.cumsum(own[residue :: s + 1])
            dealt = np.split(draw.permutation(n), ends[:-1])
            for worker, held in zip(workers, dealt, strict=True):
                rows[held, worker] = 1.0
        code = matrix(rows.tolist())
        for name, theory in (("unevenness", unevenness(n, s)), ("wrong_vectors", 0.0)):
            case = finite(name, theory, scale=n, code=code, s=s)
            yield replace(case, point={"n": n, "s": s, "seed": seed})


@paper.claim("proposition3.printed", "Proposition 3, (IP) by itself", "missing condition")
def _() -> Cases:
    """The code minimises d_s over all B that (IP) admits, of non-negative integers with total load
    k(s+1), the condition of the sentence after it left out (for k = n that minimum is 0, as another
    claim measures).
    Printed: a solution to the optimization problem: (IP) min over B ∈ N_0^(n×k) of d_s(B), such
    that Σ_(i=1)^n ‖B_(i*)‖_0 = k·(s+1). Proposition 3 holds for permutations … as long as all
    partitions are present only once in a single worker of each congruence class"""
    for n, s in _UNEVEN:
        yield from both("unevenness", 0, scale=n, code=binary(n, s), s=s)


@paper.claim("proposition3.minimum.derived", "Definition 2 and Proposition 3")
def _() -> Cases:
    """Over all B with total load k(s+1) the minimum of d_s is 0 for k = n: circulants, in which
    every worker holds s+1 partitions, attain it."""
    for n, s in _UNEVEN:
        yield from both("unevenness", 0, scale=n, code=circulant(n, s + 1), s=s)
        yield from both("total_load", n * (s + 1), code=circulant(n, s + 1))


def _unions(classes: int, total: int, workers: int) -> int:
    """Number of distinct unions of so many splits of a total among so many workers each."""
    splits = list(_splits(total, workers, total))
    unions: set[tuple[int, ...]] = {()}
    for _ in range(classes):
        pairs = itertools.product(unions, splits)
        unions = {tuple(sorted((*union, *split))) for union, split in pairs}
    return len(unions)


def _splits(total: int, parts: int, largest: int) -> Iterator[tuple[int, ...]]:
    """All ways to write a total as so many parts or fewer, none larger than ``largest``."""
    if total == 0:
        yield ()
    elif parts > 0:
        for first in range(1, min(total, largest) + 1):
            yield from ((first, *rest) for rest in _splits(total - first, parts - 1, first))


@paper.claim(
    "proposition3.unique.loads.derived",
    "after Proposition 3, of loads that are at most one apart in a class, as in Section III",
    reads="proposition3.unique.printed",
)
def _() -> Cases:
    """Where every class holds each partition once and its loads differ by at most one, the loads of
    the least d_s are unique up to the order of workers (k = n: the number of their multisets; of B
    itself nothing is measured)."""
    for n, s in (*_UNEVEN, (10, 3), (13, 5)):
        yield finite("least_uneven_loads", 1, n=n, s=s, apart=1)


@paper.states("proposition3.unique.corrected", "after Proposition 3, corrected")
@at([*_UNEVEN, (10, 3), (13, 5), (20, 5)], brute("least_uneven_loads"))
def least_uneven_shares(n: int, s: int) -> float:
    """For k = n, where every class holds each partition once, the minimum is attained by as many
    multisets of loads as there are distinct unions of r splits of s+1-r among l+1 workers,
    times those of s+1-r splits of r among l.
    Proof. Any loads of at most s+1 in the classes of l+1 workers and of at least s+1 in the others
    give the same d_s: the s+1-r missing partitions of the one and the r of the other can be spread
    at will, each within its class."""
    blocks, r = blocks_and_remainder(n, s)
    if r == 0:
        return 1.0
    return _unions(r, s + 1 - r, blocks + 1) * _unions(s + 1 - r, r, blocks)


@paper.claim("proposition3.unique.printed", "after Proposition 3", "missing condition")
def _() -> Cases:
    """Where every class holds each partition once, the B of the least d_s is unique up to one order
    of its rows and one of its columns (k = n: number of multisets of loads, which these orders do
    not change).
    Printed: as long as all partitions are present only once in a single worker of each congruence
    class … Moreover, the solution to (IP) is unique up to a permutation of rows and columns of B"""
    for n, s in _UNEVEN:
        yield finite("least_uneven_loads", 1, n=n, s=s)


@paper.states("load-range.printed", "Section V, of the lightest load")
@at([(11, 9), (14, 9), (19, 9), (21, 9), (25, 9)], of_loads("smallest_load"))
def _lightest(n: int, s: int) -> float:
    """The lightest load, of the workers in the remainder block, is the further below s+1 the
    smaller r is compared to s+1: by ceil((s+1-r)/(l+1)), for k = n."""
    blocks, r = blocks_and_remainder(n, s)
    return s + 1 + (r - s - 1) // (blocks + 1)


@paper.claim("difference-3.printed", "Section V-A, for n >= s^2", "<=")
def _() -> Cases:
    """Where n >= s^2 and l+r > s, no two loads differ by more than 3."""
    yield from both("load_difference", 3, code=binary(*EXAMPLE))
    for most in (12, 30, 60):
        yield from both("largest_load_difference", 3, most=most)


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
    # of each group: its number of workers, and the time of each for a partition
    workers: tuple[int, ...]
    times: tuple[int, ...]
    s: int
    k: int

    def table(self) -> Table:
        return {**self._asdict(), "workers": list(self.workers), "times": list(self.times)}

    def code(self) -> Table:
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


@paper.claim("heterogeneous.faster.printed", "Section VI", LOOSE, ">")
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


@paper.claim("heterogeneous.any-n.printed", "Section VI, where s+1 does not divide n", "ratio")
def _() -> Cases:
    """Where s+1 does not divide n, times of all workers can be about the same: within each class
    they are, and of the classes the slowest takes 1 + o(1) times as long as the fastest, as n
    grows (groups of n/2 workers, t = 1 and 2, s = 1)."""
    for half in (1, 3, 11, 41, 151):
        fleet: Table = {"workers": [half, half + 1], "times": [1, 2], "s": 1}
        case = finite("class_times_apart", 1.0, **fleet)
        yield replace(case, size=float(2 * half + 1), rate=1 / half)


@paper.claim("heterogeneous.condition.printed", "Section VI, condition (i)", "misprint", of=(1,))
@paper.claim("heterogeneous.condition.corrected", "Section VI, condition (i), corrected", of=(0,))
def _(group: int) -> Cases:
    """Equal times mean |J_2| = t_1/t_2 |J_1|.
    Proof. It is condition (i) itself, t_1 |J_1| = t_2 |J_2|, divided by t_2.

    heterogeneous.condition.printed: Equal times mean |J_2| = t_1/t_2 |J_2|.
    Printed: t_1·|J_T1| = t_2·|J_T2| ⟺ |J_T2| = (t_1/t_2)·|J_T2|"""
    for fleet in _TWO:
        theory = fleet.times[0] / fleet.times[1] * heterogeneous_loads(*fleet)[group]
        yield finite("equal_time_load", theory, **fleet.table(), group=1)


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
