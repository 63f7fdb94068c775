"""What no program of this kind is faster than: so much of something that takes its time.

Words are 64 bits of the generator that all draws are made of; multiply–adds go as fast as in a
product of matrices. The rate is measured beside the workload, in turn with it.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bench.timing import Contestant
from fastgc_kernels._jit import jit
from fastgc_kernels.draw.philox import MASK32, SHIFT32, philox

LIMIT = "limit"
_ZERO = np.uint64(0)
_BUFFER = 1 << 13  # words that stay in the cache
_SIDE = 256  # of the matrices

WORDS, MULTIPLIES = "random words", "multiply–adds"
#: Why drawing patterns takes `compared_words`.
DRAWN = "two binary digits of 64 patterns a call"


@jit
def fill_words(key: np.uint64, stream: np.uint64, out: NDArray[np.uint64]) -> None:
    """Fill ``out`` (of even size) with words of the generator that all draws are made of."""
    half = out.size // 2
    k0 = key & MASK32
    k1 = key >> SHIFT32
    for i in range(half):
        a, b, c, d = philox(np.uint64(i), stream, _ZERO, _ZERO, k0, k1)
        out[i] = a | (b << SHIFT32)
        out[half + i] = c | (d << SHIFT32)


@dataclass(frozen=True)
class Limit:
    """So many of something a trial, and where that number comes from."""

    kind: str
    amount: float
    why: str

    @property
    def contestant(self) -> Contestant:
        """What measures the rate: trials are units of it."""
        if self.kind == WORDS:
            words = np.empty(_BUFFER, np.uint64)
            return Contestant(LIMIT, lambda: _fill(words), 100 * _BUFFER)
        a = np.random.default_rng(1).random((_SIDE, _SIDE))
        out = np.empty_like(a)
        return Contestant(LIMIT, lambda: np.matmul(a, a, out=out), _SIDE**3)


def _fill(words: NDArray[np.uint64]) -> Any:
    for stream in range(100):
        fill_words(np.uint64(1), np.uint64(stream), words)


def compared_words(n: int) -> float:
    """Words that a pattern of n independent workers takes, 64 patterns side by side.

    Eight binary digits of 64 numbers are compared with those of p, then two more of the words in
    which a comparison is still open.
    """
    words, digits = 8.0, 8
    while digits < 64:
        words += 2.0 * (1.0 - (1.0 - 0.5**digits) ** 64)
        digits += 2
    return n * words / 64.0


def factored(s: float) -> float:
    """Multiply–adds of a Cholesky factor of s × s and a system solved with it."""
    return s**3 / 6.0 + s**2 / 2.0
