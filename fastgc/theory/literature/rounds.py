"""Rounds of the fastest k workers, one after the other, of which the late ones finish.

The fastest k, and what it costs that late work is dropped: Dutta, Joshi, Ghosh, Dube, Nagpurkar
(arXiv:1803.01113), K-sync and K-batch-sync.
"""

from collections.abc import Callable
from dataclasses import replace

from fastgc.theory.cases.completion import completion, timed
from fastgc.theory.cases.tables import Table, exponential
from fastgc.theory.cases.tables import maker as table
from fastgc.theory.common import check
from fastgc.theory.common.order_statistics import exponential_order_mean
from fastgc.theory.literature import paper
from fastgc.theory.papers.claim import Cases

DUTTA = "Dutta et al., Slow and Stale Gradients (arXiv:1803.01113)"
_fastest = table("family", "bounded-wait", "n", "k")
_CASES = ((2, 1, 20), (8, 6, 20), (8, 7, 50), (16, 8, 20))


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


def _finishing(n: int, k: int, rounds: int, measure: str = "time") -> Table:
    return completion(
        _fastest(n, k),
        exponential(float(n)),
        measure=measure,
        between_rounds="finish",
        iterations=rounds,
    )


@paper.claim("finish.time.derived", f"Derived, for workers of {DUTTA} that are not stopped")
def _() -> Cases:
    """Of n exponential workers of which a round needs k, and the late ones finish before they take
    up a round: every round but the first begins with n - k old answers that are out, and the mean
    time follows by steps from answer to answer."""
    for n, k, rounds in _CASES:
        yield timed(_finishing(n, k, rounds), finish_mean(n, k, rounds))


@paper.claim("finish.answers.derived", "Derived from the same steps")
def _() -> Cases:
    """In all of these rounds as many answers come as there are steps, and workers are busy for so
    many mean times."""
    for n, k, rounds in _CASES:
        theory = finish_answers(n, k, rounds)
        for measure in ("messages", "worker_seconds"):
            yield replace(timed(_finishing(n, k, rounds, measure), theory), tolerance=0.01)


@paper.claim("finish.later.derived", f"Derived, for K-sync of {DUTTA}", relation=">")
def _() -> Cases:
    """Such a round takes longer than H_n - H_(n-k) means, which it takes where late workers are
    stopped (K-sync), and so longer than k/n means, which it would take if those that have answered
    began again at once (K-batch-sync)."""
    for n, k, rounds in _CASES:
        yield timed(_finishing(n, k, rounds), float(exponential_order_mean(n, k)))
