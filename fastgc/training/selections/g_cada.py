"""CADA with groups of workers that hold the same data."""

from __future__ import annotations

from typing import Literal

import pydantic

from fastgc.errors import FastgcError
from fastgc.registry import register
from fastgc.training.selections.adaptive import Adaptive
from fastgc.training.selections.selection import Count


@register("selection")
class GCada(Adaptive):
    """G-CADA, Algorithm 1 of paper ``gcada``.

    Worker m is in group ⌊m/(M/G)⌋. All workers of a selected group download the parameters and
    compute a gradient, each of its own mini-batch; the fastest uploads it (of equally fast ones the
    first), and the slowest selected group is waited for. The parameters are those of `Adaptive`,
    and:

    Parameters
    ----------
    groups : int
        G, which divides the number of workers.

    Examples
    --------
    >>> GCada(workers=12, groups=3, c=0.3).holders
    4
    """

    method: Literal["g-cada"] = "g-cada"
    groups: Count

    @pydantic.model_validator(mode="after")
    def _divides(self) -> GCada:
        if self.workers % self.groups:
            raise FastgcError(
                f"must divide the {self.workers} workers (got {self.groups})", "groups"
            )
        return self

    @property
    def parts(self) -> int:
        """Parts of the data: one a group."""
        return self.groups
