"""Uncoded work: every worker has its own share, and all are waited for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Literal

from fastgc.registry import register
from fastgc.registry.makers import maker
from fastgc.systems.system import Candidates, Cluster, SizedSystem
from fastgc.systems.timing.structure import Flat


@register("system")
class Uncoded(SizedSystem):
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

    @classmethod
    def candidates(cls, cluster: Cluster) -> Sequence[Candidates]:
        """Return the one system on all workers."""
        return [Candidates((cls(n=cluster.workers),))]

    def structure(self) -> Flat:
        """Return that all n answers are waited for."""
        return Flat(self.n, self.n)

    def default_share(self) -> float:
        """Return 1/n."""
        return 1 / self.n


uncoded = maker(Uncoded)
