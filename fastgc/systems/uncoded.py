"""Uncoded work: every worker has its own share, and all are waited for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Literal

from fastgc.registry import register
from fastgc.registry.complaints import made
from fastgc.systems.candidates import Candidates, Cluster
from fastgc.systems.parameters import Workers
from fastgc.systems.system import System
from fastgc.systems.timing.structure import Flat


@register("system")
class Uncoded(System):
    """Each of n workers has an n-th of the work; the master waits for all (paper's UMW)."""

    PRECEDENCE: ClassVar[int] = 0

    family: Literal["uncoded"] = "uncoded"
    n: Workers

    @classmethod
    def candidates(cls, cluster: Cluster) -> Sequence[Candidates]:
        """Return the one system on all workers."""
        return [Candidates((cls(n=cluster.workers),))]

    def workers(self) -> int:
        """Return the number of workers."""
        return self.n

    def structure(self) -> Flat:
        """Return that all n answers are waited for."""
        return Flat(self.n, self.n)

    def default_share(self) -> float:
        """Return 1/n."""
        return 1 / self.n


def uncoded(n: int, load: float | None = None) -> Uncoded:
    """Describe uncoded work: the master waits for all workers (UMW of paper `codedreduce`).

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
    >>> uncoded(n=4).share()
    0.25
    """
    return made(Uncoded, "uncoded", n=n, load=load)
