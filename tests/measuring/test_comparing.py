"""What is said of overhead: its interval, its trend."""

import numpy as np
import pytest

from fastgc.measuring.comparing import TREND, structure

ALIKE = np.ones(200, np.bool_)


def compared(over, predicted=0.1, *decoding):
    return structure(np.full(over.size, predicted), predicted + over, ALIKE[: over.size], *decoding)


def walk(rng, rows, memory):
    found = np.zeros(rows + 50)
    noise = rng.standard_normal(found.size)
    for i in range(1, found.size):
        found[i] = memory * found[i - 1] + noise[i]
    return found[50:]


@pytest.mark.night
@pytest.mark.parametrize(("rows", "memory", "most"), [(100, 0.0, 2), (100, 0.8, 5), (40, 0.8, 10)])
def test_rounds_that_are_alike_show_no_trend(rows, memory, most):
    rng = np.random.default_rng(1)
    found = [compared(1e-5 * walk(rng, rows, memory)).facts for _ in range(200)]
    # as if rounds were independent it would be 40 of 200 with a memory of 0.8
    assert sum(each["trend_p_value"] < TREND for each in found) <= most


def test_what_grows_is_said_to_grow():
    rng = np.random.default_rng(1)
    over = 1e-5 * (np.arange(100) + 10 * rng.standard_normal(100))
    found = compared(over)
    assert found.verdict == "did not hold" and "grows from round to round" in found.sentence
    assert compared(np.arange(30) * 1e-6).facts["trend"] == pytest.approx(1.0)
    assert compared(np.arange(30) * 1e-6).facts["trend_p_value"] < TREND


def test_overhead_may_be_less_than_none():
    found = compared(np.full(30, -1e-3) + 1e-6 * np.random.default_rng(1).standard_normal(30))
    assert found.facts["overhead_median_low"] == pytest.approx(-1e-3, rel=0.1, abs=0)


def test_an_interval_that_few_rounds_leave_open_is_open_at_both_ends():
    over = 1e-3 * np.repeat([-1.0, 1.0], 10)  # two blocks of rounds that are alike
    found = compared(over)
    assert found.verdict == "open" and "[-∞, ∞]" in found.sentence
    assert found.facts["overhead_median_low"] is None


def test_rounds_that_are_over_too_early_do_not_hold():
    noise = 1e-4 * np.random.default_rng(1).standard_normal(40)
    found = compared(noise - 0.05)
    assert found.verdict == "did not hold" and "before the workers' own seconds" in found.sentence
    few = compared(np.where(np.arange(40) < 10, -0.05, 0.0) + noise)
    assert few.verdict == "held"


def test_a_trend_that_is_too_small_to_matter_is_none():
    rng = np.random.default_rng(1)
    found = compared(1e-6 * (np.arange(100) + 10 * rng.standard_normal(100)))
    assert found.verdict == "held" and found.facts["trend_p_value"] < TREND


@pytest.mark.filterwarnings("error")
def test_rounds_that_take_no_time_are_compared():
    assert compared(np.zeros(30), 0.0).verdict == "held"


def test_what_decoding_takes_is_told():
    over = 0.01 + 1e-5 * np.random.default_rng(1).standard_normal(30)
    found = compared(over, 0.1, np.full(30, 0.007))
    assert found.facts["decoding_median"] == pytest.approx(0.007)
    assert "decoding (7 ms in the median)" in found.sentence


def test_overhead_of_short_rounds_says_how_long_they_have_to_be():
    over = 0.003 + 1e-5 * np.random.default_rng(1).standard_normal(30)
    short = compared(over, 0.01)
    assert short.verdict == "did not hold"
    assert "what fastgc itself spends on decoding" in short.sentence
    assert short.sentence.endswith("; so much is allowed in rounds of 100 ms or longer")
    assert compared(over, 0.11).verdict == "held"
