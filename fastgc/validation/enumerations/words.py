"""Counts and sums over all binary words: cyclic classes, probabilities of patterns."""

from __future__ import annotations

import math


def cycle_classes(n: int, weight: int, order: int) -> int:
    """Count the classes by walking every word of length n around its cycle."""
    seen = bytearray(2**n)
    found = 0
    for word in range(2**n):
        if seen[word]:
            continue
        size, turned = 0, word
        while not seen[turned]:
            seen[turned] = 1
            size += 1
            turned = turn(turned, n)
        found += int(size == order and word.bit_count() == weight)
    return found


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
