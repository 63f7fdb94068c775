"""The numerically stable binary gradient code of Charalambides, Mahdavifar and Hero.

Paper `binary`, Section III, Algorithms 1 and 2. As printed both hold slips; corrected they come to
one rule: the workers of each residue class modulo s + 1 share out all partitions in consecutive
blocks, sizes as even as can be, larger blocks first.
"""

import functools
import heapq
from fractions import Fraction
from typing import Annotated, Literal

import numpy as np
import pydantic
from numpy.typing import NDArray

from fastgc.codes.code import Code, code_of
from fastgc.codes.columns import Columns
from fastgc.codes.family import Family, LargeFamily
from fastgc.errors import FastgcError
from fastgc.registry import register
from fastgc.registry.makers import maker
from fastgc.registry.number_types import LARGEST, BelowN, Many, Size


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

    return Columns.of_intervals(k, begin(block), begin(block + 1))


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
        columns = Columns.of_intervals(k, start, start + loads)
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
