"""The problems: linear, logistic and softmax regression, and a network with one hidden layer."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

import numpy as np
import pydantic
from pydantic import Field

from fastgc.draws.normals import normals
from fastgc.registry import register
from fastgc.training.data.data import Data, Values
from fastgc.training.data.preparing import MOST_CLASSES, Kind
from fastgc.training.problems.problem import SYNTHETIC, Problem, only_with


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


class Classification(Problem):
    """Cross-entropy over classes 0 … C − 1.

    ``classes`` is how many synthetic data have, 3 by default: each is a true model, and the class
    of a sample is the one that scores highest, noise · z added to every score.
    """

    TARGETS: ClassVar[Kind] = "class"
    classes: Annotated[int | None, Field(ge=2, le=MOST_CLASSES)] = None

    @pydantic.field_validator("classes")
    @classmethod
    def _made(cls, classes: int | None, info: pydantic.ValidationInfo) -> int | None:
        if classes is not None and info.data.get("data", "synthetic") != "synthetic":
            raise ValueError(only_with(SYNTHETIC, info))
        return classes

    def _synthetic(self) -> Data:
        classes = 3 if self.classes is None else self.classes
        made = self._scores(classes)
        return Data(made.X, np.argmax(made.scores, axis=1), classes)


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
