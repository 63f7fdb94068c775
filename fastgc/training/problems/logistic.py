"""Logistic regression."""

from __future__ import annotations

from typing import ClassVar, Literal

import numpy as np

from fastgc.registry import register
from fastgc.training.data.data import Data
from fastgc.training.data.preparing import Kind
from fastgc.training.problems.problem import Problem


@register("problem")
class Logistic(Problem):
    """Loss log(1 + exp(−y xᵀθ)) with y = ±1; θ (f,) starts at 0.

    Of targets with two values the larger one is +1; of two ``labels`` the second; diabetes is cut
    at its median. Synthetic targets are the sign of xᵀθ* + noise · z, features, true model and z
    standard normal. The parameters are those of `DataKeys`.

    Examples
    --------
    >>> sorted(set(Logistic(samples=100, features=3).load().y.tolist()))
    [-1.0, 1.0]
    """

    TARGETS: ClassVar[Kind] = "sign"
    model: Literal["logistic"] = "logistic"

    def parameters(self, data: Data) -> int:
        """Return f, the number of features."""
        return data.features

    def _synthetic(self) -> Data:
        made = self._scores(1)
        return Data(made.X, np.where(made.scores[:, 0] > 0.0, 1.0, -1.0))
