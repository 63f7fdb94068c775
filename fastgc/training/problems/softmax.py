"""Softmax regression: linear scores for several classes."""

from __future__ import annotations

from typing import Literal

from fastgc.registry import register
from fastgc.training.data.data import Data
from fastgc.training.problems.classification import Classification


@register("problem")
class Softmax(Classification):
    """Cross-entropy of the scores Θx; Θ (C, f), its rows one after the other, starts at 0.

    The parameters are those of `DataKeys`, and:

    Parameters
    ----------
    classes : int, optional
        Classes of synthetic data; 3 by default.

    Examples
    --------
    >>> problem = Softmax(samples=100, features=5, classes=4)
    >>> problem.start(problem.load()).size
    20
    """

    model: Literal["softmax"] = "softmax"

    def parameters(self, data: Data) -> int:
        """Return f·C: features times classes."""
        return data.features * data.classes
