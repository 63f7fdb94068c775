"""Layers of coded tasks: which answers decode, when all is done, how unlikely that is late."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from fractions import Fraction

from fastgc.validation.enumerations.times import finishing_mean


def undecodable_answers(n: int, k: int, answers: int) -> int:
    """Count the sets of so many workers whose answers do not determine a layer's k tasks.

    Worker i answers with the polynomial of the tasks at i + 1: an MDS code over the rationals.
    """
    rows = [[(worker + 1) ** power for power in range(k)] for worker in range(n)]
    return sum(rank(chosen) < k for chosen in itertools.combinations(rows, answers))


def rank(rows: Sequence[Sequence[int]]) -> int:
    """Rank of a matrix of whole numbers, by elimination without rounding."""
    left = [[Fraction(x) for x in row] for row in rows]
    done = 0
    for column in range(len(left[0]) if left else 0):
        pivot = next((i for i in range(done, len(left)) if left[i][column]), None)
        if pivot is None:
            continue
        left[done], left[pivot] = left[pivot], left[done]
        for i in range(done + 1, len(left)):
            factor = left[i][column] / left[done][column]
            left[i] = [x - factor * y for x, y in zip(left[i], left[done], strict=True)]
        done += 1
    return done


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
        for done, chance in states.items():
            for more in range(n - done + 1):
                ways = math.comb(n - done, more)
                step = chance * ways * (1 - share) ** more * share ** (n - done - more)
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
