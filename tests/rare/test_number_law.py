"""The number of stragglers, and which they are: against every pattern's probability."""

import itertools
import math

import numpy as np
import pytest
from scipy.stats import binom

from fastgc import codes
from fastgc.experiments.decoding.rare import number_law
from fastgc.experiments.methods import sum_law
from fastgc.study.study import Study
from fastgc_kernels.decode import straggler_costs

N = 5
STEPS = [(j + 1) / 8 for j in range(N)]
CLASSES = {"model": "two-class", "p_straggle_slow": 0.75, "p_straggle_active": 0.125}
MODELS = {
    "iid": {"model": "iid", "p": 0.25}, "iid, one p each": {"model": "iid", "p": STEPS},
    "iid, some never": {"model": "iid", "p": [0.0, 0.5, 0.25, 0.0, 0.1]},
    "uniform": {"model": "uniform", "stragglers": 2},
    "markov": {"model": "markov", "p_straggle_after_ok": 0.1, "p_straggle_after_straggle": STEPS},
    "p_slow": CLASSES | {"p_slow": 0.375}, "p_slow, one each": CLASSES | {"p_slow": STEPS},
    "slow count": CLASSES | {"slow": 2}, "slow list": CLASSES | {"slow": [0, 4]},
}  # fmt: skip


def law_of(model):
    table = {"code": {"family": "uncoded", "n": N}, "stragglers": MODELS[model]}
    [point] = Study.parse(table).points()
    return point.table.stragglers.bind(codes.uncoded(n=N))


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("shuffle", ["none", "random"])
def test_it_is_the_law_of_every_pattern(model, shuffle):
    law = law_of(model)
    found = number_law(law, N, shuffle)
    late = ~np.array([[pattern >> j & 1 for j in range(N)] for pattern in range(2**N)], bool)
    sizes = late.sum(axis=1)
    expected = law.distribution(N)
    if shuffle == "random":
        sums = np.bincount(sizes, expected)
        expected = (sums / np.bincount(sizes))[sizes]
    products = np.where(late, found.odds, 1.0).prod(axis=1)
    sums = np.bincount(sizes, products)
    with np.errstate(invalid="ignore"):
        given = np.where(sums[sizes] > 0, products / sums[sizes], 0.0)
    np.testing.assert_allclose(found.probabilities[sizes] * given, expected, atol=1e-15)
    if found.straggle is not None:
        probabilities = np.where(late, found.straggle, 1 - found.straggle).prod(axis=1)
        np.testing.assert_allclose(probabilities, expected, atol=1e-15)


def test_what_is_no_such_law():
    assert number_law(law_of("iid, one p each"), N, "cyclic") is None
    assert number_law(law_of("iid"), N, "cyclic") is not None
    table = {"code": {"family": "uncoded", "n": 2}, "stragglers": {"model": "iid", "p": [1.0, 0.5]}}
    [point] = Study.parse(table).points()
    assert number_law(point.table.stragglers, 2, "none") is None


def test_small_probabilities_keep_their_digits():
    probabilities = sum_law(np.full(200, 1e-4))
    np.testing.assert_allclose(probabilities[:40], binom.pmf(range(40), 200, 1e-4), rtol=1e-10)


# ---- all sets of so many stragglers: the kernel against itertools


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
