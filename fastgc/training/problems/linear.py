"""Linear regression."""

from __future__ import annotations

from typing import ClassVar, Literal

from fastgc.registry import register
from fastgc.training.data.data import Data
from fastgc.training.data.preparing import Kind
from fastgc.training.problems.problem import Problem


@register("problem")
class Linear(Problem):
    """Loss ½(xᵀθ − y)²; θ (f,) starts at 0.

    Synthetic data are (10) of paper ``codedreduce``: features, true model and noise are standard
    normal, y = xᵀθ* + noise · z. Distances are measured from θ*; with other data from the shortest
    least-squares solution. The parameters are those of `DataKeys`.

    Examples
    --------
    >>> data = Linear(samples=100, features=3, noise=0.0).load()
    >>> bool(abs(data.X @ data.best - data.y).max() < 1e-12)
    True
    """

    TARGETS: ClassVar[Kind] = "number"
    model: Literal["linear"] = "linear"

    def parameters(self, data: Data) -> int:
        """Return f, the number of features."""
        return data.features

    def _synthetic(self) -> Data:
        made = self._scores(1)
        return Data(made.X, made.scores[:, 0], best=made.models[0])
