"""The exact distribution of a completion time."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from fastgc.latency.time import Time, Values

Evaluate = Callable[[Values], tuple[Values, Values]]

#: Times evaluated together.
_CHUNK = 4096


@dataclass(frozen=True, eq=False)
class CompletionLaw(Time):
    """The law of a completion time C, given that it is finite; a `Time` like any other.

    Attributes
    ----------
    evaluate : callable
        Maps t (m,) to P(C ≤ t) and P(t < C < ∞), not conditional on completion.
    decodable : float
        Probability of completion, P(C < ∞); all methods are conditional on completion.
    minimum, maximum : float
        C lies between them; ``maximum`` may be infinite.
    breaks : float array
        Rising times at which the distribution function may jump or bend.
    tail_index : float
        P(C > t) falls like t to the power −tail_index; only moments below it are finite.
    """

    evaluate: Evaluate
    decodable: float
    minimum: float
    maximum: float
    breaks: Values
    tail_index: float

    @abstractmethod
    def variance(self) -> float:
        """Return Var[C]; ``math.inf`` where it is infinite."""

    def survival(self, t: ArrayLike) -> Values:
        """Return P(C > t), with full relative precision however small it is."""
        return self._tails(t)[1]

    def cdf(self, t: ArrayLike) -> Values:
        """Return P(C ≤ t)."""
        return self._tails(t)[0]

    def _tails(self, t: ArrayLike) -> tuple[Values, Values]:
        points = np.asarray(t, float)
        flat = points.ravel()
        cdf, late = np.empty(flat.size), np.empty(flat.size)
        for first in range(0, flat.size, _CHUNK):
            part = slice(first, first + _CHUNK)
            cdf[part], late[part] = self.evaluate(flat[part])
        for values in (cdf, late):
            values /= self.decodable
            np.clip(values, 0.0, 1.0, out=values)
        return cdf.reshape(points.shape), late.reshape(points.shape)
