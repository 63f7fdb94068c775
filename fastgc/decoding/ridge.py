"""Ridge decoding: least squares with a price on the length of the decoding vector."""

from __future__ import annotations

from typing import Annotated, Literal

import numpy as np
import pydantic
from numpy.typing import NDArray

from fastgc.decoding.rule import DecodingRule, Matrix
from fastgc.registry import register


@register("decoder")
class Ridge(DecodingRule):
    """Ridge regression: the weights x of least ‖B[:, survivors] x − 1‖² + strength · ‖x‖².

    They amplify the noise of answers less than the optimal ones, and err more.

    Parameters
    ----------
    strength : float
        More than 0; 0.1 by default.
    """

    method: Literal["ridge"] = "ridge"
    strength: Annotated[float, pydantic.Field(gt=0, allow_inf_nan=False)] = 0.1

    def vectors(self, B: Matrix, alive: NDArray[np.bool_]) -> Matrix:
        """Return the weights, (patterns, n), by Gauss-Jordan elimination of the normal equations.

        The matrix is positive definite, so that no pivot is looked for; sums are taken in one
        order, so that bits are the same on every machine.
        """
        n = B.shape[1]
        gram, sums = np.zeros((n, n)), np.zeros(n)
        for row in B:
            gram += row[:, np.newaxis] * row
            sums += row
        mask = alive.astype(np.float64)
        M = gram * mask[:, :, np.newaxis] * mask[:, np.newaxis, :] + self.strength * np.eye(n)
        x = sums * mask
        for j in range(n):
            pivot = M[:, j, :] / M[:, j, j, np.newaxis]
            value = x[:, j] / M[:, j, j]
            column = M[:, :, j].copy()
            M -= column[:, :, np.newaxis] * pivot[:, np.newaxis, :]
            x -= column * value[:, np.newaxis]
            M[:, j, :], x[:, j] = pivot, value
        return np.where(alive, x, 0.0)
