"""Kernels that draw patterns, bit by bit against plain integers, and their frequencies."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fastgc.stragglers import patterns as models
from fastgc.streams import Batch, block_trials, key
from fastgc_kernels import patterns as kernel
from twins import sampling as twin

SIZES = [1, 2, 63, 64, 65, 130]
P_VALUES = [0.0, 1e-9, 0.2, 1 / 3, 0.5, 0.99, 1.0]


def booleans(packed, n):
    """Packed patterns as (patterns, n) booleans, the slow way."""
    rows = []
    for words in packed.tolist():
        number = sum(word << 64 * w for w, word in enumerate(words))
        assert number < 2**n, "an unused bit is set"
        rows.append([bool(number >> j & 1) for j in range(n)])
    return np.array(rows)


def words_of(rows):
    """Booleans (patterns, n) as packed words."""
    n = rows.shape[1]
    packed = np.zeros((len(rows), -(-n // 64)), np.uint64)
    for j in range(n):
        packed[:, j // 64] |= rows[:, j].astype(np.uint64) << np.uint64(j % 64)
    return packed


def random_rows(n, patterns, seed=0):
    return np.random.default_rng(seed).random((patterns, n)) < 0.5


# ---- digits of probabilities


@pytest.mark.parametrize("p", [0.0, 0.5, 1 / 3, 0.1, 1e-9, 2.0**-64, 1 - 2.0**-53])
def test_binary_digits_are_those_of_the_float(p):
    digits, pairs = models.binary_digits(np.array([p]))
    value = sum(Fraction(int(word != 0), 2 ** (i + 1)) for i, word in enumerate(digits[0]))
    assert value == Fraction(math.floor(Fraction(p) * 2**64), 2**64)
    assert set(digits[0].tolist()) <= {0, 2**64 - 1}
    last = max((i for i, word in enumerate(digits[0]) if word), default=-1)
    assert pairs[0] == last // 2 + 1


@given(st.floats(0, 1, exclude_max=True))
def test_binary_digits_of_any_probability(p):
    digits, _ = models.binary_digits(np.array([p]))
    whole = int("".join(str(int(word != 0)) for word in digits[0]), 2)
    assert whole == math.floor(Fraction(p) * 2**64)


def test_a_probability_below_all_digits_never_happens():
    digits, pairs = models.binary_digits(np.array([1e-300]))
    assert not digits.any() and pairs[0] == 0


# ---- bernoulli


@pytest.mark.parametrize("n", SIZES)
def test_bernoulli_bit_for_bit(n):
    batch = Batch(seed=7, stream="s", first=128, groups=2, iterations=2)
    p = [P_VALUES[j % len(P_VALUES)] for j in range(n)]
    planes = models.bernoulli(np.array(p), batch, "straggle").planes
    own = twin.key(7, "s", "straggle")
    # both ends of a word, and the group after it
    for iteration, trial in itertools.product(range(2), (0, 1, 37, 63, 64, 127)):
        column = iteration * 2 + trial // 64
        for j in range(n):
            survived = int(planes[j, column]) >> trial % 64 & 1
            assert survived == (not twin.straggles(own, 128 + trial, iteration, j, p[j]))


def test_bernoulli_of_two_classes_bit_for_bit():
    n, iterations = 5, 3
    stragglers = {
        "model": "two-class",
        "p_slow": [0.0, 0.3, 0.5, 0.9, 1.0],
        "p_straggle_slow": 0.8,
        "p_straggle_active": 0.01,
    }
    batch = Batch(seed=3, stream="t", first=64, groups=1, iterations=iterations)
    from fastgc.stragglers import TwoClass

    drawn = booleans(TwoClass(**{**stragglers, "p_slow": (0.0, 0.3, 0.5, 0.9, 1.0)}).draw(
        n, batch
    ).packed, n)
    for iteration, trial in itertools.product(range(iterations), range(0, 64, 3)):
        expected = twin.survivors(stragglers, n, 3, "t", 64 + trial, iteration)
        assert drawn[iteration * 64 + trial].tolist() == expected


@pytest.mark.parametrize("p", [0.0, 1.0])
def test_certain_outcomes(p):
    batch = Batch(1, "s", 0, 4, 2)
    packed = models.bernoulli(np.full(70, p), batch, "straggle").packed
    assert (booleans(packed, 70) == (p == 0)).all()


@pytest.mark.parametrize(("slow", "active"), itertools.product([0.0, 1.0, 0.5], [0.0, 1.0]))
def test_certain_outcomes_of_two_classes(slow, active):
    batch = Batch(1, "s", 0, 2, 1)
    classes = np.array([[2**64 - 1, 0], [0, 2**64 - 1], [0xF0F0, 0x0F0F]], np.uint64)
    planes = models.bernoulli(
        np.full(3, active), batch, "straggle", slow=(classes, np.full(3, slow))
    ).planes
    kept_active = planes & ~classes
    assert (kept_active == (~classes if active == 0 else 0)).all()
    if slow in (0.0, 1.0):
        assert ((planes & classes) == (classes if slow == 0 else 0)).all()


def test_late_digits_count():
    # p agrees with 1/2 in its first 40 digits: whole chunks go on to the last pairs
    p = 0.5 + 2.0**-41
    digits, pairs = models.binary_digits(np.array([p]))
    assert pairs[0] == 21
    columns = 32
    low, iteration, high = (np.zeros(columns, np.uint64) for _ in range(3))
    kernel.addresses(np.uint64(0), 1, columns, low, iteration, high)
    out = np.empty((1, columns), np.uint64)
    nothing = np.empty((0, 0), np.uint64), np.empty(0, np.int64)
    kernel.bernoulli(
        digits, pairs, nothing[0], nothing[1], nothing[0], np.uint64(5), low, iteration, high, out
    )
    for trial in range(0, 64 * columns, 97):
        survived = int(out[0, trial // 64]) >> trial % 64 & 1
        assert survived == (twin.uniform_digits(5, trial, 0, 0) >= math.floor(p * 2**64))


# ---- subsets


@pytest.mark.parametrize("n", SIZES)
def test_subsets_bit_for_bit(n):
    first, trials, patterns = 2**40 + 3, 20, 40  # two iterations, a trial number beyond 32 bits
    survivors = np.array([i % (n + 1) for i in range(patterns)])
    out = np.empty((patterns, -(-n // 64)), np.uint64)
    kernel.subsets(survivors, n, np.uint64(first), trials, np.uint64(11), out)
    drawn = booleans(out, n)
    for i in range(patterns):
        expected = twin.subset(11, first + i % trials, i // trials, n, int(survivors[i]))
        assert drawn[i].tolist() == expected
        assert sum(expected) == survivors[i]


def test_rejected_numbers_are_redrawn():
    # n = 2000 rejects one number in 2³²/1001 … 2³²/2000: search addresses where it happens
    n, size = 2000, 1000
    trial, step = next(
        (trial, step)
        for trial in range(4000)
        for step in range(0, size)
        if _would_reject(11, trial, step, n - size + step + 1)
    )
    assert twin.bounded(11, trial, 0, step, n - size + step + 1)[1] > 0
    out = np.empty((1, -(-n // 64)), np.uint64)
    kernel.subsets(np.array([size]), n, np.uint64(trial), 1, np.uint64(11), out)
    assert booleans(out, n)[0].tolist() == twin.subset(11, trial, 0, n, size)


def _would_reject(key, trial, step, bound):
    return WORDS(key, trial, step // 4)[step % 4] * bound % 2**32 < 2**32 % bound
