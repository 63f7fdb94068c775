"""Statements on what fastgc builds: measured as by hand, and another number where it is broken."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest

from fastgc.statistics import estimates
from fastgc.statistics.tallies import Histogram
from fastgc.validation import decision_rules, requests
from fastgc.validation.finite import measure
from fastgc.validation.finite.product import codes, runs, sampling, systems

STAR = {"family": "gradient-code", "n": 3, "s": 1}
TREE = {"family": "coded-reduce", "parents": [0, 0, 1, 1], "s": 0}


def measured(name, **arguments):
    return measure({"built": name, **arguments})


# ---- rounds


def test_rounds_by_hand():
    times = [[1.0, 1.5, 9.0], [3.0, 2.0, 1.0]]
    given = {"system": STAR, "times": times, "receive": 1.0, "opens": "start"}
    assert measured("round_time", **given) == (3.0 + 3.0) / 2
    assert measured("round_messages", **given) == 2.0
    never = given | {"times": [[1.0, None, None]]}
    assert measured("round_messages", **never) == 1.0
    assert measured("round_time", **never) == math.inf
    tree = {"system": TREE, "times": [[1.0, 2.0, 0.5, 0.6]], "receive": 1.0, "opens": "start"}
    assert measured("round_time", **tree) == 4.0  # worker 0 has its children's at 2.5
    assert measured("round_time", **tree | {"opens": "after-own"}) == 4.0
    assert measured("round_messages", **tree) == 4.0


def test_rounds_of_another_system(monkeypatch):
    given = {"system": STAR, "times": [[1.0, 1.5, 9.0]], "receive": 1.0, "opens": "start"}
    right = systems.complete

    def without_port(system, times, receive, opens):
        return right(system, times, 0.0, opens)

    monkeypatch.setattr(systems, "complete", without_port)
    assert measured("round_time", **given) == 1.5
    everybody = given | {"system": STAR | {"s": 0}}
    assert measured("round_time", **everybody) == 9.0
    assert measured("round_messages", **everybody) == 3.0


# ---- decoding


def test_errors_of_another_matrix_differ():
    rows, patterns = [[1.0, 0.0, 1.0], [1.0, 1.0, 0.0], [0.0, 1.0, 1.0]], [[0, 1], [0, 1, 2], [2]]
    errors = [1 / 3, 0.0, 1.0]
    assert measured("decoding_difference", rows=rows, patterns=patterns, errors=errors) < 1e-12
    broken = [*rows[:2], [0.0, 1.0, 0.0]]
    found = measured("decoding_difference", rows=broken, patterns=patterns, errors=errors)
    assert found == pytest.approx(1.0)


def test_worst_error_of_another_code():
    assert measured("worst_error", code={"family": "frc", "n": 6, "d": 2}, stragglers=4) == 4.0
    circulant = {"family": "circulant", "n": 6, "d": 2}
    assert codes.worst_error(circulant, 4) == pytest.approx(3 + 1 / 3)


# ---- traces


def test_a_trace_with_another_time():
    rows = [[1.0, 2.0], [3.0, 2.0]]
    experiment = {
        "code": {"family": "frc", "n": 2, "d": 1},
        "stragglers": {"model": "trace", "order": "rows", "threshold": 2.0},
        "method": "exact",
        "measure": ["error"],
    }
    given = {"experiment": experiment, "quantity": "error", "statistic": "mean"}
    assert measured("value_on_trace", rows=rows, **given) == pytest.approx(0.5)
    assert runs.value_on_trace(rows=[[1.0, 2.0], [3.0, 2.1]], **given) == pytest.approx(1.0)


# ---- planning


def test_quantiles_of_design(monkeypatch):
    assert measured("design_quantile_rank", trials=64, level=0.5) == 32
    assert measured("design_quantile_rank", trials=64, level=0.6) == 39
    coverage = measured("design_quantile_coverage", trials=64, level=0.5)
    whole = runs.Candidate.interval

    def half(self, z=None):
        low, high = whole(self, z)
        return (low + self.value) / 2, (high + self.value) / 2

    monkeypatch.setattr(runs.Candidate, "interval", half)
    assert measured("design_quantile_coverage", trials=64, level=0.5) < 0.9 < coverage


def test_the_best_of_another_level():
    found = [
        measured("design_best_quantile", workers=3, level=level, shift=1.0) for level in (0.5, 0.9)
    ]
    assert found[0] < found[1]


def test_what_design_separates():
    assert measured("design_separates", shift=0.17, trials=1024, seed=0) == 0
    assert measured("design_separates", shift=0.05, trials=1024, seed=0) == 1


# ---- random numbers


def test_words_of_another_key():
    words = {
        measured("philox_word", counter=[0, 0, 0, 0], key=[low, high], place=0)
        for low, high in ((0, 0), (1, 0), (0, 1))
    }
    assert len(words) == 3


def test_exponential_numbers_that_are_cut(monkeypatch):
    right = sampling.pairs.exponentials
    large = measured("largest_exponential", seed=1, numbers=1 << 20)
    assert large > 10
    assert measured("exponential_difference", seed=1, numbers=1 << 20) < 1e-15

    def cut(key, first, iteration, address, even, odd):
        right(key, first, iteration, address, even, odd)
        np.minimum(even, 10.0, out=even)
        np.minimum(odd, 10.0, out=odd)

    monkeypatch.setattr(sampling.pairs, "exponentials", cut)
    assert measured("largest_exponential", seed=1, numbers=1 << 20) == 10.0
    assert measured("exponential_difference", seed=1, numbers=1 << 20) > 0.01


def test_seeds_that_are_cut(monkeypatch):
    right = sampling.streams.key
    pair = {"first": 3, "second": 3 + (1 << 40), "numbers": 64}
    assert measured("equal_draws", **pair) == 0
    monkeypatch.setattr(
        sampling.streams, "key", lambda seed, *rest: right(seed & 0xFFFFFFFF, *rest)
    )
    assert measured("equal_draws", **pair) == 64


# ---- runs


def test_runs_that_are_not_the_same(monkeypatch):
    right = runs._study
    numbers = itertools.count(1)
    monkeypatch.setattr(runs, "_study", lambda *a, **k: right(*a, **k) | {"seed": next(numbers)})
    runs._whole.cache_clear()
    try:
        assert measured("shards_difference", trials=70_000, shards=2) != 0
        assert measured("replayed_difference", trials=600, more=2) != 0
    finally:
        runs._whole.cache_clear()


def test_a_continued_run_of_other_errors(monkeypatch):
    right = runs._whole
    given = {"first": 640, "trials": 1_000, "statistic": "mean"}
    assert measured("continued_difference", **given) == 0
    assert measured("trials_of_continued", first=640, trials=1_000) == 1_000
    monkeypatch.setattr(runs, "_whole", lambda trials: right(trials - 64))
    assert measured("continued_difference", **given) != 0


def test_files_and_shards_hold_what_was_asked_for():
    assert measured("trials_of_reopened", trials=700) == 700
    assert measured("trials_of_shards", trials=70_000, shards=2) == 70_000


def test_a_run_of_another_precision():
    assert measured("relative_half_width", relative_error=0.02) <= 0.02
    widths = [measured("relative_half_width", relative_error=share) for share in (0.02, 0.005)]
    assert widths[0] > 2 * widths[1]
    trials = [measured("trials_of_precise", relative_error=share) for share in (0.02, 0.005)]
    assert trials[1] > trials[0] == 65_536


def test_errors_over_iterations():
    one, four = (measured("error_of_share", iterations=n, trials=8192) for n in (1, 4))
    assert one == pytest.approx(2 * four, rel=0.1)


# ---- laws of one's own


def test_times_of_another_scaling():
    given = {"load": 3.0, "shift": 0.25}
    assert measured("own_law_time", **given, scaling="server-dependent") == 2.25
    assert measured("own_law_time", **given, scaling="data-dependent") == 1.25


# ---- statistics


def test_numbers_by_hand():
    assert measured("error_of_mean", values=[1.0, 2.0, 3.0]) == pytest.approx(1 / math.sqrt(3))
    assert measured("estimated_variance", values=[1.0, 2.0, 6.0]) == pytest.approx(7.0)
    assert measured("proportion_low", successes=5, trials=10) == pytest.approx(0.1871, abs=5e-5)
    assert measured("proportion_high", successes=50, trials=100) == pytest.approx(0.5962, abs=5e-5)
    assert measured("sampled_quantile", values=[3.0, 1.0, 2.0], level=0.5) == 2.0
    assert measured("merged_extreme", first=[2.0], second=[1.0, 5.0], end="high") == 5.0
    assert measured("merged_quantile", first=[2.0], second=[1.0, 5.0], level=0.3) == 1.0
    assert measured("merged_sum", first=[1e300, 1.0], second=[-1e300]) == 1.0
    assert measured("shown_value", value=0.488072, error=0.000303) == 0.48807
    assert measured("shown_error", value=0.488072, error=0.000303) == 30


@pytest.mark.parametrize(("name", "given"), [
    ("error_of_mean", {"values": [1.0, 2.0, 6.0]}),
    ("error_of_difference", {"first": [1.0, 2.0, 6.0], "second": [0.0, 2.0, 3.0]}),
    ("error_of_autocovariance", {"means": [1.0, 2.0, 6.0], "products": [0.0, 2.0, 3.0]}),
])  # fmt: skip
def test_standard_errors_of_a_wrong_covariance(monkeypatch, name, given):
    right = measured(name, **given)

    def biased(trials, a, b, ab):
        return float(ab / trials - (a / trials) * (b / trials))

    monkeypatch.setattr(estimates, "covariance", biased)
    assert measured(name, **given) == pytest.approx(right * math.sqrt(2 / 3))


@pytest.mark.parametrize(("name", "function", "given"), [
    ("error_of_ratio", "ratio", {"numerators": [1.0, 2.0, 6.0], "denominators": [1.0, 2.0, 2.0]}),
    ("error_of_variance", "variance", {"values": [1.0, 2.0, 6.0, 4.0]}),
    ("estimated_variance", "variance", {"values": [1.0, 2.0, 6.0, 4.0]}),
    (
        "error_of_conditional_variance",
        "conditional_variance",
        {"trials": [[1.0, 2.0], [6.0], [3.0]]},
    ),
])  # fmt: skip
def test_estimates_of_wrong_sums(monkeypatch, name, function, given):
    right, found = getattr(estimates, function), measured(name, **given)

    def spoilt(trials, sums):
        more = Fraction(1, 4)
        return right(trials, (sums[0], sums[1] + more, *sums[2:-1], sums[-1] + more))

    monkeypatch.setattr(estimates, function, spoilt)
    assert measured(name, **given) != pytest.approx(found, rel=1e-3)


def test_intervals_at_another_confidence():
    ends = [measured("proportion_low", successes=5, trials=10, confidence=c) for c in (0.9, 0.99)]
    assert ends[1] < ends[0] - 0.05
    narrow, wide = (measured("quantile_coverage", trials=100, level=0.5, confidence=c)
                    for c in (0.8, 0.95))  # fmt: skip
    assert narrow < 0.9 < 0.95 <= wide


def test_histograms_that_are_shifted(monkeypatch):
    right = sampling._binned
    value = 1.0 + 0.75 / 128

    def shifted(values):
        return right([x * (1 + 1 / 256) for x in values])

    assert measured("sampled_quantile", values=[0.5, value, 2.0], level=0.5) <= value
    monkeypatch.setattr(sampling, "_binned", shifted)
    assert measured("sampled_quantile", values=[0.5, value, 2.0], level=0.5) > value


def test_histograms_that_are_not_merged(monkeypatch):
    given = {"first": [2.0], "second": [1.0, 5.0]}
    monkeypatch.setattr(Histogram, "merge", lambda self, other: None)
    assert measured("merged_extreme", **given, end="high") == 2.0


# ---- tests of statements


def test_statements_by_hand():
    assert measured("holm_rejections", p_values=[0.01, 0.04, 0.03, 0.005], alpha=0.05) == 2
    assert measured("two_sided_p_value", errors=-1.959964) == pytest.approx(0.05, abs=1e-7)
    assert measured("half_width_in_errors", significance=0.05) == pytest.approx(1.959964)


def test_statements_that_are_tested_wrongly(monkeypatch):
    right = decision_rules.p_value
    monkeypatch.setattr(decision_rules, "p_value", lambda *given: right(*given) / 2)
    assert measured("two_sided_p_value", errors=-1.959964) == pytest.approx(0.025, abs=1e-7)
    monkeypatch.setattr(sampling.verdicts, "rejected", lambda p, alpha: [x <= alpha for x in p])
    assert measured("holm_rejections", p_values=[0.01, 0.04, 0.03, 0.005], alpha=0.05) == 4
    monkeypatch.setattr(decision_rules, "half_width", lambda *given: 1e-4)
    assert measured("half_width_in_errors", significance=0.05) == pytest.approx(1.0)


def test_errors_that_add_as_if_independent(monkeypatch):
    assert measured("summed_error", first=0.3, second=0.3) == pytest.approx(1.0)

    def independent(a, b):
        error = math.hypot(a.standard_error, b.standard_error)
        return estimates.Estimate(a.value - b.value, error, a.trials)

    monkeypatch.setattr(requests, "_apart", independent)
    assert measured("summed_error", first=0.3, second=0.3) == pytest.approx(math.sqrt(0.5))
