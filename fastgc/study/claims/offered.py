"""Which statistics a claim can be about: those that its experiment measures."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from fastgc.errors import FastgcError
from fastgc.experiments.table import Point
from fastgc.registry.complaints import Complaint, nearest, show
from fastgc.statistics.tallies import Histogram
from fastgc.study.claims.points import ClaimPoint
from fastgc.study.claims.table import ClaimTable

Offered = dict[str, list[int | str | None]]


def misfit(claim: ClaimTable, point: ClaimPoint) -> Iterator[Complaint]:
    """Yield what is wrong with a claim's statistic or index for its quantity."""
    try:
        known = offered(point.point)
    except FastgcError as problem:
        yield Complaint(("experiment",), str(problem))
        return
    if claim.statistic not in known:
        near = nearest(claim.statistic, known)
        sentence = f"{claim.quantity} has no {claim.statistic}{near or ';'}"
        yield Complaint(("statistic",), f"{sentence} it has {', '.join(known)}")
        return
    indices = known[claim.statistic]
    for index in claim.indices:
        if index in indices:
            continue
        if indices == [None]:
            sentence = f"{claim.quantity} is one number; leave index out (got {show(index)})"
        else:
            got = "missing" if index is None else f"there is no {show(index)}"
            sentence = f"{got}; the indices of {claim.quantity} are {_range(indices)}"
        yield Complaint(("index",), sentence)


def offered(point: Point) -> Offered:
    """Return the indices of each statistic of the first measure at a point.

    Raises
    ------
    FastgcError
        If the experiment cannot be prepared.
    """
    experiment, table = point.compiled, point.table
    if experiment.exact_method.is_worst_case:
        return {"maximum": [None]}  # of a worst case, which nothing samples
    sums = [Fraction(0)] * experiment.measures.cells
    histograms = [Histogram() for _ in range(experiment.measures.histograms)]
    found: Offered = {}
    for _, statistic, index, _ in experiment.rows(0, sums, histograms):
        found.setdefault(statistic, []).append(index)
    if None in found.get("variance", []):
        # a distribution, of which no trials say nothing else
        for statistic in (
            "minimum",
            "maximum",
            *(f"quantile({level!r})" for level in table.quantiles),
            *(f"P(>{threshold!r})" for threshold in table.thresholds),
        ):
            found[statistic] = [None]
    return found


def _range(indices: list[int | str | None]) -> str:
    whole = [index for index in indices if isinstance(index, int)]
    if len(whole) == len(indices) and whole == list(range(whole[0], whole[-1] + 1)):
        return f"{whole[0]} to {whole[-1]}"
    return ", ".join(show(index) for index in indices)
