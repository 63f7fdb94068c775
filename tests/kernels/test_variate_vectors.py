"""Vector code of draws: the bits of the loops that it replaces, on every processor."""

import hashlib

import numpy as np
import pytest

from fastgc_kernels import _jit
from fastgc_kernels._arrays import U64
from fastgc_kernels.draw import law_numbers, pairs, spacings, strips
from fastgc_kernels.draw.philox import halves, words_at
from fastgc_kernels.draw.variates import log, unit

KEY = U64(0x9E3779B97F4A7C15)
#: The last one has trials on both sides of 2³².
FIRSTS = (0, 12345, 2**32 - 40)


def drawn(first, count):
    even, odd = np.empty(count), np.empty(count)
    pairs.exponentials(KEY, U64(first), 3, 5, even, odd)
    return even, odd


@pytest.mark.parametrize("first", FIRSTS)
@pytest.mark.parametrize("count", [1, 63, 64, 65, 100, 512])
def test_exponentials_have_the_bits_of_numpy_operations(first, count):
    def slowly():
        trial = U64(first) + np.arange(count, dtype=np.uint64)
        a, b, c, d = words_at(trial, 3, 5, *halves(KEY))
        return 0.0 - log(unit(a, b)), 0.0 - log(unit(c, d))

    assert np.array_equal(drawn(first, count), _jit.FALLBACKS.run(slowly, ()))


def strip_numbers(first, count):
    table = np.zeros((strips.ROWS, strips.STRIPS))
    strips.lay(12, 9, table)
    out = np.empty(count)
    strips.numbers(table, KEY, U64(first), 3, 5, out)
    return out


def test_points_above_the_density_are_drawn_again():
    table = np.zeros((strips.ROWS, strips.STRIPS))
    strips.lay(12, 9, table)
    sure = table[strips.SURE].mean()
    table[strips.SURE] = 0.0  # all are asked of the density, and only a few of them again
    out = np.empty(4096)
    strips.numbers(table, KEY, U64(0), 3, 5, out)
    assert sure < 0.99
    assert np.array_equal(out, strip_numbers(0, 4096))


@pytest.mark.parametrize("first", FIRSTS)
def test_order_statistics_are_those_drawn_in_runs_too_short_for_vectors(first):
    short = [strip_numbers(first + t, min(29, 1000 - t)) for t in range(0, 1000, 29)]
    assert np.array_equal(strip_numbers(first, 1000), np.concatenate(short))


def received(first, count, need=9):
    done, without = np.empty((2, 1, count))
    law = law_numbers.EXPONENTIAL, np.array([0.25, 1.5])
    spacings.completion(12, need, 0.1, *law, KEY, U64(first), done, without)
    return np.concatenate([done, without])


@pytest.mark.parametrize("need", [1, 8, 9, 12])
@pytest.mark.parametrize("first", FIRSTS)
def test_ports_are_those_of_runs_too_short_for_vectors(first, need):
    short = [received(first + t, min(29, 300 - t), need) for t in range(0, 300, 29)]
    assert np.array_equal(received(first, 300, need), np.concatenate(short, axis=1))


def digest():
    hashed = hashlib.sha256()
    for first in FIRSTS:
        hashed.update(np.stack(drawn(first, 100)).tobytes())
        hashed.update(strip_numbers(first, 1000).tobytes())
        hashed.update(received(first, 100).tobytes())
    return hashed.hexdigest()
