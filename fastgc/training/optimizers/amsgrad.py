"""AMSGrad, the update of CADA and G-CADA."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from fastgc.registry import register
from fastgc.training.optimizers.optimizer import AMSGRAD, Optimizer, Positive, Share


@register("optimizer")
class Amsgrad(Optimizer):
    """AMSGrad as (8a)–(8c) of paper ``gcada``, without bias correction.

    m ← β₁ m + (1 − β₁) ĝ; v ← β₂ v̂ + (1 − β₂) ĝ² (``v_rule`` "paper", as (8b) is printed, where
    the largest second moment so far decays no more) or β₂ v + (1 − β₂) ĝ² ("amsgrad", as Reddi,
    Kale and Kumar, ICLR 2018, have it); v̂ ← max(v̂, v); θ ← θ − step · m/√(ε + v̂), entry by entry.

    Parameters
    ----------
    step : float
        More than 0.
    beta1, beta2 : float
        0 ≤ β < 1; .9 and .999 by default.
    epsilon : float
        More than 0, added under the root; 1e-8 by default.
    v_rule : {"paper", "amsgrad"}
        "paper" by default, because it is what (8b) says.

    Examples
    --------
    >>> Amsgrad(step=0.01, v_rule="amsgrad").vector().tolist()
    [2.0, 0.01, 0.0, 0.9, 0.999, 1e-08, 0.0]
    """

    method: Literal["amsgrad"] = "amsgrad"
    beta1: Share = 0.9
    beta2: Share = 0.999
    epsilon: Positive = 1e-8
    v_rule: Literal["paper", "amsgrad"] = "paper"

    def vector(self) -> NDArray[np.float64]:
        """Return the numbers that kernels take."""
        largest = self.v_rule == "paper"
        return np.array([AMSGRAD, self.step, 0.0, self.beta1, self.beta2, self.epsilon, largest])
