"""One iteration of a small code, pattern after pattern: what a theory is held against once more.

Every set of survivors is decoded alone and weighed with its probability. Of experiments that say
more than a code, a decoder, and which workers straggle, nothing is said.
"""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from fastgc.arrays import Values

#: Workers at most, where patterns are decoded, and where only who holds what is looked at.
MOST_DECODED, MOST_WORKERS = 12, 15
_KNOWN = {"kind", "name", "measure", "thresholds", "code", "stragglers", "decoder", "rho"}
_ALONE = {"iterations": 1, "shuffle": "none"}
#: An error below this share of the number of partitions is rounding of the least squares.
_ROUNDING = 1e-10
Array = Values
Rows = Sequence[Sequence[float]]


def statistic_of_patterns(
    experiment: Mapping[str, Any], rows: Rows, pieces: int, quantity: str, statistic: str
) -> float | None:
    """Return a statistic of one iteration of the code with these rows; None if it is not known.

    ``pieces``: so many rows a partition weight as many pieces of it, of answers that are as short.
    """
    B = np.array(rows)
    n = B.shape[1]
    known = _KNOWN | {key for key, value in _ALONE.items() if experiment.get(key) == value}
    most = MOST_WORKERS if quantity == "lost" else MOST_DECODED
    if n > most or not experiment.keys() <= known or np.iscomplexobj(B):
        return None
    alive = _patterns(n)
    weights = _weights(alive, experiment["stragglers"])
    decoder = experiment.get("decoder", "optimal")
    if weights is None or decoder not in ("optimal", "one-step", "fixed"):
        return None
    if quantity in ("error", "exact", "amplification") and decoder == "optimal":
        values = _optimal(B.tobytes(), n, pieces)[quantity]
    elif pieces > 1:
        return None
    elif quantity == "error":
        rho = experiment.get("rho")
        if rho is None and decoder == "fixed":
            rho = len(B) / np.sum(B != 0) / (1 - np.mean(experiment["stragglers"]["p"]))
        elif rho is None:
            rho = len(B) * n / (np.maximum(alive.sum(axis=1), 1) * B.sum())
        values = np.sum((np.reshape(rho, (-1, 1)) * (alive @ B.T) - 1) ** 2, axis=1)
    elif quantity == "lost":
        values = np.mean(alive @ (B.T != 0) == 0, axis=1)
    else:
        return None
    return _statistic(values[weights > 0], weights[weights > 0], statistic)


def _statistic(values: Array, weights: Array, statistic: str) -> float | None:
    mean = float(values @ weights)
    if statistic == "variance":
        return float((values - mean) ** 2 @ weights)
    if statistic in ("maximum", "minimum"):
        return float(getattr(values, statistic[:3])())
    if statistic.startswith("P(>"):
        return float(weights[values > float(statistic[3:-1]) + _ROUNDING].sum())
    return mean if statistic == "mean" else None


def _patterns(n: int) -> Array:
    """Who answers in each of 2ⁿ patterns."""
    return (np.arange(2**n)[:, np.newaxis] >> np.arange(n) & 1).astype(np.float64)


def _weights(alive: Array, stragglers: Mapping[str, Any]) -> Array | None:
    """Probability of each pattern; of the worst case only which sets there are."""
    model, number = stragglers.get("model"), stragglers.get("stragglers")
    if model in ("uniform", "adversarial") and isinstance(number, int):
        chosen = np.sum(alive == 0, axis=1) == number
        return np.where(chosen, 1 / np.sum(chosen), 0.0)
    if model == "iid":
        q = stragglers["p"]
    elif model == "two-class" and "p_slow" in stragglers:
        slow = stragglers["p_slow"]
        q = slow * stragglers["p_straggle_slow"] + (1 - slow) * stragglers["p_straggle_active"]
    else:
        return None
    return np.asarray(np.prod(np.where(alive == 1, 1 - np.array(q), q), axis=1))


@lru_cache(maxsize=64)
def _optimal(data: bytes, n: int, pieces: int) -> dict[str, Array]:
    """Least squares with least weights, of every pattern."""
    B = np.frombuffer(data).reshape(-1, n)
    wanted = np.tile(np.eye(pieces), (len(B) // pieces, 1))
    held = B * _patterns(n)[:, np.newaxis, :]
    x = np.linalg.pinv(held, rcond=1e-10) @ wanted
    error = np.sum((held @ x - wanted) ** 2, axis=(1, 2)) / pieces
    exact = error <= _ROUNDING * len(B)
    return {
        "error": np.where(exact, 0.0, error),
        "exact": exact.astype(np.float64),
        "amplification": np.sum(x**2, axis=(1, 2)),
    }
