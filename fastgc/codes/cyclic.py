"""Tandon's random cyclic code: supports go around a ring, entries come from a random null space."""

from __future__ import annotations

import functools
import math
from typing import Annotated, Literal

import numpy as np
import pydantic
from numpy.typing import NDArray

from fastgc.codes.code import Code, code_of
from fastgc.codes.columns import Columns
from fastgc.codes.family import SizedFamily
from fastgc.draws.streams import uniforms
from fastgc.errors import FastgcError
from fastgc.registry import register
from fastgc.registry.makers import maker
from fastgc.registry.numbers import Seed, Size
from fastgc_kernels.decode import elimination, jacobi

_ATTEMPTS = 100
_MOST_OPERATIONS = 10**12  # n eliminations of d³/3: some ten minutes
_LARGEST_DECOMPOSED = 300  # 100 singular value decompositions take some ten seconds here


@register("code")
class Cyclic(SizedFamily):
    """The random cyclic code of Tandon et al. (1612.03301), Algorithm 2.

    With s = d − 1, worker j holds partitions j, …, j + s (mod n): column j of B is the vector with
    that support and a 1 in row j that a random s × n matrix H with H·1 = 0 sends to 0. Entries of H
    are sums of twelve uniforms, normal for all practical purposes, so that no library of functions
    decides a bit. Exact with up to d − 1 stragglers.

    Parameters
    ----------
    d : int
        Replication, 1 ≤ d ≤ n.
    seed : int
        Of the random H, 0 ≤ seed < 2⁶⁴; 1 by default.
    condition : float, optional
        Draw H anew, up to 100 times, until the largest over the smallest of the n − s non-zero
        singular values of B is at most this; n ≤ 300. By default the first draw is taken.

    Raises
    ------
    FastgcError
        If not 1 ≤ d ≤ n, or no draw has the condition number asked for.

    Examples
    --------
    >>> cyclic(n=5, d=3, seed=7).loads.tolist()
    [3, 3, 3, 3, 3]
    """

    family: Literal["cyclic"] = "cyclic"
    d: Size
    seed: Seed = 1
    condition: Annotated[float | None, pydantic.Field(ge=1, allow_inf_nan=False)] = None

    @pydantic.field_validator("d")
    @classmethod
    def _fits(cls, d: int, info: pydantic.ValidationInfo) -> int:
        n = info.data.get("n")
        if n is not None and d > n:
            raise ValueError(f"must be at most n (got n={n}, d={d})")
        if n is not None and n * (d - 1) ** 3 > _MOST_OPERATIONS:
            raise ValueError(f"n (d − 1)³ must be at most 10¹² (got n={n}, d={d})")
        return d

    @pydantic.field_validator("condition")
    @classmethod
    def _reached(cls, condition: float | None, info: pydantic.ValidationInfo) -> float | None:
        n, d, seed = (info.data.get(key) for key in ("n", "d", "seed"))
        if condition is None or n is None or d is None or seed is None or d in (1, n):
            return condition  # of the identity and of all ones it is 1
        if n > _LARGEST_DECOMPOSED:
            raise ValueError(f"can be asked for up to n={_LARGEST_DECOMPOSED} (got n={n})")
        try:
            _attempt(n, d, seed, condition)
        except FastgcError as problem:
            raise ValueError(str(problem)) from None
        return condition

    def build(self) -> Code:
        """Return the code."""
        return _build(self.n, self.d, self.seed, self.condition)


cyclic = maker(Cyclic, build=True)


def _build(n: int, d: int, seed: int, condition: float | None) -> Code:
    name = f"cyclic(n={n}, d={d}, seed={seed})"
    if d in (1, n):  # every H decides the same then, and no rounding is needed
        if d == 1:
            one_each = Columns.of_ones(n, np.arange(n + 1), np.arange(n))
            return code_of(one_each, name, 0, [range(n)])
        return code_of(np.ones((n, n)), name, d - 1)
    first = 0
    if condition is not None:
        first = _attempt(n, d, seed, condition)
        name = f"{name[:-1]}, condition={condition:g})"
    for attempt in range(first, _ATTEMPTS):
        found = _encoding(_null_of_ones(n, d - 1, seed, attempt))
        if found is not None:
            return Code(name, found, None, d - 1)
    raise FastgcError(f"{name}: all of {_ATTEMPTS} draws are singular; take a smaller d")


@functools.lru_cache(maxsize=1024)
def _attempt(n: int, d: int, seed: int, condition: float) -> int:
    """Number of the first draw whose condition number is small enough."""
    smallest = math.inf
    for attempt in range(_ATTEMPTS):
        B = _encoding(_null_of_ones(n, d - 1, seed, attempt))
        if B is None:
            continue
        S = jacobi.svd(B.dense(), np.ones(n))[0]
        found = float(S[0] / S[n - d])
        if found <= condition:
            return attempt
        smallest = min(smallest, found)
    raise FastgcError(
        f"must be reached by one of {_ATTEMPTS} draws of cyclic(n={n}, d={d}, seed={seed}) "
        f"(got {condition:g}, the smallest is {smallest:.4g})"
    )


def _null_of_ones(n: int, s: int, seed: int, attempt: int) -> NDArray[np.float64]:
    """A random matrix H (s, n) with H·1 = 0."""
    H = np.empty((s, n))
    draws = uniforms(seed, f"cyclic/{n}/{s}/{attempt}", 12 * s * (n - 1)).reshape(12, s, n - 1)
    normal = draws[0] - 6.0
    for part in draws[1:]:  # one by one: the order of a library's sum is its own
        normal += part
    H[:, :-1] = normal
    H[:, -1] = [-math.fsum(row) for row in H[:, :-1]]
    return H


def _encoding(H: NDArray[np.float64]) -> Columns | None:
    """The matrix whose columns H sends to 0; None if H has singular blocks."""
    s, n = H.shape
    weights = np.ones((n, s + 1))
    x = np.empty(s)
    places = (np.arange(n)[:, np.newaxis] + np.arange(s + 1)) % n
    for worker, others in enumerate(places[:, 1:]):
        if not elimination.solve(np.ascontiguousarray(H[:, others]), -H[:, worker], x):
            return None
        weights[worker, 1:] = x
    workers = np.repeat(np.arange(n), s + 1)
    return Columns.of_entries(n, n, workers, places.reshape(-1), weights.reshape(-1))
