"""The binary gradient code for workers of several speeds (paper `binary`, Section VI)."""

from __future__ import annotations

import functools
import heapq
from fractions import Fraction
from typing import Annotated, Literal

import numpy as np
import pydantic

from fastgc.codes.code import Code, code_of
from fastgc.codes.columns import Columns
from fastgc.codes.family import Family
from fastgc.registry import register
from fastgc.registry.makers import maker
from fastgc.registry.numbers import LARGEST, Size

_Count = Annotated[int, pydantic.Field(ge=1, le=LARGEST)]
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

    Parameters
    ----------
    workers : sequence of int
        Workers τ_i ≥ 1 of each type; n = Σ τ_i is at most 16 384.
    times : sequence of float
        Mean time t_i > 0 that a worker of the type needs for one partition, in any unit.
    s : int
        Stragglers that exact decoding survives, 0 ≤ s < n.
    k : int, optional
        Partitions, at most 16 384; n by default.

    Raises
    ------
    FastgcError
        If there is not one time for each type or s is not less than n.

    Examples
    --------
    >>> heterogeneous_binary(workers=[2, 4], times=[1, 3], s=1, k=6).loads.tolist()
    [4, 4, 1, 1, 1, 1]
    """

    family: Literal["heterogeneous-binary"] = "heterogeneous-binary"
    workers: Annotated[tuple[_Count, ...], pydantic.Field(min_length=1)]
    times: Annotated[tuple[_Time, ...], pydantic.Field(min_length=1)]
    s: Annotated[int, pydantic.Field(ge=0)]
    k: Size | None = None

    @pydantic.field_validator("workers")
    @classmethod
    def _not_too_many(cls, workers: tuple[int, ...]) -> tuple[int, ...]:
        if sum(workers) > LARGEST:
            raise ValueError(f"must add up to at most {LARGEST} (got {sum(workers)})")
        return workers

    @pydantic.field_validator("times")
    @classmethod
    def _one_each(
        cls, times: tuple[float, ...], info: pydantic.ValidationInfo
    ) -> tuple[float, ...]:
        workers = info.data.get("workers")
        if workers is not None and len(times) != len(workers):
            raise ValueError(
                f"must be one for each type of worker (got {len(times)} for {len(workers)} types)"
            )
        return times

    @pydantic.field_validator("s")
    @classmethod
    def _leaves_survivors(cls, s: int, info: pydantic.ValidationInfo) -> int:
        workers = info.data.get("workers")
        if workers is not None and s >= sum(workers):
            raise ValueError(
                f"must be less than all workers together (got n={sum(workers)}, s={s})"
            )
        return s

    @property
    def n(self) -> int:
        """Number of workers of all types together."""
        return sum(self.workers)

    def build(self) -> Code:
        """Return the code."""
        return _build(self.workers, self.times, self.s, self.n if self.k is None else self.k)


heterogeneous_binary = maker(HeterogeneousBinary, build=True)


def _build(workers: tuple[int, ...], times: tuple[float, ...], s: int, k: int) -> Code:
    each = [time for count, time in zip(workers, times, strict=True) for _ in range(count)]
    n = len(each)
    remainder = n % (s + 1)
    order = (*range(remainder, s + 1), *range(remainder))  # Algorithm 3's, as for equal workers
    classes = tuple(tuple(range(residue, n, s + 1)) for residue in order)
    loads = np.zeros(n, np.int64)
    start = np.zeros(n, np.int64)
    for members in classes:
        own = np.array(split(k, tuple(each[j] for j in members)))
        loads[list(members)] = own
        start[list(members)] = np.cumsum(own) - own
    name = f"heterogeneous-binary(workers={list(workers)}, times={list(times)}, s={s}, k={k})"
    columns = Columns.of_intervals(k, start, start + loads)
    return code_of(columns, name, tolerance=s, classes=classes)


@functools.lru_cache(maxsize=64)
def split(k: int, times: tuple[float, ...]) -> tuple[int, ...]:
    """Split k partitions into integers whose times are as equal as can be.

    With T the time that exact shares would take everywhere, Σ_j (times[j]·load[j] − T)² is least.
    The sum is convex in each load, so giving out one partition after the other, each where it adds
    least, is optimal.

    Examples
    --------
    >>> split(5, (1.0, 2.0))
    (3, 2)
    >>> split(6, (1.0, 7.0, 7.0))
    (4, 1, 1)
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
