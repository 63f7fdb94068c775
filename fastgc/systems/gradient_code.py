"""Gradient coding in a star: any n − s answers hold the exact gradient."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Literal

import pydantic

from fastgc.registry import register
from fastgc.registry.makers import maker
from fastgc.systems.parameters import Count
from fastgc.systems.system import Candidates, Cluster, PatientSystem
from fastgc.systems.timing.structure import Flat, Patient


@register("system")
class GradientCode(PatientSystem):
    """A gradient code on n workers (Tandon et al., ICML 2017; GC of paper `codedreduce`).

    Each has (s + 1)/n of the work; any n − s answers hold the exact gradient.

    Parameters
    ----------
    s : int
        Stragglers that exact decoding survives, 0 ≤ s < n.
    patience : float, optional
        How long the master waits on after the fastest worker; see `fastgc.systems.Patient`.

    Raises
    ------
    FastgcError
        If not 0 ≤ s < n, or the load is not positive.

    Examples
    --------
    >>> gradient_code(n=4, s=1).share(), gradient_code(n=4, s=1).structure()
    (0.5, Flat(n=4, need=3))
    """

    PRECEDENCE: ClassVar[int] = 2

    family: Literal["gradient-code"] = "gradient-code"
    s: Count

    @pydantic.field_validator("s")
    @classmethod
    def _leaves_survivors(cls, s: int, info: pydantic.ValidationInfo) -> int:
        n = info.data.get("n")
        if n is not None and s >= n:
            raise ValueError(f"must be less than n (got n={n}, s={s})")
        return s

    @classmethod
    def candidates(cls, cluster: Cluster) -> Sequence[Candidates]:
        """Return a code for every number of stragglers."""
        n = cluster.workers
        return cls.with_patience(
            cluster, lambda waits: tuple(cls(n=n, s=s, patience=waits) for s in range(n))
        )

    def structure(self) -> Flat | Patient:
        """Return that n − s answers are waited for."""
        return self.waiting(Flat(self.n, self.n - self.s))

    def default_share(self) -> float:
        """Return (s + 1)/n."""
        return (self.s + 1) / self.n


gradient_code = maker(GradientCode)
