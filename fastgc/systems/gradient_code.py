"""Gradient coding in a star: any n − s answers hold the exact gradient."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated, ClassVar, Literal

import pydantic

from fastgc.registry import register
from fastgc.registry.makers import maker
from fastgc.systems.system import BelowN, Candidates, Cluster, Many, ManyOrNone, PatientSystem
from fastgc.systems.timing.later import Patient
from fastgc.systems.timing.stars import Flat

#: Pieces of the gradient that `fastgc.design` looks at, at most.
_MOST_PIECES = 16


@register("system")
class GradientCode(PatientSystem):
    """A gradient code on n workers (Tandon et al., ICML 2017; GC of paper `codedreduce`).

    Each has (s + m)/n of the work; any n − s answers hold the exact gradient. Answers are as long
    as an m-th of it (Ye and Abbe, ICML 2018), and take a port so much less.

    * ``n`` (int): Workers, 1 ≤ n ≤ 1 000 000.
    * ``s`` (int): Stragglers that exact decoding survives, 0 ≤ s ≤ n − m.
    * ``m`` (int): Pieces of the gradient, of which an answer is as long as one; 1 by default.
    * ``patience`` (float, optional): How long the master waits on after the fastest worker; see
      `fastgc.systems.Patient`.

    >>> gradient_code(n=4, s=1).share(), gradient_code(n=4, s=1).structure()
    (0.5, Flat(n=4, need=3))
    >>> gradient_code(n=4, s=1, m=2).share(), gradient_code(n=4, s=1, m=2).message()
    (0.75, 0.5)
    """

    PRECEDENCE: ClassVar[int] = 2

    family: Literal["gradient-code"] = "gradient-code"
    n: Many
    s: Annotated[ManyOrNone, BelowN]
    m: Many = 1

    @pydantic.field_validator("m")
    @classmethod
    def _attainable(cls, m: int, info: pydantic.ValidationInfo) -> int:
        n, s = info.data.get("n"), info.data.get("s")
        if n is not None and s is not None and s + m > n:
            raise ValueError(f"s + m must be at most n (got n={n}, s={s}, m={m})")
        return m

    @classmethod
    def candidates(cls, cluster: Cluster) -> Sequence[Candidates]:
        """Return a code for every number of stragglers; where sending takes time, for every m."""
        n, found = cluster.workers, []
        for m in range(1, 1 + min(n, _MOST_PIECES) if cluster.sends else 2):
            keys = [{"s": s, "m": m} if m > 1 else {"s": s} for s in range(n - m + 1)]
            own = cls.with_patience(cluster, keys)
            found += own if m == 1 else [replace(each, group=f"m={m} {each.group}") for each in own]
        return found

    def structure(self) -> Flat | Patient:
        return self.waiting(Flat(self.n, self.n - self.s))

    def default_share(self) -> float:
        """Return (s + m)/n."""
        return (self.s + self.m) / self.n

    def message(self) -> float:
        return 1.0 / self.m


gradient_code = maker(GradientCode)
