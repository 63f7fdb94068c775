"""Statements as n grows: does what separates measured from theory vanish, and as fast as stated?

No finite list of sizes proves a limit. What can be seen over two decades is whether the deviation
falls (to a quarter at least, and never rising), whether it keeps to a stated rate, or, of a
statement on orders, whether the exponent that is left goes to 0.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass

from fastgc.errors import FastgcError
from fastgc.results.verdicts import CONFIRMED, REFUTED, UNDECIDED
from fastgc.theory.papers.claim import Case, Claim

DECADES = 2.0
POINTS = 4
FALL = 4.0  # the deviation falls by this factor at least, where no rate is stated
STALLED = 0.97  # what falls to this share in a decade, or less far, does not vanish
EXPONENT = 0.05  # of two quantities of one order, what is left of the exponent
ROUNDING = 1e-9


@dataclass(frozen=True)
class Growth:
    """The verdict on a statement as n grows, and what it rests on."""

    verdict: str
    reason: str


def judge(claim: Claim, values: Sequence[float | None], errors: Sequence[float]) -> Growth:
    """Judge a statement as n grows.

    Parameters
    ----------
    claim : Claim
        Whose cases each have a ``size``.
    values, errors : sequence of float
        What was measured at each case, and the half-width of its family-wise interval: 0 where it
        is exact.

    Returns
    -------
    Growth
        Confirmed or refuted where the values are clear of their errors.

    Raises
    ------
    FastgcError
        If the sizes do not grow over two decades, or are fewer than four.
    """
    sizes = _sizes(claim)
    if any(value is None for value in values):
        return Growth(UNDECIDED, "nothing was measured at some sizes")
    known = [value for value in values if value is not None]
    if claim.limit == "order":
        return _of_one_order(claim.relation, claim.cases, sizes, known)
    relative = claim.limit == "ratio"
    deviations, widths = [], []
    for case, value, error in zip(claim.cases, known, errors, strict=True):
        size = abs(case.theory) if relative else 1.0
        deviations.append(_wrong_side(claim.relation, (value - case.theory) / size))
        widths.append(error / size)
    return _vanishing(claim.cases, sizes, deviations, widths)


def _sizes(claim: Claim) -> list[float]:
    sizes = [case.size for case in claim.cases]
    known = [size for size in sizes if size is not None]
    if len(known) < len(sizes) or len(sizes) < POINTS:
        raise FastgcError(f"{claim.id}: {POINTS} points or more must have a size")
    if any(b <= a for a, b in itertools.pairwise(known)) or known[0] <= 0:
        raise FastgcError(f"{claim.id}: sizes must grow")
    if math.log10(known[-1] / known[0]) < DECADES - ROUNDING:
        raise FastgcError(f"{claim.id}: sizes must grow over {DECADES:.0f} decades")
    return known


def _wrong_side(relation: str, deviation: float) -> float:
    """How far a value is from the theory; of a bound only what breaks it counts."""
    if relation in ("<=", "<"):
        return max(deviation, 0.0)
    if relation in (">=", ">"):
        return max(-deviation, 0.0)
    return abs(deviation)


def _vanishing(
    cases: Sequence[Case],
    sizes: Sequence[float],
    deviations: Sequence[float],
    widths: Sequence[float],
) -> Growth:
    """Judge whether deviations vanish, or keep to their rates."""
    first, last = deviations[0], deviations[-1]
    said = f"deviation {first:.3g} at {_plain(sizes[0])}, {last:.3g} at {_plain(sizes[-1])}"
    if max(deviations) <= ROUNDING:
        return Growth(CONFIRMED, "no deviation at any size")
    before = deviations[-2]
    if widths[-1] > max(last, before - last):
        return Growth(UNDECIDED, f"{said}: lost in the error of sampling, ±{widths[-1]:.2g}")
    decades = math.log10(sizes[-1] / sizes[-2])
    if last > ROUNDING and (before <= ROUNDING or (last / before) ** (1 / decades) > STALLED):
        return Growth(REFUTED, f"{said}: it does not vanish")
    rates = [case.rate for case in cases]
    if all(rate is not None for rate in rates):
        scaled = [d / r for d, r in zip(deviations, rates, strict=True) if r]
        if last <= ROUNDING:
            return Growth(CONFIRMED, said)
        steps = [
            math.log(b / a) / math.log(n / m) if a > 0 < b else -math.inf
            for a, b, m, n in zip(scaled, scaled[1:], sizes, sizes[1:], strict=False)
        ]
        if steps[-1] <= EXPONENT:
            return Growth(CONFIRMED, f"{said}: falls at the stated rate")
        slows = len(steps) > 1 and steps[-1] < steps[-2] / 2
        verdict = UNDECIDED if slows else REFUTED
        return Growth(verdict, f"{said}: slower than stated by a power {steps[-1]:.2f}")
    rises = any(b > a + ROUNDING for a, b in itertools.pairwise(deviations))
    if not rises and last * FALL <= first:
        return Growth(CONFIRMED, said)
    why = "it rises in between" if rises else f"it falls to less than 1/{FALL:.0f} only later"
    return Growth(UNDECIDED, f"{said}: {why}; larger sizes would do")


def _of_one_order(
    relation: str, cases: Sequence[Case], sizes: Sequence[float], values: Sequence[float]
) -> Growth:
    """Judge whether measured and theory are of one order, or one of at most the other's."""
    ratios = [value / case.theory for case, value in zip(cases, values, strict=True)]
    if min(ratios) <= 0:
        if relation in ("<=", "<") and min(ratios) >= 0 and ratios[-1] == 0:
            return Growth(CONFIRMED, "0 at the largest size")
        return Growth(UNDECIDED, "an order is that of positive numbers")
    exponents = [
        math.log(b / a) / math.log(n / m)
        for a, b, m, n in zip(ratios, ratios[1:], sizes, sizes[1:], strict=False)
    ]
    left = [_wrong_side(relation, exponent) for exponent in exponents]
    said = (
        f"ratio {ratios[0]:.3g} at {_plain(sizes[0])}, {ratios[-1]:.3g} at {_plain(sizes[-1])}, "
        f"there like a power {exponents[-1]:.3f}"
    )
    if left[-1] <= EXPONENT:
        return Growth(CONFIRMED, said)
    if left[-1] > left[-2] / 2:
        return Growth(REFUTED, said)
    return Growth(UNDECIDED, f"{said}; larger sizes would do")


def _plain(size: float) -> str:
    return f"{size:g}"
