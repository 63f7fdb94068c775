"""Ways to estimate a mean with less variance from the same trials: what is tallied for it."""

import math
from typing import Protocol, TypeVar

from fastgc.arrays import Values
from fastgc.experiments.accumulators import Cells, Distribution, EveryValue, Sums
from fastgc.statistics import controls, estimates
from fastgc.statistics.controls import Pilot
from fastgc.statistics.estimates import Estimate
from fastgc_kernels.tally import sums as kernel

B_contra = TypeVar("B_contra", contravariant=True)

#: Controls are taken around a number of so many binary digits near their mean: the same number
#: wherever the mean is the same but for rounding.
_DIGITS = 20


class Reduction(Protocol[B_contra]):
    """What a measure's mean is estimated with, beside its own values."""

    @property
    def cells(self) -> int:
        """How many cells it has."""

    def add(self, block: B_contra, values: Distribution, cells: Cells) -> None:
        """Fill the cells for one block, from a measure's values."""

    def mean(self, plain: Estimate, own: Sums, sums: Sums, largest: float, less: float) -> Estimate:
        """Return the estimate of the mean; ``plain`` where nothing was tallied.

        ``own`` are Σa, Σa², … of the measure, ``sums`` those of the cells, all of values less the
        number ``less``, of which the ``largest`` was seen.
        """


class Controlled(Protocol):
    """A block whose trials may have a control each, (L, T)."""

    control: Values | None


class WithControl:
    """Trials, Σ(a − c) and Σ(a − c)² of a trial's mean value a and mean control c, of known mean.

    ``how`` is what the estimate's note calls it; ``pilot`` says whether it is worth while.
    """

    cells = 3

    def __init__(self, mean: float, how: str, pilot: Pilot) -> None:
        mantissa, exponent = math.frexp(mean)
        self._centre = math.ldexp(round(math.ldexp(mantissa, _DIGITS)), exponent - _DIGITS)
        self._mean = mean - self._centre
        self._how = how
        self._pilot = pilot

    def add(self, block: Controlled, values: Distribution, cells: Cells) -> None:
        """Fill the cells for one block."""
        if block.control is None:
            return
        assert isinstance(values, EveryValue)
        value, control = values.means, block.control - self._centre
        cells[0] = value.size
        rest = value - (control[0] if len(control) == 1 else control.mean(axis=0))
        kernel.powers(rest, cells[1:])

    def mean(self, plain: Estimate, own: Sums, sums: Sums, largest: float, less: float) -> Estimate:
        """Return the estimate of the mean; ``plain`` where not all trials had a control."""
        count, first, second = sums
        if not plain.trials or count != plain.trials:
            return plain
        rest = estimates.mean(plain.trials, first, second)
        known = self._mean + less
        return controls.regressed(plain, rest, known, largest, self._how, self._pilot)
