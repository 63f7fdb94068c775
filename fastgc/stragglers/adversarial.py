"""The worst that so many stragglers can do."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from fastgc.draws.patterns import Patterns
from fastgc.draws.streams import Batch
from fastgc.errors import FastgcError
from fastgc.registry import register
from fastgc.stragglers.stragglers import Stragglers


@register("stragglers")
class Adversarial(Stragglers):
    """Those ``stragglers`` workers straggle whose absence costs most; nothing is drawn.

    Parameters
    ----------
    stragglers : int
        How many workers straggle, from 0 to n.

    Examples
    --------
    >>> import fastgc
    >>> result = fastgc.run({
    ...     "code": {"family": "frc", "n": 6, "d": 2},
    ...     "stragglers": {"model": "adversarial", "stragglers": 4},
    ... })
    >>> result["experiment1"]["error"].statistic("maximum").value
    4.0
    """

    model: Literal["adversarial"] = "adversarial"
    stragglers: Annotated[int, Field(ge=0)]

    def draw(self, n: int, batch: Batch) -> Patterns:
        """Refuse: the worst pattern is searched for."""
        raise FastgcError("stragglers: adversarial is a worst case, which draws no trials")

    def complaints(self, n: int) -> list[tuple[str, str]]:
        """Return (field, sentence) for what does not fit n workers."""
        if self.stragglers > n:
            return [("stragglers", f"must be at most n={n} (got {self.stragglers})")]
        return []
