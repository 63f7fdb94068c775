"""Codes of shifts: every worker holds the same pattern of partitions, one further around a ring."""

import functools
from typing import Literal

import numpy as np

from fastgc.codes.code import Code
from fastgc.codes.columns import Columns, require_room
from fastgc.codes.family import LargeFamily, Replication
from fastgc.codes.structure import CycleGaps, General, Groups, Structure
from fastgc.registry import register
from fastgc.registry.makers import maker


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
        columns = functools.partial(_columns, n, d)
        structure = _structure(n, d)
        return Code(f"circulant(n={n}, d={d})", columns, structure, tolerance, shape=(n, n))


circulant = maker(Circulant, build=True)


def _structure(n: int, d: int) -> Structure:
    if d == 1:
        return Groups(np.arange(n), np.ones(n, np.int64), 0)
    if d == n:
        return Groups(np.zeros(n, np.int64), np.array([n]), 0)
    return CycleGaps(n) if d == 2 else General()


def _columns(n: int, d: int) -> Columns:
    require_room(n * d)
    places = np.arange(n, dtype=np.int32)[:, np.newaxis] + np.arange(d, dtype=np.int32)
    around = places[n - d + 1 :]
    around[around >= n] -= n
    around.sort(axis=1)
    return Columns.of_ones(n, np.arange(0, n * d + 1, d), places.reshape(-1))
