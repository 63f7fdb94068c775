"""Errors as fractions, the tree of patterns, and brute force that shares no code with either."""

import numpy as np
import pytest

from fastgc import codes
from fastgc.searching import rational
from fastgc.searching.judge import spectrum
from twins.decoders import every_pattern
from twins.least_squares import lstsq_errors

pytestmark = pytest.mark.night


def brute_force(B: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return sums, the largest and how many are 0, by least squares of every pattern."""
    alive = every_pattern(len(B.T))
    errors, lost = lstsq_errors(B, alive), (~alive).sum(axis=1)
    own = [errors[lost == s] for s in range(len(B.T) + 1)]
    sums, worst = (np.array([f(each) for each in own]) for f in (np.sum, np.max))
    return sums, worst, np.array([np.count_nonzero(each < 1e-9) for each in own])


def matrices() -> list[np.ndarray]:
    """Return matrices of ranks of all kinds, also with equal, empty and many columns."""
    generator = np.random.default_rng(3)
    found = [generator.integers(-1, 3, (k, n)).astype(float) for k, n in ((4, 6), (6, 6), (7, 4))]
    twice: np.ndarray = np.hstack([found[0], found[0][:, :1], np.zeros((4, 1))])
    return [*found, twice, codes.circulant(n=7, d=3).B, codes.frc(n=6, d=3).B, np.ones((3, 1)) / 8]


@pytest.mark.parametrize("B", matrices(), ids=lambda B: f"{len(B)}x{len(B.T)}")
def test_both_agree_with_brute_force(B: np.ndarray) -> None:
    sums, worst, counts = brute_force(B)
    exact, quick = rational.spectrum(B), spectrum(B)
    for found in (exact, quick):
        assert [float(each) for each in found.sums] == pytest.approx(sums, rel=1e-9, abs=1e-9)
        assert [float(each) for each in found.worst] == pytest.approx(worst, rel=1e-9, abs=1e-9)
        assert list(found.counts) == counts.tolist()


def test_few_stragglers_are_those_of_all() -> None:
    B = codes.circulant(n=9, d=3).B
    whole, few = spectrum(B), spectrum(B, 3)
    assert few.sums[:4] == pytest.approx(whole.sums[:4], rel=1e-12, abs=1e-12)
    assert not few.sums[4:].any()
    assert few.counts[:4].tolist() == whole.counts[:4].tolist()
