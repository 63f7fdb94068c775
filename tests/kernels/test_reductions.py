"""Kernels behind means of less variance, against loops over trials."""

import numpy as np
import pytest

from fastgc.draws.patterns import bernoulli
from fastgc.draws.streams import Batch
from fastgc_kernels.decode.lost_partitions import lost_partitions
from fastgc_kernels.tally.strata import by_survivors
from twins import reductions as twin


def drawn(n, trials, p=0.4):
    """Patterns, and the same as lists of booleans."""
    patterns = bernoulli(np.full(n, p), Batch(1, "s", 0, -(-trials // 64), 1), "straggle")
    bits = np.unpackbits(patterns.packed.view(np.uint8), axis=1, bitorder="little")
    return patterns, bits[:trials, :n].tolist()


@pytest.mark.parametrize("n", [1, 3, 64, 70])
@pytest.mark.parametrize("trials", [1, 5, 64, 300])
@pytest.mark.parametrize("kind", [np.uint8, np.uint16])
def test_by_survivors(n, trials, kind):
    patterns, alive = drawn(n, trials)
    random = np.random.default_rng(n)
    values = random.random(trials) * 2.0 ** random.integers(-20, 20, trials)
    controls = random.integers(0, 200, trials).astype(kind)
    stratum = np.arange(n + 1) // 3
    strata, products = np.full((n // 3 + 1, 3), np.nan), np.full(2, np.nan)
    by_survivors(values, controls, patterns.packed[:trials], stratum, strata, products)
    expected = twin.by_survivors(values.tolist(), controls.tolist(), alive, stratum.tolist())
    np.testing.assert_allclose(strata, expected[0], rtol=1e-13)
    np.testing.assert_allclose(products, expected[1], rtol=1e-13)


def test_the_same_bits_whichever_trials_are_seen_together():
    # 4 lanes of a stratum, added in order
    patterns, alive = drawn(4, 200)
    values = np.random.default_rng(1).random(200)
    strata, products = np.empty((5, 3)), np.empty(2)
    none = np.zeros(200, np.uint8)
    by_survivors(values, none, patterns.packed[:200], np.arange(5), strata, products)
    lanes = np.zeros((4, 5))
    for t, survivors in enumerate(alive):
        lanes[t % 4, sum(survivors)] += values[t]
    total = np.zeros(5)
    for lane in lanes:
        total += lane
    assert strata[:, 1].tolist() == total.tolist()


@pytest.mark.parametrize(
    ("n", "holders"),
    [
        (1, [[0]]),
        (3, [[0, 1], [1, 2], [2, 0]]),
        (6, [[0, 1], [2], [3, 4, 5], [1, 4]]),
        (70, [[j, (j + 31) % 70] for j in range(67)]),
    ],
)
@pytest.mark.parametrize("trials", [1, 63, 64, 129])
def test_lost_partitions(n, holders, trials):
    patterns, alive = drawn(n, trials)
    offsets = np.cumsum([0, *map(len, holders)])
    out = np.full(trials, 99, np.uint8)
    lost_partitions(patterns.planes, np.concatenate(holders).astype(np.int64), offsets, out)
    assert out.tolist() == twin.lost_partitions(alive, holders)


def test_lost_partitions_of_many_words():
    patterns, alive = drawn(5, 64 * 300, p=0.7)
    holders = [[0, 1], [1, 2], [3, 4], [0, 4]]
    offsets, workers = np.arange(0, 9, 2), np.concatenate(holders).astype(np.int64)
    out = np.empty(64 * 300, np.uint8)
    lost_partitions(patterns.planes, workers, offsets, out)
    assert out.tolist() == twin.lost_partitions(alive, holders)
