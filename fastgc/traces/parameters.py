"""Fitted parameters and their 95 % intervals."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from fastgc.arrays import Values
from fastgc.statistics import shares
from fastgc.statistics.estimates import normal_quantile

CONFIDENCE = 0.95
UNTOLD = "this recording does not tell it"
_LARGEST = 100.0  # relative error: the interval's ends would be no numbers
_STEP = 1e-4  # of a logarithm or logit, for second derivatives


@dataclass(frozen=True)
class Parameter:
    """A parameter of a fitted model.

    ``name``: its key in a study; ``value``: the maximum-likelihood estimate; ``standard_error``:
    none where the estimate's error is not normal, as that of a least time, or not known; ``low``,
    ``high``: the 95 % interval; ``high`` is infinite where nothing is known; ``note``: how the
    interval was made, where it is no usual one.
    """

    name: str
    value: float
    standard_error: float | None
    low: float
    high: float
    note: str = ""

    def as_dict(self) -> dict[str, Any]:
        """Return plain data."""
        return vars(self) | {"high": self.high if math.isfinite(self.high) else None}


def half_width() -> float:
    """Return how many standard errors a normal interval reaches to each side."""
    return normal_quantile(CONFIDENCE)


def positive(name: str, value: float, relative_error: float) -> Parameter:
    """Return a positive parameter: normal on the logarithmic scale."""
    error = float(relative_error)
    if error > _LARGEST:
        return Parameter(name, value, None, 0.0, math.inf, UNTOLD)
    factor = math.exp(half_width() * error)
    return Parameter(name, value, value * error, value / factor, value * factor)


def probability(name: str, value: float, variance: float, trials: float) -> Parameter:
    """Return a probability: Wilson's interval of so many trials as give this variance.

    ``trials`` is how many there are at most; it counts alone where the estimate is 0 or 1.
    """
    value, size = float(value), float(trials)
    if not math.isfinite(variance) or (0 < value < 1 and value * (1 - value) < variance):
        return Parameter(name, value, None, 0.0, 1.0, UNTOLD)
    if 0 < value < 1 and variance > 0:
        size = min(size, value * (1 - value) / float(variance))
    low, high = shares.wilson(value, size, half_width())
    error = math.sqrt(value * (1 - value) / size)
    return Parameter(name, value, error, max(0.0, low), min(1.0, high))


def information(log_likelihood: Callable[[Values], float], at: Values) -> Values:
    """Return the observed information at a maximum: minus the matrix of second derivatives."""
    found = np.empty((len(at), len(at)))
    steps = np.eye(len(at)) * _STEP
    for i, up in enumerate(steps):
        for j, other in enumerate(steps[: i + 1]):
            corners = [(up, other, 1), (up, -other, -1), (-up, other, -1), (-up, -other, 1)]
            scale = 4.0
            if i == j:
                corners, scale = [(up, 0 * up, 1), (0 * up, 0 * up, -2), (-up, 0 * up, 1)], 1.0
            total = sum(sign * log_likelihood(at + a + b) for a, b, sign in corners)
            found[i, j] = found[j, i] = -total / scale / _STEP**2
    return found


def variances(information: Values) -> Values:
    """Return the estimates' variances; infinite where the times do not tell parameters apart."""
    try:
        found = np.diag(np.linalg.inv(information))
    except np.linalg.LinAlgError:
        return np.full(len(information), math.inf)
    return np.where(found > 0, found, math.inf)
