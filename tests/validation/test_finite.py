"""Finite statements measured by brute force."""

import doctest
import math
from fractions import Fraction

import numpy as np
import pytest

from fastgc.errors import FastgcError
from fastgc.validation import finite as room
from fastgc.validation.finite import measure
from fastgc.validation.finite.brute_force import codes as matrices
from suite.checks import close
from twins import families, patterns

CIRCULANT = {"family": "circulant", "n": 8, "d": 2}


def test_docstrings():
    failed, tried = doctest.testmod(room)
    assert failed == 0 and tried > 0


def test_cycle_classes_by_sets_of_turned_words():
    n = 8
    classes = {
        frozenset(tuple(np.roll([v >> j & 1 for j in range(n)], turn)) for turn in range(n))
        for v in range(2**n)
    }
    for weight in range(n + 1):
        for order in range(1, n + 1):
            count = sum(len(c) == order and sum(min(c)) == weight for c in classes)
            finite = {"finite": "cycle_classes", "n": n, "weight": weight, "order": order}
            assert measure(finite) == count


def test_pattern_probabilities_add_up():
    finite = {"finite": "survivor_probability", "n": 8, "slow": 3}
    finite |= {"p_straggle_slow": 0.8, "p_straggle_active": 0.01}
    law = [measure(finite | {"survivors": r}) for r in range(9)]
    assert sum(law) == pytest.approx(1.0, abs=1e-15)
    assert law[8] == close(0.2**3 * 0.99**5) and law[0] == close(0.8**3 * 1e-10)


def test_mean_norm_of_the_paper():
    value = measure({"finite": "mean_norm", "code": CIRCULANT, "p": 0.247})
    assert value == pytest.approx(0.5173777, abs=5e-8)
    p = Fraction(247, 1000)
    truth = sum(
        math.sqrt(error) * float(p ** (8 - v.bit_count()) * (1 - p) ** v.bit_count())
        for v, error in enumerate(patterns.errors(patterns.circulant(8, 2)))
    )
    assert value == pytest.approx(truth, rel=1e-12)


@pytest.mark.parametrize("family", ["frc", "circulant"])
def test_largest_error(family):
    table = patterns.errors(patterns.build({"family": family, "n": 6, "d": 3}))
    for survivors in range(7):
        finite = {"finite": "largest_error", "code": {"family": family, "n": 6, "d": 3}}
        worst = max(table[v] for v in range(64) if v.bit_count() == survivors)
        assert measure(finite | {"survivors": survivors}) == pytest.approx(float(worst), abs=1e-12)


def test_cycle_classes_of_circulants_have_one_error():
    for n, d in ((8, 2), (8, 3), (7, 4)):
        code = {"family": "circulant", "n": n, "d": d}
        assert measure({"finite": "cycle_class_spread", "code": code}) == 0.0


def test_cycle_classes_of_random_cyclic_codes_do_not():
    code = {"family": "cyclic", "n": 6, "d": 2, "seed": 3}
    assert measure({"finite": "cycle_class_spread", "code": code}) > 0.1


@pytest.mark.parametrize(("n", "d"), [(6, 2), (7, 3)])
def test_random_cyclic_codes_survive_d_minus_1_stragglers(n, d):
    code = {"family": "cyclic", "n": n, "d": d, "seed": 1}
    finite = {"finite": "largest_error", "code": code}
    assert measure(finite | {"survivors": n - d + 1}) == 0.0
    assert measure(finite | {"survivors": n - d}) > 0.0


def test_unknown_names():
    with pytest.raises(FastgcError, match="cycle_classes"):
        measure({"finite": "cycle_clases"})
    with pytest.raises(FastgcError, match="circulant"):
        measure({"finite": "mean_norm", "code": {"family": "fcr", "n": 4, "d": 2}, "p": 0.1})


@pytest.mark.parametrize("code", [
    {"family": "binary", "n": 9, "s": 3},
    {"family": "binary", "n": 9, "s": 3, "k": 14},
    {"family": "bibd", "name": "fano"},
    {"family": "bibd", "name": "ag(2,3)"},
    {"family": "bibd", "name": "paley-11"},
    {"family": "graph", "name": "cycle", "vertices": 7},
    {"family": "graph", "name": "complete", "vertices": 5},
    {"family": "graph", "edges": [[0, 1], [1, 2], [2, 0], [2, 3]]},
    {"family": "matrix", "rows": [[1.0, 2.0, 0.0], [0.0, 1.0, 1.0]]},
], ids=str)  # fmt: skip
def test_matrices_are_those_of_the_twins(code):
    ours, twin = matrices.matrix(code), families.matrix(code)
    assert ours.shape == twin.shape
    # lines of a design and edges of a graph may come in another order
    if code["family"] == "bibd":
        assert ours.sum(axis=0).tolist() == twin.sum(axis=0).tolist()
        assert np.array_equal(np.unique(ours.T @ ours), np.unique(twin.T @ twin))
    elif code["family"] == "graph":
        assert sorted(map(tuple, ours.T)) == sorted(map(tuple, twin.T))
    else:
        assert np.array_equal(ours, twin)


@pytest.mark.parametrize(("n", "d"), [(9, 3), (8, 4), (7, 5), (6, 2)])
def test_cyclic_mds_codes(n, d):
    code = {"family": "cyclic-mds", "n": n, "d": d}
    B = matrices.matrix(code)
    assert np.linalg.matrix_rank(B) == n - d + 1
    assert np.all((np.abs(B) > 1e-9).sum(axis=0) == d)
    finite = {"finite": "largest_error", "code": code}
    assert measure(finite | {"survivors": n - d + 1}) == 0.0
    assert measure(finite | {"survivors": n - d}) > 0.0


def test_differences_from_claimed_errors_are_seen():
    code = {"family": "bibd", "name": "fano"}
    right = [7, 4, 2.5, 1.6, 1, 4 / 7, 1 / 4, 0]
    finite = {"finite": "largest_difference", "code": code}
    assert measure(finite | {"errors": right}) == 0.0
    wrong = [*right[:-2], 0.3, 0]
    assert measure(finite | {"errors": wrong}) == pytest.approx(0.05)


@pytest.mark.parametrize(("call", "said"), [
    (lambda: matrices.matrix({"family": "cyclic-mds", "n": 8, "d": 3}), "n \\+ d must be even"),
    (lambda: matrices.matrix({"family": "bibd", "name": "fanno"}), "'fano'"),
    (lambda: matrices.matrix({"family": "graph", "name": "wheel"}), "'petersen'"),
])  # fmt: skip
def test_mistakes(call, said):
    with pytest.raises(FastgcError, match=said):
        call()
