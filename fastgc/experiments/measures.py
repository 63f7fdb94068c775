"""The measures of a point side by side: one tally, filled block by block and read as rows."""

import math
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Generic, Protocol, TypeVar

from fastgc.arrays import Values
from fastgc.experiments.accumulators import (
    Accumulator,
    AllBins,
    Cells,
    Distribution,
    Estimates,
    EveryValue,
    Extremes,
    Layout,
    Row,
    Shift,
    Sums,
    distribution_rows,
)
from fastgc.statistics import controls, estimates, modes
from fastgc.statistics.controls import ControlPilot
from fastgc.statistics.estimates import Estimate
from fastgc.statistics.tallies import Histogram
from fastgc_kernels.tally import sums as kernel

#: A block of trials, whatever a kind of experiment knows of them.
B = TypeVar("B")
B_contra = TypeVar("B_contra", contravariant=True)

Index = int | str | None


def statistic_unit(unit: str, statistic: str) -> str:
    """Unit of a statistic of values in ``unit``: a variance squares it, a probability has none."""
    if unit == "1" or statistic == "ratio" or statistic.startswith("P("):
        return "1"
    return f"{unit}^2" if statistic == "variance" else unit


class Measure(Protocol[B_contra]):
    """What every measure offers."""

    cells: int
    histograms: int

    def add(self, block: B_contra, cells: Cells, bins: AllBins, extremes: Extremes) -> None:
        """Fill this measure's cells, and add to its histograms, for one block."""

    def rows(self, trials: int, sums: Sums, histograms: Sequence[Histogram]) -> Iterator[Row]:
        """(statistic, index, estimate) of everything measured."""

    def each(self, block: B_contra) -> Values | None:
        """Each trial's value, for ratios and differences; see `Experiment.firsts`."""
        return None


class IndexedMeasure(Measure[B_contra], ABC):
    """A measure of sums alone: an accumulator at every index, which distinguishes rows.

    ``shared`` cells come first, which belong to the accumulators of all indices.
    """

    histograms = 0

    def __init__(
        self, accumulator: Accumulator, indices: Sequence[Index] = (None,), shared: int = 0
    ) -> None:
        self._accumulator, self._indices, self._shared = accumulator, indices, shared
        self.cells = shared + len(indices) * accumulator.cells

    def add(self, block: B_contra, cells: Cells, bins: AllBins, extremes: Extremes) -> None:
        each = cells[self._shared :].reshape(len(self._indices), -1)
        self._fill(block, each, cells[: self._shared])

    def rows(self, trials: int, sums: Sums, histograms: Sequence[Histogram]) -> Iterator[Row]:
        shared, size = sums[: self._shared], self._accumulator.cells
        for place, index in enumerate(self._indices):
            first = self._shared + place * size
            own = *shared, *sums[first : first + size]
            for statistic, estimate in self._estimates(trials, own, index):
                yield statistic, index, estimate

    @abstractmethod
    def _fill(self, block: B_contra, each: Cells, shared: Cells) -> None:
        """Fill the cells of one block: those of every index, (indices, cells), and the shared."""

    def _estimates(self, trials: int, sums: Sums, index: Index) -> Estimates:
        """(statistic, estimate) at one index, from the shared sums and its own."""
        return self._accumulator.estimates(trials, sums)


class DistributionMeasure(Measure[B_contra], ABC):
    """A measure of a distribution: averages, extremes, quantiles and exceedances of a value.

    ``averages`` and ``above`` are `PowerSums` and `Exceedances`, or what stands for them.
    ``reduction``, like `ControlSums`, estimates the mean with less variance; `_values` are averaged
    less ``shift``.
    """

    histograms = 1

    def __init__(
        self,
        averages: Any,
        quantiles: Sequence[float],
        above: Any,
        reduction: Any = None,
        shift: Shift | None = None,
    ) -> None:
        self._averages = averages
        self._quantiles = quantiles
        self._above = above
        self._reduction, self._shift = reduction, shift
        sizes = {
            "averages": averages.cells,
            "above": above.cells,
            "reduction": 0 if reduction is None else reduction.cells,
            "shift": 0 if shift is None else shift.cells,
        }
        self._layout = Layout(sizes)
        self.cells = self._layout.size

    @abstractmethod
    def _values(self, block: B_contra) -> Distribution:
        """The values, at least 0."""

    def add(self, block: B_contra, cells: Cells, bins: AllBins, extremes: Extremes) -> None:
        values = self._values(block)
        if self._shift is not None:
            self._shift.add(cells[self._layout["shift"]])
        self._averages.add(values, cells[self._layout["averages"]])
        values.histogram(bins[0], extremes[0])
        self._above.add(values, cells[self._layout["above"]])
        if self._reduction is not None:
            self._reduction.add(block, values, cells[self._layout["reduction"]])

    def rows(self, trials: int, sums: Sums, histograms: Sequence[Histogram]) -> Iterator[Row]:
        [seen] = histograms
        for statistic, index, estimate in self._rows(trials, sums, seen):
            if seen.too_large and statistic in ("mean", "variance"):
                note = f"too large to average in {seen.too_large} of the trials"
                estimate = Estimate(None, None, estimate.trials, note=note)
            if seen.not_finite:
                said = f"{seen.not_finite} of the trials left out, in which it is not finite"
                estimate = estimate.noting(said)
            yield statistic, index, estimate

    def _rows(self, trials: int, sums: Sums, seen: Histogram) -> Iterator[Row]:
        known = trials - seen.not_finite
        own, shift = sums[self._layout["averages"]], sums[self._layout["shift"]]
        less = 0.0 if self._shift is None else self._shift.read(shift)
        averages = beside_modes(self._averages.estimates(known, own, less), seen)
        if self._reduction is not None and not seen.too_large:
            largest = max(seen.high - less, less - seen.low)
            reduced = sums[self._layout["reduction"]]
            plain = averages["mean"]
            averages["mean"] = self._reduction.mean(plain, own, reduced, largest, less)
        for statistic, estimate in averages.items():
            yield statistic, None, estimate
        above = self._above.estimates(known, sums[self._layout["above"]])
        most = self._averages.most
        yield from distribution_rows(seen, known, self._quantiles, above, most=most)


def beside_modes(averages: Estimates, seen: Histogram) -> dict[str, Estimate]:
    """Averages by statistic, the mean beside the value that nearly all have, if there is one."""
    found = dict(averages)
    if seen.counts:
        spread = found["variance"].value or 0.0
        found["mean"] = modes.beside_mode(found["mean"], seen, spread)
    return found


class Measures(Generic[B]):
    """Measures by name, each with its own part of a tally of so many cells and histograms."""

    def __init__(self, measures: Mapping[str, Measure[B]]) -> None:
        self._measures = measures
        self._cells = Layout({name: measure.cells for name, measure in measures.items()})
        self._histograms = Layout({name: measure.histograms for name, measure in measures.items()})
        self.cells, self.histograms = self._cells.size, self._histograms.size

    def add(self, block: B, tally: tuple[Cells, AllBins, Extremes]) -> None:
        """Fill the cells of a block, and add to histograms' bins and extremes."""
        sums, bins, extremes = tally
        for name, measure in self._measures.items():
            seen = self._histograms[name]
            measure.add(block, sums[self._cells[name]], bins[seen], extremes[seen])

    def rows(
        self, trials: int, sums: Sums, seen: Sequence[Histogram]
    ) -> Iterator[tuple[str, str, Index, Estimate]]:
        """(quantity, statistic, index, estimate) of everything measured."""
        for name, measure in self._measures.items():
            own, histograms = sums[self._cells[name]], seen[self._histograms[name]]
            for statistic, index, estimate in measure.rows(trials, own, histograms):
                yield name, statistic, index, estimate


# ---- A mean with less variance from the same trials

#: Controls are taken around a number of so many binary digits near their mean: the same number
#: wherever the mean is the same but for rounding.
_DIGITS = 20


class ControlSums:
    """Trials, Σ(a − c) and Σ(a − c)² of a trial's mean value a and mean control c, of known mean.

    ``how`` is what the estimate's note calls it; ``pilot`` says whether it is worth while.
    """

    cells = 3

    def __init__(self, mean: float, how: str, pilot: ControlPilot) -> None:
        mantissa, exponent = math.frexp(mean)
        self._centre = math.ldexp(round(math.ldexp(mantissa, _DIGITS)), exponent - _DIGITS)
        self._mean = mean - self._centre
        self._how = how
        self._pilot = pilot

    def add(self, block: Any, values: Distribution, cells: Cells) -> None:
        """Fill the cells for one block."""
        if block.control is None:
            return
        assert isinstance(values, EveryValue)
        value, control = values.means, block.control - self._centre
        cells[0] = value.size
        rest = value - (control[0] if len(control) == 1 else control.mean(axis=0))
        kernel.powers(rest, cells[1:])

    def mean(self, plain: Estimate, own: Sums, sums: Sums, largest: float, less: float) -> Estimate:
        """Return the estimate of the mean; ``plain`` where not all trials had a control.

        ``own`` are Σa, Σa², … of the measure, ``sums`` those of the cells, all of values less the
        number ``less``, of which the ``largest`` was seen.
        """
        count, first, second = sums
        if not plain.trials or count != plain.trials:
            return plain
        rest = estimates.mean(plain.trials, first, second)
        known = self._mean + less
        return controls.regressed(plain, rest, known, largest, self._how, self._pilot)
