"""Sets of stragglers that lose one at a time: every kernel against what is obvious."""

import itertools
import math

import numpy as np
import pytest

from fastgc import codes
from fastgc.codes.code import code_of
from fastgc.decoding.decoder import Decoder
from fastgc.experiments.decoding.rare.number_law import NumberLaw, sum_law
from fastgc.experiments.decoding.rare.sets import (
    ByDecoder,
    OfGroups,
    OfIndependentColumns,
    OfIntervals,
    pack,
    sets_of,
)
from fastgc_kernels.decode import chain_sets

GENERATOR = np.random.default_rng(5)
UNHELD = np.array([[1.0, 0, 0, 1], [0, 1, 0, 0], [0, 0, 0, 0]])
#: A code, the limit of its event, and the class that is made for it.
CASES = {
    "frc": (codes.frc(n=12, d=3), 0.0, OfGroups),
    "frc, two groups": (codes.frc(n=12, d=3), 3.0, OfGroups),
    "held by none": (code_of(UNHELD, "B"), 1.0, OfGroups),
    "binary": (codes.binary(n=13, s=2), 0.0, OfIntervals),
    "binary, an error": (codes.binary(n=13, s=2), 1.5, ByDecoder),
    "cycle": (codes.circulant(n=9, d=2), 0.0, ByDecoder),
    "sparse": (codes.sparse_regular(n=14, d=3, seed=2), 1.5, OfIndependentColumns),
    "more partitions": (code_of(GENERATOR.normal(size=(15, 12)), "B"), 9.0, OfIndependentColumns),
    "dependent": (codes.cyclic(n=10, d=3, seed=1), 1e-6, ByDecoder),
}  # fmt: skip


def with_event(code, decoder, limit, s, odds):
    """All sets of s stragglers with the event, as members."""
    found = []
    for late in itertools.combinations(range(code.n), s):
        found.append([*late, *(j for j in range(code.n) if j not in late)])
    members = np.array(found, np.int32)
    return np.ascontiguousarray(members[decoder.errors(pack(members, s)) > limit])


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("odds", ["alike", "unlike"])
def test_steps_and_drops_are_those_of_decoding_whatever_is_tried(name, odds):
    code, limit, expected = CASES[name]
    decoder, generator = Decoder(code), np.random.default_rng(3)
    s = next(s for s in range(2, code.n) if len(with_event(code, decoder, limit, s, None)) > 3)
    s = min(s + 2, code.n - 1)
    weights = np.ones(code.n) if odds == "alike" else generator.lognormal(size=code.n).round(6)
    members = with_event(code, decoder, limit, s, weights)[:40]
    members = members[: 2 * (len(members) // 2)]
    fast = sets_of(code, decoder, limit)(members.copy(), s, weights)
    slow = ByDecoder(members.copy(), s, weights, decoder, limit)
    assert type(fast) is expected
    for _ in range(2):
        numbers = generator.random((len(members), 15))
        removable = fast.steps(numbers)[:, : fast.s]
        np.testing.assert_array_equal(removable, slow.steps(numbers)[:, : slow.s])
        np.testing.assert_array_equal(fast.members, slow.members)
        alive = np.flatnonzero(removable.any(axis=1))
        half = len(members) // 2
        islands = [alive[alive < half], alive[alive >= half] - half]
        if fast.s < 3 or not all(own.size for own in islands):
            break
        parents = np.array([np.resize(own, half) for own in islands])
        rows = parents + np.array([[0], [half]])
        places = removable[rows].argmax(axis=2)
        fast.drop(parents, places)
        slow.drop(parents, places)
        np.testing.assert_array_equal(fast.members, slow.members)
        assert fast.s == slow.s


@pytest.mark.parametrize("seed", range(3))
def test_many_swaps_forget_no_side(seed):
    """Workers that join two of 8 points; after each of 40 swaps all is decoded."""
    generator = np.random.default_rng(seed)
    B = np.zeros((7, 12))
    for j in range(12):
        start = j % 7
        B[start : min(7, start + 1 + (j >= 7) * int(generator.integers(1, 5))), j] = 1.0
    code = code_of(B, "B")
    decoder = Decoder(code)
    members = np.array([generator.permutation(12) for _ in range(400)], np.int32)
    members = members[decoder.errors(pack(members, 5)) > 0.0][:60]
    fast = sets_of(code, decoder, 0.0)(members.copy(), 5, np.ones(12))
    slow = ByDecoder(members.copy(), 5, np.ones(12), decoder, 0.0)
    assert type(fast) is OfIntervals and len(members) == 60
    several = generator.random((60, 120))
    for numbers in (*np.split(several, 40, axis=1), several):
        removable = fast.steps(numbers)[:, :5]
        np.testing.assert_array_equal(removable, slow.steps(numbers)[:, :5])
        np.testing.assert_array_equal(fast.members, slow.members)
    assert removable.any() and not removable.all()


def test_picks_follow_the_comb():
    scores = np.random.default_rng(1).random((3, 8, 6))
    scores[scores < 0.4] = 0.0
    scores[1] = 0.0
    numbers = np.random.default_rng(2).random((3, 9))
    totals, parents, places = np.empty(3), np.empty((3, 8), np.int64), np.empty((3, 8), np.int64)
    chain_sets.pick(scores, 5, numbers, totals, parents, places)
    for island in (0, 2):
        own = scores[island, :, :5]
        weights = own.sum(axis=1)
        assert math.isclose(totals[island], weights.sum())
        teeth = (numbers[island, 0] + np.arange(8)) * weights.sum() / 8
        expected = np.searchsorted(np.cumsum(weights), teeth, side="right")
        assert parents[island].tolist() == expected.tolist()
        for i, parent in enumerate(expected):
            wanted = numbers[island, 1 + i] * weights[parent]
            place = np.searchsorted(np.cumsum(own[parent]), wanted, side="right")
            assert places[island, i] == place and own[parent, place] > 0
    assert totals[1] == 0.0
    assert parents[1].tolist() == list(range(8)) and set(places[1].tolist()) == {4}


def test_a_dropped_straggler_survives():
    members = np.array([[[0, 1, 2, 3], [3, 2, 1, 0]]], np.int32)
    out = np.empty_like(members)
    parents, places = np.array([[1, 0]]), np.array([[0, 2]])
    chain_sets.drop(members, 3, parents, places, out)
    assert out.tolist() == [[[1, 2, 3, 0], [0, 1, 2, 3]]]


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
        filled = chain_sets.combinations(current, n, odds, packed, own)
        rows += packed[:filled].tolist()
        products += own[:filled].tolist()
    every = (1 << n) - 1
    words = [every & ~sum(1 << j for j in late) for late in expected]
    assert rows == [[word >> 64 * w & (2**64 - 1) for w in range(-(-n // 64))] for word in words]
    np.testing.assert_allclose(products, [math.prod(odds[list(late)]) for late in expected])


@pytest.mark.night
@pytest.mark.parametrize("odds", [np.ones(6), np.array([0.1, 3.0, 1.0, 0.0, 0.5, 20.0])])
def test_sets_are_drawn_in_proportion_to_their_odds(odds):
    """60 000 draws of 3 of 6: χ² at a false-alarm rate of 1e-4."""
    law = NumberLaw(sum_law(odds / (1 + odds)), odds)
    members = np.empty((60_000, 6), np.int32)
    numbers = np.empty((60_000, 6))
    chain_sets.uniforms(np.uint64(9), 0, 0, numbers)
    chain_sets.draw(law.inclusion(3), numbers, 3, members)
    sets = list(itertools.combinations(range(6), 3))
    probabilities = np.array([odds[list(late)].prod() for late in sets])
    assert math.isclose(math.log(probabilities.sum()), law.log_sums[3])
    seen = np.array([0] * len(sets))
    for late in members[:, :3].tolist():
        seen[sets.index(tuple(late))] += 1
    possible = probabilities > 0
    assert not seen[~possible].any()
    expected = 60_000 * probabilities[possible] / probabilities.sum()
    chi = ((seen[possible] - expected) ** 2 / expected).sum()
    assert chi < {20: 52.4, 10: 34.0}[int(possible.sum())]


def test_numbers_of_an_address_do_not_depend_on_what_is_drawn_with_them():
    whole, part = np.empty((10, 5)), np.empty((4, 5))
    chain_sets.uniforms(np.uint64(7), 2**33, 3, whole)
    chain_sets.uniforms(np.uint64(7), 2**33 + 6, 3, part)
    np.testing.assert_array_equal(whole[6:], part)
    assert ((whole > 0) & (whole < 1)).all() and np.unique(whole).size == 50


@pytest.mark.parametrize("condition", [1e1, 1e4])
def test_updates_lose_few_digits_down_to_the_last_level(condition):
    """What stands beside the sets is the error that decoding them gives, within the margin."""
    generator = np.random.default_rng(1)
    (U, _), (V, _) = (np.linalg.qr(generator.normal(size=(30, 30))) for _ in range(2))
    code = code_of(U @ np.diag(np.geomspace(1, 1 / condition, 30)) @ V, "B")
    decoder = Decoder(code)
    members = np.array([generator.permutation(30) for _ in range(1000)], np.int32)
    members = members[decoder.errors(pack(members, 10)) > 0.6][:40]
    sets = sets_of(code, decoder, 0.6)(np.ascontiguousarray(members), 10, np.ones(30))
    assert isinstance(sets, OfIndependentColumns)
    while sets.s > 2:
        removable = sets.steps(generator.random((len(members), 18)))[:, : sets.s]
        np.testing.assert_allclose(
            sets.costs + decoder.decomposition.remainder,
            decoder.errors(pack(sets.members, sets.s)),
            rtol=0,
            atol=3e-10,  # a hundredth of the margin
        )
        alive = np.flatnonzero(removable.any(axis=1))
        if not alive.size:
            break
        parents = generator.choice(alive, (1, len(members)))
        sets.drop(parents, removable[parents].argmax(axis=2))
    assert sets.s < 10
