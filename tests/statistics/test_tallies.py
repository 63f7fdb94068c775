"""Sums without rounding, in any order; histograms; tallies of both."""

import functools
import math
import operator
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fastgc.statistics import tallies
from fastgc.statistics.tallies import CellRange, ExactSums, Histogram, Tally

FLOATS = st.floats(allow_nan=False, allow_infinity=False)
EDGES = [5e-324, -5e-324, 2.0**-1022, 2.0**-1022 - 5e-324, 1.7976931348623157e308, -0.0, 1.0]


def total(values):
    return sum(map(Fraction, values), Fraction(0))


def sums_of(values):
    sums = ExactSums(1)
    if len(values):
        sums.add(np.array(values, float).reshape(-1, 1))
    return sums


@given(st.lists(FLOATS | st.sampled_from(EDGES), max_size=40))
def test_sums_are_exact(values):
    assert sums_of(values).value(0) == total(values)


def test_stored_form_comes_back():
    values = [1e300, -1.5, 2e-310, -1e301]
    again = ExactSums.from_limbs(sums_of(values).limbs())
    assert again.value(0) == total(values)
    again.add(np.array([[1e301]]))
    assert again.value(0) == total([*values, 1e301])


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_carries_in_time(monkeypatch, sign):
    # the largest mantissa at the worst place in a limb, as often as may be before a carry
    value = sign * math.ldexp(2.0**53 - 1, 31 - 18)
    monkeypatch.setattr(tallies, "ADDENDS_BETWEEN_CARRIES", 1 << 10)
    sums = ExactSums(1)
    for _ in range(5):
        sums.add(np.full((1000, 1), value))
        # so that 2²⁸ between carries stay below 2⁶³
        assert np.abs(sums._limbs).max() <= 2**34 * 2**10
    assert sums.value(0) == 5000 * Fraction(value)
    assert (sums.limbs()[0, :-1] >= 0).all() and (sums.limbs()[0, :-1] < 2**32).all()


def test_room_between_carries():
    # no limb may pass 2⁶³ before it is carried: each addend brings less than 2³⁴ to a limb
    assert tallies.ADDENDS_BETWEEN_CARRIES * 2**34 <= 2**63
    # and the top limb has room for 2⁶³ of the largest float
    assert tallies.LIMBS * tallies.LIMB_BITS >= tallies.UNIT + 1024 + 63 + 1
    for place in range(32):
        value = math.ldexp(2.0**53 - 1, place)
        assert np.abs(sums_of([value])._limbs).max() < 2**34  # before any carry


def test_doubling_keeps_exact_beyond_many_addends():
    sums = sums_of([0.1, -1e10, 3e-320])
    truth = total([0.1, -1e10, 3e-320])
    for _ in range(62):
        sums.merge(ExactSums.from_limbs(sums.limbs()))
    assert sums.value(0) == truth * 2**62


# ---- histograms


HISTOGRAMS = st.builds(
    lambda counts, edges, lost: (
        Histogram(counts, min(edges), max(edges), *lost) if counts else Histogram()
    ),
    st.dictionaries(st.integers(0, 8), st.integers(1, 9), max_size=4),
    st.tuples(st.floats(0, 9), st.floats(0, 9)),
    st.tuples(st.integers(0, 3), st.integers(0, 3)),
)
TALLIES = st.builds(
    lambda trials, values, histogram: Tally(trials, sums_of(values), [histogram]),
    st.integers(0, 9),
    st.lists(FLOATS, max_size=3),
    HISTOGRAMS,
)


def contents(tally):
    return (
        tally.trials,
        tally.sums.limbs().tolist(),
        [
            (*sorted(h.counts.items()), h.low, h.high, h.not_finite, h.too_large)
            for h in tally.histograms
        ],
    )


def merged(a, b):
    both = Tally.empty(1, 1)
    both.merge(a)
    both.merge(b)
    return both


@given(TALLIES, TALLIES, TALLIES)
def test_merging_tallies_is_associative_and_commutative(a, b, c):
    assert contents(merged(merged(a, b), c)) == contents(merged(a, merged(b, c)))
    assert contents(merged(a, b)) == contents(merged(b, a))
    assert contents(merged(Tally.empty(1, 1), a)) == contents(a)
    everything = functools.reduce(merged, [a, b, c])
    assert everything.trials == functools.reduce(operator.add, [a.trials, b.trials, c.trials])


@given(st.lists(st.lists(FLOATS, min_size=3, max_size=3), min_size=1, max_size=6))
def test_all_cells_in_one_pass(rows):
    sums = ExactSums(3)
    sums.add(np.array(rows))
    cells = [sums.value(cell) for cell in range(3)]
    assert sums.values(0, 3) == cells
    part = CellRange(sums, 1, 3)
    assert (len(part), part[0], part[1:], part[:0]) == (2, cells[1], cells[2:], [])
    other = ExactSums(3)
    other.merge(sums)
    other.add(np.array(rows))
    assert other.values(0, 3) == [2 * cell for cell in cells]
    assert sums.values(0, 3) == cells
