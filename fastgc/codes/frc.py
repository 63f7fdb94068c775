"""Groups of d workers that hold the same d partitions: fractional repetition, and no coding."""

import functools
import math
from typing import Literal

import numpy as np
import pydantic

from fastgc.codes.code import Code
from fastgc.codes.columns import Columns, require_room
from fastgc.codes.family import LargeFamily
from fastgc.codes.structure import Groups
from fastgc.registry import register
from fastgc.registry.complaints import alternatives
from fastgc.registry.makers import maker
from fastgc.registry.numbers import Many


@register("code")
class FractionalRepetition(LargeFamily):
    """The fractional repetition code of Tandon et al. (ICML 2017).

    Workers g·d … g·d + d − 1 hold partitions g·d … g·d + d − 1, for each group g: exact with up to
    d − 1 stragglers.

    * ``d`` (int): Replication; divides n.

    Raises FastgcError if d does not divide n.

    >>> frc(n=4, d=2).B.astype(int).tolist()
    [[1, 1, 0, 0], [1, 1, 0, 0], [0, 0, 1, 1], [0, 0, 1, 1]]
    """

    family: Literal["frc"] = "frc"
    d: Many

    @pydantic.field_validator("d")
    @classmethod
    def _divides(cls, d: int, info: pydantic.ValidationInfo) -> int:
        n = info.data.get("n")
        if n is not None and n % d:
            small = [i for i in range(1, math.isqrt(n) + 1) if n % i == 0]
            divisors = sorted({*small, *(n // i for i in small)})
            if len(divisors) > 12:
                divisors = sorted(sorted(divisors, key=lambda i: abs(i - d))[:4])
            raise ValueError(f"must divide n (got n={n}, d={d}; {alternatives(divisors)} do)")
        return d

    def build(self) -> Code:
        n, d = self.n, self.d
        structure = Groups(np.arange(n) // d, np.full(n // d, d), 0)
        classes = [range(first, n, d) for first in range(d)]
        columns = functools.partial(_columns, n, d)
        return Code(f"frc(n={n}, d={d})", columns, structure, d - 1, classes, shape=(n, n))


frc = maker(FractionalRepetition, build=True)


def _columns(n: int, d: int) -> Columns:
    require_room(n * d)
    first = np.arange(n, dtype=np.int32) // d * d
    places = first[:, np.newaxis] + np.arange(d, dtype=np.int32)
    return Columns.of_ones(n, np.arange(0, n * d + 1, d), places.reshape(-1))


@register("code")
class Uncoded(LargeFamily):
    """The identity matrix: worker j holds partition j alone.

    >>> uncoded(3).loads.tolist()
    [1, 1, 1]
    """

    family: Literal["uncoded"] = "uncoded"

    def build(self) -> Code:
        n = self.n
        columns = Columns.of_ones(n, np.arange(n + 1), np.arange(n))
        structure = Groups(np.arange(n), np.ones(n, np.int64), 0)
        return Code(f"uncoded(n={n})", columns, structure, 0, [range(n)])


uncoded = maker(Uncoded, build=True)
