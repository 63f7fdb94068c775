"""Straggler patterns of a batch, in two layouts."""

import functools
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from fastgc.arrays import Mask, Values
from fastgc.draws.streams import WORD, Trials
from fastgc_kernels.draw import pattern_words, wide

Words = NDArray[np.uint64]

#: From so many workers on, where so few words of trials are drawn, vectors hold workers.
_MANY_WORKERS, _FEW_WORDS = 2048, 32
_STRIP = 1 << 15  # workers whose planes are drawn, and turned into rows, at once


def packed(alive: Mask) -> Words:
    """Return patterns (T, n) as words: bit j % 64 of word j // 64 is set if worker j survived."""
    words = -(-alive.shape[1] // WORD)
    out = np.zeros((len(alive), 8 * words), np.uint8)
    octets = np.packbits(alive, axis=1, bitorder="little")
    out[:, : octets.shape[1]] = octets
    return out.view("<u8").astype(np.uint64)


def unpacked(words: Words, n: int) -> Mask:
    """Return the patterns of n workers that words say, (T, n)."""
    bits = np.unpackbits(words.view(np.uint8), axis=1, count=n, bitorder="little")
    return bits.astype(bool)


class Patterns:
    """Survivors of every (iteration, trial), iteration-major.

    ``planes`` (n, L · groups) hold 64 trials a word, ``packed`` (L · trials, words) one pattern a
    row; either is made from the other when first asked for. ``strip`` draws the planes of workers
    ``first`` … ``last`` − 1 when either is.
    """

    def __init__(
        self,
        n: int,
        batch: Trials,
        *,
        planes: Words | None = None,
        packed: Words | None = None,
        strip: Callable[[int, int], Words] | None = None,
    ) -> None:
        self.n = n
        self.batch = batch
        self._planes = planes
        self._packed = packed
        self._strip = strip
        self._counts: NDArray[np.int64] | None = None

    @property
    def planes(self) -> Words:
        """Bit-sliced survivors: bit t of ``planes[j, l · groups + g]`` is trial 64 g + t."""
        if self._planes is None and self._packed is not None:
            self._planes = np.empty((self.n, self._packed.shape[0] // WORD), np.uint64)
            pattern_words.unpack(self._packed, self._planes)
        elif self._planes is None:
            assert self._strip is not None
            self._planes = self._strip(0, self.n)
        return self._planes

    @property
    def packed(self) -> Words:
        """One pattern a row: bit j % 64 of word j // 64 is worker j."""
        if self._packed is not None:
            return self._packed
        words = self._words if self._planes is None else self._planes.shape[1]
        self._packed = np.empty((words * WORD, -(-self.n // WORD)), np.uint64)
        if self._strip is None:
            pattern_words.pack(self.planes, self._packed)
            return self._packed
        for first in range(0, self.n, _STRIP):
            last = min(first + _STRIP, self.n)
            planes = self._planes
            some = self._strip(first, last) if planes is None else planes[first:last]
            wide.pack(some, first // WORD, self._packed)
        return self._packed

    @property
    def _words(self) -> int:
        return self.batch.iterations * self.batch.groups

    @property
    def survivors(self) -> NDArray[np.int64]:
        """Number of survivors of every pattern, (L · trials,)."""
        if self._counts is None:
            self._counts = np.empty(self.batch.iterations * self.batch.trials, np.int64)
            if _is_wide(self.n, self._words):
                wide.count_survivors(self.packed, self._counts)
            else:
                pattern_words.count_survivors(self.planes, self._counts)
        return self._counts

    @property
    def alive(self) -> Mask:
        """Who survives, (L, n, trials)."""
        planes = np.ascontiguousarray(self.planes)
        bits = np.unpackbits(planes.view(np.uint8), bitorder="little", axis=-1)
        shape = self.n, self.batch.iterations, self.batch.trials
        return bits.reshape(shape).transpose(1, 0, 2).astype(bool)

    @property
    def sound(self) -> bool:
        """Whether the words have the right type and shape, with 0 beyond the last worker."""
        if self._strip is not None:
            return True
        groups = self._words
        layouts = (
            (self._planes, (self.n, groups)),
            (self._packed, (WORD * groups, -(-self.n // WORD))),
        )
        given = [(words, shape) for words, shape in layouts if words is not None]
        fits = bool(given) and all(
            isinstance(words, np.ndarray) and words.dtype == np.uint64 and words.shape == shape
            for words, shape in given
        )
        if not fits or self._packed is None or self.n % WORD == 0:
            return fits
        return not (self._packed[:, -1] >> np.uint64(self.n % WORD)).any()

    def part(self, first: int, groups: int) -> "Patterns":
        """Return the patterns of so many groups of 64 trials, from trial ``first`` on."""
        if (first, groups) == (self.batch.first, self.batch.groups):
            return self
        own = self.batch
        start = (first - own.first) // WORD
        planes = self.planes.reshape(self.n, own.iterations, own.groups)
        kept = np.ascontiguousarray(planes[:, :, start : start + groups])
        batch = Trials(own.seed, own.stream, first, groups, own.iterations)
        return Patterns(self.n, batch, planes=kept.reshape(self.n, -1))

    def shuffled(self, how: str) -> "Patterns":
        """Return the patterns of B's columns: a column survives if the worker that plays it does.

        ``cyclic``: in iteration l worker j plays column (j + l) mod n. ``random``: a fresh uniform
        permutation in every iteration. Then all sets of as many columns as there are survivors are
        equally likely, so the set is drawn instead of the permutation.
        """
        if how == "none":
            return self
        if how == "cyclic":
            shape = (self.n, self.batch.iterations, self.batch.groups)
            planes = self.planes.reshape(shape)
            turned = np.empty(shape, np.uint64)
            for iteration in range(self.batch.iterations):
                turned[:, iteration] = np.roll(planes[:, iteration], iteration, axis=0)
            return Patterns(self.n, self.batch, planes=turned.reshape(self.n, -1))
        return subsets(self.n, self.batch, self.survivors, "shuffle")


def subsets(n: int, batch: Trials, survivors: NDArray[np.int64], purpose: str) -> Patterns:
    """Draw patterns with the given numbers of survivors; sets of one size are equally likely."""
    packed = np.empty((survivors.size, -(-n // WORD)), np.uint64)
    draw = wide.subsets if _is_wide(n, survivors.size // WORD) else pattern_words.subsets
    draw(survivors, n, np.uint64(batch.first), batch.trials, batch.key(purpose), packed)
    return Patterns(n, batch, packed=packed)


def _is_wide(n: int, words: int) -> bool:
    # whether vectors are to hold workers
    return n >= _MANY_WORKERS and words <= _FEW_WORDS


def binary_digits(probabilities: Values) -> tuple[Words, NDArray[np.int64]]:
    """Return binary digits of probabilities as words of zeros or ones (n, 64), and pairs in use.

    A probability of 1 has no such digits: the caller must treat it apart.
    """
    return _binary_digits(probabilities.tobytes())


@functools.lru_cache(maxsize=64)
def _binary_digits(content: bytes) -> tuple[Words, NDArray[np.int64]]:
    probabilities = np.frombuffer(content)
    whole = _whole(probabilities)
    bits = (whole[:, np.newaxis] >> np.arange(WORD - 1, -1, -1, dtype=np.uint64)) & np.uint64(1)
    pairs = (bits * np.arange(2, WORD + 2, dtype=np.uint64) // np.uint64(2)).max(1, initial=0)
    return np.uint64(0) - bits, pairs.astype(np.int64)


_NOBODY = np.empty((0, 0), np.uint64)


def bernoulli(
    probabilities: Values,
    batch: Trials,
    purpose: str,
    *,
    slow: tuple[Words, Values] | None = None,
    iteration: int | None = None,
) -> Patterns:
    """Draw patterns of workers that straggle independently with the given probabilities (n,).

    Probabilities may be one number in memory, as of `numpy.broadcast_to`. ``slow`` is a pair:
    planes that say which workers are slow in which trial, and the probabilities (n,) of slow
    workers. With ``iteration`` only that iteration is drawn.
    """
    addresses = batch.addresses
    if iteration is not None:
        first = iteration * batch.groups
        addresses = tuple(words[first : first + batch.groups] for words in addresses)  # type: ignore[assignment]
    n, words, key = probabilities.size, addresses[0].size, batch.key(purpose)
    classes, other = (_NOBODY, probabilities[:0]) if slow is None else slow
    always = any(_once(each).max(initial=0.0) >= 1.0 for each in (probabilities, other))
    if not _is_wide(n, words):
        planes = np.empty((n, words), np.uint64)
        own = binary_digits(probabilities), binary_digits(other)
        pattern_words.bernoulli(*own, classes, key, addresses, planes)
        if always:
            _always(planes, probabilities, classes, other)
        return Patterns(n, batch, planes=planes)
    whole, other_whole = _whole(probabilities), _whole(other)
    used = int(np.bitwise_or.reduce(np.concatenate([whole, other_whole])))
    digits = WORD - (used & -used).bit_length() + 1 if used else 0  # up to the last that is 1

    def strip(first: int, last: int) -> Words:
        planes, its = np.empty((last - first, words), np.uint64), classes[first:last]
        pairs = (digits + 1) // 2
        wide.bernoulli(whole, other_whole, pairs, its, key, addresses, first, planes)
        if always:
            _always(planes, probabilities[first:last], its, other[first:last])
        return planes

    return Patterns(n, batch, strip=strip)


def _once(probabilities: Values) -> Values:
    return probabilities[:1] if probabilities.strides == (0,) else probabilities


def _whole(probabilities: Values) -> Words:
    # 2⁶⁴ times probabilities below 1, once where they are one number in memory
    own = _once(probabilities)
    return np.ldexp(np.where(own < 1.0, own, 0.0), WORD).astype(np.uint64)


def _always(planes: Words, probabilities: Values, classes: Words, other: Values) -> None:
    for j in np.flatnonzero(probabilities >= 1.0):
        planes[j] &= classes[j] if other.size else np.uint64(0)
    for j in np.flatnonzero(other >= 1.0):
        planes[j] &= ~classes[j]
