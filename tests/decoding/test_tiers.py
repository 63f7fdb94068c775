"""Tiers: which decodes how many of the patterns, how accurately, and what is looked up of them."""

import numpy as np
import pytest

from bench import accuracy
from fastgc import codes
from fastgc.decoding.any_matrix import GramSchmidt, LeastSquares, Orthogonal
from fastgc.decoding.decoder import Decoder
from fastgc.draws.patterns import bernoulli
from fastgc.draws.streams import Batch
from suite.checks import every
from twins import decoders as twin
from twins.least_squares import digit_errors, exact_errors


def doubled(condition):
    """A matrix (20, 26) so conditioned, six of whose columns are there twice."""
    rng = np.random.default_rng(7)
    U, V = (np.linalg.qr(rng.standard_normal((20, 20)))[0] for _ in range(2))
    A = (U * np.geomspace(1, 1 / condition, 20)) @ V
    return np.hstack([A, A[:, :6]])


def study(code, **keys):
    stragglers = {"model": "iid", "p": 0.1}
    return {"code": code, "stragglers": stragglers, "method": "monte-carlo"} | keys


def test_patterns_are_distinguished_as_they_are_decoded(monkeypatch):
    packed = bernoulli(np.full(26, 0.1), Batch(0, "here", 0, 16, 1), "straggle").packed
    given = {}

    def watched(kind, name):
        method = getattr(kind, name)

        def counted(self, patterns, out):
            given.setdefault(self.name, []).append(patterns)
            return method(self, patterns, out)

        monkeypatch.setattr(kind, name, counted)

    watched(LeastSquares, "attempt")
    watched(GramSchmidt, "attempt")
    watched(Orthogonal, "errors")
    decoder = Decoder(doubled(1e5))
    assert decoder.tiers == ("least-squares", "gram-schmidt", "orthogonal")
    tier = decoder.tier_of(packed)
    assert "orthogonal" not in given, "telling them apart must not take the time of decoding them"
    given.clear()
    decoder.errors(packed)
    for place, name in enumerate(decoder.tiers):
        assert np.array_equal(np.concatenate(given[name]), packed[tier >= place])
    assert set(tier.tolist()) == {0, 1, 2}


def test_kernels_of_one_tier():
    packed = np.array([[0b0111], [0b1011]], np.uint64)
    for code in (codes.frc(n=4, d=2), codes.cyclic(n=4, d=2, seed=1)):
        decoder = Decoder(code)
        assert decoder.tiers == (decoder.algorithm,) and not decoder.tier_of(packed).any()
    assert Decoder(doubled(1e7)).tiers == ("gram-schmidt", "orthogonal")
    assert Decoder(doubled(1e13)).tiers == ("orthogonal",)


@pytest.mark.night
@pytest.mark.parametrize("condition", [1e5, 1e7, 1e10])
def test_columns_that_are_there_twice_are_never_taken_for_different(condition):
    """Rounding makes rows of the null space short that should be 0: it must not be taken for them.
    Truth is at 60 digits.
    """
    B = doubled(condition)
    alive = np.ones((12, 26), bool)
    for row, lost in zip(alive, ((0, 20), (3, 23, 5), (0, 1, 20, 21, 7), (8, 9)) * 3, strict=True):
        row[list(lost)] = False
    rng = np.random.default_rng(0)
    for row in alive[4:]:
        row[rng.choice(26, 2, replace=False)] = False
    packed = np.packbits(alive, axis=1, bitorder="little")
    packed = np.pad(packed, ((0, 0), (0, 4))).view(np.uint64)
    decoder = Decoder(B)
    differences = np.abs(decoder.errors(packed) - digit_errors(B.tolist(), alive))
    assert differences.max() <= 4 * 2.0**-52 * decoder.condition * 20 + 1e-10 * 20


def test_a_table_of_all_errors_loses_no_digits_to_a_fast_tier():
    """Two answers that differ by 1e-10 decode a pair of partitions exactly."""
    rows = np.zeros((4, 4))
    rows[:2, :2], rows[2:, 2:] = [[1, 1], [0.5, 0.5000000001]], [[1, 1], [0.6, 0.6000000001]]
    decoder = Decoder(rows)
    assert decoder.condition > 1e6
    for pattern, error in enumerate(decoder.errors_of_all_patterns()):
        survivors = [bool(pattern >> worker & 1) for worker in range(4)]
        assert error == pytest.approx(exact_errors(rows, [survivors])[0], abs=1e-10), survivors


# ---- no tier is wrong by more than it says: the short form of `python -m bench.accuracy`


@pytest.fixture(scope="module")
def lines():
    return accuracy.lines(0.2)


def test_every_tier_keeps_its_promise(lines):
    assert every(line.met for line in lines), [line for line in lines if not line.met]
    assert {tier for line in lines for tier in line.worst} == set(accuracy.TIERS)
    assert max(line.condition for line in lines) > 1e11


# ---- codes whose errors are looked up: every one of the 2ⁿ patterns, up to the largest n


def every_word(n):
    return np.arange(1 << n, dtype=np.uint64)[:, np.newaxis]


@pytest.mark.parametrize("n", [3, 7, 15, 16])
@pytest.mark.parametrize("rule", ["optimal", "one-step"])
def test_what_is_looked_up_is_what_is_computed(n, rule):
    code = codes.code.code_of(np.random.default_rng(n).integers(-2, 4, (n, n)) * 0.5)
    looked_up = Decoder(code, decoder=rule)
    computed = Decoder(code, decoder=rule, use_lookup=False)
    assert looked_up.algorithm == "lookup" and computed.algorithm != "lookup"
    errors = looked_up.errors(every_word(n))
    assert (errors == computed.errors(every_word(n))).all()
    assert (looked_up.errors_of_all_patterns() == errors).all()
    vector = {"optimal": twin.optimal_vector, "one-step": twin.one_step_vector}[rule]
    for last in range(n):  # patterns in which worker ``last`` is the highest that answered
        pattern = (1 << last) | (0b1011 % (1 << last))
        alive = np.array([bool(pattern >> j & 1) for j in range(n)])
        expected = twin.error_of(code.B, vector(code.B, alive))
        assert errors[pattern] == pytest.approx(expected, abs=1e-9), pattern


def test_what_cancels_is_looked_up_from_a_slower_tier():
    """The columns of 14 workers are 2⁻¹² from dependent: half of all patterns are in doubt."""
    B = np.random.default_rng(14).integers(-2, 4, (18, 14)) * 0.5
    B[:, 9] = B[:, 2] + B[:, 5] + 2.0**-12 * B[:, 9]
    looked_up, computed = Decoder(B), Decoder(B, use_lookup=False)
    # of no survivor the error is k
    assert np.count_nonzero(computed.tier_of(every_word(14))) == (1 << 13) - 1
    assert (looked_up.errors(every_word(14)) == computed.errors(every_word(14))).all()


def test_seventeen_workers_are_looked_up_later(monkeypatch):
    rng = np.random.default_rng(17)
    B, packed = rng.random((17, 17)), rng.integers(0, 1 << 17, (1 << 14, 1)).astype(np.uint64)
    decoders = [Decoder(B), Decoder(B.copy())]
    found = Decoder(B, use_lookup=False).errors(packed)
    for each in decoders:
        for _ in range(9):
            assert each.algorithm == "least-squares"
            assert (each.errors(packed) == found).all()
    tables = [each.errors_of_all_patterns() for each in decoders]
    assert tables[0] is tables[1]  # one for both
    assert (tables[0][packed[:, 0].astype(int)] == found).all()
    monkeypatch.setattr("fastgc.decoding.decoder._BYTES_OF_TABLES", 1 << 17)  # taken by these
    other = Decoder(2.0 * B)
    for _ in range(9):
        assert (other.errors(packed) == found).all()
    assert other.errors_of_all_patterns() is not other.errors_of_all_patterns()
