"""What fastgc draws."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from fastgc.draws import streams
from fastgc_kernels.draw import pairs, philox


def philox_word(counter: Sequence[int], key: Sequence[int], place: int) -> float:
    """One of the four words of a counter under a key, each given as words of 32 bits."""
    out = np.empty((1, 4), np.uint64)
    whole = np.uint64(key[0] | key[1] << 32)
    philox.words(np.array([counter], np.uint64), whole, out)
    return float(out[0, place])


def _numbers(seed: int, numbers: int) -> NDArray[np.float64]:
    even, odd = np.empty(numbers // 2), np.empty(numbers // 2)
    key = streams.key(seed, "exponential", "time")
    pairs.exponentials(key, np.uint64(0), 0, 0, even, odd)
    return np.concatenate([even, odd])


def exponential_difference(seed: int, numbers: int) -> float:
    """Largest relative difference of drawn exponential numbers from −log of the uniform ones."""
    even, odd = np.empty(numbers // 2), np.empty(numbers // 2)
    key = streams.key(seed, "exponential", "time")
    pairs.uniforms(key, np.uint64(0), 0, 0, even, odd)
    truth = -np.log(np.concatenate([even, odd]))
    return float(np.max(np.abs(_numbers(seed, numbers) - truth) / truth))


def largest_exponential(seed: int, numbers: int) -> float:
    """Largest of so many exponential numbers."""
    return float(_numbers(seed, numbers).max())


def equal_draws(first: int, second: int, numbers: int) -> float:
    """How many of so many draws agree under two seeds."""
    one, other = (streams.uniforms(seed, "draws", numbers) for seed in (first, second))
    return float(np.count_nonzero(one == other))
