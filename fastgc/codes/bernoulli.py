"""Codes in which every worker holds every partition with one probability."""

from __future__ import annotations

from typing import Annotated, Literal

import numpy as np
import pydantic
from numpy.typing import NDArray

from fastgc.codes.per_trial import TossedFamily
from fastgc.registry import register
from fastgc.registry.makers import maker


@register("code")
class Bernoulli(TossedFamily):
    """The Bernoulli gradient code of Charles, Papailiopoulos and Ellenberg (1711.06771).

    Every worker holds every partition with probability ``density``, independently; nothing is
    guaranteed of it. Matrices of one seed grow with the density.

    Parameters
    ----------
    density : float
        Probability that an entry is 1, 0 < density ≤ 1.

    Raises
    ------
    FastgcError
        If a parameter is out of range.

    Examples
    --------
    >>> bernoulli(n=4, density=1.0).loads.tolist()
    [4, 4, 4, 4]
    """

    family: Literal["bernoulli"] = "bernoulli"
    density: Annotated[float, pydantic.Field(gt=0, le=1)]

    def title(self) -> str:
        """Return the code and its parameters, for people."""
        own = f"n={self.n}, k={self.partitions}, density={self.density:g}, seed={self.seed}"
        return f"bernoulli({own})"

    def chances(self, workers: slice = slice(None)) -> NDArray[np.float64]:
        """Return the probability that a worker holds partition i, float64 array (workers, k)."""
        return np.full((len(range(self.n)[workers]), self.partitions), self.density)


bernoulli = maker(Bernoulli, build=True)
