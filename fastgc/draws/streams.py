"""The addresses of random numbers: keys by purpose, batches of trials, and the size of blocks.

A draw's address is (seed, stream, purpose, trial, iteration, worker, digit). Seed, stream and
purpose are hashed into the generator's key, the rest is its counter; purposes are class, straggle,
shuffle, time, order, noise, data, batch and tail. Trials share machine words in groups of 64; this,
the generator and the block are what ``STREAM_VERSION`` stands for.
"""

import hashlib
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fastgc.arrays import Values
from fastgc.version import STREAM_VERSION
from fastgc_kernels.draw import elementary, pattern_words, philox

WORD = 64
LARGEST_BLOCK = 65_536
BLOCK_DRAWS = 1 << 22


def block_trials(workers: int, iterations: int) -> int:
    """Return the trials of a block: the largest power of two whose patterns fit the cache.

    At most 65 536, with trials × iterations × workers ≤ 2²², and never less than the 64 trials
    that share a machine word.
    """
    room = max(1, BLOCK_DRAWS // (workers * iterations))
    return int(min(LARGEST_BLOCK, max(WORD, 1 << (room.bit_length() - 1))))


def key(seed: int, stream: str, purpose: str) -> np.uint64:
    """Return the generator's 64-bit key for one purpose of one stream."""
    text = f"{STREAM_VERSION}\0{seed}\0{purpose}\0{stream}".encode()
    return np.uint64(int.from_bytes(hashlib.blake2b(text, digest_size=8).digest(), "little"))


@dataclass(frozen=True)
class Trials:
    """Consecutive trials that are drawn together, in whole groups of 64.

    ``first`` is the number of the first trial, a multiple of 64.
    """

    seed: int
    stream: str
    first: int
    groups: int
    iterations: int

    @property
    def trials(self) -> int:
        """Number of trials, 64 for each group."""
        return WORD * self.groups

    def key(self, purpose: str) -> np.uint64:
        """Return the generator's key of one purpose."""
        return key(self.seed, self.stream, purpose)

    @property
    def addresses(self) -> tuple[NDArray[np.uint64], NDArray[np.uint64], NDArray[np.uint64]]:
        """Counter words of every (iteration, group), iteration-major; made once."""
        if "_addresses" not in self.__dict__:
            own = [np.empty(self.iterations * self.groups, np.uint64) for _ in range(3)]
            first = np.uint64(self.first // WORD)
            pattern_words.addresses(first, self.iterations, self.groups, *own)
            self.__dict__["_addresses"] = tuple(own)
        found: tuple[NDArray[np.uint64], NDArray[np.uint64], NDArray[np.uint64]]
        found = self.__dict__["_addresses"]
        return found


#: Numbers drawn at a time, which bounds the memory that drawing takes.
_RUN = 1 << 16


def uniforms(seed: int, name: str, count: int) -> Values:
    """Return numbers in (0, 1) for things that are made once, such as a random code.

    ``seed``: 0 ≤ seed < 2⁶⁴; ``name``: says what the numbers are for; another name gives
    independent numbers. Returns float64 array (count,): multiples of 2⁻⁵³ plus 2⁻⁵⁴, the same on
    every machine.
    """
    found = np.empty(count)
    for first in range(0, count, _RUN):
        size = min(_RUN, count - first)
        counters = np.zeros((-(-size // 2), 4), np.uint64)
        counters[:, 0] = first // 2 + np.arange(len(counters))
        words = np.empty_like(counters)
        philox.words(counters, key(seed, name, "data"), words)
        whole = (words[:, 0::2] << np.uint64(21)) ^ (words[:, 1::2] >> np.uint64(11))
        middle = (np.asarray(whole.reshape(-1)[:size], np.float64) + 0.5) * 2.0**-53
        # the last of them rounds up to 1
        np.minimum(middle, 1.0 - 2.0**-53, out=found[first : first + size])
    return found


def normals(seed: int, name: str, count: int) -> Values:
    """Return standard normal numbers, the same bits on every machine.

    ``seed``: 0 ≤ seed < 2⁶⁴; ``name``: says what the numbers are for; another name gives
    independent numbers. Returns float64 array (count,): a smaller count gives the first of them.
    """
    out = np.empty(count)
    for run, first in enumerate(range(0, count, _RUN)):
        part = out[first : first + _RUN]
        elementary.normals(uniforms(seed, f"{name}/{run}", part.size), part)
    return out
