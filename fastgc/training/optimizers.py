"""How a gradient changes the parameters: gradient descent, Adam, AMSGrad."""

from abc import abstractmethod
from typing import Annotated, ClassVar, Literal

import numpy as np
from pydantic import Field

from fastgc.arrays import Values
from fastgc.registry import Member, register

Positive = Annotated[float, Field(gt=0, allow_inf_nan=False)]
NotNegative = Annotated[float, Field(ge=0, allow_inf_nan=False)]
#: What is left after an iteration of an average that forgets.
Share = Annotated[float, Field(ge=0, lt=1)]

#: Kinds of optimizer, as kernels know them.
GRADIENT_DESCENT, ADAM, AMSGRAD = range(3)


class Optimizer(Member):
    """How a gradient changes the parameters."""

    GROUP: ClassVar[str | None] = "optimizer"

    step: Positive

    @abstractmethod
    def vector(self) -> Values:
        """Return the numbers that kernels take.

        Returns float64 array (7,): kind (0 gradient descent, 1 Adam, 2 AMSGrad), step, decay, β₁,
        β₂, ε, and 1 where AMSGrad's v goes on from v̂; 0 in places that it has no use for.
        """


@register("optimizer")
class GradientDescent(Optimizer):
    """θ ← θ − step/(1 + decay·l) · ĝ in iteration l = 0, 1, …

    A step c₁/(l + c₂), as paper ``codedreduce`` has it for SGD, is ``step`` = c₁/c₂ and ``decay``
    = 1/c₂.

    * ``step`` (float): More than 0.
    * ``decay`` (float): At least 0; 0, the default, keeps the step.

    >>> GradientDescent(step=0.5).vector().tolist()
    [0.0, 0.5, 0.0, 0.0, 0.0, 0.0, 0.0]
    """

    method: Literal["gradient-descent"] = "gradient-descent"
    decay: NotNegative = 0.0

    def vector(self) -> Values:
        return np.array([GRADIENT_DESCENT, self.step, self.decay, 0.0, 0.0, 0.0, 0.0])


@register("optimizer")
class Adam(Optimizer):
    """Adam with bias correction (Kingma and Ba, 1412.6980, Algorithm 1).

    In iteration l = 1, 2, …: m ← β₁ m + (1 − β₁) ĝ, v ← β₂ v + (1 − β₂) ĝ²,
    θ ← θ − step · m/(1 − β₁ˡ) / (√(v/(1 − β₂ˡ)) + ε), all squares and roots entry by entry.

    * ``step`` (float): More than 0.
    * ``beta1``, ``beta2`` (float): 0 ≤ β < 1; .9 and .999 by default.
    * ``epsilon`` (float): More than 0, added to the root; 1e-8 by default.

    >>> Adam(step=0.01).vector().tolist()
    [1.0, 0.01, 0.0, 0.9, 0.999, 1e-08, 0.0]
    """

    method: Literal["adam"] = "adam"
    beta1: Share = 0.9
    beta2: Share = 0.999
    epsilon: Positive = 1e-8

    def vector(self) -> Values:
        return np.array([ADAM, self.step, 0.0, self.beta1, self.beta2, self.epsilon, 0.0])


@register("optimizer")
class Amsgrad(Optimizer):
    """AMSGrad as (8a)–(8c) of paper ``gcada``, without bias correction.

    m ← β₁ m + (1 − β₁) ĝ; v ← β₂ v̂ + (1 − β₂) ĝ² (``v_rule`` "paper", as (8b) is printed, where
    the largest second moment so far decays no more) or β₂ v + (1 − β₂) ĝ² ("amsgrad", as Reddi,
    Kale and Kumar, ICLR 2018, have it); v̂ ← max(v̂, v); θ ← θ − step · m/√(ε + v̂), entry by entry.

    * ``step`` (float): More than 0.
    * ``beta1``, ``beta2`` (float): 0 ≤ β < 1; .9 and .999 by default.
    * ``epsilon`` (float): More than 0, added under the root; 1e-8 by default.
    * ``v_rule`` ({"paper", "amsgrad"}): "paper" by default, because it is what (8b) says.

    >>> Amsgrad(step=0.01, v_rule="amsgrad").vector().tolist()
    [2.0, 0.01, 0.0, 0.9, 0.999, 1e-08, 0.0]
    """

    method: Literal["amsgrad"] = "amsgrad"
    beta1: Share = 0.9
    beta2: Share = 0.999
    epsilon: Positive = 1e-8
    v_rule: Literal["paper", "amsgrad"] = "paper"

    def vector(self) -> Values:
        largest = self.v_rule == "paper"
        return np.array([AMSGRAD, self.step, 0.0, self.beta1, self.beta2, self.epsilon, largest])
