"""Layers of coded tasks: which answers decode, when all is done, and how unlikely that is late."""

import itertools
import math

import numpy as np

from fastgc.validation.finite.brute_force.counting import rank


def undecodable_answers(n: int, k: int, answers: int) -> int:
    """Count the sets of so many workers whose answers do not determine a layer's k tasks.

    Worker i answers with the polynomial of the tasks at i + 1: an MDS code over the rationals.
    """
    rows = [[(worker + 1) ** power for power in range(k)] for worker in range(n)]
    return sum(rank(chosen) < k for chosen in itertools.combinations(rows, answers))


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
