"""A closed form as it stands beside a row of results."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class ClosedForm:
    """A closed form that applies to an experiment, addressed like a row of results.

    ``claim`` is the id of the claim that tests the formula, None where there is none.
    """

    quantity: str
    statistic: str
    index: int | None
    value: float
    claim: str | None
