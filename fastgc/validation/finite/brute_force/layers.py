"""Layers and chunks of tasks: which answers decode, when all is done, how unlikely late that is."""

import itertools
import math
from collections import Counter
from collections.abc import Sequence

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


# ---- chunks that workers finish in an order: how many finished ones may lack a copy of some chunk


def worst_chunks(orders: Sequence[Sequence[int]], copies: int) -> int:
    """Walk through all numbers of chunks that workers may have finished."""
    chunks = {chunk for own in orders for chunk in own}
    most = 0
    for counts in itertools.product(*(range(len(own) + 1) for own in orders)):
        if sum(counts) > most:
            held = Counter(c for own, j in zip(orders, counts, strict=True) for c in own[:j])
            if any(held[chunk] < copies for chunk in chunks):
                most = sum(counts)
    return most + 1


def fewest_worst_chunks(n: int, d: int) -> int:
    """Try all orders of worker w's chunks w, …, w + d − 1 modulo n."""
    held = [list(itertools.permutations((w + j) % n for j in range(d))) for w in range(n)]
    return min(worst_chunks(orders, 1) for orders in itertools.product(*held))
