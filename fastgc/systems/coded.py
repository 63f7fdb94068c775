"""Codes in a star: gradient codes, MDS codes, and work that is done several times over."""

from collections.abc import Sequence
from typing import Annotated, ClassVar, Literal

import pydantic

from fastgc.registry import register
from fastgc.registry.makers import maker
from fastgc.systems.system import (
    AtMostN,
    BelowN,
    Candidates,
    Cluster,
    Many,
    ManyOrNone,
    PatientSystem,
    Workers,
    limited,
)
from fastgc.systems.timing.later import Patient
from fastgc.systems.timing.parts import Replicated
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
        # where sending takes time, for every m
        n, found = cluster.workers, []
        for m in range(1, 1 + min(n, _MOST_PIECES) if cluster.sends else 2):
            pieces = {"m": m} if m > 1 else {}
            keys = ({"n": n, "s": s} | pieces for s in range(n - m + 1))
            found += cls.offered(keys, f"m={m}" if pieces else "")
        return found

    def structure(self) -> Flat | Patient:
        return self.waiting(Flat(self.n, self.n - self.s))

    def default_share(self) -> float:
        return (self.s + self.m) / self.n

    def message(self) -> float:
        return 1.0 / self.m


gradient_code = maker(GradientCode)


@register("system")
class KOfN(PatientSystem):
    """An (n, k) MDS code on a linear computation (Lee et al. 1512.02673).

    Each of n workers has a k-th of the work, coded so that any k answers are enough.

    * ``n`` (int): Workers, 1 ≤ n ≤ 1 000 000.
    * ``k`` (int): Answers that are enough, 1 ≤ k ≤ n.

    >>> k_of_n(n=5, k=4).share()
    0.25
    """

    LINEAR: ClassVar[bool] = True
    PRECEDENCE: ClassVar[int] = 4

    family: Literal["k-of-n"] = "k-of-n"
    n: Many
    k: Annotated[Many, AtMostN]

    @classmethod
    def candidates(cls, cluster: Cluster) -> Sequence[Candidates]:
        n = cluster.workers
        return cls.offered({"n": n, "k": k} for k in range(1, n + 1))

    def structure(self) -> Flat | Patient:
        return self.waiting(Flat(self.n, self.k))

    def default_share(self) -> float:
        return 1 / self.k


k_of_n = maker(KOfN)


@register("system")
class Replication(PatientSystem):
    """Work that is done d times over: groups of d workers have d/n of it each.

    Workers g·d … g·d + d − 1 are group g; of each group that is waited for, one answer is enough.

    * ``d`` (int): Workers in a group; divides n.
    * ``groups`` (int, optional): Groups of which an answer must have come; all n/d if left out.

    Raises FastgcError if d does not divide n, groups > n/d, or the load is not positive.

    >>> replication(n=6, d=2).structure()
    Replicated(n=6, size=2, need=3)
    """

    PRECEDENCE: ClassVar[int] = 3

    family: Literal["replication"] = "replication"
    d: Annotated[Workers, limited(lambda d, n: n % d == 0, "must divide n")]
    groups: Workers | None = None

    @pydantic.field_validator("groups")
    @classmethod
    def _not_too_many(cls, groups: int | None, info: pydantic.ValidationInfo) -> int | None:
        n, d = info.data.get("n"), info.data.get("d")
        if groups is not None and n is not None and d is not None and groups > n // d:
            raise ValueError(
                f"must be at most n/d (got groups={groups}; n={n} and d={d} make {n // d} groups)"
            )
        return groups

    @classmethod
    def candidates(cls, cluster: Cluster) -> Sequence[Candidates]:
        n = cluster.workers
        return cls.offered({"n": n, "d": d} for d in range(1, n + 1) if n % d == 0)

    def structure(self) -> Replicated | Patient:
        groups = self.n // self.d
        need = groups if self.groups is None else self.groups
        return self.waiting(Replicated(self.n, self.d, need))

    def default_share(self) -> float:
        return self.d / self.n


replication = maker(Replication)
