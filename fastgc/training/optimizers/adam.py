"""Adam as its authors wrote it."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from fastgc.registry import register
from fastgc.training.optimizers.optimizer import ADAM, Optimizer, Positive, Share


@register("optimizer")
class Adam(Optimizer):
    """Adam with bias correction (Kingma and Ba, 1412.6980, Algorithm 1).

    In iteration l = 1, 2, …: m ← β₁ m + (1 − β₁) ĝ, v ← β₂ v + (1 − β₂) ĝ²,
    θ ← θ − step · m/(1 − β₁ˡ) / (√(v/(1 − β₂ˡ)) + ε), all squares and roots entry by entry.

    Parameters
    ----------
    step : float
        More than 0.
    beta1, beta2 : float
        0 ≤ β < 1; .9 and .999 by default.
    epsilon : float
        More than 0, added to the root; 1e-8 by default.

    Examples
    --------
    >>> Adam(step=0.01).vector().tolist()
    [1.0, 0.01, 0.0, 0.9, 0.999, 1e-08, 0.0]
    """

    method: Literal["adam"] = "adam"
    beta1: Share = 0.9
    beta2: Share = 0.999
    epsilon: Positive = 1e-8

    def vector(self) -> NDArray[np.float64]:
        """Return the numbers that kernels take."""
        return np.array([ADAM, self.step, 0.0, self.beta1, self.beta2, self.epsilon, 0.0])
