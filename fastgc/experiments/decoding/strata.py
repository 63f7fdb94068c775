"""Numbers of survivors that are alike, with their probabilities: what means are conditioned on."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

MOST = 32
#: Numbers of survivors that are in a tail of this probability are in one stratum.
TAIL = 1e-5


@dataclass(frozen=True, eq=False)
class Strata:
    """Consecutive numbers of survivors in each stratum.

    Attributes
    ----------
    place : int64 array (n + 1,)
        The stratum of every number of survivors, rising.
    weights : tuple of float
        Probability of every stratum.
    """

    place: NDArray[np.int64]
    weights: tuple[float, ...]

    @classmethod
    def of(cls, chances: NDArray[np.float64] | None) -> Strata | None:
        """Return at most 32 strata of like widths, for the law of the number of survivors.

        None where it is not known, or only one number is at all likely.

        Examples
        --------
        >>> Strata.of(np.array([0.25, 0.5, 0.25])).place.tolist()
        [0, 1, 2]
        """
        if chances is None:
            return None
        below = np.cumsum(chances)
        first = int(np.searchsorted(below, TAIL))
        last = int(np.searchsorted(below, 1 - TAIL))
        width = -(-(last - first + 1) // MOST)
        place = (np.clip(np.arange(chances.size), first, last) - first) // width
        if place[-1] == 0:
            return None
        weights = np.bincount(place, chances)
        return cls(place.astype(np.int64), tuple(weights.tolist()))
