"""Batches of chunks, one answer a worker: what it costs that they overlap, or lie at random.

Overlapping batches: Behrouzi-Far, Soljanin (arXiv:2006.02318); batches at random: Li, Mousavi
Kalan, Avestimehr, Soltanolkotabi (arXiv:1710.09990).
"""

import itertools
import math
from collections.abc import Sequence

from fastgc.theory.cases.completion import completion, timed
from fastgc.theory.cases.tables import exponential
from fastgc.theory.cases.tables import maker as table
from fastgc.theory.common import check
from fastgc.theory.literature import paper
from fastgc.theory.literature.order_statistics import frc_completion_mean
from fastgc.theory.papers.claim import Cases

OVERLAPPING = "Behrouzi-Far, Soljanin (arXiv:2006.02318)"
_batches = table("family", "batches", "n", "d", "placement")
_LAWS = (exponential(), exponential(4.0, 0.8))


@paper.elementwise
def covered_cyclically(n: int, d: int, answers: int) -> float:
    """Share of sets of so many of n workers that cover all chunks w, …, w + d − 1 of the cycle.

    Those are the circular orders without d late workers in a row: n/a times the ways to write n − a
    as a sum of a gaps below d. Derived.

    >>> [covered_cyclically(4, 2, answers) for answers in range(5)]
    [0.0, 0.0, 0.3333333333333333, 1.0, 1.0]
    """
    check.code(n, d)
    n, d, a = int(n), int(d), int(answers)
    if a == 0:
        return 0.0
    late = n - a
    ways = sum(
        (-1) ** j * math.comb(a, j) * math.comb(late - j * d + a - 1, a - 1)
        for j in range(min(a, late // d) + 1)
    )
    return float(n * ways / (a * math.comb(n, a)))


@paper.elementwise
def cyclic_batches_mean(n: int, d: int, mean: float = 1.0, shift: float = 0.0) -> float:
    """Mean time until workers with cyclic batches have covered all, for exponential times.

    From a answers on the next takes mean/(n − a). Derived.

    >>> round(cyclic_batches_mean(12, 4, 4.0, 0.8), 9)
    3.333333333
    """
    check.positive(mean=mean)
    late = (1.0 - float(covered_cyclically(n, d, a)) for a in range(int(n)))
    return shift + mean * math.fsum(share / (n - a) for a, share in enumerate(late))


def batches_mean(workers: Sequence[int], mean: float, shift: float) -> float:
    """Mean time until each batch has an answer, of so many workers with exponential times."""
    found = 0.0
    for many in range(1, len(workers) + 1):
        for some in itertools.combinations(workers, many):
            found -= (-1) ** many / sum(some)
    return shift + mean * found


@paper.claim("batches.cyclic.derived", "Derived: circular orders without d late workers in a row")
def _() -> Cases:
    """Where worker w answers once for the chunks w, ..., w+d-1 modulo n, chunks lack an answer
    exactly if d workers in a row are late; a answers cover all with the share n/a times the ways to
    write n-a as a sum of a gaps below d, of the n-choose-a sets."""
    for n, d in ((6, 3), (12, 4), (20, 4)):
        for law in _LAWS:
            theory = cyclic_batches_mean(n, d, law["mean"], law["shift"])
            yield timed(completion(_batches(n, d, "cyclic"), law, work=n / d), theory)
    needed = math.fsum(1.0 - float(covered_cyclically(12, 4, a)) for a in range(12))
    yield timed(completion(_batches(12, 4, "cyclic"), measure="messages"), needed)


@paper.claim("batches.unequal.derived", "Derived: batches are done independently of each other")
def _() -> Cases:
    """Where m_b workers hold batch b and no other, all have an answer after the maximum of
    independent minima of m_b times each: of exponential times with mean 1 the sum over sets S of
    batches of (-1)^(|S|+1) / sum_(b in S) m_b on average."""
    for workers in ((1, 5), (2, 2, 4), (1, 1, 2, 4)):
        n, d = sum(workers), 2
        lists = [[d * b + i for i in range(d)] for b, m in enumerate(workers) for _ in range(m)]
        for law in _LAWS:
            theory = batches_mean(workers, law["mean"], law["shift"])
            system = {"family": "batches", "n": n, "d": d, "placement": lists, "load": 1.0}
            yield timed(completion(system, law), theory)


@paper.claim("batches.overlap.derived", f"Derived, for {OVERLAPPING}", relation=">")
def _() -> Cases:
    """Batches that overlap along a cycle take longer than as many disjoint ones of the same size,
    each held by d workers, where times are exponential: 3.3333 against 2.6333 for n = 12 and d = 4
    with 0.2 and an exponential time of mean 1 for each chunk."""
    for n, d in ((4, 2), (6, 3), (12, 3), (12, 4)):
        for law in _LAWS:
            theory = frc_completion_mean(n, d, law["mean"], law["shift"])
            yield timed(completion(_batches(n, d, "cyclic"), law, work=n / d), theory)


@paper.claim("batches.balanced.derived", f"Derived, for {OVERLAPPING}", relation=">=")
def _() -> Cases:
    """Nor does any choice of one disjoint batch a worker take less than one that gives each batch
    to as many workers; and workers that choose at random hardly ever choose so."""
    for seed in range(1, 6):
        random = _batches(12, 4, "random-batches") | {"seed": seed}
        yield timed(completion(random, work=3.0), frc_completion_mean(12, 4))
