"""A network with one hidden layer."""

from __future__ import annotations

from typing import Annotated, Literal

import numpy as np
from pydantic import Field

from fastgc.draws.normals import normals
from fastgc.registry import register
from fastgc.training.data.data import Data, Values
from fastgc.training.problems.classification import Classification


@register("problem")
class Network(Classification):
    """Cross-entropy of the scores W₂ max(W₁x + b₁, 0) + b₂.

    θ holds W₁ (h, f) row by row, b₁ (h), W₂ (C, h) row by row, b₂ (C). It starts at normal weights
    of variance 2/f and 1/h (from ``seed``) and offsets 0: at 0 all hidden units would stay alike.
    The parameters are those of `DataKeys`, and:

    Parameters
    ----------
    hidden : int
        Hidden units h.
    classes : int, optional
        Classes of synthetic data; 3 by default.
    start : "normal"
        May be said in a study; there is no other way.

    Examples
    --------
    >>> problem = Network(samples=100, features=5, hidden=2)
    >>> problem.start(problem.load()).size
    21
    """

    model: Literal["network"] = "network"
    hidden: Annotated[int, Field(ge=1, le=65_536)]
    #: The key ``start``, whose name the method has.
    start_at: Literal["normal"] | None = Field("normal", alias="start")

    def parameters(self, data: Data) -> int:
        """Return h·f + h + C·h + C."""
        return self.hidden * (data.features + 1 + data.classes) + data.classes

    def hidden_units(self) -> int:
        """Return the key ``hidden``."""
        return self.hidden

    def start(self, data: Data) -> Values:
        """Return the parameters (p,) that descent starts from."""
        h, f, C = self.hidden, data.features, data.classes
        theta = np.zeros(self.parameters(data))
        first = normals(self.seed, "network/first", h * f)
        second = normals(self.seed, "network/second", C * h)
        theta[: h * f] = np.sqrt(2.0 / f) * first
        theta[h * f + h : h * f + h + C * h] = np.sqrt(1.0 / h) * second
        return theta

    def _has_intercept(self) -> bool:
        return bool(self.intercept)
