"""Ways to estimate a mean with less variance from the same trials: what is tallied for it."""

from __future__ import annotations

from typing import Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from fastgc.experiments.pooled import Cells, Distribution, EveryValue, Sums
from fastgc.statistics import controls
from fastgc.statistics.estimates import Estimate
from fastgc_kernels.tally import controls as kernel

Values = NDArray[np.float64]
B_contra = TypeVar("B_contra", contravariant=True)

#: Controls are taken around a number of so many binary digits near their mean: the same number
#: wherever the mean is the same but for rounding.
_DIGITS = 20


class Reduction(Protocol[B_contra]):
    """What a measure's mean is estimated with, beside its own values.

    Attributes
    ----------
    cells : int
        Size of its part of a tally.
    """

    @property
    def cells(self) -> int:
        """How many cells it has."""

    def add(self, block: B_contra, values: Distribution, cells: Cells) -> None:
        """Fill the cells for one block, from a measure's values."""

    def mean(
        self, plain: Estimate, own: Sums, sums: Sums, largest: float, reference: float
    ) -> Estimate:
        """Return the estimate of the mean; ``plain`` where nothing was tallied.

        ``own`` are Σa, Σa², … of the measure, ``sums`` those of the cells, all of values less the
        ``reference``, of which the ``largest`` was seen.
        """


class Controlled(Protocol):
    """A block that may have controls."""

    controls: Values | None


class Controls:
    """Regression on controls whose means are known.

    Its cells are the number of trials, Σc of each control less its centre, Σcc' of each two and
    Σyc of each, y being a trial's mean value.

    Parameters
    ----------
    means : float array (m,)
    how : str
        What the estimate's note calls them.
    """

    def __init__(self, means: Values, how: str) -> None:
        mantissa, exponent = np.frexp(means)
        self._centres = np.ldexp(np.round(np.ldexp(mantissa, _DIGITS)), exponent - _DIGITS)
        self._means = (means - self._centres).tolist()
        self._how = how
        m = len(means)
        self.cells = 1 + 2 * m + m * (m + 1) // 2

    def add(self, block: Controlled, values: Distribution, cells: Cells) -> None:
        """Fill the cells for one block, from its controls, (m, T)."""
        if block.controls is None:
            return
        assert isinstance(values, EveryValue)
        cells[0] = block.controls.shape[1]
        centred = block.controls - self._centres[:, np.newaxis]
        kernel.products(values.averages[0], centred, cells[1:])

    def mean(
        self, plain: Estimate, own: Sums, sums: Sums, largest: float, reference: float
    ) -> Estimate:
        """Return the estimate of the mean; ``plain`` where not all trials had controls."""
        count, *rest = sums
        if count != plain.trials:
            return plain
        m = len(self._means)
        one = controls.Stratum(count, own[0], tuple(rest[:m]), 1.0)
        products = controls.Products(own[1], rest[m:-m], rest[-m:])
        own_means = self._means
        return controls.reduced(plain, [one], products, own_means, self._how, 0.0, reference)
