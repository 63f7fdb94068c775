"""The measures of a point side by side: one tally, filled block by block and read as rows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Generic, Protocol, TypeVar

from fastgc.experiments.pooled import Bins, Cells, Row
from fastgc.statistics.estimates import Estimate
from fastgc.statistics.tallies import Histogram

#: A block of trials, whatever a kind of experiment knows of them.
B = TypeVar("B")
B_contra = TypeVar("B_contra", contravariant=True)


def of_statistic(unit: str, statistic: str) -> str:
    """Unit of a statistic of values in ``unit``: a variance squares it, a probability has none."""
    if unit == "1" or statistic == "ratio" or statistic.startswith("P("):
        return "1"
    return f"{unit}^2" if statistic == "variance" else unit


class Measure(Protocol[B_contra]):
    """What every measure offers."""

    cells: int
    histograms: int

    def add(
        self, block: B_contra, cells: Cells, bins: Sequence[Bins], extremes: Sequence[Cells]
    ) -> None:
        """Fill this measure's cells, and add to its histograms, for one block."""

    def rows(
        self, trials: int, sums: Sequence[Fraction], histograms: Sequence[Histogram]
    ) -> Iterator[Row]:
        """(statistic, index, estimate) of everything measured."""


class Measures(Generic[B]):
    """Measures by name, each with its own part of a tally.

    Attributes
    ----------
    cells, histograms : int
        Size of the tally that a block fills.
    """

    def __init__(self, measures: Mapping[str, Measure[B]]) -> None:
        self._measures = measures
        self.cells = sum(measure.cells for measure in measures.values())
        self.histograms = sum(measure.histograms for measure in measures.values())

    def _parts(self) -> Iterator[tuple[str, Measure[B], slice, slice]]:
        """Each measure with its cells and its histograms."""
        cell = histogram = 0
        for name, measure in self._measures.items():
            cells = slice(cell, cell + measure.cells)
            histograms = slice(histogram, histogram + measure.histograms)
            yield name, measure, cells, histograms
            cell, histogram = cells.stop, histograms.stop

    def add(self, block: B, tally: tuple[Cells, Sequence[Bins], Sequence[Cells]]) -> None:
        """Fill the cells of a block, and add to histograms' bins and extremes."""
        sums, bins, extremes = tally
        for _, measure, cells, histograms in self._parts():
            measure.add(block, sums[cells], bins[histograms], extremes[histograms])

    def rows(
        self, trials: int, sums: Sequence[Fraction], seen: Sequence[Histogram]
    ) -> Iterator[tuple[str, str, int | str | None, Estimate]]:
        """(quantity, statistic, index, estimate) of everything measured."""
        for name, measure, cells, histograms in self._parts():
            for statistic, index, estimate in measure.rows(trials, sums[cells], seen[histograms]):
                yield name, statistic, index, estimate
