"""Steps of optimizers: gradient → next parameters, of trials side by side or of one trial.

AMSGrad is written once, for one number. Adam stands twice: its averages are multiplied by 1/(1 −
βˡ) where trials lie side by side and divided by 1 − βˡ in one trial, which rounds otherwise. Adam:
Kingma and Ba (2015); AMSGrad: Reddi, Kale, Kumar (2018).
"""

import numpy as np

from fastgc_kernels._arrays import Floats
from fastgc_kernels._jit import inline, jit
from fastgc_kernels.train.lanes import LANES

GRADIENT_DESCENT = 0
ADAM = 1
AMSGRAD = 2
#: Places of an optimizer's numbers; LARGEST is 1 where v goes on from v̂ = max(v, v̂).
KIND, STEP, DECAY, BETA1, BETA2, EPSILON, LARGEST = range(7)


@jit
def schedule(settings: Floats, out: Floats) -> None:
    """Fill ``out`` (L, 3) with each iteration's step, 1 − β₁ˡ and 1 − β₂ˡ, l = 1 … L."""
    first = 1.0
    second = 1.0
    for l in range(out.shape[0]):  # noqa: E741
        first *= settings[BETA1]
        second *= settings[BETA2]
        out[l, 0] = settings[STEP] / (1.0 + settings[DECAY] * np.float64(l))
        out[l, 1] = 1.0 - first
        out[l, 2] = 1.0 - second


@inline
def _amsgrad(step, keep1, keep2, epsilon, g, mean, square, top):
    mean = keep1 * mean + (1.0 - keep1) * g
    square = keep2 * square + (1.0 - keep2) * (g * g)
    top = square if square > top else top
    return mean, square, top, step * mean / np.sqrt(epsilon + top)


@jit
def advance(
    settings: Floats, plan: Floats, gradient: Floats, theta: Floats, moments: Floats
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
        first = 1.0 / plan[1]
        second = 1.0 / plan[2]
        for a in range(theta.shape[0]):
            g = gradient[a]
            x = theta[a]
            h = moments[0, a]
            v = moments[1, a]
            for t in range(LANES):
                h[t] = keep1 * h[t] + (1.0 - keep1) * g[t]
                v[t] = keep2 * v[t] + (1.0 - keep2) * (g[t] * g[t])
                x[t] -= step * (h[t] * first) / (np.sqrt(v[t] * second) + epsilon)
    else:
        for a in range(theta.shape[0]):
            g = gradient[a]
            x = theta[a]
            h = moments[0, a]
            top = moments[2, a]
            v = top if settings[LARGEST] == 1.0 else moments[1, a]
            for t in range(LANES):
                mean, square, high, down = _amsgrad(
                    step, keep1, keep2, epsilon, g[t], h[t], v[t], top[t]
                )
                h[t] = mean
                v[t] = square
                top[t] = high  # after v: they may be one
                x[t] -= down


@jit
def advance_one(
    settings: Floats, plan: Floats, gradient: Floats, theta: Floats, moments: Floats
) -> None:
    """Move ``theta`` (p,) of one trial one step on, with ``moments`` (3, p), as `advance` does."""
    step = plan[0]
    keep1 = settings[BETA1]
    keep2 = settings[BETA2]
    epsilon = settings[EPSILON]
    h, v, top = moments[0], moments[1], moments[2]
    if settings[KIND] == GRADIENT_DESCENT:
        for j in range(theta.size):
            theta[j] -= step * gradient[j]
    elif settings[KIND] == ADAM:
        for j in range(theta.size):
            g = gradient[j]
            h[j] = keep1 * h[j] + (1.0 - keep1) * g
            v[j] = keep2 * v[j] + (1.0 - keep2) * (g * g)
            theta[j] -= step * (h[j] / plan[1]) / (np.sqrt(v[j] / plan[2]) + epsilon)
    else:
        if settings[LARGEST] == 1.0:
            v = top
        for j in range(theta.size):
            mean, square, high, down = _amsgrad(
                step, keep1, keep2, epsilon, gradient[j], h[j], v[j], top[j]
            )
            h[j] = mean
            v[j] = square
            top[j] = high
            theta[j] -= down
