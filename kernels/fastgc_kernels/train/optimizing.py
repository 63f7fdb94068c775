"""Steps of optimizers: decoded gradient → next parameters, a group of trials side by side."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fastgc_kernels._jit import jit
from fastgc_kernels.train.lanes import LANES

GRADIENT_DESCENT = 0
ADAM = 1
AMSGRAD = 2
#: Places of an optimizer's numbers; LARGEST is 1 where v goes on from v̂ = max(v, v̂).
KIND, STEP, DECAY, BETA1, BETA2, EPSILON, LARGEST = range(7)


@jit
def schedule(settings: NDArray[np.float64], out: NDArray[np.float64]) -> None:
    """Fill ``out`` (L, 3) with each iteration's step, 1/(1 − β₁ˡ) and 1/(1 − β₂ˡ), l = 1 … L."""
    first = 1.0
    second = 1.0
    for l in range(out.shape[0]):  # noqa: E741
        first *= settings[BETA1]
        second *= settings[BETA2]
        out[l, 0] = settings[STEP] / (1.0 + settings[DECAY] * np.float64(l))
        out[l, 1] = 1.0 / (1.0 - first)
        out[l, 2] = 1.0 / (1.0 - second)


@jit
def advance(
    settings: NDArray[np.float64],
    plan: NDArray[np.float64],
    gradient: NDArray[np.float64],
    theta: NDArray[np.float64],
    moments: NDArray[np.float64],
) -> None:
    """Move ``theta`` (p, LANES) one step on, ``plan`` (3,) being that iteration's `schedule`.

    ``moments`` (3, p, LANES), 0 at first, hold the running averages of the gradient and of its
    square, and the largest such average; gradient descent needs none of them.
    """
    step = plan[0]
    keep1 = settings[BETA1]
    keep2 = settings[BETA2]
    epsilon = settings[EPSILON]
    if settings[KIND] == GRADIENT_DESCENT:
        for a in range(theta.shape[0]):
            g = gradient[a]
            x = theta[a]
            for t in range(LANES):
                x[t] -= step * g[t]
    elif settings[KIND] == ADAM:
        for a in range(theta.shape[0]):
            g = gradient[a]
            x = theta[a]
            h = moments[0, a]
            v = moments[1, a]
            for t in range(LANES):
                h[t] = keep1 * h[t] + (1.0 - keep1) * g[t]
                v[t] = keep2 * v[t] + (1.0 - keep2) * (g[t] * g[t])
                x[t] -= step * (h[t] * plan[1]) / (np.sqrt(v[t] * plan[2]) + epsilon)
    else:
        for a in range(theta.shape[0]):
            g = gradient[a]
            x = theta[a]
            h = moments[0, a]
            top = moments[2, a]
            v = top if settings[LARGEST] == 1.0 else moments[1, a]
            for t in range(LANES):
                h[t] = keep1 * h[t] + (1.0 - keep1) * g[t]
                now = keep2 * v[t] + (1.0 - keep2) * (g[t] * g[t])
                high = now if now > top[t] else top[t]
                v[t] = now
                top[t] = high
                x[t] -= step * h[t] / np.sqrt(epsilon + high)
