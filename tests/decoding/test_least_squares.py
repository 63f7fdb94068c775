"""The generic decoding kernels, alone: look-up and structure switched off."""

import numpy as np
import pytest

from fastgc import codes
from fastgc.decoding.algorithms import GramSchmidt, Orthogonal
from fastgc.decoding.decoder import Decoder
from fastgc.decoding.factorization import Decomposition, scale_columns
from fastgc_kernels.decode import jacobi
from twins.codes import random_binary, unstructured
from twins.least_squares import exact_errors, lstsq_errors, pack, some_patterns


def generic(B):
    return Decoder(unstructured(B), use_lookup=False)


def orthogonal_errors(B, packed):
    out = np.empty(len(packed))
    Orthogonal(np.asarray(B, float)).errors(packed, out)
    return out


def orthogonalised_errors(B, packed):
    out = np.empty(len(packed))
    scaled = scale_columns(np.asarray(B, float))[0]
    GramSchmidt(np.asarray(B, float), Decomposition.of(scaled)).errors(packed, out)
    return out


def with_column(B, j, column):
    B = B.copy()
    B[:, j] = column
    return B


BINARY = {
    "square": random_binary(12, 4, 1), "more workers": random_binary(14, 3, 2, k=9),
    "fewer workers": random_binary(9, 4, 3, k=15), "two rows": random_binary(8, 1, 4, k=2),
    "one row": np.ones((1, 5)), "one worker": np.ones((4, 1)),
    "equal columns": with_column(random_binary(12, 4, 1), 3, random_binary(12, 4, 1)[:, 7]),
    "zero column": with_column(random_binary(12, 4, 1), 5, 0.0), "all zero": np.zeros((4, 6)),
    "all one": np.ones((5, 6)), "frc": codes.frc(12, 3).B,
    "circulant 2, even": codes.circulant(12, 2).B,
    "circulant 2, odd": codes.circulant(11, 2).B, "circulant 4": codes.circulant(12, 4).B,
    "graph": random_binary(14, 2, 5, k=10),
    "dense": (np.random.default_rng(6).random((11, 13)) < 0.5).astype(float),
    "low rank": np.kron(random_binary(5, 2, 7), np.ones((2, 3))),
    "fibonacci": np.hstack([np.triu(1.0 - np.indices((10, 10)).sum(0) % 2), np.eye(10)]),
}  # fmt: skip


@pytest.mark.parametrize("name", BINARY)
def test_binary_codes(name):
    B = BINARY[name]
    alive = some_patterns(B.shape[1], 150, seed=0)
    truth, packed = exact_errors(B, alive), pack(alive)
    assert generic(B).algorithm == "least-squares"
    slower = orthogonalised_errors(B, packed), orthogonal_errors(B, packed)
    for errors in (generic(B).errors(packed), *slower):
        assert np.abs(errors - truth).max() <= 1e-10 * len(B)


def test_scaled_columns_change_nothing():
    rng = np.random.default_rng(8)
    for B in (rng.standard_normal((9, 12)), BINARY["circulant 4"], BINARY["equal columns"]):
        n = B.shape[1]
        alive = pack(some_patterns(n, 100, seed=0))
        scaled = np.ldexp(B, rng.integers(-300, 301, n))
        assert np.array_equal(generic(scaled).errors(alive), generic(B).errors(alive))


def test_nearly_dependent_survivors_of_a_well_conditioned_code():
    """A pivot of 1e-16 in the null space's projector may be a true distance of 1e-8."""
    B = np.array([[1, 1, 0], [0, 1e-8, 1]])
    assert generic(B).condition < 10
    alive = np.array([[1, 1, 0], [1, 0, 0], [0, 1, 0], [0, 1, 1]], bool)
    assert generic(B).errors(pack(alive)) == pytest.approx(exact_errors(B, alive), abs=1e-10)
    for small in (1e-2, 1e-4, 1e-6, 1e-9, 1e-12):
        rng = np.random.default_rng(3)
        A = rng.standard_normal((6, 6))
        A[:, 5] = A[:, 0] + small * A[:, 5]
        B = np.hstack([A, rng.standard_normal((6, 3))])
        alive = np.ones((8, 9), bool)
        alive[:, 6:] = False
        alive[np.arange(1, 7), np.arange(6)] = False
        truth = exact_errors(B, alive)
        limit = 10 * np.abs(lstsq_errors(B, alive) - truth) + 1e-10 * 6
        assert np.all(np.abs(generic(B).errors(pack(alive)) - truth) <= limit)


def test_a_pattern_does_not_depend_on_its_batch():
    for name in ("square", "graph", "circulant 4"):
        B = BINARY[name]
        alive = pack(some_patterns(B.shape[1], 300, seed=0))
        decoder = generic(B)
        one_by_one = np.concatenate([decoder.errors(row[np.newaxis]) for row in alive])
        assert np.array_equal(decoder.errors(alive), one_by_one)
    assert decoder.errors(alive[:0]).shape == (0,)


@pytest.mark.parametrize("B", [
    random_binary(30, 5, 1), random_binary(30, 4, 2, k=20), random_binary(20, 4, 2, k=33),
    codes.frc(30, 5).B, codes.circulant(40, 4).B, np.vander(np.linspace(0.1, 1, 10)),
])  # fmt: skip
def test_singular_values(B):
    (k, n), ones = B.shape, np.ones(len(B))
    S, V, coefficients, left = jacobi.svd(B, ones)
    U, expected, _ = np.linalg.svd(B)
    rank = np.linalg.matrix_rank(B)
    assert S.size == rank
    assert pytest.approx(expected[:rank], rel=1e-12, abs=1e-14 * expected[0]) == S
    assert pytest.approx(np.eye(n), abs=1e-13) == V @ V.T
    assert pytest.approx(np.zeros((k, n - rank)), abs=1e-13 * expected[0]) == B @ V[rank:].T
    assert left == pytest.approx(np.sum((ones @ U[:, rank:]) ** 2), abs=1e-11)
    projected = B @ (V[:rank].T @ (coefficients / S))
    assert projected == pytest.approx(U[:, :rank] @ (ones @ U[:, :rank]), abs=1e-7)
