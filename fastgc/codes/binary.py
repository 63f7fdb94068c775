"""Codes with 0/1 entries: groups, shifts, random regular ones, and the binary gradient codes."""

import functools
import heapq
import math
from fractions import Fraction
from typing import Annotated, Any, Literal

import numpy as np
import pydantic
from numpy.typing import NDArray

from fastgc.codes.code import Code, code_of
from fastgc.codes.columns import Columns, require_room
from fastgc.codes.family import Family, LargeFamily, Replication
from fastgc.codes.structure import CycleGaps, General, Groups, Structure
from fastgc.draws.streams import uniforms
from fastgc.errors import FastgcError
from fastgc.registry import register
from fastgc.registry.complaints import alternatives
from fastgc.registry.makers import maker
from fastgc.registry.number_types import LARGEST, BelowN, Many, Seed, Size


@register("code")
class FractionalRepetition(LargeFamily):
    """The fractional repetition code of Tandon et al. (ICML 2017).

    Workers g·d … g·d + d − 1 hold partitions g·d … g·d + d − 1, for each group g: exact with up to
    d − 1 stragglers.

    * ``d`` (int): Replication; divides n.

    Raises FastgcError if d does not divide n.

    >>> frc(n=4, d=2).B.astype(int).tolist()
    [[1, 1, 0, 0], [1, 1, 0, 0], [0, 0, 1, 1], [0, 0, 1, 1]]
    """

    family: Literal["frc"] = "frc"
    d: Many

    @pydantic.field_validator("d")
    @classmethod
    def _divides(cls, d: int, info: pydantic.ValidationInfo) -> int:
        n = info.data.get("n")
        if n is not None and n % d:
            small = [i for i in range(1, math.isqrt(n) + 1) if n % i == 0]
            divisors = sorted({*small, *(n // i for i in small)})
            if len(divisors) > 12:
                divisors = sorted(sorted(divisors, key=lambda i: abs(i - d))[:4])
            raise ValueError(f"must divide n (got n={n}, d={d}; {alternatives(divisors)} do)")
        return d

    def build(self) -> Code:
        n, d = self.n, self.d
        structure = Groups(np.arange(n) // d, np.full(n // d, d), 0)
        classes = [range(first, n, d) for first in range(d)]
        first = np.arange(n) // d * d
        columns = functools.partial(Columns.from_intervals, n, first, first + d)
        return Code(f"frc(n={n}, d={d})", columns, structure, d - 1, classes, shape=(n, n))


frc = maker(FractionalRepetition, build=True)


def _from_rows(places: NDArray[Any]) -> Columns:
    n, d = places.shape
    return Columns.from_ones(n, np.arange(0, n * d + 1, d), places.reshape(-1))


@register("code")
class Uncoded(LargeFamily):
    """The identity matrix: worker j holds partition j alone.

    >>> uncoded(3).loads.tolist()
    [1, 1, 1]
    """

    family: Literal["uncoded"] = "uncoded"

    def build(self) -> Code:
        n = self.n
        columns = Columns.from_ones(n, np.arange(n + 1), np.arange(n))
        structure = Groups(np.arange(n), np.ones(n, np.int64), 0)
        return Code(f"uncoded(n={n})", columns, structure, 0, [range(n)])


uncoded = maker(Uncoded, build=True)


@register("code")
class Circulant(LargeFamily):
    """The circulant with 0/1 entries: worker j holds partitions j, j + 1, …, j + d − 1 (mod n).

    Exact with up to d − 1 stragglers where d divides n; nothing is guaranteed elsewhere.

    * ``d`` (int): Replication, 1 ≤ d ≤ n.

    >>> circulant(n=3, d=2).B.astype(int).tolist()
    [[1, 0, 1], [1, 1, 0], [0, 1, 1]]
    """

    family: Literal["circulant"] = "circulant"
    d: Replication

    def build(self) -> Code:
        n, d = self.n, self.d
        # Proved for d | n (n/d workers a step of d apart cover all); otherwise it fails (ERRATA
        # of paper agc, Theorem 2: n = 8, d = 3 does not survive every pair of stragglers).
        tolerance = d - 1 if n % d == 0 else None
        columns = functools.partial(_columns_around, n, d)
        structure: Structure = CycleGaps(n) if d == 2 else General()
        if d in (1, n):  # n groups of a worker, or one of all
            structure = Groups(np.arange(n) // d, np.full(n // d, d), 0)
        return Code(f"circulant(n={n}, d={d})", columns, structure, tolerance, shape=(n, n))


circulant = maker(Circulant, build=True)


def _columns_around(n: int, d: int) -> Columns:
    require_room(n * d)
    places = np.arange(n, dtype=np.int32)[:, np.newaxis] + np.arange(d, dtype=np.int32)
    around = places[n - d + 1 :]
    around[around >= n] -= n
    around.sort(axis=1)
    return _from_rows(places)


@register("code")
class SparseRegular(LargeFamily):
    """A stochastic gradient code on a random regular graph (Bitar et al., 1905.05383).

    A random 0/1 matrix with d ones in every row and column. The d copies of every partition are
    dealt to the workers at random, d each; a copy that its worker holds already changes places with
    a random other one that mends this. All such matrices are thus nearly equally likely, and any
    two partitions share d²/n workers in the mean, as the paper's pair-wise balanced schemes do
    exactly. Exact only without stragglers, as far as is known.

    * ``d`` (int): Replication, 1 ≤ d ≤ n.
    * ``seed`` (int): Of the random matrix, 0 ≤ seed < 2⁶⁴; 1 by default.

    >>> sparse_regular(n=6, d=2, seed=3).loads.tolist()
    [2, 2, 2, 2, 2, 2]
    """

    family: Literal["sparse-regular"] = "sparse-regular"
    d: Replication
    seed: Seed = 1

    def build(self) -> Code:
        n, d, seed = self.n, self.d, self.seed
        require_room(n * d)
        few = min(d, n - d)  # the rest of a regular matrix is regular, and swaps need room
        places = np.sort(_partitions(n, few, seed).reshape(n, few))
        if few != d:
            rest = np.ones((n, n), bool)
            np.put_along_axis(rest, places, False, axis=1)
            places = np.nonzero(rest)[1]
        # All columns together give d in every row.
        return code_of(
            _from_rows(places.reshape(n, d)), f"sparse-regular(n={n}, d={d}, seed={seed})", 0
        )


sparse_regular = maker(SparseRegular, build=True)


def _partitions(n: int, d: int, seed: int) -> NDArray[np.int64]:
    """Partitions of worker 0, then of worker 1, …: d different ones each, (n·d,), d ≤ n/2."""
    copies = n * d
    name = f"sparse-regular/{n}/{d}"
    held = np.argsort(uniforms(seed, name, copies), kind="stable") // max(d, 1)
    mine = np.repeat(np.arange(n), d)
    _, places, times = np.unique(mine * n + held, return_inverse=True, return_counts=True)
    starts = (uniforms(seed, f"{name}/swaps", copies) * copies).astype(np.int64)
    own = held.reshape(n, d)  # the same numbers, worker by worker
    for place in np.flatnonzero(times[places] > 1).tolist():
        worker, extra = place // d, held[place]
        if np.count_nonzero(own[worker] == extra) == 1:
            continue
        # At most 2d(d − 1) < n·d of the places do not mend it, and none adds another repetition.
        other = int(starts[place])
        while (own[worker] == held[other]).any() or (own[other // d] == extra).any():
            other = (other + 1) % copies
        held[place], held[other] = held[other], extra
    return held


# ---- The numerically stable codes of Charalambides, Mahdavifar and Hero
#
# Paper `binary`, Section III, Algorithms 1 and 2. As printed both hold slips; corrected they come
# to one rule: the workers of each residue class modulo s + 1 share out all partitions in
# consecutive blocks, sizes as even as can be, larger blocks first.


@register("code")
class Binary(LargeFamily):
    """The binary gradient code of paper `binary`, Algorithms 1 and 2, corrected.

    Each of s + 1 classes of workers holds every partition once; one complete class decodes. Exact
    with up to s stragglers.

    * ``n`` (int): Workers, 1 ≤ n ≤ 4 194 304.
    * ``s`` (int): Stragglers that exact decoding survives, 0 ≤ s < n; s + 1 need not divide n.
    * ``k`` (int, optional): Partitions, at most 4 194 304; n by default.

    >>> binary(n=11, s=3).loads.tolist()
    [4, 4, 4, 6, 4, 4, 4, 5, 3, 3, 3]
    """

    family: Literal["binary"] = "binary"
    s: Annotated[int, pydantic.Field(ge=0), BelowN]
    k: Many | None = None

    def build(self) -> Code:
        n, s, k = self.n, self.s, self.k or self.n
        name = f"binary(n={n}, s={s})" if k == n else f"binary(n={n}, s={s}, k={k})"
        columns = functools.partial(_columns, n, s, k)
        return Code(name, columns, None, s, _classes(n, s), shape=(k, n))


binary = maker(Binary, build=True)


def _classes(n: int, s: int) -> list[range]:
    remainder = n % (s + 1)
    return [range(first, n, s + 1) for first in (*range(remainder, s + 1), *range(remainder))]


def _columns(n: int, s: int, k: int) -> Columns:
    block, residue = np.divmod(np.arange(n), s + 1)
    blocks = (n - residue - 1) // (s + 1) + 1
    size, larger = np.divmod(k, blocks)

    def begin(block: NDArray[np.int64]) -> NDArray[np.int64]:
        return block * size + np.minimum(block, larger)

    return Columns.from_intervals(k, begin(block), begin(block + 1))


_Time = Annotated[float, pydantic.Field(gt=0, allow_inf_nan=False)]


@register("code")
class HeterogeneousBinary(Family):
    """The binary gradient code for several types of workers (paper `binary`, Section VI).

    Workers are numbered type by type and worker j belongs to class j mod (s + 1), so that a type's
    workers are dealt to the classes as evenly as can be, and so are all. Each class holds every
    partition exactly once, in consecutive blocks. The paper's shares
    J_i = (s + 1) k/(t_i Σ_j τ_j/t_j) take the same time everywhere but are no integers; rounded
    one by one they cover some partitions twice or not at all. Here each class is split into the
    integers whose times t·load have the least sum of squared distances from the time of the shares.
    Exact with up to s stragglers; a worker may be so slow that it holds nothing.

    * ``workers`` (sequence of int): Workers τ_i ≥ 1 of each type; n = Σ τ_i is at most 16 384.
    * ``times`` (sequence of float): Mean time t_i > 0 that a worker of the type needs for one
      partition, in any unit.
    * ``s`` (int): Stragglers that exact decoding survives, 0 ≤ s < n.
    * ``k`` (int, optional): Partitions, at most 16 384; n by default.

    Raises FastgcError if there is not one time for each type or s is not less than n.

    >>> heterogeneous_binary(workers=[2, 4], times=[1, 3], s=1, k=6).loads.tolist()
    [4, 4, 1, 1, 1, 1]
    """

    family: Literal["heterogeneous-binary"] = "heterogeneous-binary"
    workers: Annotated[tuple[Size, ...], pydantic.Field(min_length=1)]
    times: Annotated[tuple[_Time, ...], pydantic.Field(min_length=1)]
    s: Annotated[int, pydantic.Field(ge=0)]
    k: Size | None = None

    @pydantic.model_validator(mode="after")
    def _sound(self) -> "HeterogeneousBinary":
        n, kinds, times = self.n, len(self.workers), len(self.times)
        each = f"must be one for each type of worker (got {times} for {kinds} types)"
        for is_wrong, key, sentence in (
            (n > LARGEST, "workers", f"must add up to at most {LARGEST} (got {n})"),
            (times != kinds, "times", each),
            (self.s >= n, "s", f"must be less than all workers together (got n={n}, s={self.s})"),
        ):
            if is_wrong:
                raise FastgcError(sentence, key)
        return self

    @property
    def n(self) -> int:
        """Number of workers of all types together."""
        return sum(self.workers)

    def build(self) -> Code:
        workers, times, s, n = self.workers, self.times, self.s, self.n
        k = self.k or n
        each = [time for count, time in zip(workers, times, strict=True) for _ in range(count)]
        classes = _classes(n, s)
        loads = np.zeros(n, np.int64)
        start = np.zeros(n, np.int64)
        for members in classes:
            own = np.array(split(k, tuple(each[j] for j in members)))
            loads[members] = own
            start[members] = np.cumsum(own) - own
        name = f"heterogeneous-binary(workers={list(workers)}, times={list(times)}, s={s}, k={k})"
        columns = Columns.from_intervals(k, start, start + loads)
        return code_of(columns, name, tolerance=s, classes=classes)


heterogeneous_binary = maker(HeterogeneousBinary, build=True)


@functools.lru_cache(maxsize=64)
def split(k: int, times: tuple[float, ...]) -> tuple[int, ...]:
    """Split k partitions into integers whose times are as equal as can be.

    With T the time that exact shares would take everywhere, Σ_j (times[j]·load[j] − T)² is least.
    The sum is convex in each load, so giving out one partition after the other, each where it adds
    least, is optimal.
    """
    exact = [Fraction(time) for time in times]
    even = k / sum(1 / time for time in exact)
    loads = [0] * len(times)
    costs = [(time * (time - 2 * even), j) for j, time in enumerate(exact)]
    heapq.heapify(costs)
    for _ in range(k):
        cost, j = costs[0]
        loads[j] += 1
        heapq.heapreplace(costs, (cost + 2 * exact[j] ** 2, j))
    return tuple(loads)
