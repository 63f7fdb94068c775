"""All sets of so many stragglers: the kernel against itertools."""

import itertools
import math

import numpy as np
import pytest

from fastgc_kernels.decode import straggler_costs


@pytest.mark.parametrize("n", [5, 64, 70])
@pytest.mark.parametrize("s", [0, 1, 2])
def test_combinations_are_all_sets_in_order(n, s):
    odds = np.linspace(0.5, 2.0, n)
    expected = list(itertools.combinations(range(n), s))
    current = np.arange(s)
    rows, products = [], []
    filled = 7
    while filled == 7:
        packed, own = np.empty((7, -(-n // 64)), np.uint64), np.empty(7)
        filled = straggler_costs.combinations(current, n, odds, packed, own)
        rows += packed[:filled].tolist()
        products += own[:filled].tolist()
    every = (1 << n) - 1
    words = [every & ~sum(1 << j for j in late) for late in expected]
    assert rows == [[word >> 64 * w & (2**64 - 1) for w in range(-(-n // 64))] for word in words]
    np.testing.assert_allclose(products, [math.prod(odds[list(late)]) for late in expected])
