"""Codes drawn at random: cyclic, bernoulli, sparse-regular; and the elimination behind cyclic."""

import hashlib
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest

import fastgc
from fastgc import codes
from fastgc.codes import Code, CodeOfTrials
from fastgc.codes.cyclic import _null_of_ones
from fastgc.codes.per_trial import Bernoulli
from fastgc.decoding.decode import decode
from fastgc.decoding.decoder import TrialDecoder
from fastgc.draws.streams import Trials
from fastgc.stragglers import Iid
from fastgc_kernels.decode import elimination, tossed_codes
from suite.checks import refusal
from twins import codes as twin
from twins import sampling
from twins.least_squares import pack


def _digest(code: Code) -> str:
    return hashlib.sha256(code.B.astype("<f8").tobytes()).hexdigest()[:16]


# --- elimination ---------------------------------------------------------------------------------


@pytest.mark.parametrize("m", [1, 2, 5, 8])
def test_solutions_are_exact_to_the_last_bits(m: int) -> None:
    rng = np.random.default_rng(m)
    A = rng.integers(-9, 10, (m, m)) + np.eye(m) * 0.5
    hilbert = 1.0 / (1.0 + np.add.outer(np.arange(m), np.arange(m)))  # condition 1e10 of 8
    for own, b in ((A, rng.integers(-9, 10, m).astype(float)), (hilbert, np.ones(m))):
        x = np.empty(m)
        assert elimination.solve(own.copy(), b.copy(), x)
        exact = _rational_solution(own, b)
        assert np.max(np.abs(x - exact)) <= 2.0**-51 * np.max(np.abs(exact))
    if m == 8:
        assert np.max(np.abs(np.linalg.solve(own, b) - exact)) > 1e3 * np.max(np.abs(x - exact))


def _rational_solution(A: np.ndarray, b: np.ndarray) -> np.ndarray:
    rows = [[Fraction(a) for a in [*row, right]] for row, right in zip(A, b, strict=True)]
    m = len(rows)
    for i in range(m):
        pivot = next(j for j in range(i, m) if rows[j][i])
        rows[i], rows[pivot] = rows[pivot], rows[i]
        rows[i] = [entry / rows[i][i] for entry in rows[i]]
        for j in range(m):
            if j != i:
                rows[j] = [a - rows[j][i] * b for a, b in zip(rows[j], rows[i], strict=True)]
    return np.array([float(row[m]) for row in rows])


# --- cyclic --------------------------------------------------------------------------------------


@pytest.mark.parametrize("n", range(1, 9))
def test_cyclic_survives_any_d_minus_1_stragglers(n: int) -> None:
    for d in range(1, n + 1):
        code = codes.cyclic(n=n, d=d, seed=5)
        assert code.tolerance == d - 1 == twin.tolerance(code.B)
        for j in range(n):
            assert set(np.flatnonzero(code.B[:, j])) == {(j + i) % n for i in range(d)}
        if d > 1:
            assert np.all(np.diag(code.B) == 1)


@pytest.mark.parametrize(("n", "s"), [(5, 1), (9, 4), (30, 7)])
def test_cyclic_is_tandons_algorithm(n: int, s: int) -> None:
    H = _null_of_ones(n, s, seed=3, attempt=0)
    assert np.allclose(H.sum(axis=1), 0, atol=1e-14)
    B = codes.cyclic(n=n, d=s + 1, seed=3).B
    assert np.allclose(B.T, twin.tandon(H), rtol=1e-9)
    # every column lies in the null space as closely as rounding of its entries allows
    assert np.max(np.abs(H @ B) / (np.abs(H) @ np.abs(B))) < 2.0**-51


def test_bits_never_change() -> None:
    assert _digest(codes.cyclic(n=12, d=4, seed=7)) == "e42dc3de57675214"
    assert _digest(codes.cyclic(n=12, d=4, seed=8)) != _digest(codes.cyclic(n=12, d=4, seed=7))
    assert _digest(codes.bernoulli(n=9, density=0.3, seed=2)) == "103521a7511d17d5"
    assert _digest(codes.sparse_regular(n=20, d=4, seed=11)) == "6330dca81f48807c"


# --- bernoulli -----------------------------------------------------------------------------------


def test_bernoulli_density_and_seeds() -> None:
    code = codes.bernoulli(n=200, k=150, density=0.1, seed=4)
    assert (code.n, code.k, code.tolerance) == (200, 150, None)
    assert abs(code.B.mean() - 0.1) < 5 * np.sqrt(0.09 / 30000)
    more = codes.bernoulli(n=200, k=150, density=0.2, seed=4)
    assert np.all(more.B >= code.B)
    assert not np.array_equal(codes.bernoulli(n=200, k=150, density=0.1, seed=5).B, code.B)
    assert np.all(codes.bernoulli(n=3, density=1.0).B == 1)


def test_bernoulli_of_trials_has_no_fixed_matrix() -> None:
    member = Bernoulli(n=6, density=0.5, seed="trial")
    code = member.build()
    assert member.per_trial and not Bernoulli(n=6, density=0.5).per_trial
    assert isinstance(code, CodeOfTrials) and (code.n, code.k, code.tolerance) == (6, 6, None)
    for name, what in (("B", "a matrix"), ("loads", "loads"), ("structure", "a structure")):
        assert refusal(getattr, code, name) == (
            f"bernoulli(n=6, k=6, density=0.5, seed=trial): has {what} of its own in every trial; "
            f"give a number as seed"
        )


KEY = np.uint64(0x0123456789ABCDEF)


@pytest.mark.night
@pytest.mark.parametrize(("n", "k", "density"), [(7, 5, 0.4), (70, 20, 0.1), (9, 30, 1.0)])
def test_errors_of_trials_are_those_of_their_matrices(n: int, k: int, density: float) -> None:
    rng = np.random.default_rng(n)
    trials, iterations, first = 64, 2, np.uint64(2**33 + 64)
    alive = rng.random((trials * iterations, n)) < 0.7
    alive[0] = False
    packed = pack(alive)
    code = Bernoulli(n=n, k=k, density=density, seed="trial").build()
    optimal, default, given = (np.empty(len(alive)) for _ in range(3))
    held = np.empty((n, k), np.uint8)
    shape = (packed, held, code.last)
    tossed_codes.errors(*shape, first, trials, KEY, optimal)
    tossed_codes.one_step_errors(*shape, np.nan, first, trials, KEY, default)
    tossed_codes.one_step_errors(*shape, 0.25, first, trials, KEY, given)
    for i, survivors in enumerate(alive):
        tossed_codes.matrix(first + np.uint64(i % trials), code.last, KEY, held)
        B = held.T.astype(float)
        chosen = B[:, survivors]
        assert optimal[i] == pytest.approx(decode(B, survivors).error, abs=1e-10)
        assert given[i] == pytest.approx(np.sum((0.25 * chosen.sum(axis=1) - 1) ** 2))
        ones = chosen.shape[1] * B.sum() / n
        rho = k / ones if ones else 0.0
        assert default[i] == pytest.approx(np.sum((rho * chosen.sum(axis=1) - 1) ** 2))
    assert optimal[0] == default[0] == given[0] == k
    # a trial alone gives what it gave among others
    alone = np.empty(1)
    tossed_codes.errors(packed[5:6], held, code.last, first + np.uint64(5), 1, KEY, alone)
    assert alone[0] == optimal[5]


def _matrix_of_trial(batch: Trials, trial: int, code: CodeOfTrials) -> np.ndarray:
    """Entry (i, j) is 1 where number j·k + i of the trial, two a call, is below its probability."""
    own = sampling.key(batch.seed, batch.stream, "data")
    numbers: list[int] = []
    for pair in range(-(-code.n * code.k // 2)):
        a, b, c, d = sampling.words((trial % 2**32, pair, 0, trial // 2**32), own)
        numbers += [a | b << 32, c | d << 32]
    held = np.array([number < code.density * 2**64 for number in numbers[: code.n * code.k]])
    return held.reshape(code.n, code.k).T.astype(float)


@pytest.mark.parametrize("decoder", ["optimal", "one-step"])
@pytest.mark.parametrize("first", [0, 64, 65_536, 2**33 + 128])
def test_a_trial_is_decoded_with_its_own_matrix_in_any_batch(first: int, decoder: str) -> None:
    code = Bernoulli(n=6, k=4, density=0.4, seed="trial").build()
    batch = Trials(seed=3, stream="trials", first=first, groups=2, iterations=2)
    patterns = Iid(p=0.3).draw(code.n, batch)
    found = TrialDecoder(code, decoder, None).errors_of(patterns)
    assert found.shape == (256,) and len(set(found.tolist())) > 10
    for i in range(0, 256, 5):
        B = _matrix_of_trial(batch, first + i % 128, code)
        alive = [bool(int(patterns.packed[i, 0]) >> j & 1) for j in range(code.n)]
        expected = code.k
        if B.any():  # one-step decoding divides by the density
            expected = decode(B, alive, decoder=decoder).error
        assert found[i] == pytest.approx(expected, abs=1e-10), i


def test_every_block_has_matrices_of_its_own() -> None:
    """Blocks of 65 536 trials with the same matrices would repeat each other's mean errors.

    All workers answer, so that the error is that of the matrix alone.
    """
    code = {"family": "bernoulli", "n": 3, "k": 3, "density": 0.4, "seed": "trial"}
    table = {"code": code, "stragglers": {"model": "iid", "p": 0.0}, "method": "monte-carlo"}
    one, two = (fastgc.run(table, trials=blocks * 65_536).rows()[0]["value"] for blocks in (1, 2))
    assert one != two


# --- sparse-regular ------------------------------------------------------------------------------


@pytest.mark.parametrize("n", range(1, 13))
def test_sparse_regular_is_regular(n: int) -> None:
    for d in range(1, n + 1):
        for seed in range(3):
            code = codes.sparse_regular(n=n, d=d, seed=seed)
            assert np.all((code.B == 0) | (code.B == 1))
            assert np.all(code.B.sum(axis=0) == d) and np.all(code.B.sum(axis=1) == d)
            assert code.tolerance == 0 and twin.survives(code.B, 0)


@pytest.mark.night
def test_sparse_regular_matrices_are_nearly_equally_likely() -> None:
    drawn = Counter(codes.sparse_regular(n=4, d=2, seed=seed).B.tobytes() for seed in range(3000))
    assert len(drawn) == 90  # all 4 × 4 matrices with two ones in every row and column
    assert max(drawn.values()) < 3 * 3000 / 90
    code = codes.sparse_regular(n=300, d=6)
    shared = code.B @ code.B.T - 6 * np.eye(300)
    assert shared.max() <= 3 and abs(shared.mean() - 6 * 5 / 300) < 1e-12


def test_singular_systems_are_refused() -> None:
    x = np.empty(2)
    assert not elimination.solve(np.zeros((2, 2)), np.ones(2), x)
    assert not elimination.solve(np.array([[1.0, 2], [2, 4]]), np.ones(2), x)
