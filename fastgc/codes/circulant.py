"""The 0/1 circulant: worker j holds d partitions from j on, around a ring."""

from __future__ import annotations

from typing import Literal

import numpy as np
import pydantic

from fastgc.codes.code import Code, code_of
from fastgc.codes.family import SizedFamily
from fastgc.registry import register
from fastgc.registry.makers import maker
from fastgc.registry.numbers import Size


@register("code")
class Circulant(SizedFamily):
    """The circulant with 0/1 entries: worker j holds partitions j, j + 1, …, j + d − 1 (mod n).

    Exact with up to d − 1 stragglers where d divides n; nothing is guaranteed elsewhere.

    Parameters
    ----------
    d : int
        Replication, 1 ≤ d ≤ n.

    Raises
    ------
    FastgcError
        If not 1 ≤ d ≤ n.

    Examples
    --------
    >>> circulant(n=3, d=2).B.astype(int).tolist()
    [[1, 0, 1], [1, 1, 0], [0, 1, 1]]
    """

    family: Literal["circulant"] = "circulant"
    d: Size

    @pydantic.field_validator("d")
    @classmethod
    def _fits(cls, d: int, info: pydantic.ValidationInfo) -> int:
        n = info.data.get("n")
        if n is not None and d > n:
            raise ValueError(f"must be at most n (got n={n}, d={d})")
        return d

    def build(self) -> Code:
        """Return the code."""
        n, d = self.n, self.d
        rows, columns = np.ogrid[:n, :n]
        B = (rows - columns) % n < d
        # Proved for d | n (n/d workers a step of d apart cover all); otherwise it fails (ERRATA
        # of paper agc, Theorem 2: n = 8, d = 3 does not survive every pair of stragglers).
        return code_of(B, f"circulant(n={n}, d={d})", tolerance=d - 1 if n % d == 0 else None)


circulant = maker(Circulant, build=True)
