"""No coding: every worker holds one partition of its own."""

from __future__ import annotations

from typing import Literal

import numpy as np

from fastgc.codes.code import Code
from fastgc.codes.columns import Columns
from fastgc.codes.family import LargeFamily
from fastgc.codes.structure import Groups
from fastgc.registry import register
from fastgc.registry.makers import maker


@register("code")
class Uncoded(LargeFamily):
    """The identity matrix: worker j holds partition j alone.

    Raises
    ------
    FastgcError
        If n < 1.

    Examples
    --------
    >>> uncoded(3).loads.tolist()
    [1, 1, 1]
    """

    family: Literal["uncoded"] = "uncoded"

    def build(self) -> Code:
        """Return the code."""
        n = self.n
        columns = Columns.of_ones(n, np.arange(n + 1), np.arange(n))
        structure = Groups(np.arange(n), np.ones(n, np.int64), 0)
        return Code(f"uncoded(n={n})", columns, structure, 0, [range(n)])


uncoded = maker(Uncoded, build=True)
