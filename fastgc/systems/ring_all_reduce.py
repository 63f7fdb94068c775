"""Ring all-reduce: no master, no redundancy, and no port that many share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Literal

from fastgc.registry import register
from fastgc.registry.makers import maker
from fastgc.systems.system import Candidates, Cluster, SizedSystem
from fastgc.systems.timing.structure import Ring


@register("system")
class RingAllReduce(SizedSystem):
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

    @classmethod
    def candidates(cls, cluster: Cluster) -> Sequence[Candidates]:
        """Return the one ring of all workers."""
        return [Candidates((cls(n=cluster.workers),))]

    def structure(self) -> Ring:
        """Return the ring."""
        return Ring(self.n)

    def default_share(self) -> float:
        """Return 1/n."""
        return 1 / self.n


ring_all_reduce = maker(RingAllReduce)
