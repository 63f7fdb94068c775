"""Large sparse codes: tables, conjugate gradients, and which of them a pattern takes."""

import numpy as np
import pytest
from scipy.sparse import csc_matrix
from scipy.sparse.linalg import lsmr

import fastgc
from fastgc import codes
from fastgc.codes.code import code_of
from fastgc.codes.columns import Columns
from fastgc.decoding import sparse
from fastgc.decoding.decoder import Decoder
from fastgc.decoding.doubt import SAID
from fastgc.decoding.sparse import Sparse, is_sparse, scaled
from fastgc.errors import FastgcError
from suite.checks import every
from twins.codes import random_binary
from twins.least_squares import lstsq_errors, pack

pytestmark = pytest.mark.night


def tossed(k, n, density, seed):
    """Every entry is tossed: some workers hold nothing, and some partitions no worker holds."""
    return (np.random.default_rng(seed).random((k, n)) < density).astype(float)


def weighted(k, n, d, seed, spread=40):
    random = np.random.default_rng(seed)
    return (
        random_binary(n, d, seed, k)
        * random.uniform(0.5, 2.0, (k, n))
        * 2.0 ** random.integers(-spread, spread, n)
    )


#: Square, wide and tall ones, with and without dependent columns and empty rows and columns.
MATRICES = {
    "square": random_binary(40, 5, 1, 40), "empty rows": random_binary(40, 3, 2, 40),
    "empty columns": tossed(40, 40, 0.08, 3), "wide": random_binary(40, 4, 4, 30),
    "tall": random_binary(40, 4, 5, 50), "circulant": codes.circulant(n=40, d=5).B,
    "regular": codes.sparse_regular(n=70, d=4).B, "weighted": weighted(45, 40, 5, 6),
    "random cyclic": codes.cyclic(n=40, d=4, seed=1).B,
}  # fmt: skip


def patterns(n, p, count, seed):
    alive = np.random.default_rng(seed).random((count, n)) >= p
    return alive, pack(alive)


def twin(B, alive):
    lengths = np.sqrt((B * B).sum(axis=0))
    return lstsq_errors(B / np.where(lengths > 0, lengths, 1.0), alive)


def nearly_alike(B, little):
    """The same with the first two columns alike, but for one entry of the second."""
    B = B.copy()
    B[:, 1] = B[:, 0]
    B[np.flatnonzero(B[:, 0])[0], 1] += little
    return B


def many_patterns(n):
    shares = 0.02, 0.1, 0.3, 0.6, 0.9
    alive = np.concatenate([patterns(n, p, 40, seed)[0] for seed, p in enumerate(shares)])
    alive[-2], alive[-1] = False, True
    return alive, pack(alive)


def errors_of(own, packed):
    own.errors(packed, errors := np.empty(len(packed)))
    return errors


@pytest.mark.parametrize("B", MATRICES.values(), ids=MATRICES.keys())
def test_errors_are_those_of_lstsq(B, monkeypatch):
    """By the usual way, by descent alone and by the table alone."""
    alive, packed = many_patterns(B.shape[1])
    truth = twin(B, alive)
    assert np.abs(errors_of(Sparse(code_of(B)), packed) - truth).max() < sparse.ACCURACY * len(B)
    monkeypatch.setattr(sparse, "_STEEP", 0.0)
    alone = []
    for most in (0, B.shape[1]):
        own = Sparse(code_of(B))
        monkeypatch.setattr(Sparse, "_most", most)
        alone.append(errors_of(own, packed))
    assert np.abs(np.array(alone) - truth).max() < 1e-11 * len(B)
    assert not np.array_equal(*alone)  # they were two ways indeed


@pytest.mark.parametrize("single", [True, False])
@pytest.mark.parametrize("k", [300, 250])
def test_what_is_left_is_estimated(k, single):
    """Descent asked for 1e-11·k is right to ten times that, in float32 corrected by doubles too."""
    code = codes.bernoulli(n=300, k=k, density=0.02)
    own = Sparse(code)
    way = own._fast if single else own._far
    p = 0.15 if k == 300 else 0.35
    alive, packed = patterns(300, p, 300, 1)
    truth, errors = twin(code.B, alive), np.empty(300)
    failed = way.errors(packed, 1e-11 * k, errors)
    assert not failed.any()
    assert 1e-13 * k < np.abs(errors - truth).max() < 1e-10 * k


@pytest.mark.parametrize("name", ["square", "empty rows", "wide", "weighted"])
def test_vectors_are_the_shortest(name):
    B = weighted(45, 40, 5, 6, spread=2) if name == "weighted" else MATRICES[name]
    alive, packed = patterns(B.shape[1], 0.2, 20, 7)
    vectors = Sparse(code_of(B)).vectors(packed)
    assert not vectors[~alive].any()
    for row, vector in zip(alive, vectors, strict=True):
        shortest = np.linalg.pinv(B[:, row]) @ np.ones(len(B))
        assert np.abs(vector[row] - shortest).max() < 1e-8


def test_bits_do_not_depend_on_neighbours(monkeypatch):
    """A pattern has the same error alone, in any order and in any company."""
    code = codes.sparse_regular(n=300, d=6)
    own = Sparse(code)
    parts = [patterns(300, p, 50, seed)[1] for seed, p in enumerate((0.05, 0.3, 0.5))]
    packed = np.concatenate(parts)
    errors, vectors = errors_of(own, packed), own.vectors(packed[::30])
    order = np.random.default_rng(1).permutation(len(packed))
    assert np.array_equal(errors_of(own, packed[order]), errors[order])
    with monkeypatch.context() as patch:
        patch.setattr(sparse, "_MOST_NUMBERS", 300 * 7)  # seven patterns side by side
        assert np.array_equal(errors_of(own, packed), errors)
    for t in range(0, len(packed), 30):
        assert errors_of(Sparse(code), packed[t : t + 1])[0] == errors[t]
        assert np.array_equal(own.vectors(packed[t : t + 1])[0], vectors[t // 30])


def test_a_large_code_against_lsmr():
    code = codes.sparse_regular(n=2000, d=10)
    held = code.columns
    B = csc_matrix((np.ones(len(held.places)), held.places, held.offsets), shape=(2000, 2000))
    for p in (0.1, 0.3):
        alive, packed = patterns(2000, p, 70, 1)
        errors = Decoder(code).errors(packed)
        for t in (0, 69):
            A = B[:, alive[t]]
            x = lsmr(A, np.ones(2000), atol=1e-12, btol=1e-12, conlim=0, maxiter=10_000)[0]
            assert abs(((A @ x - 1) ** 2).sum() - errors[t]) < sparse.ACCURACY * 2000


def test_who_is_decoded_as_sparse():
    large = Decoder(codes.sparse_regular(n=256, d=10))
    assert (large.algorithm, large.linear_algebra) == ("sparse", "compiled")
    assert large.exact_threshold == max(1e-9, 1e3 * 2.0**-52 * large.condition) * 256
    assert Decoder(codes.sparse_regular(n=255, d=10)).algorithm == "least-squares"
    assert not is_sparse(codes.sparse_regular(n=256, d=100))
    assert not is_sparse(code_of(1j * codes.sparse_regular(n=256, d=10).B))


def test_a_matrix_of_doubtful_rank_is_left_to_others():
    """Two columns that differ by 3e-7: B's rank rests on more digits than BᵀB has."""
    code = code_of(nearly_alike(codes.sparse_regular(n=260, d=6).B, 3e-7))
    assert is_sparse(code)
    assert Decoder(code).algorithm != "sparse"


def test_what_nothing_decides_is_said(monkeypatch):
    """With too few steps descent fails, says so, and the pivoted algorithm takes over, or none."""
    B = MATRICES["regular"]
    alive, packed = patterns(70, 0.2, 5, 1)
    monkeypatch.setattr(sparse, "MOST_STEPS", {np.float32: 8, np.float64: 8})
    monkeypatch.setattr(Sparse, "_most", 0)
    own = Sparse(code_of(B, "mine"))
    assert np.abs(errors_of(own, packed) - twin(B, alive)).max() < 1e-12 * 70
    monkeypatch.setattr(sparse, "_LARGEST_DENSE", 50)
    for attempt in (lambda: errors_of(own, packed), lambda: own.vectors(packed)):
        with pytest.raises(FastgcError, match="mine: 5 patterns cannot be decoded"):
            attempt()


def test_columns_that_nearly_depend_take_the_table_or_many_steps(monkeypatch):
    """Descent asked for little ends before it sees such a direction; for weights it asks more."""
    B = nearly_alike(random_binary(60, 6, 3, 60), 1e-3)
    alive, packed = patterns(60, 0.3, 40, 1)
    truth, hasty = twin(B, alive), np.empty(40)
    own = Sparse(code_of(B))
    own._far.errors(packed, 1e-11 * 60, hasty)
    assert np.abs(hasty - truth).max() > 1e-6 * 60
    monkeypatch.setattr(Sparse, "_most", 0)
    assert np.abs(errors_of(own, packed) - truth).max() < sparse.ACCURACY * 60


def test_columns_that_depend_up_to_rounding_leave_errors_in_doubt(monkeypatch):
    """Too large for tables: then descent ends before it sees such a direction, if it is faint."""
    monkeypatch.setattr(sparse, "_LARGEST_DENSE", 299)
    B = weighted(300, 300, 5, 1, spread=1)
    doubted = {little: Decoder(nearly_alike(B, little)).doubt for little in (0, 1e-4, 1e-8, 1e-11)}
    assert doubted == {0: None, 1e-4: None, 1e-8: SAID, 1e-11: SAID}
    assert Decoder(B).doubt is None


def test_a_code_too_large_for_a_table(monkeypatch):
    monkeypatch.setattr(sparse, "LARGEST_COMPILED", 299)
    monkeypatch.setattr(sparse, "_LARGEST_DENSE", 299)
    code = codes.sparse_regular(n=300, d=6)
    decoder = Decoder(code)
    assert decoder.exact_threshold == 1e-9 * 300
    alive, packed = patterns(300, 0.02, 3, 1)
    assert np.abs(decoder.errors(packed) - twin(code.B, alive)).max() < sparse.ACCURACY * 300


def test_a_code_with_far_more_workers_than_partitions():
    code = codes.bernoulli(n=300, k=150, density=0.04)
    decoder = Decoder(code)
    assert (decoder.algorithm, decoder.exact_threshold) == ("sparse", 1e-9 * 150)
    for p in (0.1, 0.5, 0.8):
        alive, packed = patterns(300, p, 20, 1)
        errors, truth = decoder.errors(packed), twin(code.B, alive)
        assert np.abs(errors - truth).max() < sparse.ACCURACY * 150
        exact = truth < decoder.exact_threshold
        assert np.array_equal(errors < decoder.exact_threshold, exact)
    condition = np.linalg.cond(scaled(code.columns).dense())
    assert decoder.condition == pytest.approx(condition, rel=1e-9)


def test_one_pattern_of_a_large_code():
    code = codes.sparse_regular(n=600, d=6)
    alive, _ = patterns(600, 0.1, 1, 1)
    survivors = np.random.default_rng(1).permutation(np.flatnonzero(alive[0]))
    found = fastgc.decode(code, survivors)
    shortest = np.linalg.lstsq(code.B[:, survivors], np.ones(600), rcond=None)[0]
    assert np.abs(found.vector - shortest).max() < 1e-9
    assert np.abs(found.residual - (code.B[:, survivors] @ found.vector - 1)).max() < 1e-12
    assert abs(found.error - (found.residual**2).sum()) < 1e-12
    assert fastgc.decode(code, []).error == 600


@pytest.mark.parametrize("p", [0.05, 0.4])
def test_a_study(p):
    """By either algorithm, the mean is that of lstsq on the same patterns, for any threads."""
    study = {"code": {"family": "sparse-regular", "n": 256, "d": 5}, "method": "monte-carlo"}
    study |= {"stragglers": p, "measure": ["error", "exact", "amplification"]}
    one, two = (fastgc.run(study, trials=192, threads=threads).rows() for threads in (1, 2))
    assert one == two
    values = twin(codes.sparse_regular(n=256, d=5).B, patterns(256, p, 100, 3)[0])
    error = 5 * values.std() * (1 / 100 + 1 / 192) ** 0.5  # one false alarm in a million
    assert one[0]["value"] == pytest.approx(values.mean(), abs=error)


# ---- the matrix by rows and columns


def own_matrix():
    random = np.random.default_rng(3)
    return (random.random((12, 9)) < 0.4) * random.uniform(-2, 2, (12, 9))


def test_columns_are_scaled_by_powers_of_two():
    B = own_matrix() * 10.0 ** np.arange(-150, 151, 300 / 8)[:9]
    B[:, 4] = 0
    found = scaled(Columns.from_matrix(B)).dense()
    lengths = np.sqrt((found * found).sum(axis=0))
    assert lengths[4] == 0
    assert np.all((np.delete(lengths, 4) >= 0.5) & (np.delete(lengths, 4) < 1))
    ratios = (B[B != 0] / found[B != 0]).tolist()
    assert every(np.frexp(ratio)[0] == 0.5 for ratio in ratios)
