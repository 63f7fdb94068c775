"""Codes whose errors are looked up: every one of the 2ⁿ patterns, up to the largest n."""

import numpy as np
import pytest

from fastgc import codes
from fastgc.decoding import decoder
from fastgc.decoding.decoder import Decoder
from twins import decoders as twin


def every_pattern(n):
    return np.arange(1 << n, dtype=np.uint64)[:, np.newaxis]


@pytest.mark.parametrize("n", [3, 7, 15, 16])
@pytest.mark.parametrize("rule", ["optimal", "one-step"])
def test_what_is_looked_up_is_what_is_computed(n, rule):
    code = codes.code.code_of(np.random.default_rng(n).integers(-2, 4, (n, n)) * 0.5)
    looked_up = Decoder(code, decoder=rule)
    computed = Decoder(code, decoder=rule, use_lookup=False)
    assert looked_up.algorithm == "lookup" and computed.algorithm != "lookup"
    errors = looked_up.errors(every_pattern(n))
    assert (errors == computed.errors(every_pattern(n))).all()
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
    assert np.count_nonzero(computed.tier_of(every_pattern(14))) == (1 << 13) - 1
    assert (looked_up.errors(every_pattern(14)) == computed.errors(every_pattern(14))).all()


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
    monkeypatch.setattr(decoder, "_BYTES_OF_TABLES", 1 << 17)  # taken by these
    other = Decoder(2.0 * B)
    for _ in range(9):
        assert (other.errors(packed) == found).all()
    assert other.errors_of_all_patterns() is not other.errors_of_all_patterns()


@pytest.mark.night
def test_dependent_columns_are_not_looked_up_later():
    B = np.kron(np.ones((1, 2)), np.random.default_rng(9).random((9, 9)))[:, :17]
    later = Decoder(B)
    packed = np.random.default_rng(1).integers(0, 1 << 17, (1 << 16, 1)).astype(np.uint64)
    for _ in range(2):
        assert (later.errors(packed) == later.errors(packed)).all()
    assert later.errors_of_all_patterns() is not later.errors_of_all_patterns()
