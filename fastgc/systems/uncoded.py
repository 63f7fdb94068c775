"""Uncoded work: all workers are waited for, at a master or in a ring, or the slowest are not."""

from collections.abc import Sequence
from typing import Annotated, ClassVar, Literal

from fastgc.registry import register
from fastgc.registry.makers import maker
from fastgc.systems.system import (
    BelowN,
    Candidates,
    Cluster,
    Count,
    Gradient,
    PatientSystem,
    SizedSystem,
)
from fastgc.systems.timing.later import Patient
from fastgc.systems.timing.stars import Flat, Ring


class _OfAllWorkers(SizedSystem):
    """Each of n workers has an n-th of the work, and all are waited for."""

    @classmethod
    def candidates(cls, cluster: Cluster) -> Sequence[Candidates]:
        return [Candidates((cls(n=cluster.workers),))]


@register("system")
class Uncoded(_OfAllWorkers):
    """Uncoded work: each of n workers has an n-th, and the master waits for all.

    UMW of paper `codedreduce`.

    >>> uncoded(n=4).share()
    0.25
    """

    PRECEDENCE: ClassVar[int] = 0

    family: Literal["uncoded"] = "uncoded"

    def structure(self) -> Flat:
        return Flat(self.n, self.n)


uncoded = maker(Uncoded)


@register("system")
class RingAllReduce(_OfAllWorkers):
    """A ring of n workers, each with an n-th of the work (RAR of paper `codedreduce`).

    When all are ready, the sums go round: every worker sends 2 (n − 1) messages, each an n-th of a
    gradient, to its neighbour; all ports receive at the same time.

    >>> ring_all_reduce(n=4).share()
    0.25
    """

    PRECEDENCE: ClassVar[int] = 5

    family: Literal["ring-all-reduce"] = "ring-all-reduce"

    def structure(self) -> Ring:
        return Ring(self.n)


ring_all_reduce = maker(RingAllReduce)


@register("system")
class IgnoreStragglers(PatientSystem):
    """Uncoded work whose slowest answers are left out (SGD of paper `codedreduce`).

    Each of n workers has an n-th of the work; the slowest ``stragglers`` are not waited for.

    * ``stragglers`` (int): Workers that are not waited for, 0 ≤ stragglers < n.
    * ``patience`` (float, optional): How long the master waits on after the fastest worker; see
      `fastgc.systems.Patient`. With stragglers = n − 1 it is the only rule: all answers until then
      are used.

    >>> ignore_stragglers(n=4, stragglers=1).structure()
    Flat(n=4, need=3)
    """

    DESIGN_KEYS: ClassVar[tuple[str, ...]] = ("stragglers",)
    PRECEDENCE: ClassVar[int] = 1
    GRADIENT: ClassVar[Gradient] = "lost"

    family: Literal["ignore-stragglers"] = "ignore-stragglers"
    stragglers: Annotated[Count, BelowN]

    @classmethod
    def candidates(cls, cluster: Cluster) -> Sequence[Candidates]:
        """Return the one system that leaves out so many stragglers."""
        assert cluster.stragglers is not None
        return cls.with_patience(cluster, [{"stragglers": cluster.stragglers}])

    def structure(self) -> Flat | Patient:
        return self.waiting(Flat(self.n, self.n - self.stragglers))


ignore_stragglers = maker(IgnoreStragglers)
