"""Large sparse codes: the table, conjugate gradients, and which of them a pattern takes.

Every algorithm is held against lstsq, pattern by pattern. Codes here are small, so that each number
of stragglers and each kind of dependence comes often; some tests take codes of the usual size.
"""

import numpy as np
import pytest
from scipy.sparse import csc_matrix
from scipy.sparse.linalg import lsmr

import fastgc
from fastgc import codes
from fastgc.codes.code import code_of
from fastgc.decoding.decoder import Decoder
from fastgc.decoding.sparse import algorithm, descent
from fastgc.decoding.sparse.algorithm import Sparse, is_sparse, most_stragglers
from fastgc.decoding.sparse.matrix import scaled
from fastgc.decoding.sparse.table import Table
from fastgc.draws.streams import Batch
from fastgc.errors import FastgcError
from fastgc.study.study import Study
from fastgc_kernels.decode import sparse_duals

pytestmark = pytest.mark.night


def zero_one(k, n, d, seed):
    """Every worker holds d random partitions: some partitions no worker holds."""
    random = np.random.default_rng(seed)
    B = np.zeros((k, n))
    for j in range(n):
        B[random.choice(k, d, replace=False), j] = 1
    return B


def tossed(k, n, density, seed):
    """Every entry is tossed: some workers hold nothing, and some partitions no worker holds."""
    return (np.random.default_rng(seed).random((k, n)) < density).astype(float)


def weighted(k, n, d, seed, spread=40):
    random = np.random.default_rng(seed)
    return (
        zero_one(k, n, d, seed)
        * random.uniform(0.5, 2.0, (k, n))
        * 2.0 ** random.integers(-spread, spread, n)
    )


#: Square, wide and tall ones, with and without dependent columns and empty rows and columns.
MATRICES = {
    "square": zero_one(40, 40, 5, 1),
    "empty rows": zero_one(40, 40, 3, 2),
    "empty columns": tossed(40, 40, 0.08, 3),
    "wide": zero_one(30, 40, 4, 4),
    "tall": zero_one(50, 40, 4, 5),
    "circulant": codes.circulant(n=40, d=5).B,
    "regular": codes.sparse_regular(n=70, d=4).B,
    "weighted": weighted(45, 40, 5, 6),
    "random cyclic": codes.cyclic(n=40, d=4, seed=1).B,
}


def packed_of(alive):
    padded = np.zeros((len(alive), -(-alive.shape[1] // 64) * 64), np.uint8)
    padded[:, : alive.shape[1]] = alive
    return np.packbits(padded, axis=1, bitorder="little").view(np.uint64)


def patterns(n, p, count, seed):
    alive = np.random.default_rng(seed).random((count, n)) >= p
    return alive, packed_of(alive)


def twin(B, alive):
    """Least errors and shortest vectors by lstsq, of columns of length 1."""
    lengths = np.sqrt((B * B).sum(axis=0))
    unit = B / np.where(lengths > 0, lengths, 1.0)
    errors = []
    for row in alive:
        x = np.linalg.lstsq(unit[:, row], np.ones(len(B)), rcond=None)[0]
        errors.append(float(((unit[:, row] @ x - 1) ** 2).sum()))
    return np.array(errors)


def many_patterns(n):
    """Patterns with few and with many stragglers, with none and with all."""
    shares = 0.02, 0.1, 0.3, 0.6, 0.9
    alive = np.concatenate([patterns(n, p, 40, seed)[0] for seed, p in enumerate(shares)])
    alive[-2], alive[-1] = False, True
    return alive, packed_of(alive)


@pytest.mark.parametrize("B", MATRICES.values(), ids=MATRICES.keys())
def test_errors_are_those_of_lstsq(B):
    alive, packed = many_patterns(B.shape[1])
    own = Sparse(code_of(B))
    assert own.table is not None
    errors = np.empty(len(packed))
    own.errors(packed, errors)
    assert np.abs(errors - twin(B, alive)).max() < algorithm.ACCURACY * len(B)


@pytest.mark.night
@pytest.mark.parametrize("B", MATRICES.values(), ids=MATRICES.keys())
def test_descent_alone_agrees_with_the_table_alone(B, monkeypatch):
    """Also where survivors are nearly dependent, which makes it take more steps than most."""
    monkeypatch.setattr(algorithm, "_STEEP", 0.0)
    alive, packed = many_patterns(B.shape[1])
    alone = []
    for most in (0, B.shape[1]):
        own = Sparse(code_of(B))
        monkeypatch.setattr(Sparse, "_most", most)
        alone.append(np.empty(len(packed)))
        own.errors(packed, alone[-1])
    truth = twin(B, alive)
    assert np.abs(np.array(alone) - truth).max() < 1e-11 * len(B)
    assert not np.array_equal(*alone)  # they were two ways indeed


@pytest.mark.parametrize("single", [True, False])
@pytest.mark.parametrize("k", [300, 250])
def test_what_is_left_is_estimated(k, single):
    """Descent asked for 1e-11·k is right to ten times that, in float32 corrected by doubles too.

    Not where so many survive as there are partitions: see below.
    """
    code = codes.bernoulli(n=300, k=k, density=0.02)
    own = Sparse(code)
    way = own._fast if single else own._far
    p = 0.15 if k == 300 else 0.35
    packed = patterns(300, p, 300, 1)[1]
    truth, errors = np.empty(300), np.empty(300)
    table = own.table
    sparse_duals.errors(
        packed, table.K, table.N, table.x, table.e0, k, 300, truth, np.empty(300, np.uint8)
    )
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
    errors = np.empty(len(packed))
    own.errors(packed, errors)
    order = np.random.default_rng(1).permutation(len(packed))
    shuffled = np.empty(len(packed))
    own.errors(packed[order], shuffled)
    assert np.array_equal(shuffled, errors[order])
    with monkeypatch.context() as patch:
        patch.setattr(descent, "_MOST_NUMBERS", 300 * 7)  # seven patterns side by side
        own.errors(packed, shuffled)
    assert np.array_equal(shuffled, errors)
    vectors = own.vectors(packed[::30])
    for t in range(0, len(packed), 30):
        alone = np.empty(1)
        Sparse(code).errors(packed[t : t + 1], alone)
        assert alone[0] == errors[t]
        assert np.array_equal(own.vectors(packed[t : t + 1])[0], vectors[t // 30])


@pytest.mark.night
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
            assert abs(((A @ x - 1) ** 2).sum() - errors[t]) < algorithm.ACCURACY * 2000


@pytest.mark.night
def test_who_is_decoded_as_sparse():
    assert is_sparse(codes.sparse_regular(n=256, d=10))
    assert not is_sparse(codes.sparse_regular(n=255, d=10))
    assert not is_sparse(codes.sparse_regular(n=256, d=100))
    assert not is_sparse(code_of(1j * codes.sparse_regular(n=256, d=10).B))
    assert Decoder(codes.sparse_regular(n=255, d=10)).algorithm == "least-squares"
    large = Decoder(codes.sparse_regular(n=256, d=10))
    assert (large.algorithm, large.linear_algebra) == ("sparse", "compiled")
    assert large.exact_threshold == max(1e-9, 1e3 * 2.0**-52 * large.condition) * 256


def test_a_matrix_of_doubtful_rank_is_left_to_others():
    """Two columns that differ by 3e-7: B's rank rests on more digits than BᵀB has."""
    B = codes.sparse_regular(n=260, d=6).B.copy()
    B[:, 1] = B[:, 0]
    B[np.flatnonzero(B[:, 0])[0], 1] += 3e-7
    code = code_of(B)
    assert is_sparse(code)
    assert Table.of(code.columns) is None
    assert Decoder(code).algorithm != "sparse"


def test_what_nothing_decides_is_said(monkeypatch):
    """With too few steps descent fails, says so, and the pivoted algorithm takes over, or none."""
    B = MATRICES["regular"]
    alive, packed = patterns(70, 0.2, 5, 1)
    monkeypatch.setattr(descent, "MOST_STEPS", {np.float32: 8, np.float64: 8})
    monkeypatch.setattr(Sparse, "_most", 0)
    own = Sparse(code_of(B, "mine"))
    errors = np.empty(5)
    own.errors(packed, errors)
    assert np.abs(errors - twin(B, alive)).max() < 1e-12 * 70
    monkeypatch.setattr(algorithm, "_LARGEST_PIVOTED", 50)
    with pytest.raises(FastgcError, match="mine: 5 patterns cannot be decoded"):
        own.errors(packed, errors)
    with pytest.raises(FastgcError, match="mine: 5 patterns cannot be decoded"):
        own.vectors(packed)


def test_columns_that_nearly_depend_take_the_table_or_many_steps(monkeypatch):
    """Descent asked for little ends before it sees such a direction; for weights it asks more."""
    B = zero_one(60, 60, 6, 3)
    B[:, 1] = B[:, 0]
    B[np.flatnonzero(B[:, 1])[0], 1] += 1e-3
    alive, packed = patterns(60, 0.3, 40, 1)
    truth = twin(B, alive)
    hasty = np.empty(40)
    own = Sparse(code_of(B))
    own._far.errors(packed, 1e-11 * 60, hasty)
    assert np.abs(hasty - truth).max() > 1e-6 * 60
    monkeypatch.setattr(Sparse, "_most", 0)
    errors = np.empty(40)
    own.errors(packed, errors)
    assert np.abs(errors - truth).max() < algorithm.ACCURACY * 60


def test_the_table_is_taken_for_few_stragglers():
    """The fuller B and the more stragglers, the sooner descent is cheaper."""
    assert most_stragglers(1000, 1000, 20_000, 0) > most_stragglers(1000, 1000, 10_000, 0) > 0
    assert most_stragglers(1000, 1000, 10_000, 0) > most_stragglers(1000, 1000, 10_000, 100)
    assert 0.05 < most_stragglers(6000, 6000, 60_000, 0) / 6000 < 0.2


def test_a_code_too_large_for_a_table(monkeypatch):
    monkeypatch.setattr(algorithm, "MOST_IN_TABLE", 299)
    code = codes.sparse_regular(n=300, d=6)
    decoder = Decoder(code)
    assert decoder.exact_threshold == 1e-9 * 300
    alive, packed = patterns(300, 0.02, 3, 1)
    assert np.abs(decoder.errors(packed) - twin(code.B, alive)).max() < algorithm.ACCURACY * 300
    with pytest.raises(FastgcError, match="found for up to 299 workers"):
        decoder.condition  # noqa: B018


def test_a_code_with_far_more_workers_than_partitions():
    """Its null space is too large for a table; descent does not mind."""
    code = codes.bernoulli(n=300, k=150, density=0.04)
    decoder = Decoder(code)
    assert (decoder.algorithm, decoder.exact_threshold) == ("sparse", 1e-9 * 150)
    for p in (0.1, 0.5, 0.8):
        alive, packed = patterns(300, p, 20, 1)
        errors = decoder.errors(packed)
        truth = twin(code.B, alive)
        assert np.abs(errors - truth).max() < algorithm.ACCURACY * 150
        exact = truth < decoder.exact_threshold
        assert np.array_equal(errors < decoder.exact_threshold, exact)
    assert decoder.condition == pytest.approx(
        np.linalg.cond(scaled(code.columns).dense()), rel=1e-9
    )


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


@pytest.mark.night
@pytest.mark.parametrize("p", [0.05, 0.4])
def test_a_study(p):
    """By either algorithm, the mean is that of lstsq on the same patterns, for any threads."""
    study = {
        "code": {"family": "sparse-regular", "n": 256, "d": 5},
        "stragglers": {"model": "iid", "p": p},
        "measure": ["error", "exact", "amplification"],
        "method": "monte-carlo",
    }
    one = fastgc.run(study, trials=192, threads=1)
    two = fastgc.run(study, trials=192, threads=2)
    assert one.rows() == two.rows()
    mean = one.rows()[0]["value"]
    alive, _ = patterns(256, p, 100, 3)
    values = twin(codes.sparse_regular(n=256, d=5).B, alive)
    error = 5 * values.std() * (1 / 100 + 1 / 192) ** 0.5  # one false alarm in a million
    assert mean == pytest.approx(values.mean(), abs=error)


def test_of_a_batch_only_the_trials_asked_for_are_decoded(monkeypatch):
    table = {
        "code": {"family": "sparse-regular", "n": 300, "d": 4},
        "stragglers": {"model": "iid", "p": 0.2},
        "iterations": 2,
    }
    [point] = Study.parse({"experiment": [table]}).points()
    batch, seen = Batch(1, "s", 0, 2, 2), []
    whole = point.compiled.evaluate(batch, 128, None, keep=False).errors
    own = point.compiled.decoder._algorithm
    errors = own.errors
    monkeypatch.setattr(
        own, "errors", lambda packed, out: (seen.append(len(packed)), errors(packed, out))
    )
    some = point.compiled.evaluate(batch, 5, None, keep=False).errors
    assert seen == [10] and some.shape == (2, 5)
    np.testing.assert_array_equal(some, whole[:, :5])
