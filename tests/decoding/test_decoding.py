"""One pattern decoded, and the choice of a kernel for many."""

import pickle

import numpy as np
import pytest

from fastgc.codes.code import code_of
from fastgc.decoding.decode import decode
from fastgc.decoding.decoder import Decoder
from fastgc.errors import FastgcError
from suite.checks import close
from twins.least_squares import exact_errors, pack

TRIANGLE = np.array([[1.0, 0, 1], [1, 1, 0], [0, 1, 1]])


def random_binary(n, d, seed, k=None):
    rng = np.random.default_rng(seed)
    B = np.zeros((k or n, n))
    for j in range(n):
        B[rng.choice(len(B), d, replace=False), j] = 1
    return B


@pytest.mark.parametrize(
    "B",
    [
        random_binary(10, 3, 1),
        random_binary(12, 3, 2, k=7),
        random_binary(7, 3, 3, k=12),
        np.kron(np.eye(4), np.ones((3, 3))),
        np.random.default_rng(4).standard_normal((6, 9)),
        np.hstack([TRIANGLE, TRIANGLE, np.zeros((3, 2))]),
    ],
)
def test_minimum_norm(B):
    k, n = B.shape
    rng = np.random.default_rng(5)
    for _ in range(20):
        survivors = rng.permutation(n)[: rng.integers(0, n + 1)]
        decoding = decode(B, survivors)
        A = B[:, survivors]
        assert decoding.vector == pytest.approx(np.linalg.pinv(A) @ np.ones(k), abs=1e-11)
        assert decoding.residual == pytest.approx(A @ decoding.vector - 1, abs=1e-12)
        assert decoding.amplification == pytest.approx(decoding.vector @ decoding.vector)
        alive = np.isin(np.arange(n), survivors)
        assert decoding.error == pytest.approx(exact_errors(B, [alive])[0], abs=1e-11)
        by_booleans = decode(code_of(B), alive)
        assert by_booleans.vector == pytest.approx(
            decoding.vector[np.argsort(survivors)], abs=1e-12
        )


def test_minimum_norm_of_columns_of_all_sizes():
    """Two workers hold the same: the larger column's weight is what a short vector uses."""
    exponents = np.array([0, 300, -300, 17])
    B = np.ldexp(np.array([[1.0, 1, 0, 0], [0, 0, 1, 1]]), exponents)
    expected = [1 / (1 + 2.0**600), 2.0**300 / (1 + 2.0**600), 2.0**-334, 2.0**-17]
    decoding = decode(B, [0, 1, 2, 3])
    assert decoding.vector == pytest.approx(expected, rel=1e-13, abs=0)
    assert decoding.error == pytest.approx(0, abs=1e-15)


def test_minimum_norm_of_graded_dependent_columns():
    """Columns of many sizes, a null space that mixes them: against 200 digits."""
    import mpmath

    rng = np.random.default_rng(7)
    left, right = rng.integers(-3, 4, (5, 3)), rng.integers(-3, 4, (3, 7))
    exponents = rng.integers(-40, 41, 7)
    B = np.ldexp((left @ right).astype(float), exponents)
    with mpmath.workdps(200):
        A = mpmath.matrix(B.tolist())
        rows = mpmath.matrix(right.tolist()) * mpmath.diag(
            [
                mpmath.mpf(2) ** int(e)
                for e in np.log2(np.abs(B).max(0) / np.abs(left @ right).max(0))
            ]
        )
        L = mpmath.matrix(left.tolist())
        z = mpmath.lu_solve(L.T * L, L.T * mpmath.ones(5, 1))
        x = rows.T * mpmath.lu_solve(rows * rows.T, z)
        assert mpmath.mnorm(A.T * (A * x - mpmath.ones(5, 1)), 1) < mpmath.mpf(10) ** -100
        expected = np.array([float(entry) for entry in x])
    assert decode(B, range(7)).vector == pytest.approx(expected, rel=1e-12, abs=0)


def test_no_survivor():
    decoding = decode(TRIANGLE, [])
    assert (decoding.error, decoding.amplification, decoding.vector.shape) == (3.0, 0.0, (0,))
    assert decoding.residual.tolist() == [-1, -1, -1]


@pytest.mark.parametrize(
    ("B", "survivors", "says"),
    [
        ([[1, np.nan]], [0], "B: every entry must be finite"),
        ([1, 2], [0], "B: must have two dimensions"),
        (TRIANGLE, [3], "survivors: every index must be from 0 to 2 (got 3)"),
        (TRIANGLE, [-1], "survivors: every index must be from 0 to 2 (got -1)"),
        (TRIANGLE, [1, 1], "survivors: every worker can be listed once (got 1 twice)"),
        (TRIANGLE, [True, False], "survivors: must have 3 booleans, one a worker (got 2)"),
        (TRIANGLE, [0.5], "survivors: must be a list of workers' indices or of 3 booleans"),
        (TRIANGLE, [[0], [1, 2]], "survivors: must be a list"),
        (TRIANGLE, 1, "survivors: must be a list"),
    ],
)
def test_mistakes(B, survivors, says):
    with pytest.raises(FastgcError) as caught:
        decode(B, survivors)
    assert str(caught.value).startswith(says)
    assert "\n" not in str(caught.value)


def test_unknown_decoder():
    with pytest.raises(FastgcError, match=r'decoder: must be one of "optimal", .*\(got \'best\'\)'):
        decode(TRIANGLE, [0], decoder="best")


@pytest.mark.parametrize(
    ("B", "kind", "generic"),
    [
        (np.kron(np.eye(3), np.ones((2, 2))), "groups", "lookup"),
        (TRIANGLE, "cycle-gaps", "lookup"),
        (np.triu(np.ones((5, 5))), "lookup", "lookup"),
        (np.triu(np.ones((20, 20))), "intervals", "least-squares"),
        (random_binary(20, 5, 1), "least-squares", "least-squares"),
        (random_binary(10, 3, 1), "lookup", "lookup"),
        (np.vander(np.linspace(0.1, 1, 18)), "orthogonal", "orthogonal"),
    ],
)
def test_kernels_agree(B, kind, generic):
    k, n = B.shape
    rng = np.random.default_rng(9)
    packed = pack(rng.random((200, n)) >= 0.3)
    decoders = [Decoder(B), Decoder(B, use_structure=False), Decoder(B, False, False)]
    assert [decoder.algorithm for decoder in decoders[:2]] == [kind, generic]
    first = decoders[0].errors(packed)
    for decoder in decoders[1:]:
        assert decoder.errors(packed) == pytest.approx(first, abs=1e-10 * k)
    copy = pickle.loads(pickle.dumps(decoders[0]))
    assert np.array_equal(copy.errors(packed), first)


def test_exact_threshold():
    assert Decoder(TRIANGLE).exact_threshold == 0
    assert Decoder(np.triu(np.ones((5, 5)))).exact_threshold == 0
    assert Decoder(random_binary(10, 3, 1)).exact_threshold == 10 * 1e-9
    B = np.diag([1.0, 1, 1]) + np.array([[0, 1, 0], [0, 0, 0], [0, 0, 0]]) * (1 - 1e-7)
    assert Decoder(B).condition == pytest.approx(np.linalg.cond(B / [1, 2, 1]))
    decoder = Decoder(np.array([[1.0, 1.0], [0.0, 1e-7]]))
    assert decoder.exact_threshold == 2e-6  # of k, however ill-conditioned it is
    decoder = Decoder(np.array([[1.0, 1.0], [0.0, 1e-9]]))
    assert decoder.exact_threshold == close(8 * 2.0**-52 * decoder.condition)


def test_table():
    B = random_binary(18, 4, 2)
    decoder = Decoder(B)
    table = decoder.errors_of_all_patterns()
    words = np.random.default_rng(1).integers(0, 1 << 18, 300).astype(np.uint64)
    assert np.array_equal(table[words], decoder.errors(words[:, np.newaxis]))
    assert (table[0], table.size) == (18, 1 << 18)
    with pytest.raises(FastgcError, match="n ≤ 24"):
        Decoder(np.eye(25)).errors_of_all_patterns()


def test_packed_shape():
    with pytest.raises(FastgcError, match=r"packed: must have 1 words"):
        Decoder(TRIANGLE).errors(np.zeros((2, 2), np.uint64))
