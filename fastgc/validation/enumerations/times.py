"""Times of layers, summed over a fine grid, and sums of which mean times are made."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

Values = NDArray[np.float64]


def harmonic_sum(i: int) -> float:
    """Add up 1 + 1/2 + … + 1/i."""
    return math.fsum(1 / j for j in range(1, i + 1))


def harmonic_difference(n: int, s: int) -> float:
    """Add up 1/(s+1) + … + 1/n."""
    return math.fsum(1 / j for j in range(s + 1, n + 1))


def failure_slope(n: int, k: int, layer: int, t: float) -> float:
    """Growth at t of −log P(fewer than k of n workers have done the layer); unit exponentials."""

    def log_failure(moment: float) -> float:
        q = math.exp(-moment / layer)
        terms = (math.comb(n, i) * q**i * (1 - q) ** (n - i) for i in range(n - k + 1, n + 1))
        return math.log(math.fsum(terms))

    return log_failure(t - 0.5) - log_failure(t + 0.5)


def fastest_answers_mean(n: int, mean: float, shift: float) -> float:
    """Try every k, and return the least mean time of an (n, k) MDS code: E X_(k)/k."""
    harmonic = np.concatenate([[0.0], np.cumsum(1 / np.arange(1, n + 1))])
    k = np.arange(1, n + 1)
    return float(np.min((shift + mean * (harmonic[n] - harmonic[n - k])) / k))


def least_finishing_mean(n: int, layers: int, tasks: int, mean: float, shift: float) -> float:
    """Try every k_1 ≥ … ≥ k_r that adds up to the tasks, and return the least mean time."""
    return min(finishing_mean(n, k, mean, shift) for k in _partitions(tasks, layers, n))


def finishing_mean(
    n: int, k: Sequence[int], mean: float, shift: float, points: int = 4001
) -> float:
    """Integrate P(some layer is not done by t) by Simpson's rule."""
    needs = [(j, need) for j, need in enumerate(k, 1) if need]
    start = shift * needs[-1][0]
    # P(layer j is late) falls like e^(−(n+1−k_j) t/j)
    slowest = max(j / (n + 1 - need) for j, need in needs)
    t = start + np.linspace(0, 40 * mean * slowest, points)
    late = 1 - _finished(n, k, t, mean, shift)
    return start + float(_simpson(late, t[1] - t[0]))


def _finished(n: int, k: Sequence[int], t: Values, mean: float, shift: float) -> Values:
    """P(at least k_j workers have X ≤ t/j for all j): all ways to go from layer to layer."""
    chances: dict[int, Values] = {0: np.ones_like(t)}
    before = np.zeros_like(t)
    for j in range(len(k), 0, -1):
        now = 1 - np.exp(-np.maximum(t / j - shift, 0) / mean)
        with np.errstate(divide="ignore", invalid="ignore"):
            p = np.where(before < 1, (now - before) / (1 - before), 0.0)
        after: dict[int, Values] = {}
        for done, chance in chances.items():
            for more in range(max(k[j - 1] - done, 0), n - done + 1):
                ways = math.comb(n - done, more)
                step = chance * ways * p**more * (1 - p) ** (n - done - more)
                after[done + more] = after.get(done + more, 0) + step
        chances, before = after, now
    return np.asarray(sum(chances.values()))


def _simpson(values: Values, step: float) -> float:
    return float(step / 3 * (values[0] + 4 * values[1:-1:2].sum() + 2 * values[2:-1:2].sum()))


def _partitions(total: int, parts: int, most: int) -> Iterator[tuple[int, ...]]:
    if parts == 0:
        if total == 0:
            yield ()
        return
    for first in range(min(total, most), -1, -1):
        for rest in _partitions(total - first, parts - 1, first):
            yield (first, *rest)
