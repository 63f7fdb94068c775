"""Ring all-reduce: no master, no redundancy, and no port that many share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Literal

from fastgc.registry import register
from fastgc.registry.complaints import made
from fastgc.systems.candidates import Candidates, Cluster
from fastgc.systems.parameters import Workers
from fastgc.systems.system import System
from fastgc.systems.timing.structure import Ring


@register("system")
class RingAllReduce(System):
    """Each of n workers has an n-th of the work; when all are ready, the sums go round a ring.

    Every worker sends 2 (n − 1) messages, each an n-th of a gradient, to its neighbour; all ports
    receive at the same time.
    """

    PRECEDENCE: ClassVar[int] = 5

    family: Literal["ring-all-reduce"] = "ring-all-reduce"
    n: Workers

    @classmethod
    def candidates(cls, cluster: Cluster) -> Sequence[Candidates]:
        """Return the one ring of all workers."""
        return [Candidates((cls(n=cluster.workers),))]

    def workers(self) -> int:
        """Return the number of workers."""
        return self.n

    def structure(self) -> Ring:
        """Return the ring."""
        return Ring(self.n)

    def default_share(self) -> float:
        """Return 1/n."""
        return 1 / self.n


def ring_all_reduce(n: int, load: float | None = None) -> RingAllReduce:
    """Describe a ring of n workers (RAR of paper `codedreduce`).

    Parameters
    ----------
    n : int
        Workers.
    load : float, optional
        Share of the work of each worker, instead of 1/n.

    Raises
    ------
    FastgcError
        If n < 1 or the load is not positive.

    Examples
    --------
    >>> ring_all_reduce(n=4).share()
    0.25
    """
    return made(RingAllReduce, "ring_all_reduce", n=n, load=load)
