"""Statements on what fastgc builds: measured as by hand, and another number where it is broken."""

import itertools

import numpy as np
import pytest

from fastgc.validation.finite import measure
from fastgc.validation.finite.product import codes, runs, sampling


def measured(name, **arguments):
    return measure({"built": name, **arguments})


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
