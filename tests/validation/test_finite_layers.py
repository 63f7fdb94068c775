"""Statements of paper hierarchical measured by brute force, and on what is broken."""

import math

import numpy as np
import pytest

from fastgc.systems import rules
from fastgc.systems.schemes import layered as scheme
from fastgc.validation.finite.brute_force import counting, layers
from fastgc.validation.finite.product import systems as product


def test_ranks():
    assert counting.rank([[1, 2], [2, 4], [0, 1]]) == 2
    assert counting.rank([[0, 0], [0, 0]]) == 0
    assert counting.rank([[0, 1, 5], [2, 0, 1], [2, 1, 6]]) == 2


def test_any_k_answers_decode_and_fewer_do_not():
    for n, k in ((3, 2), (6, 4), (7, 1)):
        assert layers.undecodable_answers(n, k, k) == 0
        assert layers.undecodable_answers(n, k, k - 1) == math.comb(n, k - 1)
        assert product.undecodable_answers(n, [k], 1, k) == 0
        assert product.undecodable_answers(n, [k], 1, k - 1) == math.comb(n, k - 1)


def test_a_code_that_is_not_mds_is_seen(monkeypatch):
    def repeated(n, k, seed=0):
        return np.vstack([np.eye(k), np.tile(np.eye(k)[0], (n - k, 1))])

    monkeypatch.setattr(scheme, "generator", repeated)
    monkeypatch.setattr(scheme, "recover", lambda G, who, x: np.linalg.pinv(G[list(who)]) @ x)
    assert product.undecodable_answers(6, [3, 2], 1, 3) > 0


def test_times_by_events():
    assert layers.finished_at([3, 2], [5.0, 1.0, 2.0, 3.0]) == 4.0
    assert layers.finished_at([1], [math.inf, 2.0]) == 2.0
    assert layers.finished_at([2], [math.inf, 2.0]) == math.inf
    assert product.finished_at([3, 2], [5.0, 1.0, 2.0, 3.0]) == 4.0
    # a layer that waits for one answer more
    assert layers.finished_at([4, 2], [5.0, 1.0, 2.0, 3.0]) == 5.0


def test_a_product_that_is_wrong_is_seen(monkeypatch):
    monkeypatch.setattr(scheme, "recover", lambda G, who, answers: answers)
    assert product.finished_at([3, 2], [5.0, 1.0, 2.0, 3.0]) == -1.0


def test_rates_of_one_layer_are_binomial():
    n, k, t = 6, 4, 3.0
    q = math.exp(-t)
    late = sum(math.comb(n, i) * q**i * (1 - q) ** (n - i) for i in range(n - k + 1, n + 1))
    assert layers.late_rate(n, [k], t) == pytest.approx(-math.log(late) / t, rel=1e-12)
    # the first of two layers needs nothing
    q = math.exp(-t / 2)
    late = sum(math.comb(n, i) * q**i * (1 - q) ** (n - i) for i in range(n - k + 1, n + 1))
    assert layers.late_rate(n, [0, k], t) == pytest.approx(-math.log(late) / t, rel=1e-12)


def test_rates_by_draws():
    n, k, t = 5, [4, 2], 2.0
    speeds = np.sort(np.random.default_rng(2).exponential(size=(40_000, n)), axis=1)
    late = np.mean(np.maximum(speeds[:, 3], 2 * speeds[:, 1]) > t)
    assert math.exp(-t * layers.late_rate(n, k, t)) == pytest.approx(late, abs=0.012)


def test_moves_that_save_are_seen():
    assert layers.gain_of_a_move((9, 6, 4, 1), 10, 1.0) > 0.01
    assert layers.gain_of_a_move((9, 7, 4, 0), 10, 1.0) < 0


@pytest.mark.night
def test_a_search_that_stops_too_early_is_seen(monkeypatch):
    descend = rules._descend

    def coarse(means, mean, most):
        fine = dict(means)
        descend(fine, mean, most)
        least = min(fine, key=fine.get)
        moved = (least[0], least[1] - 1, *least[2:-1], least[-1] + 1)
        means[tuple(sorted(moved, reverse=True))] = 0.0

    question = {"rule": "optimal", "n": 20, "layers": 6, "tasks": 60, "shift": 0.5}
    assert product.gain_of_a_move(**question) <= 0
    monkeypatch.setattr(rules, "_descend", coarse)
    assert product.gain_of_a_move(**question) > 0


def test_rules():
    chosen = [
        product.answers_of_layer("equal-exponent", 10, 4, 24, layer) for layer in (1, 2, 3, 4)
    ]
    assert chosen == [9, 7, 5, 3]
    assert product.answers_of_layer("single-rate", 10, 4, 24, 1) == 6
    optimal = product.mean_of_rule("optimal", 10, 4, 20, 1.0)
    assert optimal < product.mean_of_rule("equal-exponent", 10, 4, 20, 1.0)


def test_harmonic_numbers():
    assert counting.harmonic_sum(4) == pytest.approx(25 / 12)
    assert counting.harmonic_difference(4, 2) == pytest.approx(7 / 12)


def test_failure_slopes():
    # one of one worker: e^(−t/j)
    assert layers.failure_slope(1, 1, 4, 2.0) == pytest.approx(1 / 4)


def test_finishing_means():
    assert layers.finishing_mean(1, [1], 2.0, 0.5) == pytest.approx(2.5, rel=1e-10)
    assert layers.least_finishing_mean(4, 2, 5, 1.0, 0.0) == pytest.approx(41 / 30, rel=1e-9)
