"""Codes whose workers send an m-th as much: communication-computation efficient gradient coding."""

from __future__ import annotations

from typing import Annotated, Literal

import numpy as np
import pydantic
from numpy.typing import NDArray

from fastgc.codes.code import Code, code_of
from fastgc.codes.family import SizedFamily
from fastgc.draws.streams import uniforms
from fastgc.errors import FastgcError
from fastgc.registry import register
from fastgc.registry.makers import maker
from fastgc.registry.numbers import Seed, Size
from fastgc_kernels.decode import elimination

_ATTEMPTS = 100
_LARGEST = 200
_LARGEST_ROWS = 2000


@register("code")
class YeAbbe(SizedFamily):
    """The gradient code of Ye and Abbe (1802.03475), whose answers are an m-th of the gradient.

    Worker j holds the d partitions j, j + 1, …, j + d − 1 (mod n), and sends one combination of the
    m pieces of their gradients. Exact with up to d − m stragglers: s stragglers and answers of 1/m
    need d ≥ s + m, and here d = s + m is enough.

    With r = n − d + m and a random r × n matrix V, row (i, u) of B is the combination of V's rows
    that is 0 for every worker without partition i and has weights e_u for the last m rows; so any r
    columns of B, as those of V, have the pieces of the sum in their span.

    Parameters
    ----------
    s : int
        Stragglers that are survived at least, 0 ≤ s ≤ n − m.
    m : int
        Pieces of the gradient; an answer is as long as one of them.
    d : int, optional
        Partitions of a worker, s + m ≤ d ≤ n; s + m by default.
    seed : int
        Of the random V, whose entries are sums of twelve uniforms; 1 by default.

    Raises
    ------
    FastgcError
        If s + m is more than d, or d more than n; n is at most 200 and n·m at most 2000.

    Examples
    --------
    >>> code = ye_abbe(n=5, s=1, m=2)
    >>> code.loads.tolist(), code.pieces, code.tolerance
    ([3, 3, 3, 3, 3], 2, 1)
    """

    family: Literal["ye-abbe"] = "ye-abbe"
    s: Annotated[int, pydantic.Field(ge=0)]
    m: Size
    d: Size | None = None
    seed: Seed = 1

    @pydantic.field_validator("m")
    @classmethod
    def _attainable(cls, m: int, info: pydantic.ValidationInfo) -> int:
        n, s = info.data.get("n"), info.data.get("s")
        if n is not None and (n > _LARGEST or n * m > _LARGEST_ROWS):
            raise ValueError(
                f"n must be at most {_LARGEST} and n·m at most {_LARGEST_ROWS} (got n={n}, m={m})"
            )
        if n is not None and s is not None and s + m > n:
            raise ValueError(f"s + m must be at most n (got n={n}, s={s}, m={m})")
        return m

    @pydantic.field_validator("d")
    @classmethod
    def _enough(cls, d: int | None, info: pydantic.ValidationInfo) -> int | None:
        n, s, m = (info.data.get(key) for key in ("n", "s", "m"))
        if d is None or n is None or s is None or m is None:
            return d
        if not s + m <= d <= n:
            raise ValueError(
                f"must be from s + m = {s + m} to n = {n} (got {d}): no code of less load survives "
                f"{s} stragglers with answers of 1/{m}"
            )
        return d

    @property
    def load(self) -> int:
        """Return d, s + m where it is not given."""
        return self.s + self.m if self.d is None else self.d

    def build(self) -> Code:
        """Return the code."""
        n, m, d = self.n, self.m, self.load
        name = f"ye-abbe(n={n}, s={self.s}, m={m}, d={d}, seed={self.seed})"
        for attempt in range(_ATTEMPTS):
            B = _encoding(_normal(n - d + m, n, self.seed, attempt), m, d)
            if B is not None:
                return code_of(B, name, d - m, pieces=m)
        raise FastgcError(f"{name}: all of {_ATTEMPTS} draws are singular; take another seed")


ye_abbe = maker(YeAbbe, build=True)


def _normal(rows: int, n: int, seed: int, attempt: int) -> NDArray[np.float64]:
    """A random matrix, its entries normal for all practical purposes."""
    draws = uniforms(seed, f"ye-abbe/{rows}/{n}/{attempt}", 12 * rows * n).reshape(12, rows, n)
    normal: NDArray[np.float64] = draws[0] - 6.0
    for part in draws[1:]:  # one by one: the order of a library's sum is its own
        normal += part
    return normal


def _encoding(V: NDArray[np.float64], m: int, d: int) -> NDArray[np.float64] | None:
    """The matrix B (n · m, n) that V (n − d + m, n) gives; None if V has singular blocks."""
    free, n = len(V) - m, V.shape[1]
    B = np.zeros((n * m, n))
    y = np.empty(free)
    for partition in range(n):
        others = (partition + 1 + np.arange(n - d)) % n  # worker j holds j … j + d − 1
        holders = (partition - np.arange(d)) % n
        for piece in range(m):
            own = V[free + piece]
            block = np.ascontiguousarray(V[:free, others].T)
            if free and not elimination.solve(block, -own[others], y):
                return None
            row = own[holders].copy()
            for i in range(free):  # in one order, on every machine
                row += y[i] * V[i, holders]
            B[partition * m + piece, holders] = row
    return B
