"""A closed form as it stands beside a row of results."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class ClosedForm:
    """A closed form that applies to an experiment, addressed like a row of results.

    Attributes
    ----------
    quantity, statistic, index
        As in a row: like "error", "mean", and which number of a quantity that has several, or None.
    value : float
        In the quantity's unit.
    claim : str or None
        Id of the claim that tests the formula, None where there is none.

    Examples
    --------
    >>> from fastgc import theory
    >>> forms = theory.closed_forms({
    ...     "code": {"family": "frc", "n": 8, "d": 2},
    ...     "stragglers": {"model": "iid", "p": 0.1},
    ... })
    >>> round(next(f.value for f in forms if f.quantity == "error" and f.statistic == "mean"), 12)
    0.08
    """

    quantity: str
    statistic: str
    index: int | None
    value: float
    claim: str | None
