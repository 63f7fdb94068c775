"""Words, partitions, sums, ranks, and layers of tasks, counted out."""

import itertools
import math
from collections.abc import Iterator, Sequence
from fractions import Fraction


def cycle_classes(n: int, weight: int, order: int) -> int:
    """Count the classes of an order by walking every word of this weight around its cycle."""
    return _orders(n, weight).count(order)


def all_cycle_classes(n: int, weight: int) -> int:
    """Count the cycle classes of words of a weight, of any order."""
    return len(_orders(n, weight))


def sum_of_orders(n: int, weight: int) -> int:
    """Add up the orders of the cycle classes of words of a weight that divide n."""
    return sum(order for order in _orders(n, weight) if n % order == 0)


def words(n: int, weight: int) -> Iterator[int]:
    """Yield the words of n bits of which so many are 1."""
    return (sum(1 << j for j in ones) for ones in itertools.combinations(range(n), weight))


def _orders(n: int, weight: int) -> list[int]:
    seen, orders = set[int](), []
    for word in words(n, weight):
        if word not in seen:
            turns = {word}
            while (word := turn(word, n)) not in turns:
                turns.add(word)
            seen |= turns
            orders.append(len(turns))
    return orders


def survivor_probability(
    n: int, slow: int, p_straggle_slow: float, p_straggle_active: float, survivors: int
) -> float:
    """Add up the probabilities of all patterns with so many survivors."""
    p = [p_straggle_slow] * slow + [p_straggle_active] * (n - slow)
    return math.fsum(
        math.prod(1.0 - p[j] if pattern >> j & 1 else p[j] for j in range(n))
        for pattern in range(2**n)
        if pattern.bit_count() == survivors
    )


def turn(word: int, n: int) -> int:
    """Turn a word of n bits by one place."""
    return (word << 1 | word >> (n - 1)) & ((1 << n) - 1)


def partitions(total: int, parts: int, most: int) -> Iterator[tuple[int, ...]]:
    """Yield all ways to write a total as so many whole numbers from 0 to ``most``, falling."""
    if parts == 0:
        if total == 0:
            yield ()
        return
    for first in range(min(total, most), (total - 1) // parts, -1):
        for rest in partitions(total - first, parts - 1, first):
            yield (first, *rest)


def harmonic_sum(i: int) -> float:
    """Add up 1 + 1/2 + … + 1/i."""
    return math.fsum(1 / j for j in range(1, i + 1))


def harmonic_difference(n: int, s: int) -> float:
    """Add up 1/(s+1) + … + 1/n."""
    return math.fsum(1 / j for j in range(s + 1, n + 1))


def rank(rows: Sequence[Sequence[int | Fraction]]) -> int:
    """Rank of a matrix, without rounding."""
    return sum(map(any, echelon(rows)))


def echelon(rows: Sequence[Sequence[int | Fraction]]) -> list[list[Fraction]]:
    """Return the reduced row echelon form of a matrix, by elimination without rounding."""
    left = [[Fraction(x) for x in row] for row in rows]
    done = 0
    for column in range(len(left[0]) if left else 0):
        pivot = next((i for i in range(done, len(left)) if left[i][column]), None)
        if pivot is None:
            continue
        left[done], left[pivot] = left[pivot], left[done]
        left[done] = [x / left[done][column] for x in left[done]]
        for i, row in enumerate(left):
            if i != done and row[column]:
                left[i] = [x - row[column] * y for x, y in zip(row, left[done], strict=True)]
        done += 1
    return left


# ---- layers of tasks: which answers decode, when all is done, how unlikely late that is


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
