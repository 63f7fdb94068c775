"""Layers of coded tasks: which answers decode, when all is done, and how unlikely that is late."""

import itertools
import math
from collections.abc import Sequence

import numpy as np

from fastgc.arrays import Values
from fastgc.validation.finite.brute_force.counting import partitions, rank


def undecodable_answers(n: int, k: int, answers: int) -> int:
    """Count the sets of so many workers whose answers do not determine a layer's k tasks.

    Worker i answers with the polynomial of the tasks at i + 1: an MDS code over the rationals.
    """
    rows = [[(worker + 1) ** power for power in range(k)] for worker in range(n)]
    return sum(rank(chosen) < k for chosen in itertools.combinations(rows, answers))


def finished_at(k: Sequence[int], times: Sequence[float]) -> float:
    """Let all workers do task after task, and stop when every layer has its k_j answers."""
    events = sorted(((j + 1) * time, j) for time in times for j in range(len(k)) if time < math.inf)
    missing = list(k)
    for moment, layer in events:
        missing[layer] -= 1
        if all(need <= 0 for need in missing):
            return moment
    return math.inf


def late_rate(n: int, k: Sequence[int], t: float) -> float:
    """Take −log P(some layer is not done by t)/t, for unit exponential times."""
    late, states, before = 0.0, {0: 1.0}, math.inf
    for j in range(len(k), 0, -1):
        # of those not done with layer j + 1 by t, the share not done with layer j
        share = math.exp(-t / j) if before == math.inf else math.exp(t / before - t / j)
        before = j
        after: dict[int, float] = {}
        for done, probability in states.items():
            for more in range(n - done + 1):
                ways = math.comb(n - done, more)
                step = probability * ways * (1 - share) ** more * share ** (n - done - more)
                if done + more < k[j - 1]:
                    late += step
                else:
                    after[done + more] = after.get(done + more, 0.0) + step
        states = after
    return -math.log(late) / t


def gain_of_a_move(k: Sequence[int], n: int, shift: float) -> float:
    """Largest share of the mean that moving one task from a layer to another one saves."""
    others = set()
    for a, b in itertools.permutations(range(len(k)), 2):
        moved = list(k)
        moved[a] -= 1
        moved[b] += 1
        if moved[a] >= 0 and moved[b] <= n:
            others.add(tuple(sorted(moved, reverse=True)))
    mean = finishing_mean(n, k, 1.0, shift, points=1001)
    least = min(finishing_mean(n, other, 1.0, shift, points=1001) for other in others)
    return 1.0 - least / mean


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
    return min(finishing_mean(n, k, mean, shift) for k in partitions(tasks, layers, n))


def most_probable_finish(n: int, layers: int, tasks: int, t: float, shift: float) -> float:
    """Try every k_1 ≥ … ≥ k_r that adds up to the tasks, and return the largest P(done by t)."""
    moment = np.array([t])
    found = (_finished(n, k, moment, 1.0, shift) for k in partitions(tasks, layers, n))
    return max(float(each[0]) for each in found)


def layers_apart(n: int, k: Sequence[int], shift: float) -> float:
    """The largest mean time of a layer over the smallest, for unit exponential times."""
    times = [
        j * (shift + math.fsum(1.0 / (n - i) for i in range(need)))  # spacings of the answers
        for j, need in enumerate(k, 1)
        if need
    ]
    return max(times) / min(times)


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
    weighed = late[0] + 4 * late[1:-1:2].sum() + 2 * late[2:-1:2].sum()
    return start + float((t[1] - t[0]) / 3 * weighed)


def _finished(n: int, k: Sequence[int], t: Values, mean: float, shift: float) -> Values:
    """P(at least k_j workers have X ≤ t/j for all j): all ways to go from layer to layer."""
    probabilities: dict[int, Values] = {0: np.ones_like(t)}
    before = np.zeros_like(t)
    for j in range(len(k), 0, -1):
        now = 1 - np.exp(-np.maximum(t / j - shift, 0) / mean)
        with np.errstate(divide="ignore", invalid="ignore"):
            p = np.where(before < 1, (now - before) / (1 - before), 0.0)
        after: dict[int, Values] = {}
        for done, probability in probabilities.items():
            for more in range(max(k[j - 1] - done, 0), n - done + 1):
                ways = math.comb(n - done, more)
                step = probability * ways * p**more * (1 - p) ** (n - done - more)
                after[done + more] = after.get(done + more, 0) + step
        probabilities, before = after, now
    return np.asarray(sum(probabilities.values()))
