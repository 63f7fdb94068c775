"""Large circulants: rotations in one pass over the ring, held against lstsq and against descent."""

import numpy as np
import pytest
from scipy.sparse import csc_matrix
from scipy.sparse.linalg import lsmr

import fastgc
from fastgc import codes
from fastgc.codes.columns import Columns
from fastgc.decoding.decoder import Decoder
from fastgc.decoding.sparse import algorithm
from fastgc.decoding.sparse.algorithm import length_of_arcs
from fastgc_kernels.decode import arcs

pytestmark = pytest.mark.night


def packed_of(alive):
    padded = np.zeros((len(alive), -(-alive.shape[1] // 64) * 64), np.uint8)
    padded[:, : alive.shape[1]] = alive
    return np.packbits(padded, axis=1, bitorder="little").view(np.uint64)


def found(alive, d):
    out = np.empty(len(alive))
    arcs.errors(packed_of(alive), alive.shape[1], d, out)
    return out


def least(alive, d):
    n = alive.shape[1]
    B = ((np.arange(n)[:, np.newaxis] - np.arange(n)) % n < d).astype(float)
    each = (np.linalg.lstsq(B[:, row], np.ones(n), rcond=None)[0] for row in alive)
    return [float(((B[:, row] @ x - 1) ** 2).sum()) for row, x in zip(alive, each, strict=True)]


@pytest.mark.night
@pytest.mark.parametrize("n, d", [(4, 3), (6, 2), (9, 3), (12, 8), (13, 5), (15, 6), (70, 4)])
@pytest.mark.parametrize("p", [0.0, 0.05, 0.2, 0.5, 0.9, 1.0])
def test_errors_are_those_of_least_squares(n, d, p):
    # rings that are cut and rings that are not, and cycles that survive
    alive = np.random.default_rng(n).random((30, n)) >= p
    assert found(alive, d) == pytest.approx(least(alive, d), abs=1e-10)


@pytest.mark.parametrize("d", [3, 4])
def test_few_stragglers_of_a_long_ring_leave_all_digits(d):
    # one straggler in each cycle: the columns are independent, but hardly
    alive = np.ones((2, 600), bool)
    alive[0, :4], alive[1, [0, 151, 302, 453]] = False, False
    assert found(alive, d) == pytest.approx(least(alive, d), abs=1e-9)


def test_any_cut_gives_the_same_error():
    alive = np.random.default_rng(5).random((1, 200)) >= 0.3
    turned = np.concatenate([np.roll(alive, shift, axis=1) for shift in range(200)])
    assert found(turned, 3) == pytest.approx(np.full(200, found(alive, 3)[0]), rel=1e-12)


@pytest.mark.night
def test_a_large_circulant_is_decoded_so_and_as_descent_does(monkeypatch):
    code = codes.circulant(n=12_000, d=3)
    packed = packed_of(np.random.default_rng(1).random((1, code.n)) >= 0.6)
    own = Decoder(code)
    assert own.algorithm == "sparse"
    errors = own.errors(packed)
    monkeypatch.setattr(algorithm, "_LONGEST_ARC", 0)
    assert errors == pytest.approx(Decoder(code).errors(packed), abs=1e-10 * code.k)


@pytest.mark.night
def test_half_a_million_workers_take_no_steps_of_descent():
    code = codes.circulant(n=500_000, d=5)
    alive = np.random.default_rng(2).random((1, code.n)) >= 0.5
    error = Decoder(code).errors(packed_of(alive))[0]
    held = np.flatnonzero(np.add.reduce([np.roll(alive[0], shift) for shift in range(5)]) == 0)
    assert held.size <= error <= held.size + 0.25 * code.k
    rows = code.columns.places.reshape(-1, 5)[alive[0]]
    entries = np.ones(rows.size), (rows.reshape(-1), np.repeat(np.arange(len(rows)), 5))
    A = csc_matrix(entries, shape=(code.k, len(rows)))
    assert error == pytest.approx(lsmr(A, np.ones(code.k), 1e-10, 1e-10)[3] ** 2, rel=1e-6)


def test_only_arcs_of_one_length_are_taken_for_them():
    assert length_of_arcs(codes.circulant(n=40, d=16).columns) == 16
    assert length_of_arcs(codes.circulant(n=40, d=17).columns) == 0
    assert length_of_arcs(codes.bibd("fano").columns) == 0
    own = codes.circulant(n=9, d=3).columns
    assert length_of_arcs(Columns(9, own.offsets, own.places, np.full(27, 2.0))) == 0
    assert length_of_arcs(Columns(10, own.offsets, own.places, own.values)) == 0


@pytest.mark.night
def test_a_study_of_a_large_circulant_runs():
    study = {
        "code": {"family": "circulant", "n": 150_000, "d": 3},
        "stragglers": {"model": "iid", "p": 0.2},
    }
    row = fastgc.run(study, trials=4).rows()[0]
    assert row["value"] / 150_000 == pytest.approx(0.0189, rel=0.02)
