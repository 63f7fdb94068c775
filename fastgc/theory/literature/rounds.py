"""Rounds of the fastest k workers, one after the other, of which the late ones finish.

The fastest k, and what it costs that late work is dropped: Dutta, Joshi, Ghosh, Dube, Nagpurkar
(arXiv:1803.01113), K-sync and K-batch-sync.
"""

from collections.abc import Callable

from fastgc.theory.common import check
from fastgc.theory.literature import paper


@paper.elementwise
def finish_mean(n: int, k: int, rounds: int, mean: float = 1.0) -> float:
    """Mean time of a round of the first k of n exponential workers, of whom the late ones finish.

    All are free when the first round begins, which takes mean·(H_n − H_(n−k)). Each later one
    begins with k free workers and n − k old answers. While a new ones are there and o old ones are
    not, n − a workers are busy: for mean/(n − a), and the next answer is an old one, after which
    its worker begins the round, with probability o/(n − a). Derived.

    >>> round(finish_mean(2, 1, 1), 9), round(finish_mean(2, 1, 10), 9)
    (0.5, 0.725)
    """
    return _of_rounds(n, k, rounds, lambda busy: mean / busy)


@paper.elementwise
def finish_answers(n: int, k: int, rounds: int) -> float:
    """Mean number of answers in a round, late ones included, of these workers.

    All workers together are busy for as many mean times. Derived.

    >>> round(finish_answers(2, 1, 1), 9), round(finish_answers(2, 1, 10), 9)
    (1.0, 1.45)
    """
    return _of_rounds(n, k, rounds, lambda busy: 1.0)


def _of_rounds(n: int, k: int, rounds: int, step: Callable[[int], float]) -> float:
    """Mean over rounds of the sum of ``step(workers that are busy)`` from answer to answer."""
    check.count("k", k, 1, n)
    check.count("rounds", rounds, 1)
    left = [0.0] * (n - k + 1)  # by old answers that are out, with a new ones
    for a in range(k - 1, -1, -1):
        busy = n - a
        after = left
        left = [step(busy) + after[0]]
        for old in range(1, n - k + 1):
            left.append(step(busy) + (old * left[old - 1] + (busy - old) * after[old]) / busy)
    return (left[0] + (rounds - 1) * left[n - k]) / rounds
