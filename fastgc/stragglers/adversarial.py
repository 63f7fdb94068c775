"""The worst that so many stragglers can do."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from fastgc.registry import Member, register


@register("stragglers")
class Adversarial(Member):
    """Those ``stragglers`` workers straggle whose absence costs most; nothing is drawn."""

    model: Literal["adversarial"] = "adversarial"
    stragglers: Annotated[int, Field(ge=0)]

    def complaints(self, n: int) -> list[tuple[str, str]]:
        """Return (field, sentence) for what does not fit n workers."""
        if self.stragglers > n:
            return [("stragglers", f"must be at most n={n} (got {self.stragglers})")]
        return []
