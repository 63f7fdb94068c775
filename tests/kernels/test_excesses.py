"""By how much times exceed the least: in one pass, what NumPy does in three."""

import numpy as np
import pytest

from fastgc_kernels.tally import sums as kernel


@pytest.mark.parametrize("reference", [0.0, 0.7])
@pytest.mark.parametrize("shape", [(1, 1000), (3, 65)])
def test_excesses(shape, reference):
    values = np.random.default_rng(4).exponential(size=shape)
    out, less = np.empty(shape), np.empty(shape)
    assert kernel.excesses(values, 0.25, reference, 1e72, out, less) == 0
    expected = np.maximum(values - 0.25, 0.0)
    assert out.tobytes() == expected.tobytes()
    assert less.tobytes() == (expected - reference).tobytes()
    assert (out == 0).any() and (out > 0).any()


@pytest.mark.parametrize("wrong", [np.inf, np.nan, 1e72])
def test_what_is_too_large_or_no_number_is_counted(wrong):
    values = np.array([[1.0, wrong, 2.0], [wrong, 1e71, 0.0]])
    assert kernel.excesses(values, 0.5, 0.0, 1e72, np.empty((2, 3)), np.empty((2, 3))) == 2
