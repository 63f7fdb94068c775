"""What all optimizers share: a step, and the numbers that kernels take in their place."""

from __future__ import annotations

from abc import abstractmethod
from typing import Annotated, ClassVar

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from fastgc.registry import Member

Positive = Annotated[float, Field(gt=0, allow_inf_nan=False)]
NotNegative = Annotated[float, Field(ge=0, allow_inf_nan=False)]
#: What is left after an iteration of an average that forgets.
Share = Annotated[float, Field(ge=0, lt=1)]

#: Kinds of optimizer, as kernels know them.
GRADIENT_DESCENT, ADAM, AMSGRAD = range(3)


class Optimizer(Member):
    """How a gradient changes the parameters."""

    ROOM: ClassVar[str | None] = "optimizer"

    step: Positive

    @abstractmethod
    def vector(self) -> NDArray[np.float64]:
        """Return the numbers that kernels take.

        Returns
        -------
        float64 array (7,)
            Kind (0 gradient descent, 1 Adam, 2 AMSGrad), step, decay, β₁, β₂, ε, and 1 where
            AMSGrad's v goes on from v̂; 0 in places that it has no use for.
        """
