"""The dense table of a sparse code, and the elimination that makes it."""

import numpy as np
import pytest

from fastgc import codes
from fastgc.codes.code import code_of
from fastgc.codes.columns import Columns
from fastgc.decoding.sparse import table
from fastgc.decoding.sparse.matrix import SparseMatrix, scaled
from fastgc.decoding.sparse.table import Table
from fastgc_kernels.decode import sparse_elimination
from suite.checks import every

pytestmark = pytest.mark.night


def definite(n, seed):
    A = np.random.default_rng(seed).standard_normal((n, 2 * n))
    return A @ A.T / n


@pytest.mark.parametrize("n", [1, 2, 7, 8, 9, 16, 17, 50])
def test_elimination_and_inverse(n):
    G = definite(n, n)
    M = np.concatenate([G, np.arange(2.0 * n).reshape(n, 2)], axis=1)
    inverse = np.empty(n)
    sparse_elimination.eliminate(M, n, 0.0, inverse)
    L = np.linalg.cholesky(G)
    assert inverse == pytest.approx(1 / np.diag(L) ** 2, rel=1e-10)
    rest = np.linalg.solve(L, np.arange(2.0 * n).reshape(n, 2))
    assert M[:, n:] * np.sqrt(inverse)[:, np.newaxis] == pytest.approx(rest, abs=1e-9 * n)
    found = sparse_elimination.invert(G.copy(), 0.0, inverse)
    assert np.abs(found - np.linalg.inv(G)).max() < 1e-11
    assert np.array_equal(found, found.T)


def test_a_dropped_pivot_is_left_out():
    G = definite(20, 1)
    G[5] = G[3]
    G[:, 5] = G[:, 3]
    inverse = np.empty(20)
    found = sparse_elimination.invert(G.copy(), 1e-9, inverse)
    assert np.flatnonzero(inverse == 0.0).tolist() == [5]
    kept = np.delete(np.arange(20), 5)
    assert not found[5].any()
    assert np.abs(found[np.ix_(kept, kept)] - np.linalg.inv(G[np.ix_(kept, kept)])).max() < 1e-10


def test_rows_are_made_orthonormal():
    rows = np.random.default_rng(1).standard_normal((6, 30))
    rows[3] = rows[2] + 1e-6 * rows[3]
    before = rows.copy()
    sparse_elimination.orthonormalise(rows)
    assert np.abs(rows @ rows.T - np.eye(6)).max() < 1e-14
    assert np.abs(before - before @ rows.T @ rows).max() < 1e-12  # they span the same


def own_matrix():
    random = np.random.default_rng(3)
    return (random.random((12, 9)) < 0.4) * random.uniform(-2, 2, (12, 9))


def test_a_matrix_by_rows_and_columns():
    for B in (own_matrix(), (own_matrix() != 0).astype(float)):
        matrix = SparseMatrix.of(Columns.of(B))
        x, r = np.arange(9.0), np.arange(12.0)
        assert (matrix.k, matrix.n) == B.shape
        assert matrix.times(x) == pytest.approx(B @ x)
        assert matrix.transposed_times(r) == pytest.approx(B.T @ r)
        gram = matrix.row_starts, matrix.workers, matrix.row_weights, 9
        assert sparse_elimination.gram(*gram) == pytest.approx(B.T @ B)


def test_columns_are_scaled_by_powers_of_two():
    B = own_matrix() * 10.0 ** np.arange(-150, 151, 300 / 8)[:9]
    B[:, 4] = 0
    found = scaled(Columns.of(B)).dense()
    lengths = np.sqrt((found * found).sum(axis=0))
    assert lengths[4] == 0
    assert np.all((np.delete(lengths, 4) >= 0.5) & (np.delete(lengths, 4) < 1))
    ratios = (B[B != 0] / found[B != 0]).tolist()
    assert every(np.frexp(ratio)[0] == 0.5 for ratio in ratios)


@pytest.mark.parametrize("compiled", [True, False])
@pytest.mark.parametrize(
    "code",
    [
        codes.sparse_regular(n=60, d=5),
        codes.circulant(n=60, d=6),  # five dependences
        codes.bernoulli(n=60, density=0.06, seed=2),
        codes.bernoulli(n=60, k=40, density=0.1, seed=3),
        codes.cyclic(n=30, d=4, seed=1),
    ],
    ids=lambda code: code.name,
)
def test_a_table_is_what_it_says(code, compiled, monkeypatch):
    """Compiled or by LAPACK: null space, inverse, vector, error and condition by other means."""
    if not compiled:
        monkeypatch.setattr(table, "LARGEST_COMPILED", 0)
    found = Table.of(code.columns)
    assert found is not None
    B = scaled(code.columns).dense()
    S = np.linalg.svd(B)[1]
    rank = int(np.sum(1e-9 * S[0] < S))
    assert found.N.shape == (code.n, code.n - rank)
    assert found.condition == pytest.approx(S[0] / S[rank - 1], rel=1e-3)
    x = np.linalg.pinv(B, rcond=1e-9) @ np.ones(code.k)
    assert found.e0 == pytest.approx(((B @ x - 1) ** 2).sum(), abs=1e-12)
    null = np.linalg.svd(B)[2][rank:]
    K = np.linalg.inv(B.T @ B + null.T @ null)
    scale = np.sqrt(np.diag(K))
    assert pytest.approx(K / scale / scale[:, np.newaxis], abs=1e-8) == found.K
    assert found.x == pytest.approx(x / scale, abs=1e-8)
    assert np.abs(B @ (found.N * scale[:, np.newaxis])).max(initial=0) < 1e-11
    projector = found.N @ found.N.T * scale * scale[:, np.newaxis]
    assert projector == pytest.approx(null.T @ null, abs=1e-8)


def test_no_table_where_rank_or_condition_is_in_doubt():
    B = codes.sparse_regular(n=60, d=5).B.copy()
    assert Table.of(code_of(B).columns) is not None
    for little in (1e-3, 1e-5, 1e-8):  # a condition of 1e5 at most; the last is near rounding
        B[:, 1] = B[:, 0]
        B[np.flatnonzero(B[:, 0])[0], 1] += little
        kept = Table.of(code_of(B).columns)
        assert (kept is None) == (np.linalg.cond(B) > table.LARGEST_CONDITION)
    dependent = np.zeros((200, 400))
    dependent[np.arange(200), np.arange(200)] = 1
    assert Table.of(code_of(dependent).columns) is None  # 200 dependences are too many


def test_the_best_vector_is_refined():
    """A square code of condition 4e4 decodes exactly; K alone, the vector has 7 digits."""
    B = codes.sparse_regular(n=60, d=5).B.copy()
    B[:, 1] = B[:, 0]
    B[np.flatnonzero(B[:, 0])[0], 1] += 1e-3
    found = Table.of(code_of(B).columns)
    assert found is not None and 4e4 < found.condition < table.LARGEST_CONDITION
    assert found.e0 < 1e-20
