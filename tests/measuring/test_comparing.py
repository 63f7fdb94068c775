"""What is said of overhead."""

import numpy as np
import pytest

from fastgc.measuring.comparing import structure

ALIKE = np.ones(200, np.bool_)


def compared(over, predicted=0.1, decoding=0.0):
    alike, spent = ALIKE[: over.size], np.full(over.size, decoding)
    return structure(np.full(over.size, predicted), predicted + over, alike, spent)


def noise(size, scale):
    return scale * np.random.default_rng(1).standard_normal(size)


SHORT = 0.003 + noise(30, 1e-5)
EARLY = np.where(np.arange(40) < 10, -0.05, 0.0)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(
    ("over", "predicted", "verdict", "said"),
    [
        (noise(40, 1e-4) - 0.05, 0.1, "did not hold", "before the workers' own seconds"),
        (noise(40, 1e-4) + EARLY, 0.1, "held", ""),
        (np.zeros(30), 0.0, "held", ""),
        (SHORT, 0.01, "did not hold", "what fastgc itself spends on decoding"),
        (SHORT, 0.01, "did not hold", "; so much is allowed in rounds of 100 ms or longer"),
        (SHORT, 0.11, "held", ""),
        (1e-3 * np.repeat([-1.0, 1.0], 10), 0.1, "open", "[-∞, ∞]"),  # two blocks that are alike
    ],
)
def test_what_is_held_to_be_overhead(over, predicted, verdict, said):
    found = compared(over, predicted)
    assert found.verdict == verdict and said in found.sentence
    if verdict == "open":
        assert found.facts["overhead_median_low"] is None


def test_what_decoding_takes_is_told():
    found = compared(0.01 + noise(30, 1e-5), 0.1, 0.007)
    assert found.facts["decoding_median"] == pytest.approx(0.007)
    assert "decoding (7 ms in the median)" in found.sentence
