"""Fractional repetition: groups of d workers hold the same d partitions."""

from __future__ import annotations

from typing import Literal

import numpy as np
import pydantic

from fastgc.codes.code import Code, code_of
from fastgc.codes.family import SizedFamily
from fastgc.registry import register
from fastgc.registry.complaints import alternatives
from fastgc.registry.makers import maker
from fastgc.registry.numbers import Size


@register("code")
class FractionalRepetition(SizedFamily):
    """The fractional repetition code of Tandon et al. (ICML 2017).

    Workers g·d … g·d + d − 1 hold partitions g·d … g·d + d − 1, for each group g: exact with up to
    d − 1 stragglers.

    Parameters
    ----------
    d : int
        Replication; divides n.

    Raises
    ------
    FastgcError
        If d does not divide n.

    Examples
    --------
    >>> frc(n=4, d=2).B.astype(int).tolist()
    [[1, 1, 0, 0], [1, 1, 0, 0], [0, 0, 1, 1], [0, 0, 1, 1]]
    """

    family: Literal["frc"] = "frc"
    d: Size

    @pydantic.field_validator("d")
    @classmethod
    def _divides(cls, d: int, info: pydantic.ValidationInfo) -> int:
        n = info.data.get("n")
        if n is not None and n % d:
            divisors = [i for i in range(1, n + 1) if n % i == 0]
            if len(divisors) > 12:
                divisors = sorted(sorted(divisors, key=lambda i: abs(i - d))[:4])
            raise ValueError(f"must divide n (got n={n}, d={d}; {alternatives(divisors)} do)")
        return d

    def build(self) -> Code:
        """Return the code."""
        n, d = self.n, self.d
        B = np.kron(np.eye(n // d), np.ones((d, d)))
        classes = tuple(tuple(range(first, n, d)) for first in range(d))
        return code_of(B, f"frc(n={n}, d={d})", tolerance=d - 1, classes=classes)


frc = maker(FractionalRepetition, build=True)
