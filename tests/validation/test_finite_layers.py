"""Statements of paper hierarchical measured by brute force, and on what is broken."""

import math

import numpy as np
import pytest

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


def test_rules():
    chosen = [
        product.answers_of_layer("equal-exponent", 10, 4, 24, layer) for layer in (1, 2, 3, 4)
    ]
    assert chosen == [9, 7, 5, 3]
    assert product.answers_of_layer("single-rate", 10, 4, 24, 1) == 6


def test_harmonic_numbers():
    assert counting.harmonic_sum(4) == pytest.approx(25 / 12)
    assert counting.harmonic_difference(4, 2) == pytest.approx(7 / 12)


def test_failure_slopes():
    # one of one worker: e^(−t/j)
    assert layers.failure_slope(1, 1, 4, 2.0) == pytest.approx(1 / 4)
