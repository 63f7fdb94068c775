"""Replication: groups of d workers do the same work, and the fastest of each counts."""

from collections.abc import Sequence
from typing import ClassVar, Literal

import pydantic

from fastgc.registry import register
from fastgc.registry.complaints import alternatives
from fastgc.registry.makers import maker
from fastgc.systems.system import Candidates, Cluster, PatientSystem, Workers
from fastgc.systems.timing.later import Patient
from fastgc.systems.timing.parts import Replicated


@register("system")
class Replication(PatientSystem):
    """Work that is done d times over: groups of d workers have d/n of it each.

    Workers g·d … g·d + d − 1 are group g; of each group that is waited for, one answer is enough.

    * ``d`` (int): Workers in a group; divides n.
    * ``groups`` (int, optional): Groups of which an answer must have come; all n/d if left out.
    * ``patience`` (float, optional): How long the master waits on after the fastest worker; see
      `fastgc.systems.Patient`.

    Raises FastgcError if d does not divide n, groups > n/d, or the load is not positive.

    >>> replication(n=6, d=2).structure()
    Replicated(n=6, size=2, need=3)
    """

    PRECEDENCE: ClassVar[int] = 3

    family: Literal["replication"] = "replication"
    d: Workers
    groups: Workers | None = None

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
        """Return groups of every size that divides the workers."""
        n = cluster.workers
        return cls.with_patience(cluster, [{"d": d} for d in range(1, n + 1) if n % d == 0])

    def structure(self) -> Replicated | Patient:
        """Return how many groups are waited for."""
        groups = self.n // self.d
        need = groups if self.groups is None else self.groups
        return self.waiting(Replicated(self.n, self.d, need))

    def default_share(self) -> float:
        return self.d / self.n


replication = maker(Replication)
