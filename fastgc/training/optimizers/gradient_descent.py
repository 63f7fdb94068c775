"""Gradient descent with a constant or a decaying step."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from fastgc.registry import register
from fastgc.training.optimizers.optimizer import GRADIENT_DESCENT, NotNegative, Optimizer


@register("optimizer")
class GradientDescent(Optimizer):
    """θ ← θ − step/(1 + decay·l) · ĝ in iteration l = 0, 1, …

    A step c₁/(l + c₂), as paper ``codedreduce`` has it for SGD, is ``step`` = c₁/c₂ and ``decay``
    = 1/c₂.

    Parameters
    ----------
    step : float
        More than 0.
    decay : float
        At least 0; 0, the default, keeps the step.

    Examples
    --------
    >>> GradientDescent(step=0.5).vector().tolist()
    [0.0, 0.5, 0.0, 0.0, 0.0, 0.0, 0.0]
    """

    method: Literal["gradient-descent"] = "gradient-descent"
    decay: NotNegative = 0.0

    def vector(self) -> NDArray[np.float64]:
        """Return the numbers that kernels take."""
        return np.array([GRADIENT_DESCENT, self.step, self.decay, 0.0, 0.0, 0.0, 0.0])
