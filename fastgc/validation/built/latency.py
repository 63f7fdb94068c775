"""Times that are drawn from a law of one's own."""

from __future__ import annotations

from typing import Literal

import numpy as np

from fastgc.draws.streams import Batch
from fastgc.latency.draws import Draws
from fastgc.latency.law import DrawnLaw, Scaling
from fastgc.latency.time import Values


class Steady(DrawnLaw):
    """A law of which only draws are known: ``shift`` and a half, always."""

    distribution: Literal["steady"] = "steady"
    shift: float = 0.0

    def times(self, uniforms: Values) -> Values:
        """Return the time of a load of 1."""
        return np.full(uniforms.shape, self.shift + 0.5)


def own_law_time(load: float, shift: float, scaling: Scaling) -> float:
    """Mean drawn time of a load under a law that takes the shift and a half for a load of 1."""
    draws = Draws([Steady(shift=shift)], 1, load, scaling)
    return float(draws.times(Batch(1, "own law", 0, 1, 1)).mean())
