"""What fastgc is measured against: training runs by NumPy alone.

A run's draws are ``alive`` (L, n), who survives each iteration. Functions return losses, (L + 1,).
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fastgc.training.data import bounds

Values = NDArray[np.float64]
Survivors = NDArray[np.bool_]


@dataclass(frozen=True)
class Coded:
    """Linear or logistic regression by descent with coded gradients, for a 0/1 code ``B``."""

    X: Values
    y: Values
    B: Values
    step: float
    iterations: int
    logistic: bool

    def draw(self, rng: np.random.Generator, runs: int) -> Survivors:
        """Who survives: slow workers stay slow for a run, two-class stragglers (L, runs, n)."""
        n = self.B.shape[1]
        slow = rng.random((runs, n)) < 0.3
        late = np.where(slow, 0.8, 0.01)
        return np.asarray(rng.random((self.iterations, runs, n)) >= late)

    def script(self, alive: Survivors) -> Values:
        """One run (L, n), as a researcher writes it: each worker's gradient, then decoding."""
        cuts = bounds(len(self.y), len(self.B))
        held = [
            np.concatenate([np.arange(cuts[i], cuts[i + 1]) for i in np.flatnonzero(column)])
            for column in self.B.T
        ]
        data = [(self.X[rows], self.y[rows]) for rows in held]
        theta = np.zeros(self.X.shape[1])
        losses = [self.loss(theta)]
        ones = np.ones(len(self.B))
        for survivors in alive:
            workers = np.flatnonzero(survivors)
            answers = [self.gradient(*data[j], theta) for j in workers]
            x = np.linalg.lstsq(self.B[:, workers], ones, rcond=None)[0]
            total = sum((w * g for w, g in zip(x, answers, strict=True)), np.zeros(theta.size))
            theta = theta - self.step / len(self.y) * total
            losses.append(self.loss(theta))
        return np.array(losses)

    def gradient(self, X: Values, y: Values, theta: Values) -> Values:
        """Sum of the gradients of some samples."""
        if self.logistic:
            return np.asarray(X.T @ (-y / (1.0 + np.exp(y * (X @ theta)))))
        return np.asarray(X.T @ (X @ theta - y))

    def loss(self, theta: Values) -> float:
        """Mean loss."""
        if self.logistic:
            return float(np.logaddexp(0.0, -self.y * (self.X @ theta)).mean())
        return 0.5 * float(((self.X @ theta - self.y) ** 2).mean())
