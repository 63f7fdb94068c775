"""Counting that several papers share: binomial laws, Möbius function, necklaces."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

#: Workers up to which binomial coefficients are counted in whole numbers, and gaps in pairs.
LARGEST_COUNTED = 2048


def binomial_probabilities(trials: int, p: float) -> NDArray[np.float64]:
    """Probabilities of 0 … trials successes; from the mode outwards, so nothing overflows.

    >>> binomial_probabilities(2, 0.5)
    array([0.25, 0.5 , 0.25])
    """
    if p <= 0.0 or p >= 1.0:
        certain = np.zeros(trials + 1)
        certain[trials if p >= 1.0 else 0] = 1.0
        return certain
    mode = min(int((trials + 1) * p), trials)
    above = np.arange(mode, trials)
    below = np.arange(mode, 0, -1)
    up = np.cumprod((trials - above) / (above + 1) * (p / (1.0 - p)))
    down = np.cumprod(below / (trials - below + 1) * ((1.0 - p) / p))
    weights = np.concatenate([down[::-1], [1.0], up])
    return np.asarray(weights / math.fsum(weights), dtype=np.float64)


def hypergeometric(n: int, marked: int, drawn: int) -> list[float]:
    """Probabilities that 0 … drawn of the drawn are among the marked, out of n.

    >>> hypergeometric(4, 2, 2)
    [0.16666666666666666, 0.6666666666666666, 0.16666666666666666]
    """
    total = math.comb(n, drawn)
    return [
        math.comb(marked, i) * math.comb(n - marked, drawn - i) / total for i in range(drawn + 1)
    ]


def moebius(number: int) -> int:
    """Möbius function μ of a positive integer.

    >>> [moebius(i) for i in range(1, 13)]
    [1, -1, -1, 0, -1, 1, -1, 0, 0, 1, -1, 0]
    """
    sign, factor = 1, 2
    while number > 1:
        if number % factor == 0:
            number //= factor
            if number % factor == 0:
                return 0
            sign = -sign
        factor += 1
    return sign


def necklaces(n: int) -> Iterator[tuple[tuple[int, ...], int]]:
    """Cycle representatives of the binary words of length n, each with the order of its class.

    The algorithm of Fredricksen, Kessler and Maiorana: representatives in lexicographic order.

    >>> list(necklaces(2))
    [((0, 0), 1), ((0, 1), 2), ((1, 1), 1)]
    """
    word = [0] * n
    yield tuple(word), 1
    while 0 in word:
        last = n - 1 - word[::-1].index(0)
        period = last + 1
        head = [*word[:last], 1]
        word = [head[i % period] for i in range(n)]
        if n % period == 0:
            yield tuple(word), period
