"""The numerically stable binary gradient code of Charalambides, Mahdavifar and Hero.

Paper `binary`, Section III, Algorithms 1 and 2. As printed both hold slips; corrected they come to
one rule: the workers of each residue class modulo s + 1 share out all partitions in consecutive
blocks, sizes as even as can be, larger blocks first.
"""

from __future__ import annotations

import functools
from typing import Annotated, Literal

import numpy as np
import pydantic
from numpy.typing import NDArray

from fastgc.codes.code import Code
from fastgc.codes.columns import Columns
from fastgc.codes.family import LargeFamily
from fastgc.registry import register
from fastgc.registry.makers import maker
from fastgc.registry.numbers import Many


@register("code")
class Binary(LargeFamily):
    """The binary gradient code of paper `binary`, Algorithms 1 and 2, corrected.

    Each of s + 1 classes of workers holds every partition once; one complete class decodes. Exact
    with up to s stragglers.

    Parameters
    ----------
    n : int
        Workers, 1 ≤ n ≤ 4 194 304.
    s : int
        Stragglers that exact decoding survives, 0 ≤ s < n; s + 1 need not divide n.
    k : int, optional
        Partitions, at most 4 194 304; n by default.

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
    k: Many | None = None

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
        remainder = n % (s + 1)
        # Algorithm 3 looks at the smaller classes first: they are complete more often.
        order = (*range(remainder, s + 1), *range(remainder))
        classes = [range(residue, n, s + 1) for residue in order]
        name = f"binary(n={n}, s={s})" if k == n else f"binary(n={n}, s={s}, k={k})"
        columns = functools.partial(_columns, n, s, k)
        return Code(name, columns, None, s, classes, shape=(k, n))


binary = maker(Binary, build=True)


def _columns(n: int, s: int, k: int) -> Columns:
    block, residue = np.divmod(np.arange(n), s + 1)
    blocks = (n - residue - 1) // (s + 1) + 1
    size, larger = np.divmod(k, blocks)

    def begin(block: NDArray[np.int64]) -> NDArray[np.int64]:
        """First partition of a block, after larger ones and others."""
        return block * size + np.minimum(block, larger)

    return Columns.of_intervals(k, begin(block), begin(block + 1))
