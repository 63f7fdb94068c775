"""Ways to fail that chains meet too seldom: they are found, counted, and left out of chains."""

import itertools
import math

import numpy as np
import pytest

from bench import rare_coverage as bench
from fastgc.experiments.decoding.rare import spectrum
from fastgc.experiments.decoding.rare.number_law import NumberLaw, by_products, sum_law
from fastgc.experiments.decoding.rare.spectrum import Spectrum
from fastgc.experiments.methods import Asked
from fastgc.statistics.estimates import Estimate

EQUAL, UNEQUAL = [0.2] * 7, [0.05, 0.4, 0.2, 0.1, 0.3, 0.25, 0.15]


def two_ways(groups=30, size=2, heavy=6, p=0.01):
    """Four of the light groups are lost, or the heavy one."""
    method = bench._method(bench.two_ways(groups, size, heavy), p, 3.5)
    return method, by_products(method.code.structure, method.law.straggle, method.events[0].limit)


@pytest.mark.parametrize("p", [EQUAL, UNEQUAL])
@pytest.mark.parametrize("some", [(), ((1, 2),), ((1, 2), (2, 3, 5), (0, 6))])
def test_the_probabilities_of_ways_are_those_of_all_patterns(p, some):
    q = np.array(p)
    odds = np.ones(7) if len(set(p)) == 1 else q / (1 - q)
    found = spectrum.of_ways(NumberLaw(sum_law(q), odds, q), some)
    expected = np.zeros(8)
    for late in itertools.product((0, 1), repeat=7):
        probability = math.prod(a if b else 1 - a for a, b in zip(p, late, strict=True))
        members = np.argsort(-np.array(late), kind="stable").astype(np.int32)[np.newaxis]
        has = any(all(late[j] for j in way) for way in some)
        assert bool(spectrum.outside(members, sum(late), some)[0]) is not has
        expected[sum(late)] += probability * has
    assert np.abs(found - expected).max() < 1e-15


def test_numbers_that_are_drawn_alike():
    """Three of five straggle: those that hold both of two given ones are 3 of 10."""
    law = NumberLaw(np.array([0.0, 0, 0, 1, 0, 0]), np.ones(5))
    assert abs(spectrum.of_ways(law, ((1, 4),))[3] - 0.3) < 1e-15


@pytest.mark.night
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_the_heavy_group_is_found(seed):
    method, _ = two_ways()
    assert method._spectrum(method.events[0].limit, seed).ways == (tuple(range(60, 66)),)


@pytest.mark.night
def test_codes_that_fail_in_many_like_ways_have_none():
    for code, limit in (({"family": "frc", "n": 24, "d": 3}, 3.0),
                        ({"family": "binary", "n": 19, "s": 3}, 0.0)):  # fmt: skip
        method = bench._method(code, 0.05, limit)
        assert method._spectrum(method.events[0].limit, 1).ways == ()


def estimate(method, seed):
    def sampling(place, first, islands):
        return method.part(place, seed, first, islands)

    asked = Asked(seed, trials=4096, relative=1e9)
    return method.by_chain(0, asked, sampling, np.zeros(bench.fewest(method)))


def half_width(found: Estimate) -> float:
    low, high = found.interval()
    return (high - low) / 2


@pytest.mark.night
@pytest.mark.parametrize(
    "some", [((60, 61, 62, 63, 64, 65),), ((0, 1, 2, 3, 4, 5, 6, 7), (0, 1, 2, 3, 4, 5, 8, 9))]
)
def test_any_ways_leave_the_mean_unbiased(monkeypatch, some):
    """Ways that are counted and ways that are left out are the same sets, whichever they are."""
    monkeypatch.setattr(Spectrum, "ways", some)
    method, truth = two_ways()
    found = [estimate(method, seed) for seed in range(1, 9)]
    mean = sum(each.value for each in found) / 8
    error = math.hypot(*(each.standard_error for each in found)) / 8
    assert abs(mean - truth) < 4.5 * error


@pytest.mark.night
def test_two_ways_to_fail_have_narrow_intervals_that_hold(monkeypatch):
    """32 islands each: with the second way counted, and without, as it was."""
    method, truth = two_ways(40, 3, 8, 0.06)
    found = [estimate(method, seed) for seed in range(1, 9)]
    held = [each.interval()[0] <= truth <= each.interval()[1] for each in found]
    assert sum(held) >= 6
    monkeypatch.setattr(Spectrum, "ways", ())
    method, _ = two_ways(40, 3, 8, 0.06)
    without = [half_width(estimate(method, seed)) for seed in range(1, 9)]
    assert sum(map(half_width, found)) < 0.3 * sum(without)
