"""Uncoded work without the slowest: the gradient of those who were fast enough."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Literal

import pydantic

from fastgc.registry import register
from fastgc.registry.makers import maker
from fastgc.systems.system import (
    Candidates,
    Cluster,
    Count,
    Gradient,
    PatientSystem,
    SizedSystem,
    Workers,
)
from fastgc.systems.timing.structure import Flat, Patient


@register("system")
class IgnoreStragglers(PatientSystem):
    """Uncoded work whose slowest answers are left out (SGD of paper `codedreduce`).

    Each of n workers has an n-th of the work; the slowest ``stragglers`` are not waited for.

    Parameters
    ----------
    stragglers : int
        Workers that are not waited for, 0 ≤ stragglers < n.
    patience : float, optional
        How long the master waits on after the fastest worker; see `fastgc.systems.Patient`. With
        stragglers = n − 1 it is the only rule: all answers until then are used.

    Raises
    ------
    FastgcError
        If not 0 ≤ stragglers < n, or the load is not positive.

    Examples
    --------
    >>> ignore_stragglers(n=4, stragglers=1).structure()
    Flat(n=4, need=3)
    """

    DESIGN_KEYS: ClassVar[tuple[str, ...]] = ("stragglers",)
    PRECEDENCE: ClassVar[int] = 1
    GRADIENT: ClassVar[Gradient] = "lost"

    family: Literal["ignore-stragglers"] = "ignore-stragglers"
    stragglers: Count

    @pydantic.field_validator("stragglers")
    @classmethod
    def _leaves_workers(cls, stragglers: int, info: pydantic.ValidationInfo) -> int:
        n = info.data.get("n")
        if n is not None and stragglers >= n:
            raise ValueError(f"must be less than n (got n={n}, stragglers={stragglers})")
        return stragglers

    @classmethod
    def candidates(cls, cluster: Cluster) -> Sequence[Candidates]:
        """Return the one system that leaves out so many stragglers."""
        assert cluster.stragglers is not None
        return cls.with_patience(cluster, [{"stragglers": cluster.stragglers}])

    def structure(self) -> Flat | Patient:
        """Return that n − stragglers answers are waited for."""
        return self.waiting(Flat(self.n, self.n - self.stragglers))

    def default_share(self) -> float:
        """Return 1/n."""
        return 1 / self.n


ignore_stragglers = maker(IgnoreStragglers)


@register("system")
class BoundedWait(SizedSystem):
    """Uncoded work of which the first k answers are taken, the others dropped.

    It is done when `ignore_stragglers` with n − k stragglers is; `fastgc.design` looks at every k.
    Where the same workers are always late, what they hold is always missing: the gradient is
    biased (fastest-k SGD; Dutta et al., *Slow and Stale Gradients Can Win the Race*, 2018).

    Parameters
    ----------
    k : int
        Answers that are waited for, 1 ≤ k ≤ n.

    Raises
    ------
    FastgcError
        If not 1 ≤ k ≤ n, or the load is not positive.

    Examples
    --------
    >>> bounded_wait(n=4, k=3).structure()
    Flat(n=4, need=3)
    """

    PRECEDENCE: ClassVar[int] = 9
    GRADIENT: ClassVar[Gradient] = "lost"

    family: Literal["bounded-wait"] = "bounded-wait"
    k: Workers

    @pydantic.field_validator("k")
    @classmethod
    def _at_most_all(cls, k: int, info: pydantic.ValidationInfo) -> int:
        n = info.data.get("n")
        if n is not None and k > n:
            raise ValueError(f"must be at most n (got n={n}, k={k})")
        return k

    @classmethod
    def candidates(cls, cluster: Cluster) -> Sequence[Candidates]:
        """Return every k below all workers."""
        n = cluster.workers
        return [Candidates(tuple(cls(n=n, k=k) for k in range(1, n)))] if n > 1 else ()

    def structure(self) -> Flat:
        """Return that k answers are waited for."""
        return Flat(self.n, self.k)

    def default_share(self) -> float:
        """Return 1/n."""
        return 1 / self.n


bounded_wait = maker(BoundedWait)
