"""Uncoded work, where all workers are waited for: at a master, or in a ring."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Literal

from fastgc.registry import register
from fastgc.registry.makers import maker
from fastgc.systems.system import Candidates, Cluster, SizedSystem
from fastgc.systems.timing.structure import Flat, Ring


class _OfAllWorkers(SizedSystem):
    """Each of n workers has an n-th of the work, and all are waited for."""

    @classmethod
    def candidates(cls, cluster: Cluster) -> Sequence[Candidates]:
        """Return the one system on all workers."""
        return [Candidates((cls(n=cluster.workers),))]

    def default_share(self) -> float:
        """Return 1/n."""
        return 1 / self.n


@register("system")
class Uncoded(_OfAllWorkers):
    """Uncoded work: each of n workers has an n-th, and the master waits for all.

    UMW of paper `codedreduce`.

    Raises
    ------
    FastgcError
        If n < 1 or the load is not positive.

    Examples
    --------
    >>> uncoded(n=4).share()
    0.25
    """

    PRECEDENCE: ClassVar[int] = 0

    family: Literal["uncoded"] = "uncoded"

    def structure(self) -> Flat:
        """Return that all n answers are waited for."""
        return Flat(self.n, self.n)


uncoded = maker(Uncoded)


@register("system")
class RingAllReduce(_OfAllWorkers):
    """A ring of n workers, each with an n-th of the work (RAR of paper `codedreduce`).

    When all are ready, the sums go round: every worker sends 2 (n − 1) messages, each an n-th of a
    gradient, to its neighbour; all ports receive at the same time.

    Raises
    ------
    FastgcError
        If n < 1 or the load is not positive.

    Examples
    --------
    >>> ring_all_reduce(n=4).share()
    0.25
    """

    PRECEDENCE: ClassVar[int] = 5

    family: Literal["ring-all-reduce"] = "ring-all-reduce"

    def structure(self) -> Ring:
        """Return the ring."""
        return Ring(self.n)


ring_all_reduce = maker(RingAllReduce)
