"""What CADA and G-CADA share: the rule by which parts of the data are selected."""

from __future__ import annotations

from typing import Annotated, Literal, Self

import pydantic
from pydantic import Field

from fastgc.errors import FastgcError
from fastgc.training.data.data import Data
from fastgc.training.optimizers.optimizer import NotNegative, Positive
from fastgc.training.selections.selection import Selection


class Adaptive(Selection):
    """A part is selected where its last gradient must have changed, or is old.

    In iteration k a part whose last gradient is of θ^(k−τ), τ being its age, is selected iff
    L² ‖θ^k − θ^(k−τ)‖² > Σ_{d=1}^{D} c_d ‖θ^(k+1−d) − θ^(k−d)‖², where θ before the first iteration
    is θ^0, or its age demands it; see (7) and (9) of paper ``gcada``. In the first iteration all
    are. The parameters are those of `Selection`, and:

    Parameters
    ----------
    c : float or tuple of float
        At least 0; one number for all steps back, as in (7) and (9), or c_1 … c_D, as Algorithm 1
        has them.
    window : int
        D, at most 10 000; 10 by default, as no value is given in the paper.
    refresh : {"at", "after"}
        Select a part of age τ ≥ D (the default, as in Algorithm 1 and for CADA in Section III), or
        only of age τ > D (as Section IV has it).
    trigger : {"sum-of-squares", "square-of-sum"}
        The right-hand side as above (the default, as printed), or c ‖Σ_d (θ^(k+1−d) − θ^(k−d))‖²
        = c ‖θ^k − θ^(k−D)‖² (as in the authors' published script) with one c.
    smoothness : "estimated", float or tuple of float
        L of each part: the largest eigenvalue of its mean loss's Hessian in linear regression, and
        of a bound on all Hessians in logistic and softmax regression, found by power iteration; or
        numbers, one for each part or one for all.
    """

    c: NotNegative | tuple[NotNegative, ...]
    window: Annotated[int, Field(ge=1, le=10_000)] = 10
    refresh: Literal["at", "after"] = "at"
    trigger: Literal["sum-of-squares", "square-of-sum"] = "sum-of-squares"
    smoothness: Literal["estimated"] | Positive | tuple[Positive, ...] = "estimated"

    @pydantic.model_validator(mode="after")
    def _one_c_a_step(self) -> Self:
        if isinstance(self.c, tuple):
            if len(self.c) != self.window:
                raise FastgcError(
                    f"must be one number or a list of as many as window (got {len(self.c)} for "
                    f"window = {self.window})",
                    "c",
                )
            if self.trigger == "square-of-sum":
                raise FastgcError('must be one number with trigger = "square-of-sum"', "c")
        return self

    def check(self, data: Data, model: str) -> None:
        """Refuse data that cannot be shared out so, or whose smoothness cannot be estimated.

        Raises
        ------
        FastgcError
            If a part would be empty or smaller than a batch, a network comes without numbers for
            smoothness, or there are not as many as parts.
        """
        super().check(data, model)
        if self.smoothness == "estimated" and model == "network":
            raise FastgcError(
                f"is not estimated for a network; give a number, or a list of {self.parts}",
                "smoothness",
            )
        if isinstance(self.smoothness, tuple) and len(self.smoothness) != self.parts:
            what = "groups" if self.holders > 1 else "workers"
            raise FastgcError(
                f"must be one number or a list of one for each of {self.parts} {what} "
                f"(got {len(self.smoothness)})",
                "smoothness",
            )
