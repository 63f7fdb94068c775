"""Codes of shifts: every worker holds the same pattern of partitions, one further around a ring."""

from __future__ import annotations

from typing import Annotated, Literal

import numpy as np
import pydantic

from fastgc.codes.code import Code, code_of
from fastgc.codes.columns import Columns
from fastgc.codes.family import LargeFamily
from fastgc.registry import register
from fastgc.registry.makers import maker
from fastgc.registry.numbers import MOST

_Offset = Annotated[int, pydantic.Field(ge=0, lt=MOST)]


@register("code")
class DifferenceSet(LargeFamily):
    """The 0/1 circulant of any offsets: worker j holds partitions j + o (mod n) for every offset o.

    Where every difference mod n but 0 occurs λ times among the offsets they are a difference set,
    and the code is a symmetric block design (Kadhe, Koyluoglu and Ramchandran, 1904.13373): any two
    workers share λ partitions. Other offsets, like rulers, are taken as well.

    Parameters
    ----------
    offsets : sequence of int
        At least one, all different, 0 ≤ o < n.

    Raises
    ------
    FastgcError
        If the offsets are none of these.

    Examples
    --------
    >>> fano = difference_set(n=7, offsets=[0, 1, 3])
    >>> (fano.B.T @ fano.B)[0].astype(int).tolist()
    [3, 1, 1, 1, 1, 1, 1]
    """

    family: Literal["difference-set"] = "difference-set"
    offsets: Annotated[tuple[_Offset, ...], pydantic.Field(min_length=1)]

    @pydantic.field_validator("offsets")
    @classmethod
    def _fits(cls, offsets: tuple[int, ...], info: pydantic.ValidationInfo) -> tuple[int, ...]:
        n = info.data.get("n")
        if len(set(offsets)) < len(offsets):
            raise ValueError(f"must be different (got {list(offsets)})")
        if n is not None and max(offsets) >= n:
            raise ValueError(f"must be less than n (got n={n}, offset {max(offsets)})")
        return offsets

    def build(self) -> Code:
        """Return the code."""
        d = len(self.offsets)
        workers = np.repeat(np.arange(self.n), d)
        places = (workers + np.tile(self.offsets, self.n)) % self.n
        columns = Columns.of_entries(self.n, self.n, workers, places, np.ones(len(places)))
        listed = ", ".join(map(str, self.offsets))
        return code_of(columns, f"difference-set(n={self.n}, offsets=[{listed}])")


difference_set = maker(DifferenceSet, build=True)
