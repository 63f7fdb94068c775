"""No coding: every worker holds one partition of its own."""

from __future__ import annotations

from typing import Literal

import numpy as np

from fastgc.codes.code import Code, code_of
from fastgc.codes.family import SizedFamily
from fastgc.registry import register
from fastgc.registry.makers import maker


@register("code")
class Uncoded(SizedFamily):
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
        classes = (tuple(range(self.n)),)
        return code_of(np.eye(self.n), f"uncoded(n={self.n})", tolerance=0, classes=classes)


uncoded = maker(Uncoded, build=True)
