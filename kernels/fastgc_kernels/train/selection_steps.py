"""One step of an optimizer for one trial."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fastgc_kernels._jit import jit
from fastgc_kernels.train.optimizing import (
    ADAM,
    BETA1,
    BETA2,
    DECAY,
    EPSILON,
    GRADIENT_DESCENT,
    KIND,
    LARGEST,
    STEP,
)


@jit
def step(
    optimizer: NDArray[np.float64],
    iteration: int,
    powers: NDArray[np.float64],
    gradient: NDArray[np.float64],
    moments: NDArray[np.float64],
    theta: NDArray[np.float64],
) -> None:
    """Move ``theta`` (Q,) by one step, iterations being counted from 0.

    ``moments`` (3, Q) are the averages of gradients and of their squares and the largest of the
    latter; ``powers`` (2,) are β₁ and β₂ to the power of iterations done, 1 at first.
    """
    kind = optimizer[KIND]
    size = optimizer[STEP]
    if kind == GRADIENT_DESCENT:
        size /= 1.0 + optimizer[DECAY] * iteration
        for j in range(theta.size):
            theta[j] -= size * gradient[j]
        return
    beta1, beta2, epsilon = optimizer[BETA1], optimizer[BETA2], optimizer[EPSILON]
    h, v, largest = moments[0], moments[1], moments[2]
    if kind == ADAM:
        powers[0] *= beta1
        powers[1] *= beta2
        first, second = 1.0 - powers[0], 1.0 - powers[1]
        for j in range(theta.size):
            g = gradient[j]
            h[j] = beta1 * h[j] + (1.0 - beta1) * g
            v[j] = beta2 * v[j] + (1.0 - beta2) * (g * g)
            theta[j] -= size * (h[j] / first) / (np.sqrt(v[j] / second) + epsilon)
        return
    on = optimizer[LARGEST] == 1.0
    for j in range(theta.size):
        g = gradient[j]
        h[j] = beta1 * h[j] + (1.0 - beta1) * g
        before = largest[j] if on else v[j]
        v[j] = beta2 * before + (1.0 - beta2) * (g * g)
        largest[j] = max(largest[j], v[j])
        theta[j] -= size * h[j] / np.sqrt(epsilon + largest[j])
