"""What theory makes of the gradient's error: a bound of the loss in each step of descent."""

from dataclasses import dataclass

import numpy as np

from fastgc.arrays import Values
from fastgc.errors import FastgcError
from fastgc.training.data import Data
from fastgc.training.optimizers import GradientDescent, Optimizer
from fastgc.training.problems import LARGEST_COMPILED, Problem, shortest
from fastgc_kernels.decode import jacobi

#: A step may be longer than 1/L by rounding alone.
_ROUNDING = 1e-9


@dataclass(frozen=True)
class LossBound:
    """Bounds of the loss of linear regression, ``least`` + excess, with ``mu`` ≤ curvature ≤ ``L``.

    Of a step η ≤ 1/L with the decoded gradient ĝ the loss f becomes at most f − (η/2)(1 − δ)‖g‖²,
    where δ = ‖ĝ − g‖²/‖g‖² (descent lemma); and 2μ (f − f*) ≤ ‖g‖² ≤ 2L (f − f*). So the excess f −
    f* is multiplied by 1 − ημ(1 − δ) at most, or by 1 + ηL(δ − 1) where δ > 1. μ is the least
    eigenvalue of XᵀX/N that is not 0, for neither gradients nor the excess know the others.

    >>> data = Data(X=[[1.0], [1.0]], y=[1.0, 3.0])
    >>> bound = LossBound.of(data, GradientDescent(step=0.5))
    >>> bound.curve(np.array([2.5]), np.array([[0.0], [1.0], [3.0]])).round(9).ravel().tolist()
    [2.5, 1.5, 1.5, 2.5]
    """

    least: float
    mu: float
    L: float
    step: float
    decay: float

    @classmethod
    def of(cls, data: Data, optimizer: GradientDescent) -> "LossBound":
        """Return the bounds for these data. Raises FastgcError if there are none."""
        samples, features = data.X.shape
        if samples * features * min(samples, features) > LARGEST_COMPILED:
            most = f"at most {LARGEST_COMPILED} multiplications, samples · features · the fewer"
            raise FastgcError(f"loss_bound looks at all curvatures, which take {most}", "measure")
        S = jacobi.svd(data.X, data.y)[0]
        if not S.size or S[0] == 0:
            raise FastgcError("loss_bound needs features that are not all 0", "measure")
        S = S[np.finfo(np.float64).eps * max(samples, features) * S[0] < S]
        found = cls(
            _loss(data, shortest(data.X, data.y)),
            float(S[-1] ** 2) / samples,
            float(S[0] ** 2) / samples,
            optimizer.step,
            optimizer.decay,
        )
        if optimizer.step * found.L > 1 + _ROUNDING:
            raise FastgcError(
                f"loss_bound needs a step of at most 1/L = {1 / found.L:.6g}, L being the largest "
                f"eigenvalue of XᵀX/N (got {optimizer.step:g})",
                "optimizer.step",
            )
        return found

    def curve(self, first: Values, shares: Values) -> Values:
        """Return the bounds (L + 1, T) of runs from their first loss (T,) and all δ (L, T)."""
        found = np.empty((len(shares) + 1, first.size))
        found[0] = first
        excess = np.maximum(first - self.least, 0.0)
        for place, share in enumerate(shares):
            step = self.step / (1.0 + self.decay * place)
            off = 1.0 - share
            excess = excess * (1.0 - step * np.where(off > 0, self.mu, self.L) * off)
            found[place + 1] = self.least + excess
        return found


def unbounded(problem: Problem, optimizer: Optimizer) -> tuple[str, str] | None:
    """Return the key and the reason why no bound of the loss is known; None where one is."""
    if problem.model != "linear":
        return "measure", f"loss_bound is known of linear problems (got {problem.model!r})"
    if not isinstance(optimizer, GradientDescent):
        return "measure", "loss_bound is one of gradient-descent; take it as optimizer.method"
    return None


def _loss(data: Data, theta: Values) -> float:
    """Mean loss of linear regression, summing in one order on every machine."""
    off = -np.array(data.y)
    for column, own in zip(data.X.T, theta.tolist(), strict=True):
        off += own * column
    return float(np.cumsum(off * off)[-1]) / (2 * data.samples)
