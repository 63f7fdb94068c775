"""Codes whose errors are looked up: every one of the 2ⁿ patterns, up to the largest n."""

import numpy as np
import pytest

from fastgc import codes
from fastgc.decoding.decoder import Decoder
from twins import decoders as twin


def every_pattern(n):
    return np.arange(1 << n, dtype=np.uint64)[:, np.newaxis]


@pytest.mark.parametrize("n", [3, 7, 15, 16])
@pytest.mark.parametrize("decoder", ["optimal", "one-step"])
def test_what_is_looked_up_is_what_is_computed(n, decoder):
    code = codes.code.code_of(np.random.default_rng(n).integers(-2, 4, (n, n)) * 0.5)
    looked_up = Decoder(code, decoder=decoder)
    computed = Decoder(code, decoder=decoder, use_lookup=False)
    assert looked_up.algorithm == "lookup" and computed.algorithm != "lookup"
    errors = looked_up.errors(every_pattern(n))
    assert (errors == computed.errors(every_pattern(n))).all()
    assert (looked_up.errors_of_all_patterns() == errors).all()
    vector = {"optimal": twin.optimal_vector, "one-step": twin.one_step_vector}[decoder]
    for last in range(n):  # patterns in which worker ``last`` is the highest that answered
        pattern = (1 << last) | (0b1011 % (1 << last))
        alive = np.array([bool(pattern >> j & 1) for j in range(n)])
        expected = twin.error_of(code.B, vector(code.B, alive))
        assert errors[pattern] == pytest.approx(expected, abs=1e-9), pattern


def test_seventeen_workers_are_not_looked_up():
    code = codes.code.code_of(np.random.default_rng(17).random((17, 17)))
    assert Decoder(code).algorithm != "lookup"
