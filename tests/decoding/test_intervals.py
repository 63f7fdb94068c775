"""Errors of codes whose workers hold intervals: effective resistances."""

import numpy as np
import pytest

from fastgc.codes.binary import binary
from fastgc.codes.structure import Intervals
from fastgc.decoding.algorithms import by_intervals
from fastgc.decoding.decoder import Decoder
from twins.least_squares import exact_errors, pack


def matrix(start, stop, k):
    rows = np.arange(k)[:, np.newaxis]
    return ((rows >= start) & (rows < stop)).astype(float)


def interval_errors(start, stop, k, packed):
    out = np.empty(len(packed))
    structure = Intervals(np.asarray(start, np.int64), np.asarray(stop, np.int64), k)
    by_intervals(matrix(start, stop, k), structure).errors(packed, out)
    return out


def joined(start, stop, k, alive):
    """Whether survivors join the points 0 and k, by walking."""
    reached = {0}
    for _ in range(k + 1):
        for a, b in zip(start[alive], stop[alive], strict=True):
            if a in reached or b in reached:
                reached |= {int(a), int(b)}
    return k in reached


@pytest.mark.parametrize(
    ("n", "k", "seed"), [(1, 1, 0), (5, 1, 0), (6, 4, 1), (9, 7, 2), (8, 20, 3), (12, 6, 4)]
)
def test_any_intervals(n, k, seed):
    rng = np.random.default_rng(seed)
    for _ in range(4):
        start, stop = np.sort(rng.integers(0, k + 1, (2, n)), axis=0)
        alive = rng.random((60, n)) >= rng.random((60, 1))
        alive[0], alive[1] = True, False
        errors = interval_errors(start, stop, k, pack(alive))
        truth = exact_errors(matrix(start, stop, k), alive)
        assert errors == pytest.approx(truth, rel=1e-13, abs=0)
        exact = [joined(start, stop, k, row) for row in alive]
        assert np.array_equal(errors == 0, exact)


def test_many_words():
    rng = np.random.default_rng(5)
    n, k = 150, 90
    start = rng.integers(0, k, n)
    stop = np.minimum(start + rng.integers(1, 9, n), k)
    alive = rng.random((200, n)) >= rng.uniform(0.2, 1, (200, 1))
    B = matrix(start, stop, k)
    generic = Decoder(B, use_structure=False, use_lookup=False)
    errors = interval_errors(start, stop, k, pack(alive))
    assert errors == pytest.approx(generic.errors(pack(alive)), abs=1e-10 * k)


def test_no_survivor_costs_every_partition():
    assert interval_errors([0, 2], [2, 5], 5, np.zeros((1, 1), np.uint64)) == 5.0


@pytest.mark.parametrize(("n", "s"), [(11, 3), (13, 2), (11, 4)])
def test_binary_code(n, s):
    code = binary(n=n, s=s)
    structured = Decoder(code, use_lookup=False)
    generic = Decoder(code, use_structure=False, use_lookup=False)
    assert (structured.algorithm, generic.algorithm) == ("intervals", "least-squares")
    table = structured.errors_of_all_patterns()
    assert generic.errors_of_all_patterns() == pytest.approx(table, abs=1e-11)
    few = np.array([n - word.bit_count() <= s for word in range(1 << n)])
    assert np.all(table[few] == 0)


def test_exact_patterns_of_the_papers_example():
    """Binary n=11, s=3: 36 of the 165 patterns with 3 survivors are exact."""
    table = Decoder(binary(n=11, s=3)).errors_of_all_patterns()
    three = [word for word in range(1 << 11) if word.bit_count() == 3]
    assert sum(table[word] == 0 for word in three) == 36
