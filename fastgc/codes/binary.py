"""The numerically stable binary gradient code of Charalambides, Mahdavifar and Hero.

Paper `binary`, Section III, Algorithms 1 and 2. As printed both hold slips; corrected they come to
one rule: the workers of each residue class modulo s + 1 share out all partitions in consecutive
blocks, sizes as even as can be, larger blocks first.
"""

from __future__ import annotations

from typing import Annotated, Literal

import numpy as np
import pydantic

from fastgc.codes.code import Code, code_of
from fastgc.codes.family import SizedFamily
from fastgc.registry import register
from fastgc.registry.makers import maker
from fastgc.registry.numbers import LARGEST


@register("code")
class Binary(SizedFamily):
    """The binary gradient code of paper `binary`, Algorithms 1 and 2, corrected.

    Each of s + 1 classes of workers holds every partition once; one complete class decodes. Exact
    with up to s stragglers.

    Parameters
    ----------
    n : int
        Workers, 1 ≤ n ≤ 16 384.
    s : int
        Stragglers that exact decoding survives, 0 ≤ s < n; s + 1 need not divide n.
    k : int, optional
        Partitions, at most 16 384; n by default.

    Raises
    ------
    FastgcError
        If not 0 ≤ s < n or k < 1.

    Examples
    --------
    >>> binary(n=11, s=3).loads.tolist()
    [4, 4, 4, 6, 4, 4, 4, 5, 3, 3, 3]
    """

    family: Literal["binary"] = "binary"
    s: Annotated[int, pydantic.Field(ge=0)]
    k: Annotated[int | None, pydantic.Field(ge=1, le=LARGEST)] = None

    @pydantic.field_validator("s")
    @classmethod
    def _leaves_survivors(cls, s: int, info: pydantic.ValidationInfo) -> int:
        n = info.data.get("n")
        if n is not None and s >= n:
            raise ValueError(f"must be less than n (got n={n}, s={s})")
        return s

    def build(self) -> Code:
        """Return the code."""
        n, s, k = self.n, self.s, self.n if self.k is None else self.k
        B = np.zeros((k, n))
        remainder = n % (s + 1)
        # Algorithm 3 looks at the smaller classes first: they are complete more often.
        order = (*range(remainder, s + 1), *range(remainder))
        classes = tuple(tuple(range(residue, n, s + 1)) for residue in order)
        for workers in classes:
            size, larger = divmod(k, len(workers))
            stop = 0
            for block, worker in enumerate(workers):
                start, stop = stop, stop + size + (block < larger)
                B[start:stop, worker] = 1
        name = f"binary(n={n}, s={s})" if k == n else f"binary(n={n}, s={s}, k={k})"
        return code_of(B, name, tolerance=s, classes=classes)


binary = maker(Binary, build=True)
